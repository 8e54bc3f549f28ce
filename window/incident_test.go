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

// TestIncidents: which alerts are sent of which episodes.
func TestIncidents(t *testing.T) {
	rule := func(name string, fields ...string) *Rule {
		scope, err := fingerprint.NewScope(fields)
		if err != nil {
			t.Fatal(err)
		}
		return &Rule{Name: name, Identity: &fingerprint.Identity{Name: "i"}, Scope: scope, Threshold: 3, Quiet: time.Minute}
	}
	rules := map[string]*Rule{"a": rule("a", "session"), "b": rule("b", "conversation"), "c": rule("c", "caller"), "all": rule("all")}

	// A step is rule:episode:scope:requests, with - before it when the episode
	// closes and ? when the gateway would only have taken note.
	f := func(steps, want string) {
		t.Helper()
		for restart := range len(strings.Fields(steps)) + 1 { // where the state is saved and loaded
			var got []string
			report := func(in *Incident) {
				got = append(got, fmt.Sprintf("%s:%s:%d:%s:%d", in.State, in.ID, in.Revision, strings.Join(in.Rules, "+"), in.Requests))
			}
			x := NewIncidents(report)
			counted := map[string]int64{} // by episode
			for i, step := range strings.Fields(steps) {
				if i == restart {
					w := snapshot.NewWriter(nil)
					x.Code(w.Codec())
					x = NewIncidents(report)
					r := snapshot.NewReader(w.Bytes())
					if x.Code(r.Codec()); r.Done() != nil {
						t.Fatal(r.Err())
					}
				}
				parts := strings.Split(strings.TrimLeft(step, "-?"), ":")
				e := &Episode{Rule: rules[parts[0]], ID: parts[1], Fingerprint: printOf(t, parts[2]), Last: int64(i)}
				if len(e.Rule.Scope.Fields) > 0 {
					e.Scope = []string{parts[2]}
				}
				if _, err := fmt.Sscan(parts[3], &e.Requests); err != nil {
					t.Fatal(err)
				}
				e.own.fired = e.Requests
				firing := Firing{Action: Warn, added: contribution{fired: e.Requests - counted[e.ID]}}
				counted[e.ID] = e.Requests
				switch step[0] {
				case '-':
					x.Closed(e)
				case '?':
					firing.Action = Allow
					x.Fired(e, firing)
				default:
					x.Fired(e, firing)
				}
			}
			if text := strings.Join(got, " "); text != want {
				t.Errorf("%s, restarted at %d:\ngot  %s\nwant %s", steps, restart, text, want)
			}
		}
	}
	f("", "")
	f("a:1:s:3 a:1:s:4", "opened:1:1:a:3")
	f("a:1:s:3 -a:1:s:4", "opened:1:1:a:3 closed:1:2:a:3")
	// Ten times as much is worth another word, and again.
	f("a:1:s:3 a:1:s:29 a:1:s:30 a:1:s:31 a:1:s:300", "opened:1:1:a:3 grown:1:2:a:30 grown:1:3:a:300")
	// Several rules, one of them by conversation, and both steps of a cycle:
	// one incident, which closes with the last of them.
	f("a:1:s:3 b:2:s:3 a:3:s:3 -a:1:s:3 -b:2:s:3 a:3:s:5 -a:3:s:5", "opened:1:1:a:3 closed:1:2:a+b:8")
	// Other sessions, and the caller's own scope, are others.
	f("a:1:s:3 a:2:t:3 c:3:s:3 -a:2:t:3", "opened:1:1:a:3 opened:2:1:a:3 opened:3:1:c:3 closed:2:2:a:3")
	// After the end it opens again.
	f("a:1:s:3 -a:1:s:3 a:2:s:3", "opened:1:1:a:3 closed:1:2:a:3 opened:2:1:a:3")
	// What is only taken note of opens nothing, and its end closes nothing.
	f("?a:1:s:3 -a:1:s:3", "")
	f("?a:1:s:3 b:2:s:3 -a:1:s:3 -b:2:s:3", "opened:2:1:b:3 closed:2:2:b:3")
	// What has alerted goes on with it, and grows with the next alert.
	f("a:1:s:3 ?a:1:s:9 -a:1:s:9", "opened:1:1:a:3 closed:1:2:a:9")
	f("a:1:s:3 ?a:1:s:40 a:1:s:41 -a:1:s:41", "opened:1:1:a:3 grown:1:2:a:41 closed:1:3:a:41")
	// One counter for all: by fingerprint.
	f("all:1:x:3 all:2:y:3 all:3:x:3 -all:1:x:3 -all:3:x:3", "opened:1:1:all:3 opened:2:1:all:3 closed:1:2:all:6")
}

