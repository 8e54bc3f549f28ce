package live

import (
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Judging is a job at work, whoever reads the log.
type Judging struct {
	Pipeline  *replay.Pipeline
	Incidents *window.Incidents
	Outbox    *sinks.Outbox
	Router    *sinks.Router
	Rows      *Rows // of the dataset; nil as long as there is none, see Gather

	Dirty bool      // something came since the last checkpoint
	Last  time.Time // when that was written
	took  time.Duration

	job    *Job
	status *Status
	write  func(*window.Verdict) error
	ended  []*window.Episode // for which a lower cap left no room, and which are in no dataset yet
}

// NewJudging begins a job, with rows for a dataset to come or without. status is told
// of alerts and checkpoints, write is given verdicts and skip lines that are not
// judged; nil is nobody.
func NewJudging(o *Job, status *Status, rows bool, write func(*window.Verdict) error, skip func(ingest.Skip)) *Judging {
	j := &Judging{job: o, status: status, write: write, Outbox: sinks.NewOutbox(o.Log, o.Sinks...)}
	j.Router = sinks.NewRouter(j.Outbox, o.Routes, o.Content)
	j.Incidents = window.NewIncidents(func(in *window.Incident) { status.Alert(j.Router.Take(in)) })
	p := replay.PipelineOptions{
		Plan: o.Plan, Lateness: o.Lateness, Duplicates: o.Duplicates, MaxKeys: o.MaxKeys, Since: fingerprint.NoTime, Until: fingerprint.NoTime,
		Event: j.event, Episode: j.episode, Fired: j.Incidents.Fired, Skip: skip,
	}
	if rows || write != nil || o.Topic != nil {
		p.Verdict = j.verdict
	}
	j.Pipeline = replay.NewPipeline(p)
	return j
}

// Gather adds to rows what comes from now on, and the episodes that ended as a
// checkpoint was read.
func (j *Judging) Gather(rows *Rows) error {
	j.Rows = rows
	for _, e := range j.ended {
		if err := rows.AddEpisode(e); err != nil {
			return err
		}
	}
	return nil
}

func (j *Judging) event(ev *window.Event) error {
	j.Router.Advance(ev.Time)
	if j.Rows == nil {
		return nil
	}
	return j.Rows.AddEvent(ev)
}

func (j *Judging) verdict(v *window.Verdict) error {
	if j.job.Topic != nil {
		j.job.Topic.Add(v)
	}
	if j.Rows != nil {
		j.Rows.AddVerdict(v)
	}
	if j.write == nil {
		return nil
	}
	return j.write(v)
}

func (j *Judging) episode(e *window.Episode) error {
	j.Incidents.Closed(e)
	if j.Rows == nil {
		return nil
	}
	return j.Rows.AddEpisode(e)
}

// Checkpointed notes a checkpoint of so many bytes that was begun then.
func (j *Judging) Checkpointed(bytes int, start time.Time) {
	j.Dirty, j.Last, j.took = false, time.Now(), time.Since(start)
	j.status.Checkpoint(bytes, j.Last, j.took)
}

// Code codes what a checkpoint holds of judging; it reads where nothing has been
// judged. excluded, if not nil, codes what there is to say of exclusions.
func (j *Judging) Code(c *snapshot.Codec, excluded func()) (restored *window.Restored) {
	p := j.Pipeline
	c.Section("totals", func() {
		for _, n := range p.Account.Fields() {
			c.Varint(n)
		}
		c.Varint(&p.First)
		c.Varint(&p.Last)
		if excluded != nil {
			excluded()
		}
	})
	c.Section("judging", func() {
		state := &window.State{Plan: j.job.Plan, Extract: j.job.Extract, Order: p.Order, Duplicates: p.Seen, Engine: p.Engine}
		if !c.Reads() {
			state.Save(c.To)
			return
		}
		var err error
		if restored, err = state.Load(c.From); err != nil {
			c.From.Fail(err)
			return
		}
		for _, e := range restored.Ended {
			if slices.Contains(j.job.Plan.Rules, e.Rule) { // rules of then have no place in it
				j.ended = append(j.ended, e)
			}
		}
	})
	c.Section("incidents", func() { j.Incidents.Code(c) })
	c.Section("outbox", func() {
		if c.Reads() {
			c.From.Fail(j.Router.Load(c.From.Blob()))
		} else {
			c.To.Blob(j.Router.Save())
		}
	})
	return restored
}
