package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// testPrints are the fingerprints of three different requests.
func testPrints(tb testing.TB) []fingerprint.Fingerprint {
	tb.Helper()
	id, err := fingerprint.New("", fingerprint.Options{Parts: []string{"path"}})
	if err != nil {
		tb.Fatal(err)
	}
	w := fingerprint.NewWriter(nil)
	for _, path := range []string{"/a", "/b", "/c"} {
		id.Compute(&fingerprint.Request{Path: []byte(path)}, w)
	}
	var prints []fingerprint.Fingerprint
	for _, p := range w.Prints() {
		prints = append(prints, p.Fingerprint)
	}
	return prints
}

// firesFrom judges all events by one rule and tells whether one fired that is like
// the last, and no earlier than the event of that number.
func firesFrom(from int, rule window.Rule, events []window.Event) (fired bool) {
	at, print := 0, events[len(events)-1].Prints[0].Fingerprints[0]
	e := window.NewEngine(window.NewPlan([]*window.Rule{&rule}, nil), window.EngineOptions{Verdict: func(v *window.Verdict) {
		fired = fired || at >= from && v.Fired && v.Fingerprint == print
	}})
	for at = range events {
		e.Judge(&events[at])
	}
	return fired
}

// TestNearestAgainstTryingAll compares what explain finds of a request, or of all
// those of an episode, with trying every threshold, and every window of whole
// microseconds.
func TestNearestAgainstTryingAll(t *testing.T) {
	prints := testPrints(t)
	scope, err := fingerprint.NewScope(nil)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, kind := range window.Counters {
		kinds = append(kinds, kind.Name)
	}
	rapid.Check(t, func(t *rapid.T) {
		rule := window.Rule{
			Name: "r", Scope: scope, Identity: &fingerprint.Identity{}, Action: window.Warn,
			Counter: window.CounterSpec{
				Kind:   rapid.SampledFrom(kinds).Draw(t, "kind"),
				Window: time.Duration(rapid.IntRange(1, 30).Draw(t, "window")) * time.Microsecond,
				Closed: rapid.Bool().Draw(t, "closed"),
			},
			Threshold: rapid.IntRange(2, 5).Draw(t, "threshold"),
			Cooldown:  time.Duration(rapid.SampledFrom([]int{0, 0, 0, 3}).Draw(t, "cooldown")) * time.Microsecond,
		}
		rule.SkipInCooldown = rule.Cooldown > 0 && rapid.Bool().Draw(t, "skip in cooldown")
		rule.SkipBlocked = rapid.IntRange(0, 4).Draw(t, "skip blocked") == 0
		rule.ResetOnFire = rapid.IntRange(0, 4).Draw(t, "reset") == 0
		choices := []window.Choice{window.Plain, 0}
		rule.Overrides = []window.Override{{Threshold: rapid.SampledFrom([]int{0, 0, 2, 4}).Draw(t, "override's threshold")}}
		if window.CounterNamed(rule.Counter.Kind).Varies {
			rule.Overrides[0].Window = time.Duration(rapid.IntRange(0, 30).Draw(t, "override's window")) * time.Microsecond
		}
		var events []window.Event
		now := int64(1000)
		for i := range rapid.IntRange(1, 14).Draw(t, "events") {
			now += int64(rapid.IntRange(0, 6).Draw(t, "gap"))
			k := rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "print")
			events = append(events, window.Event{
				Time: now, Position: fingerprint.Position{Line: int64(i + 1)}, Status: 200,
				Prints: []window.Prints{{Fingerprints: prints[k : k+1]}}, Scopes: make([]window.Scope, 1),
				Rules: []window.Choice{rapid.SampledFrom(choices).Draw(t, "choice")},
			})
		}
		last := &events[len(events)-1]
		tr := newTrace(window.NewPlan([]*window.Rule{&rule}, nil), 0, &window.Scope{}, last.Prints[0].Fingerprints[0], "")
		from := len(events) - 1
		if first := rapid.IntRange(0, from).Draw(t, "first of the episode"); events[first].Prints[0].Fingerprints[0] == last.Prints[0].Fingerprints[0] {
			from = first
		}
		for i := range events {
			tr.add(&events[i], i == from)
		}
		fired := firesFrom(from, rule, events)
		if got := slices.ContainsFunc(tr.hits[tr.asked:], func(h hit) bool { return h.fired && h.print == tr.print }); got != fired {
			t.Fatalf("the trace says fired %v, the engine %v", got, fired)
		}
		n := tr.nearest(tr.asked, len(tr.hits)-1)

		threshold := 0
		for k := range 30 {
			try := rule
			try.Overrides = slices.Clone(rule.Overrides)
			changed := &try.Threshold
			if events[from].Rules[0] >= 0 && try.Overrides[0].Threshold > 0 {
				changed = &try.Overrides[0].Threshold
			}
			if fired {
				*changed += k
			} else {
				*changed -= k
			}
			if *changed >= 2 && firesFrom(from, try, events) != fired {
				threshold = *changed
				break
			}
		}
		switch {
		case threshold == 0 && n.Threshold != nil:
			t.Fatalf("threshold %d, want none", *n.Threshold)
		case threshold > 0 && (n.Threshold == nil || *n.Threshold != threshold):
			t.Fatalf("threshold %+v, want %d", n, threshold)
		}
		var w time.Duration
		for k := 1; k < 200 && w == 0; k++ {
			try := rule
			try.Overrides = slices.Clone(rule.Overrides)
			changed := &try.Counter.Window
			if events[from].Rules[0] >= 0 && try.Overrides[0].Window > 0 {
				changed = &try.Overrides[0].Window
			}
			if d := time.Duration(k) * time.Microsecond; fired {
				*changed -= d
			} else {
				*changed += d
			}
			if *changed > 0 && firesFrom(from, try, events) != fired {
				w = *changed
			}
		}
		switch {
		case w == 0 && n.Window != nil:
			t.Fatalf("window %v, want none", *n.Window)
		case w > 0 && (n.Window == nil || *n.Window != w.Seconds()):
			t.Fatalf("window %+v, want %v", n, w)
		}
	})
}

