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
				Closed: rapid.Bool().Draw(t, "closed"),
			},
			Threshold: rapid.IntRange(2, 5).Draw(t, "threshold"),
			Cooldown:  time.Duration(rapid.SampledFrom([]int{0, 0, 0, 3}).Draw(t, "cooldown")) * time.Microsecond,
		}
		least := 1
		if window.CounterNamed(rule.Counter.Kind).Endless {
			least = 0
		}
		rule.Counter.Window = time.Duration(rapid.IntRange(least, 30).Draw(t, "window")) * time.Microsecond
		rule.SkipInCooldown = rule.Cooldown > 0 && rapid.Bool().Draw(t, "skip in cooldown")
		rule.SkipBlocked = rapid.IntRange(0, 4).Draw(t, "skip blocked") == 0
		rule.ResetOnFire = rapid.IntRange(0, 4).Draw(t, "reset") == 0
		choices := []window.Choice{window.Plain, 0}
		rule.Overrides = []window.Override{{Threshold: rapid.SampledFrom([]int{0, 0, 2, 4}).Draw(t, "override's threshold")}}
		if window.CounterNamed(rule.Counter.Kind).Varies && rule.Counter.Window > 0 {
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
		if n.Fires == fired {
			t.Fatalf("the nearest fires: %t, as the rule does", n.Fires)
		}
		why := noThreshold
		if fired {
			why = "every threshold fires"
		}
		switch {
		case threshold == 0 && (n.Threshold != nil || *n.ThresholdWhy != why):
			t.Fatalf("threshold %+v, want none: %s", n, why)
		case threshold > 0 && (n.Threshold == nil || *n.Threshold != threshold):
			t.Fatalf("threshold %+v, want %d", n, threshold)
		}
		var w time.Duration
		why = noWindow
		for k := 1; k < 200 && w == 0; k++ {
			try := rule
			try.Overrides = slices.Clone(rule.Overrides)
			changed := &try.Counter.Window
			if events[from].Rules[0] >= 0 && try.Overrides[0].Window > 0 {
				changed = &try.Overrides[0].Window
			}
			d := time.Duration(k) * time.Microsecond
			switch {
			case fired && *changed == 0: // all count, as in one that is longer than the log
				*changed = 200*time.Microsecond - d
			case fired:
				*changed -= d
			case *changed == 0:
				*changed, why = -1, "the rule has none, and counts all"
			default:
				*changed += d
			}
			if *changed > 0 && firesFrom(from, try, events) != fired {
				w = *changed
			}
		}
		if fired {
			why = "every window fires"
		}
		switch {
		case w == 0 && (n.Window != nil || *n.WindowWhy != why):
			t.Fatalf("window %+v, want none: %s", n, why)
		case w > 0 && (n.Window == nil || *n.Window != w.Seconds()):
			t.Fatalf("window %+v, want %v", n, w)
		}
	})
}

// TestNearestOfOverride: a threshold or a window is looked for where the first request
// has it from, and the others that have it from elsewhere are held to theirs. The bug
// was that a higher threshold was named for what an override lets pass. The requests
// come by the microsecond, those of 1 under the override.
func TestNearestOfOverride(t *testing.T) {
	print := testPrints(t)[0]
	scope, err := fingerprint.NewScope(nil)
	if err != nil {
		t.Fatal(err)
	}
	f := func(kind string, w time.Duration, threshold int, override window.Override, requests string, from, wantThreshold int, wantWindow float64) {
		t.Helper()
		rule := &window.Rule{
			Identity: &fingerprint.Identity{}, Scope: scope, Action: window.Warn,
			Counter: window.CounterSpec{Kind: kind, Window: w}, Threshold: threshold, Overrides: []window.Override{override},
		}
		tr := newTrace(window.NewPlan([]*window.Rule{rule}, nil), 0, &window.Scope{}, print, "")
		for i, c := range requests {
			tr.add(&window.Event{
				Time: int64(i), Position: fingerprint.Position{Line: int64(i + 1)}, Rules: []window.Choice{window.Plain + window.Choice(c-'0')},
				Prints: []window.Prints{{Fingerprints: []fingerprint.Fingerprint{print}}}, Scopes: make([]window.Scope, 1),
			}, i == from)
		}
		if n := tr.nearest(tr.asked, len(tr.hits)-1); n.Threshold == nil || *n.Threshold != wantThreshold || n.Window == nil || *n.Window != wantWindow {
			t.Errorf("%s %s: %+v, want %d, or %v s", kind, requests, n, wantThreshold, wantWindow)
		}
	}
	const us = time.Microsecond
	f("sliding", 10*us, 2, window.Override{Threshold: 9}, "00011", 1, 4, 1e-6)
	f("sliding", 10*us, 9, window.Override{Threshold: 2}, "11100", 1, 4, 1e-6)
	f("streak", 50*us, 3, window.Override{Window: 5 * us}, "1111", 3, 5, 2e-6)
	f("streak", 5*us, 3, window.Override{Window: 50 * us}, "1110", 3, 5, 2e-6)
}

