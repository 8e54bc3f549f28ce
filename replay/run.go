package replay

import (
	"cmp"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
)

// Options say what to run over which streams.
type Options struct {
	PipelineOptions
	Streams []ingest.Stream // opened; Run closes them
	Kept    *Kept           // instead of streams
	Sought  *window.Sought  // which of them are looked for; nil for all
	Extract window.ExtractOptions
	Zone    string // in which times are read that have none; said where there are such
	// Brief says that Event and Verdict do not read the ID of an event, and its
	// Position only to tell it from others.
	Brief bool
}

// Kept are events that an earlier run has put into order, without duplicates.
type Kept struct {
	// Begin is told which plan the events are for, whether ID and Position are
	// asked for, how many events Next has to keep, and which are looked for, nil for
	// all. Without origins a position does no more than tell an event from others.
	Begin func(plan *window.Plan, origins bool, hold int, sought *window.Sought) error
	// Next is the next event in release order, io.EOF after the last. keep says
	// that the one before has to stay what it is until hold more are kept.
	Next func(keep bool) (*window.Event, error)

	// What that run made of the lines that are not among the events.
	Account  Account
	Excluded []int64 // by exclusion, which the plan begins with; the last is --since and --until
	Streams  []StreamResult
	Order    *window.OrderStats // nil of some days alone, of which it said nothing: ties are counted then
	Links    Links
}

// Result is what came of a run.
type Result struct {
	Report

	Enforced []window.Enforced // by rule; nil unless asked for
	Unpriced []Unpriced        // models without a price, where others have one
	Kept     bool              // all of it is of a dataset

	Scattered string // as Pipeline.Scattered
	Retold    string // as Pipeline.Retold
	Chained   string // as Pipeline.Chained
	Twice     string // what there is to do where most requests were written twice; "" where they were not
}

// Unseen says what keeps repeats from being seen: that nothing can repeat in
// conversations of one request, or in messages that grow, and that the log lacks
// requests.
func (r *Result) Unseen() []string {
	return slices.DeleteFunc([]string{r.Chained, r.Scattered, r.Retold, r.Links.String()}, func(why string) bool { return why == "" })
}

// StreamResult says what was read of one stream. Err is why it could not be
// read to its end, or nil.
type StreamResult struct {
	Name, Format string
	Zone         string // in which its times were read, where they have none
	Lines        int64
	Unread       int64 // of them, those that no request was read from
	Bytes        int64 // unpacked
	Err          error
}

// Run judges the streams. It returns an error if a sink failed, the context
// ended or the account does not add up, with the Result of what came before; a
// stream that could not be read to its end is in the Result.
func Run(ctx context.Context, o Options) (*Result, error) {
	run := newRun(o)
	read := run.logs
	if o.Kept != nil {
		read = run.kept
	}
	err := read(ctx)
	if err == nil {
		err = run.pipeline.Close()
	}
	r := run.result
	r.Totals, r.Rules = run.pipeline.Totals, run.pipeline.Accounts()
	r.Unpriced, r.Scattered, r.Retold, r.Chained = run.unpriced.list(), run.pipeline.Scattered(0), run.pipeline.Retold(0), run.pipeline.Chained()
	r.Enforced, r.Twice = run.pipeline.Engine.Enforced(), run.twice.String()
	if o.Kept == nil {
		r.Order = run.pipeline.Order.Stats()
	}
	if err == nil {
		err = run.pipeline.Check()
	}
	return r, err
}

type run struct {
	o        Options
	pipeline *Pipeline
	result   *Result
	unpriced unpriced
	twice    twice
}

func newRun(o Options) *run {
	r := &run{o: o, result: &Result{Kept: o.Kept != nil}, unpriced: unpriced{price: o.Extract.Price, models: map[string]*costs{}}}
	event := o.Event
	o.Event = func(ev *window.Event) error {
		r.unpriced.note(ev)
		r.twice.note(ev)
		if event == nil {
			return nil
		}
		return event(ev)
	}
	r.pipeline = NewPipeline(o.PipelineOptions)
	r.result.Streams = o.streams()
	if c := r.pipeline.conversations; c != nil {
		c.tellFormats(r.result.Streams)
	}
	return r
}

