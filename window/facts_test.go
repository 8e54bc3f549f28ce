package window

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestFactsNote: what one request adds.
func TestFactsNote(t *testing.T) {
	f := func(ev Event, parallel bool, want Facts) {
		t.Helper()
		facts := begin(1_000_000, 0)
		if ev.Time == 0 {
			ev.Time = 3_000_000
		}
		facts.count(&ev, parallel)
		got := [...]int64{facts.Requests, facts.unavailable, facts.failed, facts.answered, facts.Probes, facts.OneToken, facts.Gets, facts.instants, facts.pauses, int64(len(facts.errors))}
		should := [...]int64{2, want.unavailable, want.failed, want.answered, want.Probes, want.OneToken, want.Gets, want.instants, want.pauses, want.unavailable}
		if got != should {
			t.Errorf("%+v: %d, want %d", ev, got, should)
		}
	}
	const unknown = fingerprint.Unknown
	for status, want := range map[int]Facts{200: {answered: 1}, 302: {answered: 1}, 400: {failed: 1}, 404: {failed: 1}, 408: {unavailable: 1}, 429: {unavailable: 1}, 499: {unavailable: 1}, 500: {unavailable: 1}, 503: {unavailable: 1}, unknown: {}} {
		want.pauses = 1
		f(Event{Status: status, TokensOut: unknown}, false, want)
	}
	f(Event{Status: unknown, TokensOut: 1}, false, Facts{answered: 1, pauses: 1})
	f(Event{Status: unknown, TokensOut: 0}, false, Facts{pauses: 1})
	f(Event{Status: unknown, Answered: true}, false, Facts{answered: 1, pauses: 1})
	f(Event{Status: 500, Answered: true}, false, Facts{unavailable: 1, pauses: 1})
	f(Event{Status: 500, TokensOut: 1}, false, Facts{unavailable: 1, pauses: 1})
	f(Event{Status: unknown, MaxTokens: 1}, false, Facts{Probes: 1, OneToken: 1, pauses: 1})
	f(Event{Status: unknown, MaxTokens: 2}, false, Facts{pauses: 1})
	f(Event{Status: unknown, Path: "/healthz"}, false, Facts{Probes: 1, pauses: 1})
	f(Event{Status: unknown, Path: "/v1/health"}, false, Facts{Probes: 1, pauses: 1}) // wherever the service stands
	f(Event{Status: unknown, Path: "/health/live"}, false, Facts{Probes: 1, pauses: 1})
	f(Event{Status: unknown, Path: "/healthz/x"}, false, Facts{pauses: 1})
	f(Event{Status: unknown, Path: "/v1/jobs/7/status"}, false, Facts{pauses: 1})
	f(Event{Status: unknown, Method: "HEAD"}, false, Facts{Gets: 1, pauses: 1})
	f(Event{Status: unknown, Method: "POST"}, false, Facts{pauses: 1})
	// The same time is one request with equal calls, or two that are one.
	f(Event{Status: unknown, Time: 1_000_000}, true, Facts{})
	f(Event{Status: unknown, Time: 1_000_000}, false, Facts{instants: 1})
	f(Event{Status: unknown}, true, Facts{pauses: 1})
}

// TestFactsTogether: whose client waits for an answer begins when the one before
// is over, or a little sooner, as clocks go.
func TestFactsTogether(t *testing.T) {
	const unknown = fingerprint.NoTime
	f := func(want int64, times ...[2]int64) {
		t.Helper()
		facts := begin(0, 0)
		for _, at := range times {
			facts.count(&Event{Start: at[0], Time: at[1]}, false)
		}
		if facts.together != want {
			t.Errorf("%d: %d began together, want %d", times, facts.together, want)
		}
	}
	f(0, [2]int64{10, 20}, [2]int64{20, 30}, [2]int64{29, 40})
	f(1, [2]int64{10, 20}, [2]int64{18, 30})
	f(2, [2]int64{10, 20}, [2]int64{9, 30}, [2]int64{11, 31})
	f(0, [2]int64{unknown, 20}, [2]int64{9, 30})
	f(0, [2]int64{10, 20}, [2]int64{unknown, 30})
	f(0, [2]int64{10, 10}, [2]int64{11, 11}) // an end is all there is
	// Of a time of whole seconds the true one is up to a second later.
	f(0, [2]int64{5_100_000, 10_000_000}, [2]int64{8_600_000, 14_000_000})
	f(1, [2]int64{5_100_000, 10_000_000}, [2]int64{8_400_000, 14_000_000})
	f(1, [2]int64{5_100_000, 10_000_001}, [2]int64{8_600_000, 14_000_001})
}

