package live

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Job says by what requests are judged and what is to come of it, whoever reads
// them.
type Job struct {
	Plan       *window.Plan
	Extract    window.ExtractOptions
	Lateness   time.Duration // how far a stream may be out of order
	Duplicates time.Duration // horizon within which an id counts once; 0 judges all
	MaxKeys    int           // cap on live keys per rule, 0 for none
	Interval   time.Duration // between checkpoints; alerts do not wait so long

	Sinks        []sinks.Sink
	Content      *sinks.Content     // of alerts; nil is none
	Routes       sinks.Routes       // which of them hears of what
	Verdicts     string             // file for verdicts, empty for none
	Topic        sinks.VerdictTopic // nil for none
	AllVerdicts  bool               // go into a dataset, not only those on repeats
	PartInterval time.Duration      // that a part of it covers

	Log *slog.Logger
}

// Options say what to watch, and what to do with it.
type Options struct {
	Job
	// Feed opens the source, to be read on from marks.
	Feed    func(ctx context.Context, marks []ingest.Mark) (ingest.Feed, error)
	Store   *Store
	Idle    time.Duration // silence after which a stream holds the others back no longer
	DryRun  bool          // a state that knows other sinks is refused: they would be forgotten
	Dataset Dataset       // nil for none
	Status  *Status       // kept true while Run runs; nil if nobody asks
}

const (
	// DefaultIdle is as long as the default lateness: a log that was written
	// late has come by then.
	DefaultIdle = 10 * time.Second
	// DefaultInterval bounds what is done twice after a crash.
	DefaultInterval = 10 * time.Second
	// DefaultPart makes 1,440 parts a day, which readers do not mind.
	DefaultPart = time.Minute

	// tick is how often the loop looks at the clock when nothing comes.
	tick = 100 * time.Millisecond
	// maxWaiting is how many requests are held back before streams that are
	// ahead are left alone: some 100 MB, and at 10,000 requests a second far
	// more than any sane lateness holds.
	maxWaiting = 1 << 18
	// lastCommit and lastAlerts bound the end: both, and the last checkpoint,
	// fit into the 10 s that an orchestrator gives.
	lastCommit = 3 * time.Second
	lastAlerts = 3 * time.Second
)

// Run watches until the context ends, which is no error. What was read until
// then is in a checkpoint when it returns, and every alert that could be sent
// has been.
func Run(ctx context.Context, o Options) error {
	w := &watch{
		o: o, log: o.Log, wake: make(chan struct{}, 1), accepted: make(chan []ingest.Live), failed: make(chan error, 2),
		commits: make(chan commit, 1), outbox: sinks.NewOutbox(o.Log, o.Sinks...), restored: map[int32]ingest.Mark{}, encoder: snapshot.NewWriter(nil),
	}
	w.router = sinks.NewRouter(w.outbox, o.Routes, o.Content)
	w.incidents = window.NewIncidents(func(in *window.Incident) { w.o.Status.Alert(w.router.Take(in)) })
	w.pipeline = replay.NewPipeline(replay.PipelineOptions{
		Plan: o.Plan, Lateness: o.Lateness, Duplicates: o.Duplicates, MaxKeys: o.MaxKeys, Since: fingerprint.NoTime, Until: fingerprint.NoTime,
		Event: w.event, Verdict: w.verdict, Episode: w.episode, Fired: w.incidents.Fired,
		Skip: func(s ingest.Skip) {
			w.unjudged.Skip(w.name(s.Stream), s)
			w.log.Debug("line not judged", "stream", w.name(s.Stream), "line", s.Line, "column", s.Column, "why", s.Why)
		},
	})
	if err := w.restore(); err != nil {
		return err
	}
	w.unjudged.Pipeline = w.pipeline
	w.unjudged.Begin(w.pipeline.Account)
	w.begin()
	defer w.close()
	return w.run(ctx)
}

// watch is one call of Run.
type watch struct {
	o   Options
	log *slog.Logger

	feed      ingest.Feed
	pipeline  *replay.Pipeline
	incidents *window.Incidents
	outbox    *sinks.Outbox
	router    *sinks.Router
	verdicts  *sinks.AppendFile
	writer    *sinks.VerdictWriter
	spool     *spool
	encoder   *snapshot.Writer

	streams  []replay.StreamResult // by index, of all that there have ever been
	lanes    []*lane               // in the order of their indices
	gone     LaneStatus            // of lanes that are over
	restored map[int32]ingest.Mark // that no stream goes on from
	known    bool                  // all first streams have been accepted
	begun    bool                  // and so they have been by this run, or by one that it goes on from
	turn     int                   // lane that is looked at first

	wake     chan struct{}
	accepted chan []ingest.Live
	failed   chan error // of a part that runs beside
	commits  chan commit

	dirty  bool // something came since the last checkpoint
	unkept bool // a stream did
	last   time.Time
	took   time.Duration // the last checkpoint
	told   time.Time     // when the status was

	unjudged Unjudged
}

