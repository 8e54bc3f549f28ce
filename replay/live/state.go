package live

import (
	"context"
	"errors"
	"fmt"
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

// errLost is why a run ends at once and sends nothing more: somebody else may
// be reading in its place.
var errLost = errors.New("the source can no longer be ours")

// commit is what the source is to be told, and what may leave then.
type commit struct {
	marks  []ingest.Mark
	alerts int64
	done   chan struct{} // closed when it is done; nil if nobody waits
}

// files are how long the files are that grow with the checkpoints.
type files struct {
	name     string // of the file of verdicts
	verdicts int64  // its length
	end      string // what tells that much of it from other files; empty if not known
	part     int64  // number of the part that is gathered; 0 without a dataset
	first    int64  // number of its first event
	next     int64  // number of the event to come
	spool    int64  // length of its file
	began    int64  // when its first row came, microseconds; 0 if it is empty

	// The part before it, which is to be published, again if need be.
	closed, closedFirst int64 // closed is 0 if there is none
}

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
}

func (f *files) fields() []*int64 {
	return []*int64{&f.verdicts, &f.part, &f.first, &f.next, &f.spool, &f.began, &f.closed, &f.closedFirst}
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

// openFiles cuts the files back to what a checkpoint knows of them.
func (w *watch) openFiles(f files) (err error) {
	if w.o.Verdicts != "" {
		if f.name != w.o.Verdicts {
			f.verdicts, f.end = -1, "" // not ours
		}
		if w.verdicts, err = sinks.OpenAppend(w.o.Verdicts, f.verdicts, f.end); err != nil {
			return err
		}
		w.writer = sinks.NewVerdictWriter(w.verdicts, w.o.Verdicts)
	}
	if w.o.Dataset == nil {
		if f.closed > 0 || f.began > 0 {
			return sinks.Mismatchf("--state: holds rows for --out that are not in their place yet\nrun it once with --out and end it in order; then it may be left out")
		}
		return nil
	}
	if err := w.follows(&f); err != nil {
		return err
	}
	s := newSpool(w.o.Store, w.o.Plan, w.o.Dataset)
	s.number, s.first, s.next = f.part, f.first, f.next
	if f.began > 0 {
		s.began = Began(f.began)
	} else {
		f.spool = 0 // no row: the policy may have changed
	}
	w.spool = s
	// Those of a future that has been lost.
	if err := s.discard(func(number int64) bool { return number > f.part }); err != nil {
		return err
	}
	if err := w.o.Dataset.Discard(PartName(f.part, f.first)); err != nil {
		return err
	}
	if f.closed > 0 {
		if err := s.publish(f.closed, f.closedFirst, w.report()); err != nil {
			return err
		}
	}
	return s.open(f.spool)
}

// follows makes sure that the parts to come go on with what is in the dataset.
func (w *watch) follows(f *files) error {
	if f.part == 0 { // there was none
		f.part, f.first, f.next = 1, w.pipeline.Account.Judged, w.pipeline.Account.Judged
		return w.o.Dataset.Empty()
	}
	err := w.o.Dataset.Follows(PartName(f.part, f.first), f.first)
	if err != nil && f.closed > 0 {
		err = w.o.Dataset.Follows(PartName(f.closed, f.closedFirst), f.closedFirst)
	}
	return err
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

// publish puts the part that a checkpoint has closed in its place. Its spool
// file stays until the next checkpoint: should this one turn out to be damaged,
// the one before it needs the file.
func (w *watch) publish(f files) error {
	s := w.spool
	if s == nil {
		return nil
	}
	if f.closed > 0 {
		if s.failed == nil {
			s.failed = s.publish(f.closed, f.closedFirst, w.report())
		}
		if s.failed != nil {
			return s.failed
		}
		s.closed = 0
	}
	before := s.needed
	if s.needed = f.part; f.closed > 0 {
		s.needed = f.closed
	}
	return s.discard(func(number int64) bool { return number < min(before, s.needed) })
}

// syncFiles makes the files last, and begins the next part when it is time.
func (w *watch) syncFiles(last bool) (f files, err error) {
	if w.writer != nil {
		f.name = w.o.Verdicts
		if err := w.writer.Flush(); err != nil {
			return f, err
		}
		if f.verdicts, err = w.verdicts.Sync(); err != nil {
			return f, err
		}
		if f.end, err = w.verdicts.End(); err != nil {
			return f, err
		}
	}
	s := w.spool
	if s == nil {
		return f, nil
	}
	if f.spool, err = s.sync(); err != nil {
		return f, err
	}
	if s.closed == 0 && !s.began.IsZero() && (last || Full(f.spool, s.began, w.o.PartInterval)) {
		s.closed, s.closedFirst = s.number, s.first
		if err := s.turn(); err != nil {
			return f, err
		}
		f.spool = 0
	}
	f.closed, f.closedFirst = s.closed, s.closedFirst
	f.part, f.first, f.next = s.number, s.first, s.next
	if !s.began.IsZero() {
		f.began = s.began.UnixMicro()
	}
	return f, nil
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

// part is the number of the part that is gathered; 0 without a dataset.
func (w *watch) part() int64 {
	if w.spool == nil {
		return 0
	}
	return w.spool.number
}

// close lets go of the files.
func (w *watch) close() {
	if w.verdicts != nil {
		_ = w.verdicts.Close() // synced by the last checkpoint, or to be cut back
	}
	if w.spool != nil && w.spool.file != nil {
		_ = w.spool.file.Close()
	}
}
