package window

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// TestEvidenceOutlivesRestart: what is said of episodes after a restart is what
// would have been said without.
func TestEvidenceOutlivesRestart(t *testing.T) {
	p := newParts(t)
	var own []*fingerprint.Identity // one that sees nothing of what is said, one that sees calls
	for _, name := range []string{"session-model-tools", "tool-call"} {
		id, err := fingerprint.New(name, fingerprint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		own = append(own, id)
	}
	var rules []*Rule
	for i, id := range own {
		for _, scope := range p.scopes {
			rules = append(rules, &Rule{
				Name: fmt.Sprint(i, scope.Fields), Identity: id, Scope: scope,
				Counter: CounterSpec{Kind: "sliding", Window: 20 * time.Second}, Threshold: 3, Action: Warn,
			})
		}
	}
	plan := NewPlan(rules, nil).WithEvidence()
	told := map[Kind]bool{}
	rapid.Check(t, func(t *rapid.T) {
		var said []string
		start := func() *Engine {
			return NewEngine(plan, EngineOptions{Fired: func(ep *Episode, _ Firing) {
				said = append(said, fmt.Sprintln(ep.ID, ep.Kind, ep.Evidence))
				told[ep.Kind] = true
			}})
		}
		at, events := int64(0), []*Event(nil)
		phase := 0
		for i := range rapid.IntRange(10, 60).Draw(t, "events") {
			if i%7 == 0 {
				phase = rapid.IntRange(0, 3).Draw(t, "phase")
			}
			at += rapid.Int64Range(1, 9_000_000).Draw(t, "pause")
			r := &request{identities: map[*fingerprint.Identity]Prints{}, scopes: map[*fingerprint.Scope]Scope{}, choices: map[string]int{}}
			session := fmt.Sprint("session-", rapid.IntRange(0, phase/3).Draw(t, "session"))
			r.Event = *p.event(at, session, nil, 0)
			r.Prints, r.Scopes = nil, nil
			r.Issued = rapid.Bool().Draw(t, "issued")
			r.Answered = rapid.Bool().Draw(t, "answered")
			r.Status = []int{200, 200, fingerprint.Unknown, 500}[rapid.IntRange(0, 3).Draw(t, "status")]
			for _, id := range plan.Identities {
				n := 0
				if !slices.Contains(own, id) && phase > 0 { // of what else there is to know
					n = rapid.IntRange(0, phase).Draw(t, "text")
				}
				r.identities[id] = Prints{Fingerprints: []fingerprint.Fingerprint{p.print(fmt.Sprint(n))}}
			}
			for _, s := range plan.Scopes {
				r.scopes[s] = p.scope(session)
			}
			events = append(events, r.event(plan))
		}
		run := func(from *Engine, events []*Event) {
			for _, ev := range events {
				from.Judge(ev)
			}
		}
		run(start(), events)
		want := slices.Clone(said)

		said = nil
		cut := rapid.IntRange(0, len(events)).Draw(t, "cut")
		e := start()
		run(e, events[:cut])
		w := snapshot.NewWriter(nil)
		e.save(w)
		e = start()
		from := make([]int, len(rules))
		for i := range from {
			from[i] = i
		}
		r := snapshot.NewReader(w.Bytes())
		e.load(r, stateVersion, describe(plan, ExtractOptions{}), from)
		if err := r.Done(); err != nil {
			t.Fatal(err)
		}
		again := snapshot.NewWriter(nil)
		if e.save(again); !slices.Equal(again.Bytes(), w.Bytes()) {
			t.Fatal("what was loaded is saved in another way")
		}
		run(e, events[cut:])
		if !slices.Equal(said, want) {
			t.Fatalf("after a restart before event %d:\n%s\nwithout:\n%s", cut, said, want)
		}
	})
	for _, kind := range []Kind{Stuck, Retry, Polling, Unknown} {
		if !told[kind] {
			t.Errorf("no episode was %s: %v", kind, told)
		}
	}
}

// What an override counts for longer comes in a row for as long.
func TestEvidenceOfAnOverride(t *testing.T) {
	n := newNames(t)
	id, err := fingerprint.New("tool-call-result", fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan := NewPlan([]*Rule{{
		Name: "r", Identity: id, Scope: bySession(t), Counter: CounterSpec{Kind: "streak", Window: time.Minute},
		Threshold: 4, Action: Warn, Overrides: []Override{{Window: time.Hour}},
	}}, nil).WithEvidence()
	var told string
	e := NewEngine(plan, EngineOptions{Fired: func(ep *Episode, _ Firing) { told = fmt.Sprint(ep.Kind, ": ", ep.Evidence) }})
	at := int64(1_000_000_000)
	for i := range int64(6) {
		at += (10 + i%3) * time.Minute.Microseconds()
		ev := n.event(at, "s", []string{"A"}, 1)
		ev.Rules[0] = 0
		for range plan.Identities[1:] {
			ev.Prints = append(ev.Prints, Prints{Cause: fingerprint.NoToolTurn})
		}
		for range plan.Scopes[1:] {
			ev.Scopes = append(ev.Scopes, n.scope("s"))
		}
		e.Judge(ev)
	}
	if want := "stuck: the same call with the same result, 6 times in a row"; told != want {
		t.Errorf("%s, want %s", told, want)
	}
}
