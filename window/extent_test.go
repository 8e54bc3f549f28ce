package window

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// TestExtent: a loop is as large as what a rule saw of it, each request once:
// all steps of a loop of several, and calls side by side as one.
func TestExtent(t *testing.T) {
	rule := &Rule{
		Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 3,
		Action: Warn, Quiet: time.Minute,
	}
	// A request is the fingerprints that it has, each a letter; it costs a
	// dollar and 10 tokens.
	f := func(requests, want string) {
		t.Helper()
		n := newNames(t)
		var closed []*Episode
		var after Spent
		var alert string
		incidents := NewIncidents(func(in *Incident) {
			alert = fmt.Sprintf("%d requests, %d after: %d tokens, $%g", in.Requests, in.After, in.Tokens, in.Cost)
		})
		e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{Fired: incidents.Fired, After: after.Count, Episode: func(ep *Episode) {
			incidents.Closed(ep)
			whole := *ep
			closed = append(closed, &whole)
		}})
		for i, request := range strings.Split(requests, ",") {
			ev := n.event(int64(i), "s", strings.Split(request, ""), 1)
			ev.Position.Offset, ev.TokensIn, ev.Cost = int64(i), 10, 1
			e.Judge(ev)
		}
		e.Close()
		x := ExtentOf(closed)
		if after != x.After {
			t.Errorf("%s: %+v after a firing, and by the loop %+v", requests, after, x.After)
		}
		if got := fmt.Sprintf("%d requests, %d after: %d tokens, $%g", x.Requests, x.After.Requests, x.After.Tokens, x.After.Cost.Dollars()); got != want || alert != want {
			t.Errorf("%s: %s, and in the alert %s; want %s", requests, got, alert, want)
		}
	}
	f("A,A,A,A,A", "5 requests, 2 after: 20 tokens, $2")
	f("A,B,A,B,A,B,A,B,A,B", "10 requests, 5 after: 50 tokens, $5")
	f("A,B,C,A,B,C,A,B,C,A,B,C", "12 requests, 5 after: 50 tokens, $5")
	f("AB,AB,AB,AB,AB", "5 requests, 2 after: 20 tokens, $2")
	f("AA,AA,AA", "6 requests, 1 after: 10 tokens, $1")
	f("A,A,A,AB,AB,AB,AB", "7 requests, 4 after: 40 tokens, $4")
	f("AB,AB,AB,ABB", "4 requests, 1 after: 10 tokens, $1")
	f("A,B,A,B,B,C,C,CA", "6 requests, 1 after: 10 tokens, $1")
}

// TestAfter: a request comes after a firing once, in however many loops of however
// many rules and scopes it is, also where rules act and see it at other times.
func TestAfter(t *testing.T) {
	f := func(enforce bool, requests string, want ...int64) {
		t.Helper()
		one := CounterSpec{Kind: "sliding", Window: time.Minute}
		rules := []*Rule{
			{Name: "session", Identity: byModel(t), Scope: bySession(t), Counter: one, Threshold: 3, Action: Throttle},
			{Name: "early", Identity: byModel(t), Scope: bySession(t), Counter: one, Threshold: 2, Action: Warn},
			{Name: "all", Identity: byModel(t), Scope: &fingerprint.Scope{}, Counter: one, Threshold: 4, Action: Throttle},
		}
		n := newNames(t)
		var got []int64
		e := NewEngine(NewPlan(rules, nil), EngineOptions{Enforce: enforce, After: func(ev *Event) { got = append(got, ev.Position.Offset) }})
		for i, request := range strings.Split(requests, ",") { // sessions a and b
			ev := n.event(int64(i), request[:1], strings.Split(request[1:], ""), len(rules))
			ev.Scopes = append(ev.Scopes, Scope{})
			ev.Position.Offset = int64(i)
			e.Judge(ev)
		}
		e.Close()
		slices.Sort(got) // rules that act see requests late
		if !slices.Equal(got, want) {
			t.Errorf("enforced %t, %s: %v, want %v", enforce, requests, got, want)
		}
	}
	for _, enforce := range []bool{false, true} {
		f(enforce, "aX,aX", nil...)              // 1 is the first of its loop
		f(enforce, "aX,aX,aX,aX,bY", 2, 3)       // of session and early
		f(enforce, "aX,aX,aX,aX,aX", 2, 3, 4)    // early tells of 4 before session, if that acts, comes to 3
		f(enforce, "aX,bX,aX,bX,aX,bX", 4, 5)    // 3 is the first of all, 2 and 3 of early
		f(enforce, "aX,aY,aX,aY", 3)             // of two steps: 3 is the first of Y, but not of its loop
		f(enforce, "aXY,aXY", nil...)            // 1 is the first of both
		f(enforce, "aXX", nil...)                // calls side by side
		f(enforce, "aY,aZ,aZ,aX,aXY", 4)         // its X begins a loop, its Y is of one that fired before
		f(enforce, "aX,bX,aZ,bZ,aX,aX,bX", 5, 6) // 4 opens early's a, 6 its b after all had fired
	}
}

