package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// Question asks why one request, or one episode, was judged as it was.
type Question struct {
	// Run is the run that judged it, without streams and sinks. Where it has the
	// events of an earlier run, they tell all but the text and what was masked in it.
	Run replay.Options
	// Open opens the logs otherwise; it is called for each reading. The streams are
	// closed after it.
	Open func() ([]ingest.Stream, error)

	// Stream, Line and Item name a request: the stream by index, the line
	// from 1, the request from 1 in a line that holds several, else 0.
	Stream, Item int
	Line         int64
	// Episode is the id of an episode, or of a repeat, instead: of a repeat its
	// first episode is explained.
	Episode string
	// Fired is when the earlier run says that the episode first fired;
	// fingerprint.NoTime if it does not.
	Fired int64
	// List is the command that lists all episodes.
	List string

	ShowText bool // print canonical text: it holds what people wrote
}

// errEnough ends a reading: the question is answered.
var errEnough = errors.New("enough")

// Answer explains a request or an episode. It reads the logs as far as the
// answer needs them: to the line, then again from the start to where the line
// was judged; or to the episode's first firing, then again to its end.
func Answer(ctx context.Context, q Question) (*Explanation, error) {
	x := &explaining{q: q, plan: q.Run.Plan}
	if q.Run.Kept != nil {
		for _, s := range q.Run.Kept.Streams {
			x.names = append(x.names, s.Name)
		}
		if q.Episode != "" {
			return x.episode(ctx, nil)
		}
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
		ingest.CloseAll(streams)
		return nil, err
	}
	if q.Episode != "" {
		return x.episode(ctx, streams)
	}
	return x.line(ctx, streams)
}

// explaining is one question at work.
type explaining struct {
	q      Question
	plan   *window.Plan
	names  []string
	target window.Event // the request asked about, or the first firing of the episode
	rules  []Rule
	traces []*trace
}

func (x *explaining) place(p fingerprint.Position) string {
	if p.Item > 0 {
		return fmt.Sprintf("%s:%d:%d", x.names[p.Stream], p.Line, p.Item+1)
	}
	return fmt.Sprintf("%s:%d", x.names[p.Stream], p.Line)
}

// read runs the logs through order and duplicates, and shows each event to see until
// that returns false. No rule judges beside it. Of the events of an earlier run see
// need not be shown those that are not sought.
func (x *explaining) read(ctx context.Context, rules []*window.Rule, sought *window.Sought, see func(*window.Event) bool, skip func(ingest.Skip)) (*replay.Result, error) {
	o := x.q.Run
	o.Plan, o.Skip = x.planOf(rules), skip
	if o.Duplicates == 0 { // else any may have the same id
		o.Sought = sought
	}
	if o.Kept == nil {
		var err error
		if o.Streams, err = x.q.Open(); err != nil {
			return nil, err
		}
	}
	done := false
	o.Event = func(ev *window.Event) error {
		if done || !see(ev) {
			done = true
			return errEnough
		}
		return nil
	}
	o.Unjudged = slices.Repeat([]bool{true}, len(o.Plan.Rules))
	result, err := replay.Run(ctx, o)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return result, err
}

// planOf is the plan of those rules that are read for.
func (x *explaining) planOf(rules []*window.Rule) *window.Plan {
	if len(rules) == len(x.plan.Rules) {
		return x.plan
	}
	return window.NewPlan(rules, x.plan.Exclusions)
}

// retarget fits the traces to the plan of the rules that are read for.
func (x *explaining) retarget(rules []*window.Rule) {
	plan := x.planOf(rules)
	for _, t := range x.traces {
		t.choice = slices.Index(plan.Rules, t.rule)
		t.identity, t.scope = plan.IdentityOf(t.choice), plan.ScopeOf(t.choice)
	}
}