// TestScopeText: a client writes what stands in a scope's values, and joins no
// scopes by it; what ordinary values make stays, since processes that share a
// log are chosen by it.
func TestScopeText(t *testing.T) {
	if got, want := scopeText([]string{"conversation", "model"}, []string{"s", "m"}), "session\x00s\x00model\x00m\x00"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	two, one := []string{"session", "model"}, []string{"session"}
	f := func(fields, values, others, othersValues []string) {
		t.Helper()
		if a, b := scopeText(fields, values), scopeText(others, othersValues); a == b {
			t.Errorf("%q and %q are both %q", values, othersValues, a)
		}
	}
	f(two, []string{"a\x00model\x00b", "c"}, two, []string{"a", "b\x00model\x00c"})
	f(two, []string{"a", "b"}, one, []string{"a\x00model\x00b"})
	f(one, []string{"a\x00"}, one, []string{"a\x00\x01"})
	f(two, []string{"a\x00\x01model\x00\x01b", "c"}, two, []string{"a\x00model\x00b", "c"})
}

// TestIncidentsOfOlderStates: an incident that was saved before rules told how
// much of it they saw goes on from what it was.
func TestIncidentsOfOlderStates(t *testing.T) {
	scope, err := fingerprint.NewScope([]string{"session"})
	if err != nil {
		t.Fatal(err)
	}
	e := &Episode{ID: "1", Rule: &Rule{Name: "a", Identity: &fingerprint.Identity{Name: "i"}, Scope: scope, Threshold: 3}, Scope: []string{"s"}}
	var got *Incident
	report := func(in *Incident) { got = in }
	x := NewIncidents(report)
	request := Spent{1, 10, true, 1e9, true}
	e.own = contribution{before: 2, fired: 5, first: request, later: Spent{4, 40, true, 4e9, true}}
	x.Fired(e, Firing{Action: Warn})
	w := snapshot.NewWriter(nil)
	w.Uvarint(1)
	w.String(incidentKey(e))
	got.code(w.Codec())
	x = NewIncidents(report)
	r := snapshot.NewReader(w.Bytes())
	if x.Code(r.Codec()); r.Done() != nil {
		t.Fatal(r.Err())
	}
	x.Fired(e, Firing{Action: Warn, added: contribution{fired: 1, later: request}})
	x.Closed(e)
	if got.Requests != 8 || got.After != 5 || got.Tokens != 50 || got.Cost != 5 {
		t.Errorf("%d requests, %d after: %d tokens, $%g", got.Requests, got.After, got.Tokens, got.Cost)
	}
}

// TestIncidentKind: the kind of an incident is the first that is known, and goes
// with the episode that it is of.
func TestIncidentKind(t *testing.T) {
	rule, other := &Rule{Name: "r"}, &Rule{Name: "s"}
	in := &Incident{}
	f := func(rule *Rule, id string, kind, want Kind) {
		t.Helper()
		in.saw(&Episode{ID: id, Rule: rule, Kind: kind, Evidence: string(kind)})
		if in.Kind != want || in.Evidence != string(want) {
			t.Errorf("after %s is %s: %s (%s), want %s", id, kind, in.Kind, in.Evidence, want)
		}
	}
	f(rule, "1", "", "")
	f(rule, "1", Unknown, Unknown)
	f(rule, "2", Stuck, Stuck)
	f(rule, "1", Polling, Stuck)
	f(other, "3", Batch, Stuck)
	f(rule, "2", Retry, Retry)
	f(rule, "2", Unknown, Batch)
}

