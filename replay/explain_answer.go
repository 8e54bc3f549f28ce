package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/replay/term"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
)

// Question asks why one request, or one episode, was judged as it was. All but
// the last fields are as for [Run].
type Question struct {
	// Open opens the logs; it is called for each reading. The streams are
	// closed after it.
	Open func() ([]ingest.Stream, error)
	// Kept gives the events of an earlier run instead, also for each reading.
	// They tell all but the text and what was masked in it.
	Kept func() (*Kept, error)
	Plan *window.Plan

	Lateness     time.Duration
	Duplicates   time.Duration
	Extract      window.ExtractOptions
	MaxKeys      int
	Since, Until int64

	// Stream, Line and Item name a request: the stream by index, the line
	// from 1, the request from 1 in a line that holds several, else 0.
	Stream, Item int
	Line         int64
	// Episode is the id of an episode, or of a repeat, instead: of a repeat its
	// first episode is explained.
	Episode string

	ShowText bool // print canonical text: it holds what people wrote
}

// errEnough ends a reading: the question is answered.
var errEnough = errors.New("enough")

// Answer explains a request or an episode. It reads the logs as far as the
// answer needs them: to the line, then again from the start to where the line
// was judged; or to the episode's first firing, then again to its end.
func Answer(ctx context.Context, q Question) (*Explanation, error) {
	x := &explaining{q: q, plan: q.Plan}
	switch {
	case q.Kept != nil && q.Episode != "":
		return x.episode(ctx, nil)
	case q.Kept != nil:
		return x.keptLine(ctx)
	}
	streams, err := q.Open()
	if err != nil {
		return nil, err
	}
	again := true
	for _, s := range streams {
		x.names = append(x.names, s.Name())
		if s.Size() < 0 {
			err, again = &ingest.Error{Path: s.Name(), Err: errors.New("cannot be read twice"), Hint: "save it as a file first: explain reads a log to find the place, and again to count"}, false
		}
	}
	if !again {
		closeAll(streams)
		return nil, err
	}
	if q.Episode != "" {
		return x.episode(ctx, streams)
	}
	return x.line(ctx, streams)
}

func closeAll(streams []ingest.Stream) {
	for _, s := range streams {
		s.Close()
	}
}

// explaining is one question at work.
type explaining struct {
	q      Question
	plan   *window.Plan
	names  []string
	target window.Event // the request asked about, or the first firing of the episode
	rules  []ExplainedRule
	traces []*trace
	ofRule []int // by trace: index in rules
}

func (x *explaining) place(p fingerprint.Position) string {
	if p.Item > 0 {
		return fmt.Sprintf("%s:%d:%d", x.names[p.Stream], p.Line, p.Item+1)
	}
	return fmt.Sprintf("%s:%d", x.names[p.Stream], p.Line)
}

func (x *explaining) line(ctx context.Context, streams []ingest.Stream) (*Explanation, error) {
	err := x.look(ctx, streams[x.q.Stream], x.q.Line, x.q.Item, x.meet)
	closeAll(streams)
	if err != nil {
		return nil, err
	}
	return x.explainLine(ctx)
}

// keptLine explains a request that was judged in an earlier run, by its event.
func (x *explaining) keptLine(ctx context.Context) (*Explanation, error) {
	at := fingerprint.Position{Stream: int32(x.q.Stream), Line: x.q.Line, Item: int32(max(x.q.Item-1, 0))}
	var found bool
	var others int64
	_, err := x.read(ctx, x.plan.Rules, func(ev *window.Event) bool {
		switch {
		case ev.Position.Stream != at.Stream || ev.Position.Line != at.Line:
		case x.q.Item == 0 && !found, ev.Position.Item == at.Item && x.q.Item > 0:
			found = true
			x.target = *ev
			x.judge(nil, ev)
		default:
			others++
		}
		return !found || x.q.Item == 0
	}, nil)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fmt.Errorf("%s: no request of this line was judged when the dataset was written\nthe log says why: loopgauge explain LOG:LINE", term.Safe(x.place(at)))
	case others > 0:
		return nil, several(term.Safe(x.place(at)), others+1)
	}
	return x.explainLine(ctx)
}

