package replay

import (
	"cmp"
	"context"
	"errors"
	"io"
	"runtime"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
)

// Options say what to run over which streams.
type Options struct {
	Streams []ingest.Stream // opened; Run closes them
	Kept    *Kept           // instead of streams
	Plan    *window.Plan

	Lateness   time.Duration // how far a stream may be out of order
	Duplicates time.Duration // horizon within which an id counts once; 0 judges all
	Extract    window.ExtractOptions
	MaxKeys    int // cap on live keys per rule, 0 for none

	Since, Until int64 // event times, microseconds: [Since, Until); fingerprint.NoTime is open

	// Sinks; nil where not wanted. All are called from one goroutine, in
	// release order, and must not keep what they are given.
	Event   func(*window.Event) error
	Verdict func(*window.Verdict) error
	Episode func(*window.Episode) error
	Skip    func(ingest.Skip)
}

// Kept are events that an earlier run has put into order, without duplicates.
type Kept struct {
	// Begin is told which plan the events are for.
	Begin func(*window.Plan) error
	// Next is the next event in release order, io.EOF after the last. It is
	// valid until the next call.
	Next func() (*window.Event, error)

	// What that run made of the lines that are not among the events.
	Account  Account
	Excluded []int64 // by exclusion, which the plan begins with; the last is --since and --until
	Streams  []StreamResult
	Order    window.OrderStats
}

// Result is what came of a run.
type Result struct {
	Account  Account
	Rules    []window.RuleAccount
	Streams  []StreamResult
	Order    window.OrderStats
	Excluded []int64 // by exclusion; the last is --since and --until

	First, Last int64 // event times of the first and last request judged; fingerprint.NoTime if none
	Skipped     []ingest.Skip
}

// StreamResult says what was read of one stream. Err is why it could not be
// read to its end, or nil.
type StreamResult struct {
	Name, Format string
	Lines        int64
	Bytes        int64 // unpacked
	Err          error
}

// MaxSkipped is how many skipped lines a Result shows; all are counted.
const MaxSkipped = 5

// batch is what became of one block.
type batch struct {
	events  []window.Event
	tally   ingest.Tally
	skipped []ingest.Skip
	bytes   int64
}

// Run judges the streams. It returns an error if a sink failed, the context
// ended or the account does not add up; a stream that could not be read to
// its end is in the Result.
func Run(ctx context.Context, o Options) (*Result, error) {
	plan := o.Plan
	run := &run{o: o, plan: plan, result: &Result{First: fingerprint.NoTime, Last: fingerprint.NoTime, Excluded: make([]int64, len(plan.Exclusions)+1)}}
	run.order = window.NewOrder(o.Lateness)
	run.seen = window.NewDuplicates(o.Duplicates)
	eo := window.EngineOptions{MaxKeys: o.MaxKeys}
	if o.Verdict != nil {
		eo.Verdict = func(v *window.Verdict) { run.keep(o.Verdict(v)) }
	}
	if o.Episode != nil {
		eo.Episode = func(e *window.Episode) { run.keep(o.Episode(e)) }
	}
	run.engine = window.NewEngine(plan, eo)

	read := run.logs
	if o.Kept != nil {
		read = run.kept
	}
	if err := read(ctx); err != nil {
		return nil, err
	}
	run.engine.Close()
	if run.err != nil {
		return nil, run.err
	}
	r := run.result
	r.Rules = run.engine.Account()
	if err := r.Account.Check(); err != nil {
		return r, err
	}
	return r, checkRules(r.Account, r.Rules)
}

type run struct {
	o      Options
	plan   *window.Plan
	order  *window.Order
	seen   *window.Duplicates
	engine *window.Engine
	result *Result
	err    error // first error of a sink
}

func (r *run) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

// logs reads the streams and judges what is in them.
func (r *run) logs(ctx context.Context) error {
	if err := r.merge(ctx, newParallel(ctx, runtime.GOMAXPROCS(0), r.newParser)); err != nil {
		return err
	}
	r.release()
	r.result.Order = r.order.Stats()
	return nil
}

// kept judges events that are in order already.
func (r *run) kept(ctx context.Context) error {
	k, result := r.o.Kept, r.result
	if err := k.Begin(r.plan); err != nil {
		return err
	}
	result.Account, result.Streams, result.Order = k.Account, k.Streams, k.Order
	if last := len(k.Excluded) - 1; last >= 0 {
		copy(result.Excluded, k.Excluded[:last])
		result.Excluded[len(result.Excluded)-1] = k.Excluded[last]
	}
	for ctx.Err() == nil && r.err == nil {
		ev, err := k.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if r.o.Extract.Price != nil {
			ev.SetPrice(r.o.Extract.Price)
		}
		result.Account.Lines++
		r.judge(ev)
	}
	return cmp.Or(r.err, ctx.Err())
}