// TestResultsAdd: what turns have in common is what tells.
func TestResultsAdd(t *testing.T) {
	f := func(want results, turns ...[]uint64) {
		t.Helper()
		var r results
		for _, shown := range turns {
			r.add(shown)
		}
		if r.turns != want.turns || r.changes != want.changes || r.run != want.run || r.longest != want.longest {
			t.Errorf("%v: %+v, want %+v", turns, r, want)
		}
	}
	f(results{turns: 1, run: 1, longest: 1}, []uint64{1})
	f(results{turns: 3, run: 3, longest: 3}, []uint64{1}, []uint64{1, 2}, []uint64{3, 1})
	f(results{turns: 3, changes: 1, run: 1, longest: 2}, []uint64{1, 2}, []uint64{2, 3}, []uint64{3})
	f(results{turns: 4, changes: 1, run: 3, longest: 3}, []uint64{1}, []uint64{2}, []uint64{2}, []uint64{2})
}

// TestResultsHear: of a result that stands among others of its tool it is known that it
// is new, and not that it came again.
func TestResultsHear(t *testing.T) {
	f := func(among bool, want results, turns ...uint64) {
		t.Helper()
		var r results
		for _, shown := range turns {
			r.hear([]uint64{shown}, among)
		}
		if r.turns != want.turns || r.changes != want.changes || r.longest != want.longest || r.loose != want.loose {
			t.Errorf("%v: %+v, want %+v", turns, r, want)
		}
	}
	f(false, results{turns: 4, changes: 1, longest: 3}, 1, 2, 2, 2)
	f(true, results{turns: 2, changes: 1, longest: 1, loose: 2}, 1, 2, 2, 2)
	f(true, results{turns: 1, longest: 1, loose: 2}, 1, 1, 1)
	f(true, results{turns: 3, changes: 2, longest: 1}, 1, 2, 3)
}

// TestWitnessSeen: an error is shared that two callers had in a minute, of one
// class and not once alone; so with conversations, where all callers are one.
// One of the logs is of whole seconds if a tenth of the times are, or both ends of
// the stretch.
func TestWitnessSeen(t *testing.T) {
	f := func(want bool, events ...Event) {
		t.Helper()
		w := &Witness{errors: newErrorMinutes(), conversation: 0}
		for i := range events {
			w.Seen(&events[i])
		}
		n, some := w.errors.shared([]errorsAt{{errorTime{2, limited}, 7}})
		if n == 7 != want {
			t.Errorf("%+v: shared %t", events, n == 7)
		}
		w.errors.turn(5) // of what is over no more is kept than that
		if m, someThen := w.errors.shared([]errorsAt{{errorTime{2, limited}, 7}}); m != n || someThen != some || len(w.errors.kept) != 1 {
			t.Errorf("%+v: shared %t, others had some %t, once it is over %t and %t, and %d minutes are kept", events, n == 7, some, m == 7, someThen, len(w.errors.kept))
		}
	}
	at := func(second int64, caller string, status int) Event {
		return Event{Time: second * 1_000_000, Caller: caller, Status: status}
	}
	in := func(second int64, caller, conversation string, status int) Event {
		ev := at(second, caller, status)
		ev.Scopes = []Scope{{Values: []string{conversation}}}
		return ev
	}
	a, b := at(120, "a", 429), at(179, "b", 429)
	f(true, a, a, b, b)
	f(true, a, a, a, a, a, b, b)
	f(false, a, a, a, b)
	f(false, a, a, a, a)
	f(false, a, a, at(130, "b", 500), at(131, "b", 503))
	f(false, at(119, "a", 429), at(119, "a", 429), b, b)
	f(true, at(61, "a", 429), at(62, "b", 429), at(63, "a", 429), at(64, "b", 429))
	f(false, at(57, "a", 429), at(57, "a", 429), at(59, "b", 429), at(59, "b", 429))
	f(true, in(120, "", "1", 429), in(121, "", "1", 429), in(122, "", "2", 429), in(123, "", "2", 429))
	f(true, in(120, "a", "1", 429), in(121, "a", "1", 429), in(122, "a", "2", 429), in(123, "a", "2", 429))
	f(false, in(120, "a", "1", 429), in(121, "a", "1", 429), in(122, "a", "2", 429), in(123, "a", "2", 429), at(124, "b", 200))

	// A twentieth of all requests but one's own: many with one each are others too.
	one := at(120, "c", 200)
	among := func(fine int, events ...Event) []Event { return append(slices.Repeat([]Event{one}, fine), events...) }
	f(true, among(38, a, a, a, b, b)...)
	f(false, among(39, a, a, a, b, b)...)
	var many []Event
	for i := range 20 {
		many = append(many, at(120, fmt.Sprint(i), 429))
	}
	f(true, among(285, many...)...)
	f(false, among(286, many...)...)

	w := &Witness{errors: newErrorMinutes(), conversation: -1}
	w.errors.keep = 2
	for _, micros := range []int64{0, 60_000_000, 120_000_001, 180_000_001} {
		w.Seen(&Event{Time: micros, Start: fingerprint.NoTime, Status: 500})
	}
	if kept := w.errors.kept; len(kept) != 2 || kept[2] == nil || kept[3] == nil {
		t.Errorf("kept are the minutes %v", kept)
	}
	if w.errors.turn(4); len(w.errors.kept) != 2 || w.errors.kept[3] == nil || w.errors.kept[4] == nil {
		t.Errorf("kept are the minutes %v", w.errors.kept)
	}
	if w.errors.turn(5); len(w.errors.kept) != 2 || w.errors.kept[3] == nil || w.errors.kept[5] == nil {
		t.Errorf("a minute without errors is kept: %v", w.errors.kept)
	}
	if w.judged != 4 || w.whole != 2 {
		t.Errorf("%d of %d at whole seconds", w.whole, w.judged)
	}
	w.judged, w.whole = 99, 9
	w.Seen(&Event{Time: 240_000_000})
	of := &Facts{First: 1, last: 240_000_000, start: fingerprint.NoTime}
	if w.coarse(of) {
		t.Error("a tenth of the times are of whole seconds, and the log is")
	}
	if !w.coarse(&Facts{First: 180_000_000, last: 240_000_000, start: fingerprint.NoTime}) {
		t.Error("a stretch begins and ends at a whole second, and the log is finer")
	}
	if w.Seen(&Event{Time: 240_000_000}); !w.coarse(of) {
		t.Error("more than a tenth of the times are of whole seconds, and the log is not")
	}
	for _, ev := range []Event{{Time: 300_000_204, Start: fingerprint.NoTime}, {Time: 300_204_000, Start: 300_000_000}} {
		w.Seen(&ev)
	}
	if !w.coarse(&Facts{last: 300_204_000, start: 300_000_000}) {
		t.Error("starts of whole seconds are finer for the durations beside them")
	}
	if w.coarse(&Facts{last: 300_000_204, start: fingerprint.NoTime}) {
		t.Error("a finer log beside one of whole seconds is of whole seconds")
	}
}

