package live

import (
	"maps"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// marks are how far each stream has been taken in; nil as long as none has ever
// been accepted.
func (w *watch) marks() []ingest.Mark {
	if !w.settled {
		return nil
	}
	marks := slices.AppendSeq([]ingest.Mark{}, maps.Values(w.restored))
	for _, l := range w.lanes {
		marks = append(marks, l.mark)
	}
	slices.SortFunc(marks, func(a, b ingest.Mark) int { return int(a.Stream) - int(b.Stream) })
	return marks
}

// code codes all there is. Its sections, in this order, are what a checkpoint is.
func (w *watch) code(c *snapshot.Codec, f *files) (restored *window.Restored) {
	marks := w.marks()
	c.Section("marks", func() {
		c.Bool(&w.settled)
		snapshot.List(c, &marks, 7, func(m *ingest.Mark) {
			snapshot.Number(c, &m.Stream)
			snapshot.Text(c, &m.Name)
			snapshot.Text(c, &m.Format)
			c.Varint(&m.Offset)
			c.Varint(&m.Line)
			snapshot.Text(c, &m.File)
			snapshot.Text(c, &m.Topic)
		})
	})
	c.Section("streams", func() {
		snapshot.List(c, &w.streams, 4, func(s *replay.StreamResult) {
			snapshot.Text(c, &s.Name)
			snapshot.Text(c, &s.Format)
			c.Varint(&s.Lines)
			c.Varint(&s.Bytes)
		})
	})
	restored = w.Code(c, func() { w.codeExcluded(c) })
	c.Section("files", func() {
		snapshot.Text(c, &f.name)
		for _, n := range f.fields() {
			c.Varint(n)
		}
	})
	if c.More() { // the first checkpoints had none
		c.Section("end", func() { snapshot.Text(c, &f.end) })
	}
	if c.More() { // nor those that followed them
		c.Section("leaders", func() {
			c.Check(c.Items(len(marks), 2) == len(marks), "there are leaders of other streams")
			for i := range marks {
				stream := marks[i].Stream
				snapshot.Number(c, &stream)
				c.Check(stream == marks[i].Stream, "there is a leader of stream %d", stream)
				c.Varint(&marks[i].Leader)
			}
		})
	}
	if c.More() { // nor those after these
		c.Section("links", func() {
			c.Varint(&w.Pipeline.Links.Answers)
			c.Varint(&w.Pipeline.Links.Unlogged)
		})
	}
	if c.Reads() {
		for _, m := range marks {
			w.restored[m.Stream] = m
		}
	}
	return restored
}

// codeExcluded codes what was excluded, by the names of the exclusions: no name is
// of those that no policy has any more.
func (w *watch) codeExcluded(c *snapshot.Codec) {
	type count struct {
		name string
		n    int64
	}
	all, excluded := w.o.Plan.Exclusions, w.Pipeline.Excluded
	counts := make([]count, len(excluded))
	for i, n := range excluded {
		if counts[i].n = n; i < len(all) {
			counts[i].name = all[i].Name
		}
	}
	snapshot.List(c, &counts, 2, func(x *count) {
		snapshot.Text(c, &x.name)
		c.Varint(&x.n)
	})
	if !c.Reads() {
		return
	}
	for _, was := range counts {
		i := slices.IndexFunc(all, func(x window.Exclusion) bool { return x.Name == was.name })
		if i < 0 {
			i = len(excluded) - 1
		}
		excluded[i] += was.n
	}
}

// restore goes on from the newest checkpoint that is whole, or begins anew if there
// is none. Whatever it does before it writes one, the next start does again.
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
		r := snapshot.NewReader(state)
		restored := w.code(r.Codec(), &f)
		if err := r.Done(); err != nil {
			return sinks.Mismatchf("checkpoint: %w\nbegin anew with an empty --state directory if it cannot be mended", err)
		}
		if gone := w.Router.Gone(); w.o.DryRun && len(gone) > 0 {
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

// tell says what a changed policy makes of the state.
func (w *watch) tell(r *window.Restored) {
	w.log.Info("going on from the last checkpoint", "lines", w.Pipeline.Account.Lines, "rules", len(r.Kept), "waiting", w.Pipeline.Order.Waiting())
	replay.Resume(w.log, r, w.Incidents)
	for _, name := range w.Router.Gone() {
		w.log.Warn("sink is gone: what waits for it goes to those that want it", "sink", name)
	}
}

// report is what has become of all that was read.
func (w *watch) report() replay.Report {
	r := w.Pipeline.Report()
	r.Streams = w.streams
	return r
}