func (w *watch) event(ev *window.Event) error {
	w.router.Advance(ev.Time)
	if w.spool == nil {
		return nil
	}
	return w.spool.addEvent(ev)
}

func (w *watch) verdict(v *window.Verdict) error {
	if w.o.Topic != nil {
		w.o.Topic.Add(v)
	}
	if w.spool != nil && (w.o.AllVerdicts || v.Repeats()) {
		w.spool.rows.AddVerdict(v)
	}
	if w.writer == nil {
		return nil
	}
	return w.writer.Write(v)
}

func (w *watch) episode(e *window.Episode) error {
	w.incidents.Closed(e)
	if w.spool == nil {
		return nil
	}
	return w.spool.rows.AddEpisode(e)
}

// run judges what comes until the context ends or something fails.
func (w *watch) run(ctx context.Context) (err error) {
	if w.feed, err = w.o.Feed(ctx, w.marks()); err != nil {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // nothing has come
		}
		return err
	}
	reading, stop := context.WithCancel(ctx)
	spare := window.NewSpare()
	pool := replay.NewParallel(reading, runtime.GOMAXPROCS(0), func() func(*ingest.Block) *replay.Batch {
		return replay.NewParser(w.o.Plan, w.o.Extract, spare)
	})
	var beside sync.WaitGroup
	beside.Go(func() { w.accept(reading) })
	// Alerts and commits go on when reading has stopped.
	sending, silence := context.WithCancel(context.WithoutCancel(ctx))
	var after sync.WaitGroup
	after.Go(func() { w.outbox.Run(sending) })
	after.Go(func() { w.commit(sending) })
	if w.o.Topic != nil {
		after.Go(func() { w.o.Topic.Run(sending) })
	}

	err = w.loop(reading, pool, &beside)
	stop()
	beside.Wait()
	pool.Close()
	if !errors.Is(err, errLost) {
		// What kept the loop from writing keeps the end from it too: it is said once.
		if last := w.finish(sending); err == nil || last != nil && last.Error() != err.Error() {
			err = errors.Join(err, last)
		}
	}
	silence()
	close(w.commits)
	after.Wait()
	return errors.Join(err, w.feed.Close())
}

// loop is where everything comes together. It returns nil when the context
// ends.
func (w *watch) loop(ctx context.Context, pool *replay.Parallel[*replay.Batch], beside *sync.WaitGroup) error {
	timer := time.NewTicker(tick)
	defer timer.Stop()
	busy := make(chan struct{}) // does not wait
	close(busy)
	for {
		var err error
		wake := w.wake
		if l := w.pick(); l != nil {
			wake = busy // there may be more
			err = w.take(ctx, l)
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.failed:
			return err
		case streams := <-w.accepted:
			w.open(streams, func(l *lane) { beside.Go(func() { l.read(ctx, pool, w.wake) }) })
		case <-wake:
		case <-timer.C:
		}
		if err == nil && w.known {
			w.silence()
			err = w.pipeline.Release()
		}
		w.status()
		w.unjudged.Look(w.log, w.pipeline.Account)
		if err == nil && w.due() {
			if err = w.checkpoint(false); err == nil {
				w.allow(nil)
			}
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil // the context ended in the middle of something
			}
			return err
		}
	}
}

// accept hands new streams to the loop.
func (w *watch) accept(ctx context.Context) {
	for {
		streams, err := w.feed.Accept(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			w.failed <- err
			return
		}
		select {
		case w.accepted <- streams:
		case <-ctx.Done():
			return
		}
	}
}

