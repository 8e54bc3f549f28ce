package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

func (x *explaining) line(ctx context.Context, streams []ingest.Stream) (*Explanation, error) {
	err := x.look(ctx, streams[x.q.Stream], x.q.Line, x.q.Item, x.meet)
	ingest.CloseAll(streams)
	if err != nil {
		return nil, err
	}
	return x.explainLine(ctx)
}

// keptLine explains a request that was judged in an earlier run, by its event.
func (x *explaining) keptLine(ctx context.Context) (*Explanation, error) {
	at := fingerprint.Position{Stream: int32(x.q.Stream), Line: x.q.Line, Item: int32(max(x.q.Item-1, 0))}
	var found bool
	others := 0
	_, err := x.read(ctx, x.plan.Rules, &window.Sought{Line: &at}, func(ev *window.Event) bool {
		switch {
		case ev.Position.Stream != at.Stream || ev.Position.Line != at.Line:
		case x.q.Item == 0 && found:
			others++
		case x.q.Item == 0 || ev.Position.Item == at.Item:
			found = true
			x.target = *ev
			x.judge(nil, ev)
		}
		return !found || x.q.Item == 0
	}, nil)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fmt.Errorf("%s: no request of this line was judged when the dataset was written\nthe log says why: loopgauge explain LOG:LINE", term.Safe(x.place(at)))
	case others > 0:
		return nil, several(term.Safe(x.place(at)), others+1, int(x.target.Position.Item)+1)
	}
	return x.explainLine(ctx)
}

// meet notes the request that is asked about, and what each rule makes of it.
func (x *explaining) meet(r *fingerprint.Request) {
	extractor := x.plan.NewExtractor(x.q.Run.Extract)
	extractor.Event(r, &x.target)
	x.judge(r, &x.target)
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

// left says why the request was not judged, as far as its line alone tells.
func (x *explaining) left() error {
	ev := &x.target
	at := term.Safe(x.place(ev.Position))
	if ev.Exclude > 0 {
		return fmt.Errorf("%s: excluded, and so not judged: by exclude: %s", at, term.Safe(x.plan.Exclusions[ev.Exclude-1].Name))
	}
	if err := x.outside(ev.Time); err != nil && x.outside(ev.Time+ev.Again) != nil {
		return err
	}
	return nil
}

// outside says that the request was not judged if this is its time.
func (x *explaining) outside(t int64) error {
	var which string
	switch {
	case t < x.q.Run.Since:
		which = "before --since"
	case x.q.Run.Until != fingerprint.NoTime && t >= x.q.Run.Until:
		which = "not before --until"
	default:
		return nil
	}
	return fmt.Errorf("%s: excluded, and so not judged: its time %s is %s", term.Safe(x.place(x.target.Position)), window.Stamp(t), which)
}

// collectLine shows the traces everything up to the line.
func (x *explaining) collectLine(ctx context.Context, rules []*window.Rule) error {
	x.retarget(rules)
	var twin, pair fingerprint.Position // with the same id, of the same call
	var judged, twice, paired bool
	late := ""
	last := x.target // behind it the target does not come any more
	last.Time += last.Again
	sought := &window.Sought{Line: &x.target.Position}
	for _, t := range x.traces { // of many rules and calls, which have the same few
		if !slices.Contains(sought.Scopes, t.key) {
			sought.Scopes = append(sought.Scopes, t.key)
		}
	}
	result, err := x.read(ctx, rules, sought, func(ev *window.Event) bool {
		at := ev.Position
		switch {
		case judged || last.Before(ev):
			return false
		case at == x.target.Position:
			judged = true
			x.target.Time, x.target.Start = ev.Time, ev.Start
		case ev.ID != "" && ev.ID == x.target.ID:
			twin, twice = at, true
		case ev.Span.Pairs(x.target.Span):
			pair, paired = at, true
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
	case late == replay.FarOff:
		return fmt.Errorf("%s: %s, and so not judged", at, late)
	case late != "":
		return fmt.Errorf("%s: late, and so not judged: further behind its log than the lateness of %s\nwith --lateness %s it would not be late", at, window.Lasting(x.q.Run.Lateness), result.EnoughLateness())
	case twice:
		return fmt.Errorf("%s: a duplicate, and so not judged: %s has the same request id", at, term.Safe(x.place(twin)))
	case paired:
		return fmt.Errorf("%s: a duplicate, and so not judged: %s is another span of the same call", at, term.Safe(x.place(pair)))
	}
	for _, s := range result.Streams {
		if s.Err != nil {
			return fmt.Errorf("%w\n%s was not reached", s.Err, at)
		}
	}
	if err := cmp.Or(x.outside(x.target.Time), x.outside(last.Time)); err != nil { // of two times that clocks show alike
		return err
	}
	if x.target.Span.Own != 0 { // with one between them that is a duplicate, too
		return fmt.Errorf("%s: a duplicate, and so not judged: another span of the same call is", at)
	}
	if x.target.ID != "" && result.Account.Excluded > 0 { // which none of those seen is
		return fmt.Errorf("%s: a duplicate, and so not judged: an excluded request has the same id", at)
	}
	return fmt.Errorf("%s: was not judged, and it is not known why: please report this", at)
}
