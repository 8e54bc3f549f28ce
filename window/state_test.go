package window

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// process is what one process has of a run: the state, and what it said.
type process struct {
	State
	o     processOptions
	said  []string
	count account
}

type processOptions struct {
	plan     *Plan
	extract  ExtractOptions
	lateness time.Duration
	horizon  time.Duration
	keys     int
}

// account is what became of the events that were released.
type account struct{ judged, duplicate, excluded int64 }

func newProcess(o processOptions) *process {
	p := &process{o: o}
	p.State = State{Plan: o.plan, Extract: o.extract, Order: NewOrder(o.lateness), Duplicates: NewDuplicates(o.horizon)}
	p.Engine = NewEngine(o.plan, EngineOptions{
		MaxKeys: o.keys,
		Verdict: func(v *Verdict) {
			p.say(v.Event.Time, v.Event.Position, v.Event.ID, v.Event.Caller, v.Event.Session, v.Event.Cost, v.Scope.Values, v.Rule.Name, v.Fingerprint, v.Count, v.Fired, v.Action, v.Reason, v.RetryAfter, v.DelayMS, v.Episode)
		},
		Fired:   func(ep *Episode, f Firing) { p.say("fired", tell(ep), f.Action) },
		Episode: func(ep *Episode) { p.say("closed", tell(ep)) },
	})
	return p
}

func tell(ep *Episode) string {
	name, e := ep.Rule.Name, *ep
	e.Rule = nil
	e.own = contribution{} // of older versions not all is known
	return fmt.Sprintf("%s %+v", name, e)
}

func (p *process) say(what ...any) { p.said = append(p.said, fmt.Sprintln(what...)) }

func (p *process) push(ev *Event) {
	if !p.Order.Push(ev) {
		p.say("late", ev.Time, ev.Position)
	}
	p.release()
}

func (p *process) release() {
	for ev := p.Order.Pop(); ev != nil; ev = p.Order.Pop() {
		if p.Duplicates.Seen(ev) {
			p.count.duplicate++
			continue
		}
		p.Duplicates.Spend(ev)
		switch {
		case ev.Exclude > 0:
			p.count.excluded++
		default:
			p.count.judged++
			p.Engine.Judge(ev)
		}
	}
}

func (p *process) saved() []byte {
	w := snapshot.NewWriter(nil)
	p.Save(w)
	return w.Bytes()
}

// restart goes on in another process, perhaps with other options.
func (p *process) restart(tb testing.TB, o processOptions) (*process, *Restored) {
	tb.Helper()
	next := newProcess(o)
	next.said, next.count = p.said, p.count
	restored, err := next.Load(snapshot.NewReader(p.saved()))
	if err != nil {
		tb.Fatal(err)
	}
	return next, restored
}

func (p *process) checkAccount(tb testing.TB) {
	tb.Helper()
	for _, a := range p.Engine.Account() {
		if err := a.Check(); err != nil {
			tb.Error(err)
		}
		if a.Before+a.Judged != p.count.judged {
			tb.Errorf("rule %s: %d requests before and %d judged of %d", a.Rule.Name, a.Before, a.Judged, p.count.judged)
		}
	}
}

// parts are what plans of these tests are made of.
type parts struct {
	*names
	identities []*fingerprint.Identity
	scopes     []*fingerprint.Scope
}

func newParts(tb testing.TB) *parts {
	tb.Helper()
	p := &parts{names: newNames(tb), identities: []*fingerprint.Identity{byModel(tb)}, scopes: []*fingerprint.Scope{bySession(tb)}}
	for _, name := range []string{"tool-call", "fairvisor"} {
		id, err := fingerprint.New(name, fingerprint.Options{})
		if err != nil {
			tb.Fatal(err)
		}
		p.identities = append(p.identities, id)
	}
	for _, fields := range [][]string{{}, {"caller", "model"}} {
		s, err := fingerprint.NewScope(fields)
		if err != nil {
			tb.Fatal(err)
		}
		p.scopes = append(p.scopes, s)
	}
	return p
}

