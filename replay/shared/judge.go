package shared

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// judge judges one partition for as long as it is ours.
type judge struct {
	*live.Judging
	w     *watch
	p     *kafka.Part
	codec *codec

	saved    *checkpoints
	encoder  *snapshot.Writer
	verdicts []byte // since the last checkpoint
	rows     *rows  // nil without a dataset

	mark    ingest.Mark // behind all that was taken in
	origins []place     // by partition of the raw topic: the newest record that has come; older ones are repeats
	targets int         // partitions of the topic, as extract knew them; 0 if nothing has come

	said time.Time // when it was said that too many wait

	unjudged live.Unjudged

	status *live.Status
	lane   live.LaneStatus
	bytes  int64 // that were read
	told   time.Time
}

func (j *judge) serve(ctx context.Context) error {
	state, err := j.saved.load(ctx)
	if err != nil {
		return err
	}
	var from *ingest.Mark
	if state != nil {
		if err := j.load(state); err != nil {
			hint := anew(j.saved.group)
			if own, ok := errors.AsType[*problem](err); ok {
				hint = own.hint
			}
			return &problem{fmt.Sprintf("%s: checkpoint: %v", j.p.Name(), err), hint}
		}
		j.mark = ingest.Mark{Stream: int32(j.p.Index), Name: j.p.Name(), Offset: j.p.Offset, Topic: j.saved.last.topic, Leader: j.saved.last.leader}
		from = &j.mark
	}
	if j.rows != nil {
		if err := j.rows.open(j.Pipeline); err != nil {
			return err
		}
		if err := j.Gather(j.rows.rows); err != nil {
			return err
		}
	}
	source := j.p.Open(from)
	j.mark = source.Mark()
	j.w.o.Log.Info("judging", "partition", j.p.Name(), "offset", j.mark.Offset, "lines", j.Pipeline.Account.Lines)

	j.unjudged.Pipeline, j.unjudged.Part = j.Pipeline, true
	j.unjudged.Begin(j.Pipeline.Account)
	j.begin()
	// The first checkpoint fixes where a partition begins, and makes sure that
	// it is ours.
	if err := j.checkpoint(ctx, false); err != nil {
		return err
	}
	j.status.Update(func(n *live.Now) { n.Ready = true })
	// Alerts leave until the partition has been given up.
	sending, silence := context.WithCancel(context.WithoutCancel(ctx))
	var beside sync.WaitGroup
	beside.Go(func() { j.Outbox.Run(sending) })
	defer func() {
		silence()
		beside.Wait()
	}()
	for err == nil {
		err = j.step(ctx, source)
	}
	if ctx.Err() == nil || isLost(err) {
		return err
	}
	return j.finish(context.WithoutCancel(ctx))
}

// step takes in what has come, judges what can be judged, and writes a
// checkpoint if it is time.
func (j *judge) step(ctx context.Context, source ingest.Live) error {
	j.waits()
	chunk, err := source.Next(ctx)
	if err != nil {
		return err
	}
	j.works()
	j.heard(&chunk)
	live.Tell(j.w.o.Log, source.Name(), &chunk)
	if block := chunk.Block; block != nil {
		err := j.take(block)
		block.Release()
		if err != nil {
			return err
		}
	}
	j.Dirty = j.Dirty || chunk.Mark.Offset != j.mark.Offset
	j.mark = chunk.Mark
	if err := j.release(); err != nil {
		return err
	}
	if time.Since(j.told) >= refresh {
		j.tell()
	}
	j.unjudged.Look(j.w.o.Log, j.Pipeline.Account)
	if j.Due(j.rows != nil && j.rows.due(), j.w.o.Interval) {
		return j.checkpoint(ctx, false)
	}
	return nil
}

func (j *judge) take(block *ingest.Block) error {
	for offset, data := range block.Each() {
		rec, err := j.codec.read(data)
		if err != nil {
			if p, ok := errors.AsType[*problem](err); ok {
				p.what = fmt.Sprintf("%s offset %d: %s", j.p.Name(), offset, p.what)
			}
			return err
		}
		if err := j.add(rec); err != nil {
			return err
		}
	}
	return nil
}