// open begins to read streams.
func (w *watch) open(streams []ingest.Live, start func(*lane)) {
	// Few streams are read further ahead, so that all cores have work.
	room := ahead * max(1, runtime.GOMAXPROCS(0)/max(1, len(w.lanes)+len(streams)))
	for _, s := range streams {
		mark := s.Mark()
		l := &lane{stream: s, index: mark.Stream, items: make(chan item, room), mark: mark}
		if _, ok := w.restored[mark.Stream]; ok {
			l.opened = true
			delete(w.restored, mark.Stream)
			w.pipeline.Order.Wake(mark.Stream) // it was not looked at since
		} else {
			w.pipeline.Order.Open(mark.Stream, fingerprint.NoTime)
			w.unkept, w.dirty = true, true
		}
		w.lanes = append(w.lanes, l)
		for int(l.index) >= len(w.streams) {
			w.streams = append(w.streams, replay.StreamResult{})
		}
		w.streams[l.index].Name = s.Name()
		w.log.Info("reading", "stream", s.Name(), "offset", mark.Offset)
		start(l)
	}
	if !w.known {
		w.known = true
		if !w.begun { // where the streams began is settled, and is to be so for good
			w.begun, w.dirty, w.last = true, true, time.Time{}
		}
		for _, index := range slices.Sorted(maps.Keys(w.restored)) {
			mark := w.restored[index]
			w.log.Warn("not read: it is named no more; named again, it goes on where it was", "stream", mark.Name, "offset", mark.Offset)
			w.pipeline.Order.Close(index)
		}
		if len(w.lanes) == 0 {
			w.log.Info("there is nothing to read yet: waiting for it")
		}
	}
}

func (w *watch) name(stream int32) string {
	return w.streams[stream].Name
}

// pick is the lane to take from: the one that holds the others back if
// something of it is there, else any other, as long as there is room for what
// will have to wait. It is nil if there is none.
func (w *watch) pick() *lane {
	lagging, held := w.pipeline.Order.Lagging()
	if held {
		for _, l := range w.lanes {
			if l.index == lagging && len(l.items) > 0 {
				return l
			}
		}
		if w.pipeline.Order.Waiting() >= maxWaiting {
			return nil
		}
	}
	for i := range w.lanes {
		l := w.lanes[(w.turn+i)%len(w.lanes)]
		if len(l.items) > 0 {
			w.turn = (w.turn + i + 1) % len(w.lanes)
			return l
		}
	}
	return nil
}

// take judges the next item of a lane.
func (w *watch) take(ctx context.Context, l *lane) error {
	it := <-l.items
	if errors.Is(it.err, io.EOF) {
		w.log.Info("stream is at its end", "stream", l.stream.Name())
		w.lanes = slices.DeleteFunc(w.lanes, func(x *lane) bool { return x == l })
		w.turn = 0
		w.gone.Leave(l.status)
		w.pipeline.Order.Close(l.index)
		w.dirty = true
		return nil
	}
	if it.err != nil {
		return it.err
	}
	Tell(w.log, l.stream.Name(), &it.chunk)
	l.status.Add(&it.chunk)
	if it.batch != nil {
		var b *replay.Batch
		select {
		case b = <-it.batch:
		case <-ctx.Done():
			return ctx.Err()
		}
		if !l.opened && len(b.Events) > 0 {
			l.opened = true
			w.pipeline.Order.Open(l.index, b.First())
		}
		w.pipeline.Take(b)
		r := &w.streams[l.index]
		r.Lines += b.Tally.Lines
		r.Bytes += b.Bytes
		r.Format = it.chunk.Mark.Format
		l.idle = false
	}
	if it.chunk.Mark != l.mark {
		l.mark, w.dirty = it.chunk.Mark, true
	}
	l.silence.Look(time.Now(), &it.chunk)
	if l.idle && !it.chunk.AtEnd { // its broker went away while it was silent
		l.idle = false
		w.pipeline.Order.Wake(l.index)
	}
	return nil
}

// silence lets go of streams that have been at their end for long, as far as
// they could be looked at. It is all that a clock has to say about what is
// judged when.
func (w *watch) silence() {
	for _, l := range w.lanes {
		if l.idle || !l.silence.Lasts(w.o.Idle) || len(l.items) > 0 {
			continue
		}
		l.idle = true
		w.dirty = true
		w.pipeline.Order.Idle(l.index)
		w.log.Debug("stream is idle", "stream", l.stream.Name())
	}
}

// due tells whether it is time for a checkpoint. A stream that none holds waits
// for it no longer than an alert: rotated while nothing runs it would be missed
// by nobody.
func (w *watch) due() bool {
	interval := w.o.Interval
	if w.unkept {
		interval = min(interval, soonest(w.took))
	}
	dirty := w.dirty || w.spool != nil && w.spool.due(w.o.PartInterval)
	return Due(w.outbox, dirty, w.last, w.took, interval)
}
