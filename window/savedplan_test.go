package window

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestKeptRulesGoOn: whatever becomes of the rules beside it, a rule that is
// kept says what it would have said, of the requests that waited too.
func TestKeptRulesGoOn(t *testing.T) {
	parts := newParts(t)
	rapid.Check(t, func(rt *rapid.T) {
		then := parts.drawPlan(rt, 3)
		// The rules of then in another order or not at all, and others.
		rules := rapid.Permutation(append(slices.Clone(then.Rules), parts.drawPlan(rt, 2).Rules...)).Draw(rt, "rules")
		rules = rules[:rapid.IntRange(0, len(rules)).Draw(rt, "how many")]
		var kept []string
		for i, r := range rules {
			if slices.Contains(then.Rules, r) {
				kept = append(kept, r.Name)
				continue
			}
			r.Name = fmt.Sprint("new", i)
		}
		exclusions := rapid.Permutation(then.Exclusions).Draw(rt, "exclusions")
		now := NewPlan(rules, exclusions[:rapid.IntRange(0, 2).Draw(rt, "how many exclusions")])

		o := processOptions{
			plan: then, lateness: time.Duration(rapid.IntRange(0, 20).Draw(rt, "lateness")) * time.Microsecond,
			horizon: time.Duration(rapid.SampledFrom([]int{0, 50}).Draw(rt, "horizon")) * time.Microsecond,
		}
		want, got := newProcess(o), newProcess(o)
		steps := parts.drawSteps(rt)
		at := rapid.IntRange(0, len(steps)-1).Draw(rt, "break")
		o.plan = now
		for i, s := range steps {
			if i > at && s.request != nil && len(now.Exclusions) < 2 {
				s.request.exclude = "" // what is judged now must be judged by both
			}
			want.do(s)
			got.do(s)
			if i == at {
				var restored *Restored
				got, restored = got.restart(t, o)
				if !slices.Equal(restored.Kept, kept) || len(restored.Reset) > 0 || len(restored.New)+len(kept) != len(rules) || len(restored.Gone)+len(kept) != 3 {
					rt.Fatalf("%+v, want %v kept of %d", restored, kept, len(rules))
				}
			}
		}
		want.Engine.Close()
		got.Engine.Close()
		for _, name := range kept {
			of := func(lines []string) (out []string) {
				for _, line := range lines {
					if strings.Contains(line, " "+name+" ") {
						out = append(out, line)
					}
				}
				return out
			}
			equal(rt, name, of(got.said), of(want.said))
		}
		got.checkAccount(t)
	})
}

// switched runs a rule for a while, changes the plan, and shows what is said
// from then on.
type switched struct {
	*process
	parts *parts
	rule  Rule
	at    int64
}

func newSwitched(tb testing.TB, rule Rule) *switched {
	tb.Helper()
	parts := newParts(tb)
	rule.Name, rule.Identity, rule.Scope = "r", parts.identities[0], parts.scopes[0]
	s := &switched{process: newProcess(processOptions{plan: NewPlan([]*Rule{&rule}, nil)}), parts: parts, rule: rule}
	s.Order.Open(0, 0)
	return s
}

// counts are the counts of so many more hits of one key, a second apart.
func (s *switched) counts(n int) (counts []int) {
	for range n {
		s.at++
		ev := s.parts.event(s.at*1e6, "s", []string{"A"}, len(s.Plan.Rules))
		ev.Position.Offset = s.at
		s.Engine.o.Verdict = func(v *Verdict) { counts = append(counts, v.Count) }
		s.Engine.Judge(ev)
		s.count.judged++
	}
	return counts
}

