package window

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestEnforcedDelays: what a session does after it had to wait comes later by
// as much. Held against a plain simulation that looks through all that is left
// for what comes next.
func TestEnforcedDelays(t *testing.T) {
	n := newNames(t)
	rapid.Check(t, func(rt *rapid.T) {
		rule := &Rule{
			Name: "r", Identity: byModel(t), Scope: &fingerprint.Scope{}, Action: Throttle, Threshold: rapid.IntRange(2, 3).Draw(rt, "threshold"),
			Counter: CounterSpec{Kind: rapid.SampledFrom([]string{"fixed", "sliding", "refresh", "streak"}).Draw(rt, "kind"), Window: time.Duration(rapid.IntRange(1, 20).Draw(rt, "window")) * 100 * time.Millisecond},
		}
		if rapid.Bool().Draw(rt, "by session") {
			rule.Scope = bySession(t)
		}
		plan := NewPlan([]*Rule{rule}, nil)
		var events []*Event
		at, pause := int64(0), rapid.SampledFrom([]int64{60_000, 100_000}).Draw(rt, "unit") // of the latter some come at one time
		for i := range rapid.IntRange(1, 30).Draw(rt, "events") {
			at += int64(rapid.IntRange(0, 5).Draw(rt, "pause")) * pause
			session := rapid.SampledFrom([]string{"s", "s", "u", "u", "v", ""}).Draw(rt, "session")
			ev := n.event(at, cmp.Or(session, "none"), []string{rapid.SampledFrom([]string{"A", "A", "B"}).Draw(rt, "print")}, 1)
			if len(rule.Scope.Fields) == 0 {
				ev.Scopes[0] = n.scope("all")
			}
			ev.Session, ev.Position.Offset = session, int64(i)
			events = append(events, ev)
		}
		line := func(v *Verdict) string {
			return fmt.Sprintln(v.Event.Position.Offset, v.Event.Time, v.Count, v.Fired, v.Reason, v.DelayMS)
		}
		var got, want []string
		e := NewEngine(plan, EngineOptions{Enforce: true, Verdict: func(v *Verdict) { got = append(got, line(v)) }})
		for _, ev := range events {
			e.Judge(ev)
		}
		e.Close()

		var moved, delayed int64
		var sum int64
		behind := map[string]int64{}
		plain := NewEngine(plan, EngineOptions{Verdict: func(v *Verdict) {
			want = append(want, line(v))
			if v.Fired {
				delayed++
				sum += v.DelayMS
				if v.Event.Session != "" {
					behind[v.Event.Session] += v.DelayMS * 1000
				}
			}
		}})
		for left := slices.Clone(events); len(left) > 0; {
			first := 0
			for i, ev := range left {
				// Of those that come at one time the held ones were there first.
				a, b := ev.Time+behind[ev.Session], left[first].Time+behind[left[first].Session]
				if a < b || a == b && behind[ev.Session] > 0 && behind[left[first].Session] == 0 {
					first = i
				}
			}
			one := *left[first]
			if by := behind[one.Session]; by > 0 {
				moved++
				one.Time += by
			}
			left = slices.Delete(left, first, first+1)
			plain.Judge(&one)
		}
		equal(rt, "enforced", got, want)
		d := e.Enforced()[0]
		if d.Moved != moved || d.Delayed != delayed || d.Delay != time.Duration(sum)*time.Millisecond || d.Blocked > 0 {
			rt.Fatalf("%+v, want %d moved, %d delayed, %d ms", d, moved, delayed, sum)
		}
		if a := e.Account()[0]; a.Judged != int64(len(events)) || a.Check() != nil {
			rt.Fatalf("%+v", a)
		}
	})
}

