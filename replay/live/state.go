package live

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// state is what judging remembers.
func (w *watch) state() *window.State {
	p := w.pipeline
	return &window.State{Plan: w.o.Plan, Extract: w.o.Extract, Order: p.Order, Duplicates: p.Seen, Engine: p.Engine}
}

// marks are how far each stream has been taken in; nil as long as none has ever
// been accepted.
func (w *watch) marks() []ingest.Mark {
	if !w.begun {
		return nil
	}
	marks := slices.AppendSeq([]ingest.Mark{}, maps.Values(w.restored))
	for _, l := range w.lanes {
		marks = append(marks, l.mark)
	}
	slices.SortFunc(marks, func(a, b ingest.Mark) int { return int(a.Stream) - int(b.Stream) })
	return marks
}

// save writes all there is. Its sections, in this order, are what a checkpoint
// is.
func (w *watch) save(s *snapshot.Writer, f files) {
	s.Section("marks", func() {
		s.Bool(w.begun)
		marks := w.marks()
		s.Uvarint(uint64(len(marks)))
		for _, m := range marks {
			s.Varint(int64(m.Stream))
			s.String(m.Name)
			s.String(m.Format)
			s.Varint(m.Offset)
			s.Varint(m.Line)
			s.String(m.File)
			s.String(m.Topic)
		}
	})
	s.Section("streams", func() {
		s.Uvarint(uint64(len(w.streams)))
		for _, r := range w.streams {
			s.String(r.Name)
			s.String(r.Format)
			s.Varint(r.Lines)
			s.Varint(r.Bytes)
		}
	})
	s.Section("totals", func() {
		p := w.pipeline
		for _, n := range p.Account.Fields() {
			s.Varint(*n)
		}
		s.Varint(p.First)
		s.Varint(p.Last)
		s.Uvarint(uint64(len(p.Excluded)))
		for i, n := range p.Excluded {
			s.String(w.exclusion(i))
			s.Varint(n)
		}
	})
	s.Section("judging", func() { w.state().Save(s) })
	s.Section("incidents", func() { w.incidents.Save(s) })
	s.Section("outbox", func() { s.Blob(w.router.Save()) })
	s.Section("files", func() {
		s.String(f.name)
		for _, n := range f.fields() {
			s.Varint(*n)
		}
	})
	s.Section("end", func() { s.String(f.end) })
	s.Section("leaders", func() {
		marks := w.marks()
		s.Uvarint(uint64(len(marks)))
		for _, m := range marks {
			s.Varint(int64(m.Stream))
			s.Varint(m.Leader)
		}
	})
	s.Section("links", func() {
		s.Varint(w.pipeline.Links.Answers)
		s.Varint(w.pipeline.Links.Unlogged)
	})
}

// exclusion names an exclusion of the plan, and the last place, of what no
// policy excludes any more.
func (w *watch) exclusion(i int) string {
	if i < len(w.o.Plan.Exclusions) {
		return w.o.Plan.Exclusions[i].Name
	}
	return ""
}

