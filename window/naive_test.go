package window

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// The naive counters keep everything and recount from the beginning, as the
// words of docs/policy.md say it. They are what the real ones are held against.

// naive counts h after the hits that came before it. past holds every hit of
// the counter, those that were only asked about included, and the Forgets.
type naive func(spec CounterSpec, past []op, h Hit) Count

var naives = map[string]naive{
	"sliding": naiveSliding,
	"fixed":   naiveFixed,
	"refresh": naiveRefresh,
	"streak":  naiveStreak,
	"cycle":   naiveCycle,
	"tracker": naiveTracker,
}

type op struct {
	Hit
	forget bool
}

// recorded are the hits of h's key that were recorded and not forgotten.
func recorded(past []op, h Hit, keying Keying) (hits []Hit) {
	for _, o := range past {
		switch {
		case o.Scope != h.Scope || keying == ByScopeAndFingerprint && o.Print != h.Print:
		case o.forget:
			hits = nil
		case o.Record:
			hits = append(hits, o.Hit)
		}
	}
	return hits
}

// inside reports whether a hit of time then is in a window that ends at now.
func (s CounterSpec) inside(then, now int64) bool {
	age, window := now-then, s.Window.Microseconds()
	return window == 0 || age < window || s.Closed && age == window
}

func naiveSliding(spec CounterSpec, past []op, h Hit) Count {
	n := Count{1, h.Time}
	for _, r := range slices.Backward(recorded(past, h, ByScopeAndFingerprint)) {
		if spec.inside(r.Time, h.Time) {
			n = Count{n.N + 1, r.Time}
		}
	}
	return n
}

func naiveFixed(spec CounterSpec, past []op, h Hit) (n Count) {
	for _, r := range append(recorded(past, h, ByScopeAndFingerprint), h) {
		if n.N == 0 || !spec.inside(n.First, r.Time) {
			n = Count{0, r.Time}
		}
		n.N++
	}
	return n
}

func naiveRefresh(spec CounterSpec, past []op, h Hit) (n Count) {
	last := int64(0)
	for _, r := range append(recorded(past, h, ByScopeAndFingerprint), h) {
		if n.N == 0 || !spec.inside(last, r.Time) {
			n = Count{0, r.Time}
		}
		n.N++
		last = r.Time
	}
	return n
}

func naiveStreak(spec CounterSpec, past []op, h Hit) Count {
	n := Count{1, h.Time}
	for _, r := range slices.Backward(recorded(past, h, ByScope)) {
		if r.Print != h.Print || !spec.inside(r.Time, h.Time) {
			break
		}
		n = Count{n.N + 1, r.Time}
	}
	return n
}

func naiveCycle(spec CounterSpec, past []op, h Hit) Count {
	var young []Hit
	for _, r := range append(recorded(past, h, ByScope), h) {
		if spec.inside(r.Time, h.Time) {
			young = append(young, r)
		}
	}
	slices.Reverse(young)
	for p := 1; p <= spec.Period; p++ {
		equal := 0 // events that the one p later equals, from the end back
		for p+equal < len(young) && young[equal].Print == young[p+equal].Print {
			equal++
		}
		n := (equal + p) / p
		if len(young) < 2*p || n < 2 {
			continue
		}
		oldest := n*p - 1
		if spec.Window == 0 {
			oldest = equal + p - 1
		}
		return Count{n, young[oldest].Time}
	}
	return Count{1, h.Time}
}

// naiveTracker is the shipped tracker, step by step as docs/policy.md has it.
func naiveTracker(spec CounterSpec, past []op, h Hit) (n Count) {
	n, _ = naiveTrackerChance(spec, past, h)
	return n
}

func naiveTrackerChance(spec CounterSpec, past []op, h Hit) (n Count, given bool) {
	var calls []Hit
	runs := map[fingerprint.Fingerprint]int{}
	chances := map[fingerprint.Fingerprint]bool{}
	for i, o := range append(slices.Clone(past), op{Hit: h}) {
		switch {
		case o.Scope != h.Scope || i < len(past) && !o.forget && !o.Record:
			continue
		case o.forget:
			calls, runs, chances = nil, map[fingerprint.Fingerprint]int{}, map[fingerprint.Fingerprint]bool{}
			continue
		}
		// (1)
		old := 0
		for old < len(calls) && o.Time-calls[old].Time > spec.Window.Microseconds() {
			old++
		}
		if calls = calls[old:]; old > 0 {
			runs = map[fingerprint.Fingerprint]int{}
			for k, c := range calls {
				if k == 0 || calls[k-1].Print != c.Print {
					runs[c.Print] = 0
				}
				runs[c.Print]++
			}
			for print := range chances {
				if runs[print] < o.Limit {
					delete(chances, print)
				}
			}
		}
		// (2)
		total, first := 1, o.Time
		for _, c := range slices.Backward(calls) {
			if c.Print == o.Print {
				total, first = total+1, c.Time
			}
		}
		// (3)
		fired := false
		if len(calls) > 0 && calls[len(calls)-1].Print == o.Print {
			runs[o.Print] = max(runs[o.Print], 1) + 1
			if fired = runs[o.Print] >= o.Limit; fired {
				n = Count{runs[o.Print], 0}
				for k := len(calls) - 1; k >= 0 && calls[k].Print == o.Print; k-- {
					n.First = calls[k].Time
				}
			}
		} else {
			runs[o.Print] = 1
			delete(chances, o.Print)
		}
		// (4)
		if !fired && total >= o.Limit {
			fired, n = true, Count{total, first}
		}
		// (5)
		if !fired {
			n = Count{max(total, runs[o.Print]), first}
			if calls = append(calls, o.Hit); len(calls) > trackerCalls {
				calls = calls[1:]
			}
		}
		given = fired && chances[o.Print]
		if fired {
			chances[o.Print] = true
		}
	}
	return n, given
}
