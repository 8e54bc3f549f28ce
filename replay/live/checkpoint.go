package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/sinks"
)

const (
	// settleTime is how long a checkpoint waits for verdicts on their way to a
	// topic.
	settleTime = 2 * time.Second
	// lastCommit and lastAlerts bound the end: both, and the last checkpoint,
	// fit into the 10 s that an orchestrator gives.
	lastCommit = 3 * time.Second
	lastAlerts = 3 * time.Second
)

// due tells whether it is time for a checkpoint. A stream that none holds waits
// for it no longer than an alert: rotated while nothing runs it would be missed
// by nobody.
func (w *watch) due() bool {
	interval := w.o.Interval
	if w.unkept {
		interval = min(interval, w.soonest())
	}
	return w.Due(w.spool != nil && w.spool.due(w.o.PartInterval), interval)
}

// checkpoint makes last what was judged, and lets nothing leave: that is for allow.
// last closes the part of the dataset whatever it has. A crash loses nothing, as who
// goes on reads on from the marks of the last checkpoint. What it repeats is for
// the order of these steps to say.
//
//	behind             there lasts                 a crash
//	take, Release      nothing of it               judges it again, as behind all steps up to Store.Write
//	syncFiles          lines of verdicts, rows     cuts them off: they are made again
//	Settle             verdicts in a topic         repeats these
//	Store.Write        all there is to remember    does what follows at the start
//	publish            a part of the dataset       writes the same part again
//	allow: Commit      offsets in the source       does not matter: marks are what counts
//	allow: Outbox      alerts, where they went     repeats them under their ids and revisions, up to the next Store.Write
func (w *watch) checkpoint(last bool) error {
	start := time.Now()
	if err := w.Pipeline.Check(); err != nil {
		return err
	}
	f, err := w.syncFiles(last)
	if err != nil {
		return err
	}
	Settle(context.Background(), w.o.Topic)
	w.encoder.Reset()
	w.code(w.encoder.Codec(), &f)
	if err := w.o.Store.Write(w.encoder.Bytes()); err != nil {
		return err
	}
	if err := w.publish(f); err != nil {
		return err
	}
	w.unkept = false
	w.Checkpointed(len(w.encoder.Bytes()), start)
	return nil
}

// Settle waits for verdicts on their way to a topic, nil for none, but not for
// long.
func Settle(ctx context.Context, topic sinks.VerdictTopic) {
	if topic == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	topic.Settle(ctx)
}

// commit is what the source is to be told, and what may leave then.
type commit struct {
	marks  []ingest.Mark
	alerts int64
	done   chan struct{} // closed when it is done; nil if nobody waits
}

// allow tells the source of the last checkpoint, and lets the alerts in it
// leave as soon as the source has agreed. Of what was not told yet only the
// newest counts.
func (w *watch) allow(done chan struct{}) {
	c := commit{w.marks(), w.Outbox.Last(), done}
	for {
		select {
		case w.commits <- c:
			return
		case <-w.commits:
		}
	}
}

// errLost is why a run ends at once and sends nothing more: somebody else may
// be reading in its place.
var errLost = errors.New("the source can no longer be ours")

// commit does what allow says, beside the loop: a broker may take its time.
func (w *watch) commit(ctx context.Context) {
	for c := range w.commits {
		if err := w.feed.Commit(ctx, c.marks); err != nil {
			if ctx.Err() == nil {
				w.failed <- fmt.Errorf("%w: %w", errLost, err)
			}
			return
		}
		w.Outbox.Allow(c.alerts)
		if c.done != nil {
			close(c.done)
		}
	}
}

// finish writes the last checkpoint, and sends what there is to send. What has
// left then is in none, so that it does not leave again.
func (w *watch) finish(ctx context.Context) error {
	w.unjudged.Say(w.log, w.Pipeline.Account)
	part := w.part()
	if err := w.checkpoint(true); err != nil {
		return err
	}
	if w.part() != part { // it is in its place, and must not come into the next dataset
		if err := w.checkpoint(false); err != nil {
			return err
		}
	}
	w.log.Info("ending: the last checkpoint is written", "lines", w.Pipeline.Account.Lines, "waiting", w.Pipeline.Order.Waiting())
	done := make(chan struct{})
	w.allow(done)
	select {
	case <-done:
	case err := <-w.failed:
		return err
	case <-time.After(lastCommit):
		w.log.Warn("the source did not take the last commit in time; the checkpoint is written")
		return nil
	}
	drain, cancel := context.WithTimeout(ctx, lastAlerts)
	defer cancel()
	if err := w.Outbox.Drain(drain); err != nil {
		waiting, _ := w.Outbox.Waiting()
		w.log.Warn("alerts could not be sent in time; they go out after the next start", "alerts", waiting)
	}
	if w.Outbox.Moved() {
		return w.checkpoint(false)
	}
	return nil
}
