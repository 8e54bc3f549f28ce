package live

import "github.com/loopgauge/loopgauge/sinks"

// files are how long the files are that grow with the checkpoints.
type files struct {
	name     string // of the file of verdicts
	verdicts int64  // its length
	end      string // what tells that much of it from other files; empty if not known
	part     partAt // that is gathered; none without a dataset
	next     int64  // number of the event to come
	spool    int64  // length of its file
	began    int64  // when its first row came, microseconds; 0 if it is empty
	closed   partAt // the one before it, which is to be published, again if need be
}

func (f *files) fields() []*int64 {
	return []*int64{&f.verdicts, &f.part.number, &f.part.first, &f.next, &f.spool, &f.began, &f.closed.number, &f.closed.first}
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
		if f.closed.number > 0 || f.began > 0 {
			return sinks.Mismatchf("--state: holds rows for --out that are not in their place yet\nrun it once with --out and end it in order; then it may be left out")
		}
		return nil
	}
	if err := w.follows(&f); err != nil {
		return err
	}
	s := newSpool(&w.o)
	s.part, s.rows.Next = f.part, f.next
	if f.began > 0 {
		s.rows.Began = Began(f.began)
	} else {
		f.spool = 0 // no row: the policy may have changed
	}
	w.spool = s
	// Those of a future that has been lost.
	if err := s.discard(func(number int64) bool { return number > f.part.number }); err != nil {
		return err
	}
	if err := w.o.Dataset.Discard(f.part.name()); err != nil {
		return err
	}
	if f.closed.number > 0 {
		if err := s.publish(f.closed, w.report()); err != nil {
			return err
		}
	}
	if err := s.open(f.spool); err != nil {
		return err
	}
	return w.Gather(s.rows)
}

// follows makes sure that the parts to come go on with what is in the dataset.
func (w *watch) follows(f *files) error {
	if f.part.number == 0 { // there was none
		f.next = w.Pipeline.Account.Judged
		f.part = partAt{1, f.next}
		return w.o.Dataset.Empty()
	}
	err := w.o.Dataset.Follows(f.part.name(), f.part.first)
	if err != nil && f.closed.number > 0 {
		err = w.o.Dataset.Follows(f.closed.name(), f.closed.first)
	}
	return err
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
	if began := s.rows.Began; s.closed.number == 0 && !began.IsZero() && (last || Full(f.spool, began, w.o.PartInterval)) {
		s.closed = s.part
		if err := s.turn(); err != nil {
			return f, err
		}
		f.spool = 0
	}
	f.closed, f.part, f.next = s.closed, s.part, s.rows.Next
	if began := s.rows.Began; !began.IsZero() {
		f.began = began.UnixMicro()
	}
	return f, nil
}

// publish puts the part that a checkpoint has closed in its place. Its spool
// file stays until the next checkpoint: should this one turn out to be damaged,
// the one before it needs the file.
func (w *watch) publish(f files) error {
	s := w.spool
	if s == nil {
		return nil
	}
	if f.closed.number > 0 {
		if s.failed == nil {
			s.failed = s.publish(f.closed, w.report())
		}
		if s.failed != nil {
			return s.failed
		}
		s.closed = partAt{}
	}
	before := s.needed
	if s.needed = f.part.number; f.closed.number > 0 {
		s.needed = f.closed.number
	}
	return s.discard(func(number int64) bool { return number < min(before, s.needed) })
}

// part is the number of the part that is gathered; 0 without a dataset.
func (w *watch) part() int64 {
	if w.spool == nil {
		return 0
	}
	return w.spool.part.number
}

// closeFiles lets go of the files.
func (w *watch) closeFiles() {
	if w.verdicts != nil {
		_ = w.verdicts.Close() // synced by the last checkpoint, or to be cut back
	}
	if w.spool != nil && w.spool.file != nil {
		_ = w.spool.file.Close()
	}
}