// drawPlan draws rules of all identities and scopes, with overrides.
func (p *parts) drawPlan(t *rapid.T, rules int) *Plan {
	list := drawRules(t, nil, nil, rules)
	for _, r := range list {
		r.Identity = rapid.SampledFrom(p.identities).Draw(t, "identity")
		r.Scope = rapid.SampledFrom(p.scopes).Draw(t, "scope")
		for range rapid.IntRange(0, 2).Draw(t, "overrides") {
			r.Overrides = append(r.Overrides, Override{
				Threshold: rapid.IntRange(0, 3).Draw(t, "override"), Action: rapid.SampledFrom(append(slices.Clone(Actions), "")).Draw(t, "action of override"),
			})
		}
		r.ChatOverrides = CounterNamed(r.Counter.Kind).Varies && r.Counter.Window > 0 && rapid.Bool().Draw(t, "chat")
		r.Off = r.ChatOverrides && rapid.Bool().Draw(t, "off")
		r.Selection = fmt.Sprint("with ", len(r.Overrides), " overrides")
	}
	return NewPlan(list, []Exclusion{{Name: "probes", Text: "a"}, {Name: "tests", Text: "b"}})
}

// request is what an event of any plan can be made of.
type request struct {
	Event      // what does not depend on the plan
	exclude    string
	identities map[*fingerprint.Identity]Prints
	scopes     map[*fingerprint.Scope]Scope
	choices    map[string]int // by rule: of how many ways to see it
}

// drawRequest draws a request that has every field or lacks it.
func (p *parts) drawRequest(t *rapid.T, now int64, at fingerprint.Position) *request {
	maybe := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	text := func(label string, of ...string) string { return rapid.SampledFrom(append(of, "")).Draw(t, label) }
	number := func(label string) int64 {
		return rapid.SampledFrom([]int64{fingerprint.Unknown, 0, 1, 7, 1 << 40}).Draw(t, label)
	}
	r := &request{identities: map[*fingerprint.Identity]Prints{}, scopes: map[*fingerprint.Scope]Scope{}, choices: map[string]int{}}
	r.Event = Event{
		Time: now, Start: fingerprint.NoTime, Position: at,
		ID: text("id", "1", "2", "3", "4", "5", "6"), Method: "POST", Path: text("path", "/v1"), Caller: text("caller", "key-1", "key-2"), User: text("user", "u"),
		Session: text("session", "s", "u"), Model: text("model", "gpt"), Backend: text("backend", "b"),
		Status: int(rapid.SampledFrom([]int64{-1, 200, 429}).Draw(t, "status")), TokensIn: number("in"), TokensOut: number("out"), MaxTokens: number("max"),
		Cost: rapid.SampledFrom([]float64{math.NaN(), 0, 0.1, 0.2}).Draw(t, "cost"), Response: rapid.SampledFrom([]uint64{0, 0, 1, math.MaxUint64}).Draw(t, "response"),
		Issued: rapid.Bool().Draw(t, "issued"), Answered: rapid.Bool().Draw(t, "answered"),
		Stream: fingerprint.Tri(rapid.IntRange(0, 2).Draw(t, "stream")), Cached: fingerprint.Tri(rapid.IntRange(0, 2).Draw(t, "cached")),
	}
	if maybe("span") {
		span := func(label string) uint64 { return rapid.Uint64Range(0, 4).Draw(t, label) }
		r.Span = Span{Own: span("own") + 1, Around: span("around"), Says: fingerprint.Says(rapid.IntRange(0, 2).Draw(t, "said"))}
		if maybe("twin") {
			r.Span.Said, r.Span.Writing = span("sum")+1, Writing{span("library") + 1, now - 1, now}
		}
	}
	if maybe("chat") {
		r.Chat = parseChat([]byte(rapid.SampledFrom([]string{
			"!/set(tool-loop-detection=true, tool-loop-max-repeats=2)", "!/set(tool-loop-detection=false)", "!/set(tool-loop-ttl=1)",
			"!/set(tool-loop-mode=chance) !/set(tool-loop-mode=x)", "!/unset(tool-loop-detection, tool-loop-max-repeats)",
		}).Draw(t, "says")))
	}
	if maybe("start") {
		r.Start = now - number("call")
	}
	if rapid.IntRange(0, 9).Draw(t, "excluded") == 0 {
		r.exclude = rapid.SampledFrom([]string{"probes", "tests"}).Draw(t, "by")
	}
	for _, id := range p.identities {
		var prints Prints
		if maybe("no prints") {
			prints.Cause = rapid.SampledFrom([]fingerprint.Cause{fingerprint.Computable, fingerprint.NoBody, fingerprint.NoToolCall}).Draw(t, "cause")
		} else {
			for range rapid.IntRange(1, 2).Draw(t, "prints") {
				f := p.print(rapid.SampledFrom([]string{"A", "A", "A", "B", "C"}).Draw(t, "print"))
				if id.Name == "fairvisor" {
					f, _ = fingerprint.FromBytes(f.Bytes()[:4])
				}
				prints.Fingerprints = append(prints.Fingerprints, f)
			}
		}
		r.identities[id] = prints
	}
	for _, s := range p.scopes {
		scope := p.scope(rapid.SampledFrom([]string{"s", "s", "u"}).Draw(t, "scope"))
		if len(s.Fields) == 0 {
			scope.Values = nil
		}
		if maybe("no scope") {
			scope = Scope{Cause: fingerprint.NoSession}
		} else {
			scope.FellBack = maybe("fell back")
		}
		r.scopes[s] = scope
	}
	for _, name := range []string{"r0", "r1", "r2"} {
		r.choices[name] = rapid.IntRange(0, 11).Draw(t, "choice")
	}
	return r
}