// TestAfterQuiet: a request that opens an episode comes after a firing where the
// episode begins before that, however short the rule's quiet time is.
func TestAfterQuiet(t *testing.T) {
	f := func(counter CounterSpec, pause time.Duration, want int64) {
		t.Helper()
		for _, scope := range []*fingerprint.Scope{bySession(t), {}} {
			rule := &Rule{Name: "r", Identity: byModel(t), Scope: scope, Counter: counter, Threshold: 3, Action: Warn, Quiet: 5 * time.Second}
			n := newNames(t)
			var after Spent
			var closed []*Episode
			e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{After: after.Count, Episode: func(ep *Episode) {
				one := *ep
				closed = append(closed, &one)
			}})
			now := int64(0)
			for i := range int64(6) {
				if now += 1e6; i == 5 {
					now += pause.Microseconds()
				}
				ev := n.event(now, "s", []string{"A"}, 1)
				ev.Position.Offset = i
				e.Judge(ev)
			}
			e.Close()
			if x := ExtentOf(closed); after.Requests != want || x.After.Requests != want {
				t.Errorf("%s by %v, %s: %d after a firing, and by the loop %d; want %d", counter, scope.Fields, pause, after.Requests, x.After.Requests, want)
			}
		}
	}
	f(CounterSpec{Kind: "sliding", Window: time.Minute}, 2*time.Second, 3)
	f(CounterSpec{Kind: "sliding", Window: time.Minute}, 20*time.Second, 3)
	f(CounterSpec{Kind: "sliding", Window: time.Minute}, 2*time.Minute, 2) // which fires no more
	f(CounterSpec{Kind: "streak"}, time.Hour, 3)
}

// TestExtentOfEachFingerprint: in one scope for all each fingerprint is a loop,
// which has all of the requests that it shares with others.
func TestExtentOfEachFingerprint(t *testing.T) {
	rule := &Rule{
		Name: "r", Identity: byModel(t), Scope: &fingerprint.Scope{}, Counter: CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 3,
		Action: Warn,
	}
	n := newNames(t)
	incidents := NewIncidents(func(in *Incident) {
		if in.State == Closed && (in.Requests != 5 || in.After != 2) {
			t.Errorf("in the alert %d requests, %d after; want 5 and 2", in.Requests, in.After)
		}
	})
	e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{Fired: incidents.Fired, Episode: func(ep *Episode) {
		incidents.Closed(ep)
		if x := ExtentOf([]*Episode{ep}); x.Requests != 5 || x.After.Requests != 2 {
			t.Errorf("%d requests, %d after; want 5 and 2", x.Requests, x.After.Requests)
		}
	}})
	for i := range int64(5) {
		ev := n.event(i, "all", []string{"A", "B"}, 1)
		ev.Position.Offset = i
		e.Judge(ev)
	}
	e.Close()
}

// TestExtentOfCountsThatGoOn: a count without a window goes on where an episode
// has ended, and the next one adds to the loop what is new in it.
func TestExtentOfCountsThatGoOn(t *testing.T) {
	rule := func(name string, counter CounterSpec) *Rule {
		return &Rule{Name: name, Identity: byModel(t), Scope: bySession(t), Counter: counter, Threshold: 3, Action: Warn}
	}
	rules := []*Rule{
		rule("endless", CounterSpec{Kind: "streak"}),
		rule("timed", CounterSpec{Kind: "streak", Window: time.Hour}), // in which the incident goes on
	}
	rules[0].Quiet = time.Minute
	plan := NewPlan(rules, nil)
	var last *Incident
	var closed []*Episode
	n := newNames(t)
	incidents := NewIncidents(func(in *Incident) { last = in })
	o := EngineOptions{Fired: func(ep *Episode, f Firing) { incidents.Fired(ep, f) }, Episode: func(ep *Episode) {
		incidents.Closed(ep)
		if ep.Rule == rules[0] {
			one := *ep
			closed = append(closed, &one)
		}
	}}
	e := NewEngine(plan, o)
	for i := range int64(50) {
		ev := n.event(i*2*time.Minute.Microseconds(), "s", []string{"A"}, 2)
		ev.Position.Offset = i
		e.Judge(ev)
		w := snapshot.NewWriter(nil)
		incidents.Code(w.Codec())
		incidents = NewIncidents(func(in *Incident) { last = in })
		r := snapshot.NewReader(w.Bytes())
		if incidents.Code(r.Codec()); r.Done() != nil {
			t.Fatal(r.Err())
		}
	}
	e.Close()
	if last.Requests != 50 || last.After != 47 {
		t.Errorf("in the alert %d requests, %d after; want 50 and 47", last.Requests, last.After)
	}
	if x := ExtentOf(closed); x.Requests != 50 || x.After.Requests != 47 || len(closed) != 48 {
		t.Errorf("%d episodes have %d requests, %d after; want 48, 50 and 47", len(closed), x.Requests, x.After.Requests)
	}
}

// What an episode has added is after a restart what it was, with calls of one
// request that are equal, too.
func TestContributionOutlivesRestart(t *testing.T) {
	want := contribution{before: 2, fired: 3, first: Spent{Requests: 1, Tokens: 7, TokensKnown: true}, later: Spent{Requests: 1}}
	w := snapshot.NewWriter(nil)
	want.code(w.Codec(), stateVersion)
	r := snapshot.NewReader(w.Bytes())
	var got contribution
	if got.code(r.Codec(), stateVersion); got != want || r.Done() != nil {
		t.Errorf("%+v, want %+v: %v", got, want, r.Done())
	}
}
