package window

import (
	"strconv"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestAsked: which of the requests that come after a call tells what came of it.
// The call is of the tool bash, and of the last place where another is beside it.
func TestAsked(t *testing.T) {
	id, err := fingerprint.New("tool-call", fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan := NewPlan([]*Rule{{Name: "r", Identity: id, Scope: bySession(t), Counter: CounterSpec{Kind: "streak"}}}, nil).WithEvidence()
	request := func(cause fingerprint.Cause, issues []string, results ...string) *Event {
		ev := newNames(t).event(0, "s", nil, 1)
		ev.Issued, ev.Status = len(issues) > 0, 200
		ev.Prints, ev.Scopes = make([]Prints, len(plan.Identities)), []Scope{ev.Scopes[0], ev.Scopes[0]}
		tools := func(p *Prints, list []string) {
			for _, name := range list {
				p.Fingerprints, p.Tools = append(p.Fingerprints, printOf(t, name)), append(p.Tools, name[:len(name)-1])
			}
		}
		tools(&ev.Prints[0], issues)
		results0 := &ev.Prints[plan.companion(companions[0])]
		results0.Cause = cause
		tools(results0, results)
		return ev
	}
	shows := func(results ...string) *Event { return request(fingerprint.Computable, nil, results...) }
	goesOn := func(results ...string) *Event { return request(fingerprint.Computable, []string{"bash9"}, results...) }
	without := func(cause fingerprint.Cause, issues ...string) *Event { return request(cause, issues) }
	failed := shows("bash1")
	failed.Status = 500

	// f has a call issued, shows requests, and wants to know the one result that was
	// taken for what came of it.
	f := func(why, want string, issued []string, after ...*Event) {
		t.Helper()
		w := plan.NewWitness(0)
		ev := request(fingerprint.NoToolTurn, issued)
		facts := w.Note(w.Begin(0), ev, 0, &ev.Prints[0].Fingerprints[len(issued)-1], Round{1, 1})
		for _, ev := range after {
			if w.hears(ev, 0) {
				w.Hear(ev, 0)
			}
		}
		r := facts.wasHeard().results
		switch {
		case want == "" && r.turns != 0:
			t.Errorf("%s: %d results", why, r.turns)
		case want != "":
			if print := printOf(t, want); r.turns != 1 || r.held[0] != printHash(&print) {
				t.Errorf("%s: %d results, want %s alone", why, r.turns, want)
			}
		}
		if live := w.asked[0].scopes.live; want != "" && live != 0 {
			t.Errorf("%s: still waiting", why)
		}
	}
	one, two := []string{"bash0"}, []string{"bash8", "bash0"}
	f("the next request", "bash1", one, goesOn("bash1"), goesOn("bash2"))
	f("the last, that is answered with words", "bash1", one, shows("bash1"), goesOn("bash2"))
	f("one that failed, and is sent again", "bash1", one, failed, goesOn("bash1"))
	f("another thread in the conversation", "bash1", one, without(fingerprint.NoToolTurn), goesOn("read1"), goesOn("bash1"))
	f("the agent goes on without results", "", one, without(fingerprint.NoToolTurn, "bash9"), goesOn("bash2"))
	f("results that are lost", "", one, without(fingerprint.LossyContent), goesOn("bash2"))
	f("by its place", "bash2", two, goesOn("bash1", "bash2"))
	f("no place of its own", "", two, goesOn("bash1"), goesOn("bash1", "bash2"))
	f("all calls so far as one turn", "bash3", one, goesOn("bash1", "read1", "bash2", "bash3", "read2"))
	f("beside another tool", "bash1", []string{"read0", "bash0"}, goesOn("bash1"))
}

// TestAskedIsCapped: conversations whose calls nothing ever comes of hold no more
// than the cap.
func TestAskedIsCapped(t *testing.T) {
	id, err := fingerprint.New("tool-call", fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan := NewPlan([]*Rule{{Name: "r", Identity: id, Scope: bySession(t), Counter: CounterSpec{Kind: "streak"}}}, nil).WithEvidence()
	const most = 10
	w, names := plan.NewWitness(most), newNames(t)
	for i := range 5 * most {
		ev := names.event(0, strconv.Itoa(i), nil, 1)
		ev.Issued, ev.Status = true, 200
		ev.Prints, ev.Scopes = make([]Prints, len(plan.Identities)), []Scope{ev.Scopes[0], ev.Scopes[0]}
		ev.Prints[0] = Prints{Fingerprints: []fingerprint.Fingerprint{printOf(t, "bash1")}, Tools: []string{"bash"}}
		w.Note(w.Begin(0), ev, 0, &ev.Prints[0].Fingerprints[0], Round{N: 2, Period: 1})
	}
	if n := w.asked[0].scopes.live; n != most {
		t.Errorf("%d conversations wait, not %d", n, most)
	}
}