// event makes the event that an extractor of the plan would make.
func (r *request) event(plan *Plan) *Event {
	ev := r.Event
	ev.Exclude = slices.IndexFunc(plan.Exclusions, func(x Exclusion) bool { return x.Name == r.exclude }) + 1
	if ev.Exclude > 0 {
		ev.Chat = nil
		return &ev
	}
	for _, id := range plan.Identities {
		ev.Prints = append(ev.Prints, r.identities[id])
	}
	for _, s := range plan.Scopes {
		ev.Scopes = append(ev.Scopes, r.scopes[s])
	}
	for _, rule := range plan.Rules {
		ways := len(rule.Overrides) + 2
		ev.Rules = append(ev.Rules, NotMatched+Choice((r.choices[rule.Name]+1)%ways))
	}
	return &ev
}

// drawEvent draws an event of the plan.
func (p *parts) drawEvent(t *rapid.T, plan *Plan, now int64, at fingerprint.Position) *Event {
	return p.drawRequest(t, now, at).event(plan)
}

// happening is one thing that happens to an Order: an event, or one of the others.
type happening struct {
	request *request
	idle    bool
	close   bool
	open    bool
	first   int64
	stream  int32
}

func (p *process) do(s happening) {
	switch {
	case s.request != nil:
		p.push(s.request.event(p.Plan))
	case s.idle:
		p.Order.Idle(s.stream)
	case s.close:
		p.Order.Close(s.stream)
	case s.open:
		p.Order.Open(s.stream, s.first)
	}
	p.release()
}