// load reads what save wrote.
func (w *watch) load(r *snapshot.Reader) (f files, restored *window.Restored, err error) {
	r.Section("marks", func() {
		w.begun = r.Bool()
		for range r.Count(7) {
			m := ingest.Mark{Stream: int32(r.Varint()), Name: r.String(), Format: r.String(), Offset: r.Varint(), Line: r.Varint(), File: r.String(), Topic: r.String()}
			w.restored[m.Stream] = m
		}
	})
	r.Section("streams", func() {
		for range r.Count(4) {
			w.streams = append(w.streams, replay.StreamResult{Name: r.String(), Format: r.String(), Lines: r.Varint(), Bytes: r.Varint()})
		}
	})
	r.Section("totals", func() {
		p := w.pipeline
		for _, n := range p.Account.Fields() {
			*n = r.Varint()
		}
		p.First, p.Last = r.Varint(), r.Varint()
		for range r.Count(2) {
			name, n := r.String(), r.Varint()
			i := slices.IndexFunc(w.o.Plan.Exclusions, func(x window.Exclusion) bool { return x.Name == name })
			if i < 0 {
				i = len(p.Excluded) - 1
			}
			p.Excluded[i] += n
		}
	})
	r.Section("judging", func() {
		restored, err = w.state().Load(r)
		r.Fail(err)
	})
	r.Section("incidents", func() { w.incidents.Load(r) })
	r.Section("outbox", func() { r.Fail(w.router.Load(r.Blob())) })
	r.Section("files", func() {
		f.name = r.String()
		for _, n := range f.fields() {
			*n = r.Varint()
		}
	})
	if r.Left() > 0 { // the first checkpoints had none
		r.Section("end", func() { f.end = r.String() })
	}
	if r.Left() > 0 { // nor those that followed them
		r.Section("leaders", func() {
			for range r.Count(2) {
				stream := int32(r.Varint())
				m := w.restored[stream]
				m.Leader = r.Varint()
				w.restored[stream] = m
			}
		})
	}
	if r.Left() > 0 { // nor those after these
		r.Section("links", func() { w.pipeline.Links = replay.Links{Answers: r.Varint(), Unlogged: r.Varint()} })
	}
	return f, restored, r.Done()
}

// restore goes on from the newest checkpoint, or begins anew if there is none.
func (w *watch) restore() error {
	state, damaged, err := w.o.Store.Load()
	what := "checkpoint is damaged: going on from the one before it, what came since is judged again"
	if err != nil {
		what = "checkpoint is damaged"
	}
	for _, d := range damaged {
		w.log.Error(what, "file", d.File, "error", d.Err)
	}
	if err != nil {
		return err
	}
	var f files
	if state != nil {
		var restored *window.Restored
		if f, restored, err = w.load(snapshot.NewReader(state)); err != nil {
			return sinks.Mismatchf("checkpoint: %w\nbegin anew with an empty --state directory if it cannot be mended", err)
		}
		if gone := w.router.Gone(); w.o.DryRun && len(gone) > 0 {
			return sinks.Mismatchf("--dry-run: this state knows what %s were told, which would be forgotten: give the trial a --state of its own", strings.Join(gone, ", "))
		}
		w.tell(restored)
	}
	if err := w.openFiles(f); err != nil {
		return err
	}
	// From now on the files are known to be ours, whatever happens.
	return w.checkpoint(false)
}

// tell says what a changed policy made of the state.
func (w *watch) tell(r *window.Restored) {
	w.log.Info("going on from the last checkpoint", "lines", w.pipeline.Account.Lines, "rules", len(r.Kept), "waiting", w.pipeline.Order.Waiting())
	replay.Resume(w.log, r, w.incidents)
}

// report is what has become of all that was read.
func (w *watch) report() Report {
	return Report{Totals: w.pipeline.Totals, Rules: w.pipeline.Accounts(), Streams: w.streams, Order: w.pipeline.Order.Stats()}
}

// checkpoint writes down all there is, and lets leave what had to wait for
// that. last closes the part of the dataset whatever it has.
func (w *watch) checkpoint(last bool) error {
	start := time.Now()
	if err := w.pipeline.Check(); err != nil {
		return err
	}
	f, err := w.syncFiles(last)
	if err != nil {
		return err
	}
	Settle(context.Background(), w.o.Topic)
	w.encoder.Reset()
	w.save(w.encoder, f)
	if err := w.o.Store.Write(w.encoder.Bytes()); err != nil {
		return err
	}
	if err := w.publish(f); err != nil {
		return err
	}
	w.last, w.took, w.dirty, w.unkept = time.Now(), time.Since(start), false, false
	w.o.Status.Checkpoint(len(w.encoder.Bytes()), w.last, w.took)
	return nil
}