// TestWhatKeepsARule: which changes of a rule let it count on, and what is said
// of the others.
func TestWhatKeepsARule(t *testing.T) {
	rule := Rule{Counter: CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 3, Action: Warn, Cooldown: 10 * time.Second, SkipInCooldown: true}
	f := func(change func(r *Rule, o *processOptions), want string, counts ...int) {
		t.Helper()
		s := newSwitched(t, rule)
		s.counts(4) // the last in the cooldown
		changed, o := s.rule, s.o
		change(&changed, &o)
		o.plan = NewPlan([]*Rule{&changed}, nil)
		var restored *Restored
		s.process, restored = s.restart(t, o)
		got := fmt.Sprint("kept ", restored.Kept)
		if len(restored.Kept) == 0 {
			got = fmt.Sprint(restored.Reset, " new ", restored.New, " gone ", restored.Gone, ", ended ", len(restored.Ended))
		}
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got := s.counts(len(counts)); !slices.Equal(got, counts) {
			t.Errorf("%s: counts %v, want %v", want, got, counts)
		}
		s.checkAccount(t)
	}
	fresh := func(why string) string { return "[{r " + why + "}] new [] gone [], ended 1" }
	id := func(tb testing.TB, name string, o fingerprint.Options) *fingerprint.Identity {
		tb.Helper()
		id, err := fingerprint.New(name, o)
		if err != nil {
			tb.Fatal(err)
		}
		return id
	}
	model := fingerprint.Options{Parts: []string{"model"}}
	lower := fingerprint.Options{Parts: []string{"model"}, Lower: true}
	const kept = "kept [r]"
	cooling, counted, anew := []int{-1, -1, -1}, []int{4, 5, 6}, []int{1, 2, 3}

	f(func(*Rule, *processOptions) {}, kept, cooling...)
	f(func(r *Rule, _ *processOptions) { r.Threshold = 100 }, kept, cooling...)
	f(func(r *Rule, _ *processOptions) { r.Action = Break }, kept, cooling...)
	f(func(r *Rule, _ *processOptions) { r.Quiet = time.Hour }, kept, cooling...)
	f(func(r *Rule, _ *processOptions) { r.Overrides = []Override{{Threshold: 9}} }, kept, cooling...)
	f(func(r *Rule, _ *processOptions) { r.Cooldown, r.Threshold = 20*time.Second, 100 }, kept, counted...)
	f(func(r *Rule, _ *processOptions) { r.Cooldown = 0 }, kept, counted...)
	f(func(r *Rule, _ *processOptions) { r.Identity = id(t, "", model) }, kept, cooling...)
	f(func(r *Rule, _ *processOptions) { r.Counter.Period = 4 }, kept, cooling...) // means nothing to it
	f(func(_ *Rule, o *processOptions) { o.lateness, o.horizon, o.keys = time.Hour, time.Hour, 1 }, kept, cooling...)
	f(func(_ *Rule, o *processOptions) { o.extract.Key = []byte{} }, kept, cooling...)

	f(func(r *Rule, _ *processOptions) { r.Cooldown, r.Counter.Kind = 0, "fixed" }, fresh("counter was sliding 1m, is fixed 1m"), anew...)
	f(func(r *Rule, _ *processOptions) { r.Cooldown, r.Counter.Window = 0, time.Hour }, fresh("counter was sliding 1m, is sliding 1h"), anew...)
	f(func(r *Rule, _ *processOptions) { r.Cooldown, r.Counter.Closed = 0, true }, fresh("counter was sliding 1m, is sliding 1m, closed"), anew...)
	f(func(r *Rule, _ *processOptions) { r.Cooldown, r.Identity = 0, id(t, "", lower) }, fresh(`identity was "" parts=["model"], is "" parts=["model"] lower`), anew...)
	f(func(r *Rule, _ *processOptions) { r.Cooldown, r.Scope = 0, newParts(t).scopes[2] }, fresh("scope was [session], is [caller, model]"), anew...)
	f(func(r *Rule, _ *processOptions) { r.Cooldown, r.Name = 0, "q" }, "[] new [q] gone [r], ended 1", anew...)
	f(func(r *Rule, o *processOptions) { r.Cooldown, o.extract.Key = 0, []byte("k") }, fresh("there was no fingerprint key, and is one"), anew...)
	f(func(r *Rule, o *processOptions) { r.Cooldown, o.extract.HashIDs = 0, true }, fresh("hashing of ids was off, is on"), anew...)
	f(func(r *Rule, o *processOptions) { r.Cooldown, o.extract.EventTimeStart = 0, true }, fresh("event_time was end, is start"), anew...)
}