// add takes in a record, unless it is a repeat.
func (j *judge) add(r *record) error {
	if j.targets == 0 {
		j.targets = r.targets
	}
	if r.targets != j.targets {
		return &problem{
			fmt.Sprintf("%s: the topic had %d partitions and has %d now, so requests that count together are no longer in one of them", j.p.Name(), j.targets, r.targets),
			"let extract write to a new topic with as many partitions as you want, and watch that",
		}
	}
	for len(j.origins) < r.origins {
		j.Pipeline.Order.Open(int32(len(j.origins)), fingerprint.NoTime)
		j.origins = append(j.origins, nowhere)
	}
	newest := &j.origins[r.origin]
	if *newest != nowhere && r.at.epoch != newest.epoch { // the raw topic was created again, perhaps with fewer partitions
		for i := r.origins; i < len(j.origins); i++ {
			j.Pipeline.Order.Idle(int32(i))
		}
	}
	if r.event == nil {
		if j.rows != nil {
			j.rows.took(r)
		}
		if r.at.repeats(*newest) {
			return nil
		}
		*newest = place{r.at.epoch, r.at.offset - 1, math.MaxInt64} // all up to there has come
		j.Pipeline.Order.Reach(int32(r.origin), r.newest)
		if r.idle {
			j.Pipeline.Order.Idle(int32(r.origin))
		} else {
			j.Pipeline.Order.Wake(int32(r.origin))
		}
		return nil
	}
	if r.at.repeats(*newest) {
		return nil
	}
	*newest = r.at
	if j.rows != nil {
		j.rows.took(r)
	}
	j.Pipeline.Account.Lines++
	if r.event.Copy() {
		j.Pipeline.Copies.Lines++
	}
	if !j.Pipeline.Order.Put(r.event, r.newest) {
		j.Pipeline.Account.Late++
		if r.event.Copy() {
			j.Pipeline.Copies.Late++
		}
		late := ingest.Skip{Line: r.at.offset, Why: "late: its stream was silent for too long"}
		j.unjudged.Skip(fmt.Sprintf("partition %d of the raw topic", r.origin), late)
		j.w.o.Log.Debug("request not judged", "stream", r.origin, "offset", late.Line, "why", late.Why)
	}
	return nil
}

// release judges what no origin holds back any more.
func (j *judge) release() error {
	if err := j.Pipeline.Release(); err != nil {
		return err
	}
	if t, ok := j.Pipeline.Order.Pass(); ok {
		j.Router.Advance(t)
		j.Pipeline.Engine.Advance(t)
	}
	if n := j.Pipeline.Order.Waiting(); n >= manyWaiting && time.Since(j.said) > time.Minute {
		j.said = time.Now()
		lagging, _ := j.Pipeline.Order.Lagging()
		j.w.o.Log.Warn("many requests wait for one partition of the raw topic: is it being extracted?", "partition", j.p.Name(), "waiting", n, "raw", lagging)
	}
	return j.Pipeline.Err()
}

// checkpoint writes down all there is, and lets leave what is in it: alerts,
// and rows, whose part last closes whatever it has.
func (j *judge) checkpoint(ctx context.Context, last bool) error {
	start := time.Now()
	if err := j.Pipeline.Check(); err != nil {
		return err
	}
	// Should the checkpoint not come to count, these lines come again.
	if j.w.verdicts != nil {
		if err := j.w.verdicts.add(j.verdicts); err != nil {
			return err
		}
		j.verdicts = j.verdicts[:0]
	}
	live.Settle(ctx, j.w.o.Topic)
	if j.rows != nil {
		if err := j.rows.sync(last); err != nil {
			return err
		}
	}
	alerts := j.Outbox.Last()
	j.encoder.Reset()
	j.code(j.encoder.Codec())
	j.waits()
	if err := j.saved.write(ctx, j.encoder.Bytes(), &j.mark); err != nil {
		return err
	}
	j.Outbox.Allow(alerts)
	if j.rows != nil {
		if err := j.rows.publish(func() replay.Report { return j.rows.report(j.Pipeline) }); err != nil {
			return err
		}
	}
	j.Checkpointed(len(j.encoder.Bytes()), start)
	return nil
}

// finish gives the partition up in good order: what was judged is in a
// checkpoint, and what could be sent has been and is in none.
func (j *judge) finish(ctx context.Context) error {
	j.unjudged.Say(j.w.o.Log, j.Pipeline.Account)
	ctx, cancel := context.WithTimeout(ctx, lastTime)
	defer cancel()
	if err := j.checkpoint(ctx, true); err != nil {
		return j.failed(err)
	}
	if waiting, _ := j.Outbox.Waiting(); waiting > 0 {
		drain, cancel := context.WithTimeout(ctx, lastAlerts)
		defer cancel()
		if err := j.Outbox.Drain(drain); err != nil {
			j.w.o.Log.Warn("alerts could not be sent in time; who has the partition next sends them", "partition", j.p.Name())
		}
		if err := j.checkpoint(ctx, false); err != nil {
			return j.failed(err)
		}
	}
	j.w.o.Log.Info("given up", "partition", j.p.Name(), "offset", j.mark.Offset)
	return nil
}

func (j *judge) failed(err error) error {
	j.w.o.Log.Warn("last checkpoint failed: what came after the one before is judged again", "partition", j.p.Name(), "error", err)
	return nil
}

// code codes all there is. Its sections, in this order, are what a checkpoint is of
// the present version.
func (j *judge) code(c *snapshot.Codec) (restored *window.Restored) {
	c.Section("origins", func() {
		snapshot.Number(c, &j.targets)
		snapshot.List(c, &j.origins, 3, func(at *place) {
			for _, n := range []*int64{&at.epoch, &at.offset, &at.item} {
				c.Varint(n)
			}
		})
	})
	restored = j.Code(c, nil)
	c.Section("rows", func() { j.codeRows(c) })
	return restored
}

func (j *judge) load(state []byte) error {
	r := snapshot.NewReader(state)
	restored := j.code(r.Codec())
	if err := r.Done(); err != nil {
		return err
	}
	replay.Resume(j.w.o.Log.With("partition", j.p.Name()), restored, j.Incidents)
	return nil
}
