package live

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// spool gathers the events and episodes of the part to come. It is written
// along with every checkpoint, so that a part may span many of them.
type spool struct {
	store   *Store
	plan    *window.Plan
	dataset Dataset

	part   partAt
	needed int64 // the lowest number that the last checkpoint knows of
	file   *sinks.AppendFile
	rows   *Rows

	closed partAt // the part to be put in its place, until it is
	failed error  // why it could not be: it is tried again at the next start
}

// partAt is a part by its number, 0 is none, and the number of its first event.
type partAt struct{ number, first int64 }

func (p partAt) name() string { return PartName(p.number, p.first) }

const spoolName = "part-%012d.spool"

func newSpool(o *Options) *spool {
	return &spool{store: o.Store, plan: o.Plan, dataset: o.Dataset, rows: NewRows(&o.Job)}
}

func (s *spool) fileName(number int64) string {
	return s.store.path(fmt.Sprintf(spoolName, number))
}

// open begins or goes on with the part's file, which a checkpoint knows to be
// length bytes long; what is there besides none knows of.
func (s *spool) open(length int64) (err error) {
	if s.file, err = sinks.OpenAppend(s.fileName(s.part.number), length, ""); err != nil {
		return err
	}
	s.rows.To = s.file
	if length == 0 {
		return s.rows.frame(policyFrame, 0, []byte(s.dataset.Policy()))
	}
	// Rows that cannot be read are refused as long as the checkpoint is that of who
	// wrote them, who can put them in their place.
	part, err := s.read(s.part)
	if err == nil {
		part.Abort()
	}
	return err
}

// ours is an error if a part that a crash kept from its place is by another
// policy: its rows are read by the plan that they were written by.
func (s *spool) ours(number int64) error {
	name := s.fileName(number)
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	by, err := policyOf(f)
	if err != nil {
		return err
	}
	if by != "" && by != s.dataset.Policy() {
		return sinks.Mismatchf("%s: holds rows for --out that are by another policy or version, or with other --hash-ids or --fingerprint-key, and are not in their place yet\n%s", name, asBefore)
	}
	return nil
}

// asBefore is the way out of rows that cannot be put in their place.
const asBefore = "run it once as before, with the same version, and end it in order, then change that; or begin anew with an empty --state"

// due tells whether the part is to be closed, also where nothing more comes.
func (s *spool) due(interval time.Duration) bool {
	return !s.rows.Began.IsZero() && Full(0, s.rows.Began, interval)
}

// sync makes last what the part has, and returns the length of its file.
func (s *spool) sync() (int64, error) {
	if err := s.rows.Flush(); err != nil {
		return 0, err
	}
	return s.file.Sync()
}

// turn begins the next part. What has been gathered stays in its file.
func (s *spool) turn() error {
	if err := s.file.Close(); err != nil {
		return err
	}
	s.part, s.rows.Began = partAt{s.part.number + 1, s.rows.Next}, time.Time{}
	return s.open(0)
}

// publish makes a part of what its spool file holds. Done twice it does the same.
func (s *spool) publish(p partAt, report replay.Report) error {
	part, err := s.read(p)
	if err != nil {
		return err
	}
	defer part.Abort()
	return part.Close(report)
}

// read makes a part of what its spool file holds, for the caller to close or abort.
func (s *spool) read(p partAt) (Part, error) {
	if err := s.ours(p.number); err != nil {
		return nil, err
	}
	name := s.fileName(p.number)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	part, err := s.dataset.Part(p.name(), p.first)
	if err != nil {
		return nil, err
	}
	err = ReadRows(s.plan, data, part, p.first)
	if _, ok := errors.AsType[*badRows](err); ok { // an older loopgauge did not note the policy
		err = sinks.Mismatchf("%s: %w: they are damaged, or by another policy or version\n%s", name, err, asBefore)
	} else if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	if err != nil {
		part.Abort()
		return nil, err
	}
	return part, nil
}

// discard removes the spool files of numbers that gone says nobody needs.
func (s *spool) discard(gone func(number int64) bool) error {
	entries, err := os.ReadDir(s.store.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		var number int64
		if _, err := fmt.Sscanf(e.Name(), spoolName, &number); err != nil || !gone(number) {
			continue
		}
		if err := os.Remove(s.store.path(e.Name())); err != nil {
			return err
		}
	}
	return nil
}