// TestLongTraces: of very many requests not all are kept, and what is not known for
// that is said. They come by the microsecond, so many before the one that is asked
// about, or that an episode begins with, and so many behind it.
func TestLongTraces(t *testing.T) {
	print := testPrints(t)[0]
	scope, err := fingerprint.NewScope(nil)
	if err != nil {
		t.Fatal(err)
	}
	f := func(what string, rule window.Rule, before, behind int, threshold int, w float64, why string) (tr *trace) {
		t.Helper()
		rule.Scope, rule.Identity, rule.Counter.Kind, rule.Action = scope, &fingerprint.Identity{}, "sliding", window.Warn
		event := func(i int) *window.Event {
			return &window.Event{
				Time: int64(i), Position: fingerprint.Position{Line: int64(i + 1)}, Rules: []window.Choice{window.Plain},
				Prints: []window.Prints{{Fingerprints: []fingerprint.Fingerprint{print}}}, Scopes: make([]window.Scope, 1),
			}
		}
		episode := ""
		if behind > 0 {
			e := window.NewEngine(window.NewPlan([]*window.Rule{&rule}, nil), window.EngineOptions{Verdict: func(v *window.Verdict) { episode = v.Episode }})
			for i := range before + 1 {
				e.Judge(event(i))
			}
		}
		tr = newTrace(window.NewPlan([]*window.Rule{&rule}, nil), 0, &window.Scope{}, print, episode)
		for i := range before + 1 + behind {
			tr.add(event(i), behind == 0 && i == before)
		}
		tr.engine.Close()
		n := tr.nearest(tr.asked, len(tr.hits)-1)
		if threshold == 0 && (n.Threshold != nil || *n.ThresholdWhy != why) || threshold > 0 && (n.Threshold == nil || *n.Threshold != threshold) {
			t.Errorf("%s: threshold %+v, want %d or %s", what, n, threshold, why)
		}
		if w == 0 && (n.Window != nil || *n.WindowWhy != why) || w > 0 && (n.Window == nil || *n.Window != w) {
			t.Errorf("%s: window %+v, want %v or %s", what, n, w, why)
		}
		if kept := len(tr.hits) + int(tr.forgotten+tr.unkept); kept != before+1+behind || len(tr.hits) > 3*maxHits {
			t.Errorf("%s: %d are kept, %d forgotten before and %d behind", what, len(tr.hits), tr.forgotten, tr.unkept)
		}
		return tr
	}
	sliding := func(threshold int, w, cooldown time.Duration) window.Rule {
		return window.Rule{Threshold: threshold, Counter: window.CounterSpec{Window: w}, Cooldown: cooldown}
	}
	f("what is kept tells all", sliding(5, 10*time.Microsecond, 0), 2*maxHits+10, 0, 11, 4e-6, "")
	f("a window further than what is kept", sliding(30_000, 10*time.Microsecond, 0), 2*maxHits+10, 0, 10, 0, "none up to 10.012ms; older requests are not kept")
	long := f("a count of more than is kept", sliding(5, time.Hour, 0), 2*maxHits+10, 0, 0, 0, "more requests came before than are kept")
	if list, missing := long.counted(long.asked); int(missing) != 2*maxHits+11-len(list) || len(list) != len(long.hits) {
		t.Errorf("%d counted, and %d more", len(list), missing)
	}
	f("an episode of all that may be kept", sliding(5, 10*time.Microsecond, 0), 4, maxHits-1, 11, 4e-6, "")
	f("an episode that is longer", sliding(5, 10*time.Microsecond, 0), 4, maxHits+9, 11, 0, "the episode is longer than what is kept")
	f("in which firing changes counts", sliding(5, 10*time.Microsecond, time.Microsecond), 4, maxHits+9, 0, 0, "the episode is longer than what is kept")
	f("too many to pair", sliding(5, 10*time.Microsecond, time.Microsecond), maxPaired, 0, 11, 0, "too many requests to try every window")
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