// TestCountedLines pins which requests made a count.
func TestCountedLines(t *testing.T) {
	prints := testPrints(t)
	scope, err := fingerprint.NewScope(nil)
	if err != nil {
		t.Fatal(err)
	}
	f := func(rule window.Rule, sequence string, want ...int) {
		t.Helper()
		rule.Scope, rule.Identity, rule.Threshold = scope, &fingerprint.Identity{}, max(rule.Threshold, 2)
		print := prints[sequence[len(sequence)-1]-'a']
		tr := newTrace(window.NewPlan([]*window.Rule{&rule}, nil), 0, &window.Scope{}, print, "")
		for i, c := range sequence {
			tr.add(&window.Event{
				Time: int64(i) * 1e6, Position: fingerprint.Position{Line: int64(i + 1)}, Rules: []window.Choice{window.Plain},
				Prints: []window.Prints{{Fingerprints: []fingerprint.Fingerprint{prints[c-'a']}}}, Scopes: make([]window.Scope, 1),
			}, i == len(sequence)-1)
		}
		list, missing := tr.counted(tr.asked)
		var got []int
		for _, i := range list {
			got = append(got, int(tr.hits[i].pos.Line))
		}
		if !slices.Equal(got, want) || missing != 0 {
			t.Errorf("%s %s: lines %v and %d more, want %v", rule.Counter.Kind, sequence, got, missing, want)
		}
	}
	kind := func(k string, w time.Duration) window.Rule {
		return window.Rule{Counter: window.CounterSpec{Kind: k, Window: w}}
	}
	f(kind("sliding", 3*time.Second), "aaaba", 3, 5)
	f(kind("fixed", 3*time.Second), "aaaa", 4)
	f(kind("refresh", 2*time.Second), "abaaa", 3, 4, 5)
	f(kind("streak", 0), "aabaa", 4, 5)
	f(kind("cycle", 0), "cababab", 2, 3, 4, 5, 6, 7)
	f(kind("cycle", 0), "abc", 3)
	// The tracker does not record what fires, but its run goes on.
	f(kind("tracker", time.Minute), "aaa", 1, 2, 3)
	// A hit in a cooldown that does not count: what began it, and all since.
	f(window.Rule{Counter: kind("sliding", time.Minute).Counter, Cooldown: time.Minute, SkipInCooldown: true}, "abaaa", 1, 3, 4, 5)
	// What was blocked is not recorded, and so did not count.
	f(window.Rule{Counter: kind("sliding", time.Minute).Counter, SkipBlocked: true}, "aaaa", 1, 4)
}

// TestLinesLeftOut: how many are not shown stands there whole, however little room
// is left for where the others are.
func TestLinesLeftOut(t *testing.T) {
	var p Print
	for i := range 1100 {
		p.Lines = append(p.Lines, Line{
			Place: Place{Line: int64(i + 1), Time: window.Stamp(int64(i))}, Gap: new(1e-6), Fingerprint: "0123456789", Fired: true, Action: "throttle", Reason: new("cooldown"),
		})
	}
	var b strings.Builder
	p.lines(&b, func(string) string { return "line " })
	if !strings.Contains(b.String(), " 1,088 more\n") || !strings.Contains(b.String(), "  01234567… fired throttle") {
		t.Error(b.String())
	}
	// One that all have stands above them.
	b.Reset()
	p.Fingerprint = p.Lines[0].Fingerprint
	p.lines(&b, func(string) string { return "line " })
	if strings.Contains(b.String(), "01234567") {
		t.Error(b.String())
	}
}
