package window

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// TestEvidenceOutlivesRestart: what is said of episodes after restarts, while they
// grow and when they end, is what would have been said without.
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
				Quiet: 30 * time.Second,
			})
		}
	}
	plan := NewPlan(rules, nil).WithEvidence()
	told := map[Kind]bool{}
	rapid.Check(t, func(t *rapid.T) {
		var said []string
		keys := rapid.SampledFrom([]int{0, 0, 2, 4}).Draw(t, "keys")
		start := func() *Engine {
			tell := func(what string, ep *Episode) {
				said = append(said, fmt.Sprintln(what, ep.ID, ep.Kind, ep.Evidence))
				told[ep.Kind] = true
			}
			return NewEngine(plan, EngineOptions{
				MaxKeys: keys,
				Fired:   func(ep *Episode, _ Firing) { tell("fired", ep) },
				Episode: func(ep *Episode) { tell("closed", ep) },
			})
		}
		at, events := int64(0), []*Event(nil)
		phase := 0
		for i := range rapid.IntRange(10, 60).Draw(t, "events") {
			if i%7 == 0 {
				phase = rapid.IntRange(0, 3).Draw(t, "phase")
			}
			if at += rapid.Int64Range(1, 9_000_000).Draw(t, "pause"); rapid.IntRange(0, 19).Draw(t, "long") == 0 {
				at += 25_000_000 // may be more than the quiet time
			}
			r := &request{identities: map[*fingerprint.Identity]Prints{}, scopes: map[*fingerprint.Scope]Scope{}, choices: map[string]int{}}
			session := fmt.Sprint("session-", rapid.IntRange(0, (phase+1)/2).Draw(t, "session"))
			r.Event = *p.event(at, session, nil, 0)
			r.Prints, r.Scopes = nil, nil
			r.Issued = rapid.Bool().Draw(t, "issued")
			r.Answered = rapid.Bool().Draw(t, "answered")
			r.Status = []int{200, 200, fingerprint.Unknown, 500}[rapid.IntRange(0, 3).Draw(t, "status")]
			for _, id := range plan.Identities {
				n := 0
				switch {
				case slices.Contains(own, id):
					n = max(rapid.IntRange(-4, 1).Draw(t, "what"), 0)
				case phase > 0: // of what else there is to know
					n = rapid.IntRange(0, phase).Draw(t, "text")
				}
				r.identities[id] = Prints{Fingerprints: []fingerprint.Fingerprint{p.print(fmt.Sprint(n))}}
				if id.Name == "tool-call-result" && rapid.IntRange(0, 3).Draw(t, "other") == 0 { // of another tool
					r.identities[id] = Prints{Fingerprints: r.identities[id].Fingerprints, Tools: []string{"other"}}
				}
			}
			for _, s := range plan.Scopes {
				name := "all"
				if slices.Equal(s.Fields, []string{"session"}) || slices.Equal(s.Fields, companionScope.Fields) {
					name = session
				}
				r.scopes[s] = p.scope(name)
			}
			events = append(events, r.event(plan))
		}
		want := start()
		for _, ev := range events {
			want.Judge(ev)
		}
		want.Close()
		without := said

		said = nil
		from := make([]int, len(rules))
		for i := range from {
			from[i] = i
		}
		e, breaks := start(), rapid.IntRange(1, 10).Draw(t, "breaks")
		for i, ev := range events {
			if rapid.IntRange(0, breaks).Draw(t, "break") == 0 {
				w := snapshot.NewWriter(nil)
				e.save(w)
				e = start()
				r := snapshot.NewReader(w.Bytes())
				e.load(r, stateVersion, describe(plan, ExtractOptions{}), from)
				if err := r.Done(); err != nil {
					t.Fatal(err)
				}
				again := snapshot.NewWriter(nil)
				if e.save(again); !slices.Equal(again.Bytes(), w.Bytes()) {
					t.Fatalf("what was loaded before event %d is saved in another way", i)
				}
			}
			e.Judge(ev)
		}
		e.Close()
		equal(t, "after restarts", said, without)
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

// TestEvidenceOfAnEpisode: an episode is told by the stretch in which it fired
// last, whatever requests come later that do not fire, and after a restart as
// without.
func TestEvidenceOfAnEpisode(t *testing.T) {
	n := newNames(t)
	plan := NewPlan([]*Rule{{
		Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 3, Action: Warn,
		Quiet: 10 * time.Minute,
	}}, nil).WithEvidence()
	type request struct {
		second int64
		says   string // with - before it if how it went is not logged
	}
	f := func(want string, requests ...request) {
		t.Helper()
		for cut := range len(requests) + 1 {
			var told string
			start := func() *State {
				return &State{Plan: plan, Order: NewOrder(0), Duplicates: NewDuplicates(0), Engine: NewEngine(plan, EngineOptions{
					Episode: func(ep *Episode) { told += fmt.Sprint(ep.Kind, ": ", ep.Evidence) },
				})}
			}
			s := start()
			restart := func() {
				w := snapshot.NewWriter(nil)
				s.Save(w)
				s = start()
				if _, err := s.Load(snapshot.NewReader(w.Bytes())); err != nil {
					t.Fatal(err)
				}
			}
			for i, r := range requests {
				if i == cut {
					restart()
				}
				ev := n.event(r.second*1_000_000+1, "s", []string{"A"}, 1)
				ev.Status = 200
				says, silent := strings.CutPrefix(r.says, "-")
				if silent {
					ev.Status = fingerprint.Unknown
				}
				for i := range plan.Identities[1:] {
					p := Prints{Cause: fingerprint.NoToolTurn}
					if i+1 == plan.companion(companions[2]) {
						p = Prints{Fingerprints: []fingerprint.Fingerprint{n.print(says)}}
					}
					ev.Prints = append(ev.Prints, p)
				}
				for range plan.Scopes[1:] {
					ev.Scopes = append(ev.Scopes, n.scope("s"))
				}
				s.Engine.Judge(ev)
			}
			if cut == len(requests) {
				restart()
			}
			if s.Engine.Close(); told != want {
				t.Errorf("%v, and a restart before request %d:\n%s\n%s, want", requests, cut, told, want)
			}
		}
	}
	f("stuck: the same last messages 4 times, answered each time",
		request{1, "a"}, request{7, "a"}, request{9, "a"}, request{12, "a"}, request{100, "b"})
	// One that is none, though it might have been, takes no other's place.
	f("stuck: the same last messages 4 times, answered each time",
		request{1, "a"}, request{7, "a"}, request{9, "a"}, request{12, "a"},
		request{100, "b"}, request{100, "b"}, request{100, "b"}, request{100, "b"}, request{150, "c"})
	f("unknown: came only 3 times",
		request{1, "-a"}, request{7, "-a"}, request{9, "-a"}, request{12, "-a"}, request{13, "b"}, request{14, "b"}, request{15, "b"})
	// The end of a stretch that is none of equal requests becomes one, with what fired
	// in it, and without.
	f("stuck: the same last messages 4 times, answered each time",
		request{1, "b"}, request{7, "c"}, request{9, "a"}, request{12, "a"}, request{14, "a"}, request{100, "a"})
	f("unknown: came only 3 times",
		request{1, "b"}, request{7, "b"}, request{9, "b"}, request{92, "a"}, request{100, "a"}, request{155, "a"}, request{201, "a"})
}

// TestEvidenceOfCallsInTurn: of calls that come in turn each result is in the request
// of the next call, and an alert tells by it what came of them.
func TestEvidenceOfCallsInTurn(t *testing.T) {
	calls, err := fingerprint.New("tool-call", fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := newNames(t)
	plan := NewPlan([]*Rule{{
		Name: "r", Identity: calls, Scope: bySession(t), Counter: CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 3, Action: Warn,
	}}, nil).WithEvidence()
	f := func(result func(i int) string, want ...string) {
		t.Helper()
		var told []string // of the one, and of the other
		e := NewEngine(plan, EngineOptions{Episode: func(ep *Episode) { told = append(told, fmt.Sprint(ep.Kind, ": ", ep.Evidence)) }})
		tools := []string{"read", "write"}
		for i := range 12 {
			ev := n.event(int64(i)*1_000_000+1, "s", []string{tools[i%2]}, 1)
			ev.Status, ev.Issued, ev.Prints[0].Tools = 200, true, tools[i%2:i%2+1]
			for k := range plan.Identities[1:] {
				p := Prints{Cause: fingerprint.NoToolTurn}
				if k+1 == plan.companion(companions[0]) && i > 0 {
					p = Prints{Fingerprints: []fingerprint.Fingerprint{n.print(result(i - 1))}, Tools: tools[(i-1)%2 : (i-1)%2+1]}
				}
				ev.Prints = append(ev.Prints, p)
			}
			for range plan.Scopes[1:] {
				ev.Scopes = append(ev.Scopes, n.scope("s"))
			}
			e.Judge(ev)
		}
		if e.Close(); !slices.Equal(told, want) {
			t.Errorf("%q, want %q", told, want)
		}
	}
	f(func(i int) string { return fmt.Sprint("result ", i%2) },
		"stuck: the same call in 5 rounds of 2, and the same result each time", "stuck: the same call in 6 rounds of 2, and the same result each time")
	f(func(i int) string { return fmt.Sprint("result ", i) },
		"polling: the results change: 4 of 4 are not as the one before", "polling: the results change: 3 of 3 are not as the one before")
}