// drawSteps draws what happens to a few streams.
func (p *parts) drawSteps(t *rapid.T) (steps []happening) {
	streams := int32(rapid.IntRange(1, 3).Draw(t, "streams"))
	now := make([]int64, streams)
	for i := range streams {
		now[i] = int64(rapid.IntRange(1000, 1020).Draw(t, "begins"))
		first := rapid.SampledFrom([]int64{fingerprint.NoTime, now[i]}).Draw(t, "first")
		steps = append(steps, happening{stream: i, open: true, first: first})
	}
	for k := range rapid.IntRange(1, 60).Draw(t, "steps") {
		i := int32(rapid.IntRange(0, int(streams)-1).Draw(t, "stream"))
		switch rapid.IntRange(0, 24).Draw(t, "do") {
		case 0, 1:
			steps = append(steps, happening{stream: i, idle: true})
		case 2:
			steps = append(steps, happening{stream: i, close: true}, happening{stream: i, open: true, first: now[i]})
		default:
			now[i] += int64(rapid.SampledFrom([]int{0, 0, 1, 1, 2, 5, 13, 30}).Draw(t, "pause"))
			at := now[i] - int64(rapid.SampledFrom([]int{0, 0, 0, 1, 3, 9, -int(2 * jumpLimit / time.Microsecond)}).Draw(t, "back"))
			r := p.drawRequest(t, at, fingerprint.Position{Stream: i, Offset: int64(100 * k), Line: int64(k), Item: int32(k % 2)})
			steps = append(steps, happening{request: r})
		}
	}
	return steps
}

// TestRestartChangesNothing: a run that is saved and loaded at any moments says
// what it says without a break, and in the end has the same state, byte for
// byte. So has the state that was loaded at once.
func TestRestartChangesNothing(t *testing.T) {
	parts := newParts(t)
	rapid.Check(t, func(rt *rapid.T) {
		plan := parts.drawPlan(rt, 3)
		o := processOptions{
			plan: plan, keys: rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(rt, "keys"),
			lateness: time.Duration(rapid.IntRange(0, 8).Draw(rt, "lateness")) * time.Microsecond,
			horizon:  time.Duration(rapid.SampledFrom([]int{0, 5, 50}).Draw(rt, "horizon")) * time.Microsecond,
			extract:  ExtractOptions{Key: []byte(rapid.SampledFrom([]string{"", "secret"}).Draw(rt, "key"))},
		}
		steps := parts.drawSteps(rt)
		want, got := newProcess(o), newProcess(o)
		for _, s := range steps {
			want.do(s)
			got.do(s)
			if rapid.IntRange(0, 9).Draw(rt, "break") > 0 {
				continue
			}
			before := got.saved()
			next, restored := got.restart(t, o)
			if after := next.saved(); !bytes.Equal(before, after) {
				rt.Fatalf("saved  %q\nloaded %q", before, after)
			}
			if len(restored.Kept) != len(plan.Rules) || len(restored.Ended) > 0 {
				rt.Fatalf("%+v", restored)
			}
			got = next
		}
		if want, got := want.saved(), got.saved(); !bytes.Equal(want, got) {
			rt.Fatalf("the states differ:\ngot  %q\nwant %q", got, want)
		}
		want.Engine.Close()
		got.Engine.Close()
		equal(rt, "after restarts", got.said, want.said)
		if want, got := want.Engine.Account(), got.Engine.Account(); !reflect.DeepEqual(got, want) {
			rt.Fatalf("account %+v, want %+v", got, want)
		}
		if want, got := want.Order.Stats(), got.Order.Stats(); got != want {
			rt.Fatalf("order %+v, want %+v", got, want)
		}
		got.checkAccount(t)
	})
}

// TestFired: each firing is told, with the episode as it is then; one that a
// gateway would only take note of is allowed.
func TestFired(t *testing.T) {
	n := newNames(t)
	rule := &Rule{
		Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding", Window: 10 * time.Microsecond}, Threshold: 2,
		Action: Warn, Overrides: []Override{{Action: Record}}, Quiet: 20 * time.Microsecond,
	}
	var got []string
	e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{Fired: func(ep *Episode, f Firing) {
		got = append(got, fmt.Sprint(ep.Last, " ", ep.Requests, " ", f.Action))
	}})
	for i, at := range []int64{1, 2, 3, 3, 50, 51} {
		ev := n.event(at, "s", []string{"A"}, 1)
		ev.Position.Offset = int64(i)
		if at == 3 {
			ev.Rules[0] = 0
		}
		e.Judge(ev)
	}
	e.Judge(n.event(52, "u", []string{"A"}, 1))
	want := []string{"2 2 warn", "3 3 allow", "3 4 allow", "51 2 warn"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
