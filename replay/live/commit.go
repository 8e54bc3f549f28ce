package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
)

// errLost is why a run ends at once and sends nothing more: somebody else may
// be reading in its place.
var errLost = errors.New("the source can no longer be ours")

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
	c := commit{w.marks(), w.outbox.Last(), done}
	for {
		select {
		case w.commits <- c:
			return
		case <-w.commits:
		}
	}
}

// commit tells the source of checkpoints.
func (w *watch) commit(ctx context.Context) {
	for c := range w.commits {
		if err := w.feed.Commit(ctx, c.marks); err != nil {
			if ctx.Err() == nil {
				w.failed <- fmt.Errorf("%w: %w", errLost, err)
			}
			return
		}
		w.outbox.Allow(c.alerts)
		if c.done != nil {
			close(c.done)
		}
	}
}

// finish writes the last checkpoint, and sends what there is to send. What has
// left then is in none, so that it does not leave again.
func (w *watch) finish(ctx context.Context) error {
	w.unjudged.Say(w.log, w.pipeline.Account)
	part := w.part()
	if err := w.checkpoint(true); err != nil {
		return err
	}
	if w.part() != part { // it is in its place, and must not come into the next dataset
		if err := w.checkpoint(false); err != nil {
			return err
		}
	}
	w.log.Info("ending: the last checkpoint is written", "lines", w.pipeline.Account.Lines, "waiting", w.pipeline.Order.Waiting())
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
	if err := w.outbox.Drain(drain); err != nil {
		waiting, _ := w.outbox.Waiting()
		w.log.Warn("alerts could not be sent in time; they go out after the next start", "alerts", waiting)
	}
	if w.outbox.Moved() {
		return w.checkpoint(false)
	}
	return nil
}