// TestIncidentOfEpisodes: an incident lasts from the oldest request that any of its
// rules counted to the last firing of any, and is told by the rule that fired first.
func TestIncidentOfEpisodes(t *testing.T) {
	scope := bySession(t)
	f := func(sees fingerprint.Sight, calls bool) {
		t.Helper()
		first := &Rule{Name: "first", Identity: &fingerprint.Identity{Sees: sees}, Scope: scope, Counter: CounterSpec{Window: time.Minute}}
		second := &Rule{Name: "second", Identity: byModel(t), Scope: scope, Cooldown: time.Minute} // counts otherwise for it
		var in *Incident
		x := NewIncidents(func(of *Incident) { in = of })
		x.Fired(&Episode{ID: "1", Rule: first, Scope: []string{"s"}, First: 20, Last: 40, MaxCount: 4}, Firing{Action: Warn, window: time.Hour})
		x.Fired(&Episode{ID: "2", Rule: second, Scope: []string{"s"}, First: 10, Last: 30}, Firing{Action: Warn})
		if in.First != 10 || in.Last != 40 || in.Fired != 40 {
			t.Errorf("from %d to %d, fired at %d", in.First, in.Last, in.Fired)
		}
		x.Fired(&Episode{ID: "3", Rule: first, Scope: []string{"s"}, First: 40, Last: 40, MaxCount: 3}, Firing{Action: Warn})
		x.Fired(&Episode{ID: "2", Rule: second, Scope: []string{"s"}, First: 10, Last: 50, MaxCount: 7}, Firing{Action: Warn})
		if in.First != 10 || in.Last != 50 || in.Fired != 40 {
			t.Errorf("from %d to %d, fired at %d", in.First, in.Last, in.Fired)
		}
		if of, by := &in.Seen[0], &in.Seen[1]; of.Count != 4 || of.Quiet != 5 || by.Count != 7 || by.Quiet != 0 {
			t.Errorf("seen is %+v", in.Seen)
		}
		if in.Rule != "first" || in.Counter.Window != time.Hour || in.Calls != calls {
			t.Errorf("%d: rule %s, window in force %s, calls %t", sees, in.Rule, in.Counter.Window, in.Calls)
		}
	}
	f(0, false)
	f(fingerprint.SeesCalls, true)
	f(fingerprint.SeesResults, true)
	f(fingerprint.SeesText, false)
}

// TestIncidentCloses: an incident is over when its last episode has been quiet
// for its quiet time, not when it fired last.
func TestIncidentCloses(t *testing.T) {
	scope, err := fingerprint.NewScope(nil)
	if err != nil {
		t.Fatal(err)
	}
	rule := &Rule{Name: "r", Scope: scope, Identity: byModel(t), Quiet: time.Minute, Action: Warn}
	var got []int64
	x := NewIncidents(func(in *Incident) { got = append(got, in.Time) })
	e := &Episode{ID: "1", Rule: rule, First: 0, Last: 5_000_000}
	x.Fired(e, Firing{Action: Warn})
	e.Last = 9_000_000
	x.Closed(e)
	if want := []int64{5_000_000, 69_000_000}; !slices.Equal(got, want) || x.Open() != 0 {
		t.Errorf("alerts at %d, want %d", got, want)
	}
}

// TestCooldownEnds: the hit at the very end of a cooldown is judged again.
func TestCooldownEnds(t *testing.T) {
	j := newJudge(&Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 2, Action: Reject, Cooldown: 10 * time.Second}, nil, EngineOptions{})
	h := &Hit{Print: printOf(t, "m"), Scope: newNames(t).scope("s").Key, Time: 9_999_999, Limit: 2, Record: true}
	*j.cooling.touch(pairKeyOf(h), 0) = 10_000_000
	if left, _ := j.coolsFor(h); left != time.Microsecond {
		t.Errorf("a microsecond before its end %s are left", left)
	}
	h.Time++
	if _, cools := j.coolsFor(h); cools {
		t.Error("it cools down at its end")
	}
	j.rule.Counter.Closed = true
	*j.cooling.touch(pairKeyOf(h), 0) = j.rule.cooled(0)
	if _, cools := j.coolsFor(h); !cools {
		t.Error("closed, it does not cool down at its end")
	}
	h.Time++
	if _, cools := j.coolsFor(h); cools {
		t.Error("it cools down after its end")
	}
}

// TestSeverity: it begins with what the gateway would have done, and goes up
// with each growth.
func TestSeverity(t *testing.T) {
	f := func(action Action, growths int, want Severity) {
		t.Helper()
		if got := severityOf(action, growths); got != want {
			t.Errorf("%s, grown %d times: %s, want %s", action, growths, got, want)
		}
	}
	for _, action := range []Action{Throttle, Reject, Break} {
		f(action, 0, Warning)
		f(action, 1, Critical)
		f(action, 5, Critical)
	}
	f(Warn, 0, Info)
	f(Warn, 1, Warning)
	f(Guide, 0, Info)
	f(Guide, 2, Critical)
	f(Warn, -1, Info)
}