// TestWitnessNote: where one stretch of a key ends and the next begins.
func TestWitnessNote(t *testing.T) {
	caller, err := fingerprint.NewScope([]string{"caller"})
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := fingerprint.New("prompt", fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rule := &Rule{Name: "r", Identity: prompt, Scope: caller, Counter: CounterSpec{Kind: "streak", Window: time.Second}, Quiet: 2 * time.Second}
	plan := NewPlan([]*Rule{rule}, nil).WithEvidence()
	w := plan.NewWitness(0)
	print := printOf(t, "m")
	// f notes requests, each so long after the one before and of a session, and
	// wants to know how many requests each stretch has.
	type request struct {
		after   time.Duration
		session string
	}
	f := func(what string, want []int64, list ...request) *Facts {
		t.Helper()
		facts := w.Begin(0)
		facts.said = w.said(&Event{Session: "a", Scopes: make([]Scope, len(plan.Scopes))}, 0)
		now := int64(0)
		var got []int64
		for _, r := range list {
			now += r.after.Microseconds()
			ev := &Event{Time: now, Session: r.session, Status: 200, Prints: make([]Prints, len(plan.Identities)), Scopes: make([]Scope, len(plan.Scopes))}
			next := w.Note(facts, ev, 0, &print, Round{1, 1})
			if next != facts {
				got = append(got, facts.Requests)
			}
			facts = next
		}
		if got = append(got, facts.Requests); !slices.Equal(got, want) {
			t.Errorf("%s: stretches of %d requests, want %d", what, got, want)
		}
		return facts
	}
	same := func(n int) (list []request) {
		for range n {
			list = append(list, request{time.Second, "a"})
		}
		return list
	}
	with := func(list []request, more ...request) []request { return append(list, more...) }
	f("no pause", []int64{5}, same(4)...)
	f("a pause of ten times the others", []int64{6}, with(same(4), request{10 * time.Second, "a"})...)
	f("a longer one", []int64{5, 1}, with(same(4), request{10*time.Second + 1000, "a"})...)
	if next := f("another session, after enough of one", []int64{4, 1}, with(same(3), request{time.Second, "b"})...); next.loop == nil || next.loop.Requests != 4 {
		t.Errorf("the loop before is %+v", next.loop)
	}
	if next := f("after too few", []int64{4}, with(same(2), request{time.Second, "b"})...); !next.mixed {
		t.Error("two sessions, and not mixed")
	}
	b := request{time.Second, "b"}
	// Those of the new stretch were thought to be of the one before, which then
	// tells of its own alone.
	if next := f("enough of the other", []int64{3, 4}, with(same(2), b, b, b, b)...); next.mixed {
		t.Error("one session, and mixed")
	}
	f("and then of one", []int64{5, 4, 1}, with(same(2), b, request{time.Second, "c"}, b, b, b, b, request{time.Second, "c"})...)
	// What may be a loop is known of through the stretch that is none.
	if next := f("a loop, others, and a pause", []int64{4, 2, 1}, with(same(3), b, request{time.Second, "c"}, request{time.Hour, "d"})...); next.loop == nil || next.loop.Requests != 4 {
		t.Errorf("the loop before is %+v", next.loop)
	}
}
