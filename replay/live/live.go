package live

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

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
)

// Run watches until the context ends, which is no error. What was read until
// then is in a checkpoint when it returns, and every alert that could be sent
// has been.
func Run(ctx context.Context, o Options) error {
	w := &watch{
		o: o, log: o.Log, wake: make(chan struct{}, 1), accepted: make(chan []ingest.Live), failed: make(chan error, 2),
		commits: make(chan commit, 1), restored: map[int32]ingest.Mark{}, encoder: snapshot.NewWriter(nil),
	}
	var write func(*window.Verdict) error
	if o.Verdicts != "" {
		write = func(v *window.Verdict) error { return w.writer.Write(v) }
	}
	w.Judging = NewJudging(&w.o.Job, o.Status, o.Dataset != nil, write, func(s ingest.Skip) {
		w.unjudged.Skip(w.name(s.Stream), s)
		w.log.Debug("line not judged", "stream", w.name(s.Stream), "line", s.Line, "column", s.Column, "why", s.Why)
	})
	if err := w.restore(); err != nil {
		return err
	}
	w.unjudged.Pipeline = w.Pipeline
	w.unjudged.Begin(w.Pipeline.Account)
	w.beginStatus()
	defer w.closeFiles()
	return w.run(ctx)
}

// watch is one call of Run.
type watch struct {
	*Judging
	o   Options
	log *slog.Logger

	feed     ingest.Feed
	verdicts *sinks.AppendFile
	writer   *sinks.VerdictWriter
	spool    *spool
	encoder  *snapshot.Writer

	streams  []replay.StreamResult // by index, of all that there have ever been
	lanes    []*lane               // in the order of their indices
	gone     LaneStatus            // of lanes that are over
	restored map[int32]ingest.Mark // that no stream goes on from
	ready    bool                  // all first streams have been accepted
	settled  bool                  // where they began, by this run or by one that it goes on from
	turn     int                   // lane that is looked at first

	wake     chan struct{}
	accepted chan []ingest.Live
	failed   chan error // of a part that runs beside
	commits  chan commit

	unkept bool      // a stream came since the last checkpoint
	told   time.Time // when the status was

	unjudged Unjudged
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
	sending, stopSending := context.WithCancel(context.WithoutCancel(ctx))
	var after sync.WaitGroup
	after.Go(func() { w.Outbox.Run(sending) })
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
	stopSending()
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
		if err == nil && w.ready {
			w.silence()
			err = w.Pipeline.Release()
		}
		w.status()
		w.unjudged.Look(w.log, w.Pipeline.Account)
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