// streams are those that are judged, of which nothing is read yet.
func (o *Options) streams() (list []StreamResult) {
	if o.Kept != nil {
		return o.Kept.Streams
	}
	for _, s := range o.Streams {
		one := StreamResult{Name: s.Name(), Format: s.Format().Name}
		if s.Format().Zoneless {
			one.Zone = o.Zone
		}
		list = append(list, one)
	}
	return list
}

// logs reads the streams and judges what is in them.
func (r *run) logs(ctx context.Context) error {
	spare := window.NewSpare()
	newParser := func() func(*ingest.Block) *Batch { return NewParser(r.o.Plan, r.o.Extract, spare) }
	if err := r.merge(ctx, NewParallel(ctx, runtime.GOMAXPROCS(0), newParser)); err != nil {
		return err
	}
	return r.pipeline.Release()
}

// origins tells whether anybody looks at where events stand in their logs.
func (r *run) origins() bool {
	c := r.pipeline.conversations
	return r.o.Duplicates > 0 || c != nil && c.formats != nil || !r.o.Brief && (r.o.Event != nil || r.o.Verdict != nil)
}

// kept judges events that are in order already.
func (r *run) kept(ctx context.Context) error {
	k, totals := r.o.Kept, &r.pipeline.Totals
	if err := k.Begin(r.o.Plan, r.origins(), r.o.Hold, r.o.Sought); err != nil {
		return err
	}
	totals.Account, totals.Links = k.Account, k.Links
	if k.Order != nil {
		r.result.Order = *k.Order
	}
	if last := len(k.Excluded) - 1; last >= 0 {
		copy(totals.Excluded, k.Excluded[:last])
		totals.Excluded[len(totals.Excluded)-1] = k.Excluded[last]
	}
	judged := int64(0) // before the last event
	last := int64(fingerprint.NoTime)
	for n := 0; r.pipeline.Err() == nil; n++ {
		if n%askEvery == 0 && ctx.Err() != nil {
			break
		}
		ev, err := k.Next(totals.Account.Judged > judged)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if r.o.Extract.Price != nil {
			ev.SetPrice(r.o.Extract.Price)
		}
		if k.Order == nil && ev.Time == last {
			r.result.Order.Tied++
		}
		last = ev.Time
		totals.Account.Lines++
		judged = totals.Account.Judged
		r.pipeline.judge(ev)
	}
	return cmp.Or(r.pipeline.Err(), ctx.Err())
}

// askEvery is after how many events it is asked whether to go on: to ask locks.
const askEvery = 256

// merge reads whichever stream holds the others back, until all are at their
// end. A stream that starts later than the others have come is not read yet,
// so files that follow each other cost nothing.
func (r *run) merge(ctx context.Context, pool *Parallel[*Batch]) error {
	lanes, lines := make([]*lane[*Batch], len(r.o.Streams)), make([]int64, len(r.o.Streams))
	defer func() {
		pool.Close() // first: a decoder that is closed while it is read may never return
		ingest.CloseAll(r.o.Streams)
	}()
	for i, s := range r.o.Streams {
		r.pipeline.Order.Open(int32(i), s.First())
	}
	for {
		i, ok := r.pipeline.Order.Lagging()
		if !ok {
			return nil
		}
		if lanes[i] == nil {
			ingest.Unread(r.o.Streams[i])
			lanes[i] = pool.read(r.o.Streams[i], len(lanes))
		}
		b, err := lanes[i].next(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if !errors.Is(err, io.EOF) {
				r.result.Streams[i].Err = err
			}
			r.pipeline.Order.Close(i)
			r.o.Streams[i].Close()
		default:
			s := &r.result.Streams[i]
			s.Lines += b.Tally.Lines
			s.Unread += b.Tally.Lines - b.Tally.Requests()
			s.Bytes += b.Bytes
			b.number(&lines[i])
			r.pipeline.Take(b)
		}
		if err := r.pipeline.Release(); err != nil {
			return err
		}
	}
}
