package window

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// What must not change a verdict: other sessions, the way in which a log is
// cut into streams and arrives, rules beside the one. The runs here differ in
// one of these and must say the same.

// drawRules draws rules of one identity and scope, with every switch there is.
func drawRules(t *rapid.T, id *fingerprint.Identity, scope *fingerprint.Scope, n int) (rules []*Rule) {
	micros := func(least, most int, label string) time.Duration {
		return time.Duration(rapid.IntRange(least, most).Draw(t, label)) * time.Microsecond
	}
	for i := range n {
		kind := rapid.SampledFrom(Counters).Draw(t, "kind")
		rules = append(rules, &Rule{
			Name: fmt.Sprint("r", i), Identity: id, Scope: scope, Counter: drawSpec(t, kind.Name),
			Threshold: rapid.IntRange(1, 4).Draw(t, "threshold"), Action: rapid.SampledFrom(Actions).Draw(t, "action"),
			Cooldown: micros(0, 10, "cooldown"), SkipInCooldown: rapid.Bool().Draw(t, "skip in cooldown"),
			SkipBlocked: rapid.Bool().Draw(t, "skip blocked"), ResetOnFire: rapid.Bool().Draw(t, "reset on fire"),
			Quiet: micros(1, 20, "quiet"),
		})
	}
	return rules
}

// drawEvents draws the events of one stream, in order of time.
func drawEvents(t *rapid.T, n *names, stream int32, sessions []string, rules int) (events []*Event) {
	now := int64(1000)
	for i := range rapid.IntRange(1, 50).Draw(t, "events") {
		now += int64(rapid.SampledFrom([]int{0, 0, 1, 1, 2, 5, 13, 30}).Draw(t, "pause"))
		prints := rapid.SliceOfN(rapid.SampledFrom([]string{"A", "A", "A", "B", "C"}), 1, 3).Draw(t, "prints")
		ev := n.event(now, rapid.SampledFrom(sessions).Draw(t, "session"), prints, rules)
		ev.Position = fingerprint.Position{Stream: stream, Offset: int64(i)}
		ev.Status = rapid.SampledFrom([]int{200, 429}).Draw(t, "status")
		ev.TokensIn = int64(i)
		events = append(events, ev)
	}
	return events
}

// said is what an engine says, one line each; only of the sessions wanted, if
// any are named. Episodes stand apart: another session's may close in between.
func said(rules []*Rule, events []*Event, only ...string) (verdicts, episodes []string) {
	e := NewEngine(NewPlan(rules, nil), EngineOptions{
		Verdict: func(v *Verdict) {
			if len(only) == 0 || slices.Contains(only, v.Event.Session) {
				verdicts = append(verdicts, fmt.Sprintln(v.Event.Time, v.Event.Session, v.Rule.Name, v.Fingerprint, v.Count, v.Fired, v.Action, v.Reason, v.RetryAfter, v.DelayMS, v.Episode))
			}
		},
		Episode: func(e *Episode) {
			if len(only) == 0 || slices.Contains(only, e.Session) {
				episodes = append(episodes, fmt.Sprintln(e.ID, e.Rule.Name, e.Scope, e.Fingerprint, e.First, e.Fired, e.Last, e.Requests, e.After.Requests, e.MaxCount, e.After.Tokens, e.After.TokensKnown, e.Statuses))
			}
		},
	})
	for _, ev := range events {
		e.Judge(ev)
	}
	e.Close()
	for _, a := range e.Account() {
		if err := a.Check(); err != nil {
			panic(err)
		}
	}
	return verdicts, episodes
}

func equal(t *rapid.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%s: line %d\ngot  %q\nwant %q", what, i, got[min(i, len(got)):], want[min(i, len(want)):])
		}
	}
}

// released puts the events of streams into one order, arriving as drawn.
func released(t *rapid.T, streams ...[]*Event) (out []*Event) {
	o := NewOrder(0)
	var open []int32
	for i, s := range streams {
		if len(s) > 0 {
			o.Open(int32(i), s[0].Time)
			open = append(open, int32(i))
		}
	}
	for len(open) > 0 {
		i := rapid.SampledFrom(open).Draw(t, "arrives")
		if o.Push(streams[i][0]); len(streams[i]) == 1 {
			o.Close(i)
			open = slices.DeleteFunc(open, func(k int32) bool { return k == i })
		}
		streams[i] = streams[i][1:]
		out = append(out, ordered(o)...)
	}
	return out
}