// explainLine explains the target.
func (x *explaining) explainLine(ctx context.Context) (*Explanation, error) {
	if err := x.left(); err != nil {
		return nil, err
	}
	var rules []*window.Rule
	for _, t := range x.traces {
		if !slices.Contains(rules, t.rule) {
			rules = append(rules, t.rule)
		}
	}
	// Even if no rule can look at it, it may be late or a duplicate.
	if err := x.collectLine(ctx, rules); err != nil {
		return nil, err
	}
	return x.explanation(), nil
}

// meet notes the request that is asked about, and what each rule makes of it.
func (x *explaining) meet(r *fingerprint.Request) {
	extractor := x.plan.NewExtractor(x.q.Extract)
	extractor.Event(r, &x.target)
	x.judge(r, &x.target)
}

// judge notes what each rule makes of a request. r is nil if only events are
// kept.
func (x *explaining) judge(r *fingerprint.Request, ev *window.Event) {
	if ev.Exclude > 0 {
		return
	}
	for i, rule := range x.plan.Rules {
		out := explainedRule(rule)
		if o := ev.Rules[i]; o >= 0 {
			out.Override = TextOrNull(overrideName(rule, int(o)))
		}
		if ev.Rules[i] == window.NotMatched {
			out.State, out.Why = "not_matched", TextOrNull(notMatched(rule, r, ev.Time))
			x.rules = append(x.rules, out)
			continue
		}
		prints, scope := &ev.Prints[x.plan.IdentityOf(i)], &ev.Scopes[x.plan.ScopeOf(i)]
		cause, what := prints.Cause, "identity "+rule.Identity.Name
		if cause == fingerprint.Computable {
			cause, what = scope.Cause, fmt.Sprintf("scope %v", rule.Scope.Fields)
		}
		if cause != fingerprint.Computable {
			out.State, out.Why, out.Remedy = "not_computable", TextOrNull(what+": "+cause.String()), TextOrNull(Remedy(cause))
			x.rules = append(x.rules, out)
			continue
		}
		out.State = "counted"
		x.rules = append(x.rules, out)
		x.follow(r, i, prints.Fingerprints, scope, "")
	}
}

// maxPrints is how many fingerprints of one request are explained.
const maxPrints = 20

// follow makes a trace for each fingerprint of a request under one rule, the
// last of x.rules. r is nil if only events are kept.
func (x *explaining) follow(r *fingerprint.Request, i int, prints []fingerprint.Fingerprint, scope *window.Scope, episode string) {
	rule := &x.rules[len(x.rules)-1]
	w := fingerprint.NewWriter(x.q.Extract.Key)
	w.Keep = x.q.ShowText
	masks := make([][]fingerprint.Masked, len(prints))
	if r != nil {
		x.plan.Rules[i].Identity.Compute(r, w)
		masks = x.plan.Rules[i].Identity.Masked(r)
	}
	for k, print := range prints {
		if slices.Contains(prints[:k], print) {
			continue
		}
		if len(rule.Fingerprints) == maxPrints {
			rule.LeftOut++
			continue
		}
		out := ExplainedPrint{Fingerprint: print.String(), Masks: []ExplainedMask{}, Lines: []ExplainedLine{}}
		if w.Keep {
			out.Canonical = TextOrNull(string(w.Prints()[k].Canonical))
		}
		for _, m := range masks[k] {
			out.Masks = append(out.Masks, ExplainedMask{m.Name, m.N})
		}
		rule.Fingerprints = append(rule.Fingerprints, out)
		x.traces = append(x.traces, newTrace(x.plan, i, scope, print, episode))
		x.ofRule = append(x.ofRule, len(x.rules)-1)
	}
}

// left says why the request was not judged, as far as its line alone tells.
func (x *explaining) left() error {
	ev := &x.target
	at := term.Safe(x.place(ev.Position))
	if ev.Exclude > 0 {
		return fmt.Errorf("%s: excluded, and so not judged: by exclude: %s", at, term.Safe(x.plan.Exclusions[ev.Exclude-1].Name))
	}
	when := Stamp(ev.Time)
	if ev.Time < x.q.Since {
		return fmt.Errorf("%s: excluded, and so not judged: its time %s is before --since", at, when)
	}
	if x.q.Until != fingerprint.NoTime && ev.Time >= x.q.Until {
		return fmt.Errorf("%s: excluded, and so not judged: its time %s is not before --until", at, when)
	}
	return nil
}

