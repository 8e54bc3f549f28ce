package shared

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// WatchOptions say what is judged, and what is to come of it. Extract and Lateness
// are those that the events were made with; the cap on keys is of each partition,
// and the file of verdicts of this process.
type WatchOptions struct {
	live.Job
	From    kafka.Config // the events topic, with the group that shares it
	Dataset Dataset      // nil for none
	Status  *Status      // kept true while Watch runs
}

const (
	// lastAlerts is for sending what may leave when a partition is given up.
	lastAlerts = 2 * time.Second
	// manyWaiting is how many events wait before it is said that they do.
	manyWaiting = 1 << 20
)

// Watch judges partitions of the events topic until the context ends, which is
// no error.
func Watch(ctx context.Context, o WatchOptions) (err error) {
	w := &watch{o: o}
	o.Status.begin(&o)
	if w.in, err = kafka.OpenShare(ctx, o.From); err != nil {
		return err
	}
	defer w.in.Close() //nolint:errcheck // it has nothing to write
	if w.checkpoints, err = openCheckpoints(ctx, o.From, w.in.Partitions()); err != nil {
		return err
	}
	defer w.checkpoints.Close()
	if o.Verdicts != "" {
		if w.verdicts, err = openVerdicts(o.Verdicts); err != nil {
			return err
		}
		defer w.verdicts.close()
	}
	if o.Topic != nil {
		writing, stop := context.WithCancel(context.WithoutCancel(ctx)) // until the last partition is given up
		var run sync.WaitGroup
		run.Go(func() { o.Topic.Run(writing) })
		defer run.Wait()
		defer stop()
	}
	return w.in.Run(ctx, o.Status.joined, w.serve)
}

type watch struct {
	o           WatchOptions
	in          *kafka.Share
	checkpoints *kafka.Out
	verdicts    *verdicts // nil for none
}

func (w *watch) serve(ctx context.Context, p *kafka.Part) error {
	j := &judge{
		w: w, p: p, codec: newCodec(w.o.Plan, w.o.Extract, w.o.Lateness), encoder: snapshot.NewWriter(nil),
		saved:  &checkpoints{out: w.checkpoints, group: w.o.From.Group, p: p},
		status: w.o.Status.enter(), lane: live.LaneStatus{Name: p.Name(), Behind: -1},
	}
	defer w.o.Status.leave(j.status)
	if w.o.Dataset != nil {
		j.rows = newRows(&w.o, p.Index, p.Turn())
		defer j.rows.end() //nolint:errcheck // what counts of it has been synced
	}
	var write func(*window.Verdict) error
	if w.verdicts != nil {
		write = func(v *window.Verdict) error {
			j.verdicts = sinks.AppendVerdict(j.verdicts, v)
			return nil
		}
	}
	j.Judging = live.NewJudging(&w.o.Job, j.status, j.rows != nil, write, nil)
	err := j.serve(ctx)
	j.tell()
	switch {
	case isLost(err):
		w.o.Log.Warn("partition has gone to another process", "partition", p.Name())
		return nil
	case err != nil && ctx.Err() != nil:
		w.o.Log.Warn("partition was given up in the middle of something", "partition", p.Name(), "error", err)
		return nil // whoever has it next meets the same if it was wrong
	}
	if what, ok := errors.AsType[*problem](err); ok {
		return &sinks.Mismatch{Err: &ingest.Error{Path: w.o.From.String(), Err: what, Hint: what.hint}}
	}
	return err
}
