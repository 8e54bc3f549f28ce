package window

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
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
		var alert string
		incidents := NewIncidents(func(in *Incident) {
			alert = fmt.Sprintf("%d requests, %d after: %d tokens, $%g", in.Requests, in.After, in.Tokens, in.Cost)
		})
		e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{Fired: incidents.Fired, Episode: func(ep *Episode) {
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