// newParser makes the parallel part: a block's lines become events.
func (r *run) newParser() func(*ingest.Block) *batch {
	reader := ingest.NewReader(r.plan.Reads | r.o.Extract.Reads())
	extractor := r.plan.NewExtractor(r.o.Extract)
	perBlock := 16 // events a block, as the last block had them
	return func(block *ingest.Block) *batch {
		b := &batch{events: make([]window.Event, 0, perBlock+perBlock/8), bytes: int64(len(block.Data))}
		extractor.NewBlock()
		b.tally = reader.Read(block, func(req *fingerprint.Request) {
			b.events = append(b.events, window.Event{})
			extractor.Event(req, &b.events[len(b.events)-1])
		}, func(s ingest.Skip) {
			b.skipped = append(b.skipped, s)
		})
		perBlock = len(b.events)
		return b
	}
}

// merge reads whichever stream holds the others back, until all are at their
// end. A stream that starts later than the others have come is not read yet,
// so files that follow each other cost nothing.
func (r *run) merge(ctx context.Context, pool *parallel[*batch]) error {
	lanes := make([]*lane[*batch], len(r.o.Streams))
	r.result.Streams = make([]StreamResult, len(lanes))
	defer func() {
		var started []*lane[*batch]
		for _, l := range lanes {
			if l != nil {
				started = append(started, l)
			}
		}
		// A decoder that is closed while it is read may never return.
		pool.close(started)
		for _, s := range r.o.Streams {
			s.Close()
		}
	}()
	for i, s := range r.o.Streams {
		r.result.Streams[i] = StreamResult{Name: s.Name(), Format: s.Format().Name}
		r.order.Open(int32(i), s.First())
	}
	for {
		i, ok := r.order.Lagging()
		if !ok {
			return nil
		}
		if lanes[i] == nil {
			lanes[i] = pool.read(r.o.Streams[i], len(lanes))
		}
		b, err := lanes[i].next(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if !ended(err) {
				r.result.Streams[i].Err = err
			}
			r.order.Close(i)
			r.o.Streams[i].Close()
		default:
			r.take(i, b)
		}
		r.release()
		if r.err != nil {
			return r.err
		}
	}
}

// take accounts for a batch and puts its events into the order.
func (r *run) take(stream int32, b *batch) {
	a, s := &r.result.Account, &r.result.Streams[stream]
	s.Lines += b.tally.Lines
	s.Bytes += b.bytes
	a.Lines += b.tally.Lines
	a.Blank += b.tally.Blank
	a.Malformed += b.tally.Malformed
	for _, skip := range b.skipped {
		if len(r.result.Skipped) < MaxSkipped {
			r.result.Skipped = append(r.result.Skipped, skip)
		}
		if r.o.Skip != nil {
			r.o.Skip(skip)
		}
	}
	for i := range b.events {
		if !r.order.Push(&b.events[i]) {
			a.Late++
			if r.o.Skip != nil {
				p := b.events[i].Position
				r.o.Skip(ingest.Skip{Stream: p.Stream, Line: p.Line, Why: "late: further behind its stream than the lateness"})
			}
		}
	}
}

// release judges every event that no stream holds back any more.
func (r *run) release() {
	for ev := r.order.Pop(); ev != nil; ev = r.order.Pop() {
		r.judge(ev)
	}
}

// judge shows an event to the rules, unless it is not to be counted. That it
// is a duplicate does not depend on what is asked for, so that events which
// were kept without their duplicates give the same account.
func (r *run) judge(ev *window.Event) {
	a := &r.result.Account
	switch {
	case r.seen.Seen(ev):
		a.Duplicate++
	case ev.Exclude > 0:
		a.Excluded++
		r.result.Excluded[ev.Exclude-1]++
	case ev.Time < r.o.Since || r.o.Until != fingerprint.NoTime && ev.Time >= r.o.Until:
		a.Excluded++
		r.result.Excluded[len(r.plan.Exclusions)]++
	default:
		a.Judged++
		if r.result.First == fingerprint.NoTime {
			r.result.First = ev.Time
		}
		r.result.Last = ev.Time
		if r.o.Event != nil {
			r.keep(r.o.Event(ev))
		}
		r.engine.Judge(ev)
	}
}