// notMatched says why a rule does not look at a request.
func notMatched(rule *window.Rule, r *fingerprint.Request, t int64) string {
	if r == nil {
		return "the rule did not look at it when the dataset was written"
	}
	if rule.Match != nil && !rule.Match(r) {
		return "the rule's match is false"
	}
	for i := range rule.Overrides {
		o := &rule.Overrides[i]
		if o.Disabled && (o.Until.IsZero() || t < o.Until.UnixMicro()) && (o.Match == nil || o.Match(r)) {
			return overrideName(rule, i) + " disables the rule"
		}
	}
	return "the rule does not look at it"
}

func overrideName(rule *window.Rule, i int) string {
	name := fmt.Sprintf("overrides[%d]", i)
	if reason := rule.Overrides[i].Reason; reason != "" {
		name += " (" + reason + ")"
	}
	return name
}

// read runs the logs through order and duplicates, as Run does, and shows each
// event to see until that returns false. No engine judges beside it.
func (x *explaining) read(ctx context.Context, rules []*window.Rule, see func(*window.Event) bool, skip func(ingest.Skip)) (*run, error) {
	streams, kept, err := x.open()
	if err != nil {
		return nil, err
	}
	plan := x.plan
	if len(rules) < len(x.plan.Rules) {
		plan = window.NewPlan(rules, x.plan.Exclusions)
	}
	done := false
	r := newRun(Options{
		Streams: streams, Kept: kept, Plan: plan, Lateness: x.q.Lateness, Duplicates: x.q.Duplicates,
		Extract: x.q.Extract, Since: x.q.Since, Until: x.q.Until, Skip: skip,
		Event: func(ev *window.Event) error {
			if done || !see(ev) {
				done = true
				return errEnough
			}
			return nil
		},
	})
	r.pipeline.Engine = window.NewEngine(&window.Plan{}, window.EngineOptions{})
	if kept != nil {
		err = r.kept(ctx)
	} else {
		err = r.logs(ctx)
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	return r, err
}

// open opens the logs, or the events that are kept of them.
func (x *explaining) open() (streams []ingest.Stream, kept *Kept, err error) {
	if x.q.Kept == nil {
		streams, err = x.q.Open()
		return streams, nil, err
	}
	if kept, err = x.q.Kept(); err == nil {
		x.names = x.names[:0]
		for _, s := range kept.Streams {
			x.names = append(x.names, s.Name)
		}
	}
	return nil, kept, err
}

// collectLine shows the traces everything up to the line.
func (x *explaining) collectLine(ctx context.Context, rules []*window.Rule) error {
	x.retarget(rules)
	var twin fingerprint.Position
	var judged, twice bool
	late := ""
	r, err := x.read(ctx, rules, func(ev *window.Event) bool {
		at := ev.Position
		switch {
		case judged || x.target.Before(ev):
			return false
		case at == x.target.Position:
			judged = true
		case ev.ID != "" && ev.ID == x.target.ID:
			twin, twice = at, true
		}
		for _, t := range x.traces {
			t.add(ev, judged)
		}
		return !judged
	}, func(s ingest.Skip) {
		// It may be another request of the same line: then this one comes yet.
		if s.Stream == x.target.Position.Stream && s.Line == x.target.Position.Line {
			late = s.Why
		}
	})
	if err != nil || judged {
		return err
	}
	at := term.Safe(x.place(x.target.Position))
	switch {
	case late == farOff:
		return fmt.Errorf("%s: %s, and so not judged", at, late)
	case late != "":
		return fmt.Errorf("%s: late, and so not judged: further behind its log than the lateness of %s\nwith --lateness %s it would be", at, window.Lasting(x.q.Lateness), window.Lasting(roundUp(r.pipeline.Order.Stats().WorstLate)))
	case twice:
		return fmt.Errorf("%s: a duplicate, and so not judged: %s has the same request id", at, term.Safe(x.place(twin)))
	}
	for _, s := range r.result.Streams {
		if s.Err != nil {
			return fmt.Errorf("%w\n%s was not reached", s.Err, at)
		}
	}
	return fmt.Errorf("%s: was not judged, and it is not known why: please report this", at)
}

// retarget fits the traces to the plan of the rules that are read for.
func (x *explaining) retarget(rules []*window.Rule) {
	plan := x.plan
	if len(rules) < len(plan.Rules) {
		plan = window.NewPlan(rules, plan.Exclusions)
	}
	for _, t := range x.traces {
		t.choice = slices.Index(plan.Rules, t.rule)
		t.identity, t.scope = plan.IdentityOf(t.choice), plan.ScopeOf(t.choice)
	}
}

// episode finds the episode by judging everything, then reads again for its
// scope alone.
func (x *explaining) episode(ctx context.Context, streams []ingest.Stream) (*Explanation, error) {
	var first *window.Verdict
	var scope window.Scope
	id := x.q.Episode
	var sought *repeat
	if strings.HasPrefix(x.q.Episode, "lp-") {
		sought = &repeat{id: id, plan: x.plan}
	}
	var ids int64
	o := Options{
		Streams: streams, Plan: x.plan, Lateness: x.q.Lateness, Duplicates: x.q.Duplicates, Extract: x.q.Extract,
		MaxKeys: x.q.MaxKeys, Since: x.q.Since, Until: x.q.Until,
		Verdict: func(v *window.Verdict) error {
			if sought != nil && sought.fired(v) {
				id = v.Episode
			}
			if first != nil || v.Episode != id {
				return nil
			}
			one, event := *v, v.Event.Clone()
			first, x.target = &one, *event
			scope = event.Scopes[x.plan.ScopeOf(slices.Index(x.plan.Rules, v.Rule))]
			return errEnough
		},
		Episode: func(*window.Episode) error { ids++; return nil },
	}
	if sought != nil {
		o.Event = sought.look
	}
	if x.q.Kept != nil {
		var err error
		if _, o.Kept, err = x.open(); err != nil {
			return nil, err
		}
	}
	result, err := Run(ctx, o)
	if first == nil {
		if err != nil {
			return nil, err
		}
		if sought != nil && sought.rule != nil {
			return nil, fmt.Errorf("%s: the rule %s does not fire on it with a threshold of %d\nwith --policy and what tune advises it may; to see what counts: loopgauge explain %s",
				sought.id, term.Safe(sought.rule.Name), sought.rule.Threshold, term.Safe(x.place(sought.first)))
		}
		return nil, x.notFound(result, ids)
	}
	i := slices.Index(x.plan.Rules, first.Rule)
	print, position := first.Fingerprint, x.target.Position
	out := explainedRule(first.Rule)
	out.State = "counted"
	if c := x.target.Rules[i]; c >= 0 {
		out.Override = TextOrNull(overrideName(first.Rule, int(c)))
	}
	x.rules = append(x.rules, out)

	follow := func(r *fingerprint.Request) {
		x.follow(r, i, x.target.Prints[x.plan.IdentityOf(i)].Fingerprints, &scope, id)
	}
	if x.q.Kept != nil {
		follow(nil)
	} else {
		// The line itself has the canonical text, and what was masked.
		if streams, err = x.q.Open(); err != nil {
			return nil, err
		}
		err = x.look(ctx, streams[position.Stream], position.Line, int(position.Item)+1, follow)
		closeAll(streams)
		if err != nil {
			return nil, err
		}
	}
	x.only(print)
	x.retarget([]*window.Rule{first.Rule})
	t := x.traces[0]
	if _, err = x.read(ctx, []*window.Rule{first.Rule}, func(ev *window.Event) bool {
		t.add(ev, false)
		return !t.closed
	}, nil); err != nil {
		return nil, err
	}
	t.engine.Close()
	if t.asked < 0 || t.episode == nil {
		return nil, fmt.Errorf("%s: judged alone, its scope gives another episode: the run had more live keys than it may keep", x.q.Episode)
	}
	return x.explanation(), nil
}

// only keeps the trace of one fingerprint.
func (x *explaining) only(print fingerprint.Fingerprint) {
	rule := &x.rules[0]
	k := slices.IndexFunc(x.traces, func(t *trace) bool { return t.print == print })
	x.traces, x.ofRule = x.traces[k:k+1], []int{0}
	rule.Fingerprints, rule.LeftOut = rule.Fingerprints[k:k+1], 0
}

func (x *explaining) notFound(r *Result, episodes int64) error {
	for _, s := range r.Streams {
		if s.Err != nil {
			return fmt.Errorf("%w\nup to there no episode is %s", s.Err, x.q.Episode)
		}
	}
	there := "there is no loop at all"
	switch {
	case episodes == 1:
		there = "there is one other: loopgauge replay --json names it"
	case episodes > 1:
		there = "there are " + term.Count(episodes) + " others: loopgauge replay --json lists them"
	}
	return fmt.Errorf("no episode is %s; %s\ndid replay or watch have the same logs, also those that were rotated away since, --policy or --profile, --lateness, --since, --until and --fingerprint-key?", x.q.Episode, there)
}