// TestEnforcedBurst: each of many requests of a session that come at once puts off
// all behind it.
func TestEnforcedBurst(t *testing.T) {
	size := int64(200_000) // at which quadratic work would not end before the test's timeout does
	if testing.Short() {
		size = 1000
	}
	n := newNames(t)
	rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "streak"}, Threshold: 2, Action: Throttle}
	e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{Enforce: true})
	for i := range size {
		ev := n.event(0, "s", []string{"A"}, 1)
		ev.Position.Offset = i
		e.Judge(ev)
	}
	e.Close()
	if d := e.Enforced()[0]; d.Delayed != size-1 || d.Moved != size-2 {
		t.Errorf("%d delayed and %d moved of %d", d.Delayed, d.Moved, size)
	}
}

// TestEnforced: what each action would have done to whom.
func TestEnforced(t *testing.T) {
	n := newNames(t)
	known, both := true, []string{"A", "B"}
	f := func(action Action, want string, requests ...[]string) { // their fingerprints
		t.Helper()
		rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding", Window: time.Second}, Threshold: 2, Action: action}
		e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{Enforce: true})
		for i, prints := range requests {
			ev := n.event(int64(i), "s", prints, 1)
			ev.TokensIn, ev.TokensOut, ev.Cost = 10, fingerprint.Unknown, 0.5
			switch i {
			case 2:
				ev.TokensIn, ev.TokensOut = fingerprint.Unknown, 5
			case 3:
				ev.TokensIn, ev.Cost = fingerprint.Unknown, math.NaN()
			}
			if !known {
				ev.TokensIn, ev.TokensOut, ev.Cost = fingerprint.Unknown, fingerprint.Unknown, math.NaN()
			}
			e.Judge(ev)
		}
		e.Close()
		d := e.Enforced()[0]
		if got := fmt.Sprint(d.Blocked, " ", d.Guided, " ", d.Delayed, " ", d.Delay, " ", d.Tokens, " ", d.Cost); got != want {
			t.Errorf("%s: %s, want %s", action, got, want)
		}
	}
	f(Reject, "3 0 0 0s 15 1", both, both, both, both)
	f(Break, "3 0 0 0s -1 NaN", both, both, both, both)
	f(Throttle, "0 0 3 900ms -1 NaN", both, both, both, both)
	f(Warn, "0 0 0 0s -1 NaN", both, both, both, both)
	f(Record, "0 0 0 0s -1 NaN", both, both, both, both)
	f(ChanceThenBreak, "0 3 0 0s -1 NaN", both, both, both, both)                            // with A and B in turn none is guided twice in a row
	f(ChanceThenBreak, "1 1 0 0s -1 NaN", []string{"B"}, []string{"A"}, []string{"A"}, both) // which is broken off for A, and no less for B
	known = false
	f(Reject, "3 0 0 0s -1 NaN", both, both, both, both)
}

// TestEnforcedIsPlain: what a rule stops is as without Enforce, since those
// are the gateway's counts.
func TestEnforcedIsPlain(t *testing.T) {
	parts := newParts(t)
	rapid.Check(t, func(rt *rapid.T) {
		plan := parts.drawPlan(rt, 3)
		for _, r := range plan.Rules {
			r.Action = rapid.SampledFrom([]Action{Reject, Break, ChanceThenBreak}).Draw(rt, "stops")
			for i := range r.Overrides {
				r.Overrides[i].Action = ""
			}
		}
		var got, want []string
		tell := func(to *[]string) func(*Verdict) {
			return func(v *Verdict) {
				*to = append(*to, fmt.Sprintln(v.Event.Time, v.Rule.Name, v.Count, v.Fired, v.Action, v.Reason, v.RetryAfter, v.Episode))
			}
		}
		a := NewEngine(plan, EngineOptions{Enforce: true, Verdict: tell(&got)})
		b := NewEngine(plan, EngineOptions{Verdict: tell(&want)})
		now := int64(1000)
		for i := range rapid.IntRange(1, 40).Draw(rt, "events") {
			now += int64(rapid.IntRange(0, 5).Draw(rt, "pause"))
			ev := parts.drawEvent(rt, plan, now, fingerprint.Position{Offset: int64(i)})
			if ev.Exclude == 0 {
				a.Judge(ev)
				b.Judge(ev)
			}
		}
		a.Close()
		b.Close()
		equal(rt, "enforced", got, want)
	})
}