// TestUnrelatedSessionsChangeNothing: neither a verdict nor an episode of a
// session depends on other sessions.
func TestUnrelatedSessionsChangeNothing(t *testing.T) {
	n, id, scope := newNames(t), byModel(t), bySession(t)
	rapid.Check(t, func(t *rapid.T) {
		rules := drawRules(t, id, scope, 2)
		own := drawEvents(t, n, 0, []string{"s", "u"}, 2)
		others := drawEvents(t, n, 1, []string{"x", "y", "z"}, 2)
		wantVerdicts, wantEpisodes := said(rules, own)
		verdicts, episodes := said(rules, released(t, slices.Clone(own), others), "s", "u")
		equal(t, "verdicts", verdicts, wantVerdicts)
		equal(t, "episodes", episodes, wantEpisodes)
	})
}

// TestInterleavingChangesNothing: however the streams arrive, what is said is
// the same, order and all.
func TestInterleavingChangesNothing(t *testing.T) {
	n, id, scope := newNames(t), byModel(t), bySession(t)
	rapid.Check(t, func(t *rapid.T) {
		rules := drawRules(t, id, scope, 1)
		a := drawEvents(t, n, 0, []string{"s", "u"}, 1)
		b := drawEvents(t, n, 1, []string{"s", "u"}, 1)
		wantVerdicts, wantEpisodes := said(rules, released(t, slices.Clone(a), slices.Clone(b)))
		verdicts, episodes := said(rules, released(t, slices.Clone(a), slices.Clone(b)))
		equal(t, "verdicts", verdicts, wantVerdicts)
		equal(t, "episodes", episodes, wantEpisodes)
	})
}

// TestSplittingALogChangesNothing: a log whose lines went to two files is
// judged as the log was. Lines of one time go to one file; between files their
// order is not known.
func TestSplittingALogChangesNothing(t *testing.T) {
	n, id, scope := newNames(t), byModel(t), bySession(t)
	rapid.Check(t, func(t *rapid.T) {
		rules := drawRules(t, id, scope, 1)
		whole := drawEvents(t, n, 0, []string{"s", "u"}, 1)
		wantVerdicts, wantEpisodes := said(rules, whole)
		var files [2][]*Event
		file := 0
		for i, ev := range whole {
			if i > 0 && ev.Time != whole[i-1].Time {
				file = rapid.IntRange(0, 1).Draw(t, "file")
			}
			ev := *ev
			ev.Position.Stream = int32(file)
			files[file] = append(files[file], &ev)
		}
		verdicts, episodes := said(rules, released(t, files[0], files[1]))
		equal(t, "verdicts", verdicts, wantVerdicts)
		equal(t, "episodes", episodes, wantEpisodes)
	})
}

// TestRulesBesideChangeNothing: a rule says the same alone and among others,
// such as the rungs of a ladder of thresholds.
func TestRulesBesideChangeNothing(t *testing.T) {
	n, id, scope := newNames(t), byModel(t), bySession(t)
	rapid.Check(t, func(t *rapid.T) {
		alone := drawRules(t, id, scope, 1)
		ladder := drawRules(t, id, scope, 1)
		for threshold := range 5 {
			r := *alone[0]
			r.Threshold = threshold + 1
			if r.Threshold != alone[0].Threshold {
				r.Name = fmt.Sprint("rung", threshold)
			}
			ladder = append(ladder, &r)
		}
		ladder[0].Name = "other"
		events := drawEvents(t, n, 0, []string{"s", "u"}, len(ladder))
		wantVerdicts, wantEpisodes := said(alone, events)
		verdicts, episodes := said(ladder, events)
		of := func(lines []string) []string {
			return slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, " r0 ") })
		}
		equal(t, "verdicts", of(verdicts), wantVerdicts)
		equal(t, "episodes", of(episodes), wantEpisodes)
	})
}

// TestRungsNest: without what changes later counts, a rung fires exactly where
// the count reaches it, so one run answers for all thresholds.
func TestRungsNest(t *testing.T) {
	n, id, scope := newNames(t), byModel(t), bySession(t)
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(Counters[:5]).Draw(t, "kind") // not the tracker
		spec := drawSpec(t, kind.Name)
		rule := func(threshold int) *Rule {
			return &Rule{Name: "r", Identity: id, Scope: scope, Counter: spec, Threshold: threshold, Action: Warn}
		}
		events := drawEvents(t, n, 0, []string{"s", "u"}, 1)
		threshold := rapid.IntRange(2, 5).Draw(t, "threshold")
		type one struct {
			count int
			fired bool
		}
		run := func(threshold int) (out []one) {
			e := NewEngine(NewPlan([]*Rule{rule(threshold)}, nil), EngineOptions{Verdict: func(v *Verdict) { out = append(out, one{v.Count, v.Fired}) }})
			for _, ev := range events {
				e.Judge(ev)
			}
			return out
		}
		counts := run(1 << 30)
		for i, got := range run(threshold) {
			if want := (one{counts[i].count, counts[i].count >= threshold}); got != want {
				t.Fatalf("verdict %d: %v, want %v", i, got, want)
			}
		}
	})
}