// TestKeys: a key is known again, another is not, and no key stands in what is
// saved.
func TestKeys(t *testing.T) {
	f := func(then, now, want string) {
		t.Helper()
		was, is := describe(&Plan{}, ExtractOptions{Key: []byte(then)}), describe(&Plan{}, ExtractOptions{Key: []byte(now)})
		if got := was.changed(is); got != want {
			t.Errorf("%q then, %q now: %s, want %s", then, now, got, want)
		}
		if then != "" && strings.Contains(was.key, then) {
			t.Error("the key is in what is saved")
		}
	}
	f("", "", "")
	f("one", "one", "")
	f("one", "two", "the fingerprint key is another")
	f("one", "", "there was a fingerprint key, and is none")
}

// TestOpenEpisodesGoOn: an episode that was open keeps its id and what it has
// added up, under the rule as it is now.
func TestOpenEpisodesGoOn(t *testing.T) {
	s := newSwitched(t, Rule{Counter: CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 2, Action: Warn})
	s.counts(3)
	want := *s.Engine.rules[0].episodes.all()[0]
	rule := s.rule
	rule.Threshold = 3
	o := s.o
	o.plan = NewPlan([]*Rule{&rule}, nil)
	s.process, _ = s.restart(t, o)
	if got := s.Engine.rules[0].episodes.all()[0].Rule; got != &rule {
		t.Errorf("the episode is of rule %p, want %p", got, &rule)
	}
	s.counts(1)
	s.Engine.Close()
	want.Last, want.last.Offset, want.Requests, want.After.Requests, want.MaxCount, want.Statuses[0].N = 4e6, 4, 4, 2, 4, 3
	if got, want := s.said[len(s.said)-1], fmt.Sprintln("closed", tell(&want)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestWaitingEvents: how the rules of another plan see what waited.
func TestWaitingEvents(t *testing.T) {
	parts := newParts(t)
	rule := func(name, selection string, identity int) *Rule {
		return &Rule{
			Name: name, Identity: parts.identities[identity], Scope: parts.scopes[0], Selection: selection,
			Counter: CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 9, Overrides: []Override{{Threshold: 8}},
		}
	}
	x, y := Exclusion{Name: "x", Text: "1"}, Exclusion{Name: "y", Text: "2"}
	f := func(plan *Plan, want string) {
		t.Helper()
		o := processOptions{plan: NewPlan([]*Rule{rule("a", "s", 0), rule("b", "s", 1)}, []Exclusion{x, y})}
		p := newProcess(o)
		p.Order.Open(0, 0)
		for i, exclude := range []int{0, 1, 2} {
			ev := parts.event(1e6, "s", []string{"A"}, 2)
			ev.Position.Offset, ev.Exclude = int64(i), exclude
			ev.Prints = append(ev.Prints, Prints{Cause: fingerprint.NoToolCall})
			ev.Rules[0] = 0
			p.Order.Push(ev)
		}
		o.plan = plan
		p, _ = p.restart(t, o)
		var got []string
		p.Order.Close(0)
		for _, ev := range ordered(p.Order) {
			text := fmt.Sprint(ev.Rules)
			for i := range ev.Prints {
				text += fmt.Sprintf(" %d%s", len(ev.Prints[i].Fingerprints), ev.Prints[i].Cause)
			}
			if ev.Exclude > 0 {
				text = plan.Exclusions[ev.Exclude-1].Name
			}
			got = append(got, text)
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	a, b := rule("a", "s", 0), rule("b", "s", 1)
	f(NewPlan([]*Rule{a, b}, []Exclusion{x, y}), "[0 -1] 1 0no tool call; x; y")
	f(NewPlan([]*Rule{b, a}, []Exclusion{y, x}), "[-1 0] 0no tool call 1; x; y")
	f(NewPlan([]*Rule{a}, []Exclusion{x, y}), "[0] 1; x; y")
	f(NewPlan([]*Rule{rule("a", "other", 0), b}, []Exclusion{x, y}), "[-2 -1] 1 0no tool call; x; y")
	f(NewPlan([]*Rule{rule("a", "s", 2), b}, []Exclusion{x, y}), "[-2 -1] 0 0no tool call; x; y")
	f(NewPlan([]*Rule{rule("a", "", 0), b}, []Exclusion{x, y}), "[-2 -1] 1 0no tool call; x; y")
	f(NewPlan([]*Rule{a}, []Exclusion{{Name: "x", Text: "3"}, y}), "[0] 1; [-2] 0; y")
	f(NewPlan(nil, []Exclusion{x}), "[]; x; []")
}

// TestHidingNames: once ids are to be hashed, what was saved before says no
// name any more.
func TestHidingNames(t *testing.T) {
	s := newSwitched(t, Rule{Counter: CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 2, Action: Warn})
	s.counts(3)
	ev := s.parts.event(100e6, "s", []string{"A"}, 1)
	ev.User, ev.Caller = "ann", "team-a"
	s.Order.Push(ev)
	o := s.o
	o.extract = ExtractOptions{HashIDs: true, Key: []byte("k")}
	p, restored := s.restart(t, o)
	p.Order.Close(0)
	waited := p.Order.Pop()
	x := s.Plan.NewExtractor(o.extract)
	f := func(what, got, name string) {
		t.Helper()
		if want := x.person([]byte(name)); got != want || !strings.HasPrefix(got, "id-") {
			t.Errorf("%s is %s, want %s", what, got, want)
		}
	}
	f("the session that waited", waited.Session, "s")
	f("the user that waited", waited.User, "ann")
	f("the caller that waited", waited.Caller, "team-a")
	if len(waited.Prints[0].Fingerprints) > 0 || waited.Scopes[0].Values != nil || waited.Rules[0] != NotMatched {
		t.Errorf("what was made with another key is there: %s", shown(waited))
	}
	ended := restored.Ended[0]
	f("the session of the episode", ended.Session, "s")
	f("the scope of the episode", ended.Scope[0], "s")
	if ended.Rule.Name != "r" || ended.Rule.Scope.Fields[0] != "session" || ended.Rule.Counter != s.rule.Counter || ended.Rule.Identity.Name != s.rule.Identity.Name {
		t.Errorf("the rule of the episode is %+v", ended.Rule)
	}
}

// TestLowerCap: if fewer keys may be live than are, the least recently used go,
// are counted, and their episodes are over.
func TestLowerCap(t *testing.T) {
	s := newSwitched(t, Rule{Counter: CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 1, Action: Warn})
	for i, session := range []string{"a", "b", "c", "a"} {
		ev := s.parts.event(int64(i), session, []string{"A"}, 1)
		s.Engine.Judge(ev)
	}
	o := s.o
	o.keys = 2
	p, restored := s.restart(t, o)
	a := p.Engine.Account()[0]
	if a.LiveKeys != 2 || a.DroppedKeys != 2 || p.Engine.rules[0].episodes.open.live != 2 {
		t.Errorf("%d keys, %d dropped, %d episodes open; want 2 each", a.LiveKeys, a.DroppedKeys, p.Engine.rules[0].episodes.open.live)
	}
	if ended := restored.Ended; len(ended) != 1 || ended[0].Session != "b" {
		t.Errorf("%d episodes ended, want that of b", len(ended))
	}
	if again, _ := p.restart(t, o); !bytes.Equal(again.saved(), p.saved()) {
		t.Error("the state changes once more")
	}
}
