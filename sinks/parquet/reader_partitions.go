package parquet

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// split has what several processes wrote read partition by partition, so that
// their events can be merged.
func (r *Reader) split(files []string) error {
	var found []report
	if r.Whole {
		var err error
		if found, _, err = reportsOf(r.Dir); err != nil {
			return err
		}
	}
	of := func(partition int) *eventReader {
		k := slices.IndexFunc(r.from, func(e *eventReader) bool { return e.partition == partition })
		if k >= 0 {
			return r.from[k]
		}
		e := r.add(r.Run.Judged)
		e.shared, e.partition = true, partition
		return e
	}
	for _, f := range found {
		e := of(f.partition)
		row, err := readRunFile(f.path)
		if err != nil {
			return err
		}
		e.judged, e.whole = row.Judged, row.Judged > 0
	}
	for _, file := range files {
		partition, ok := partitionOf(file)
		if !ok {
			return damaged(file, "not of a partition, as the others are")
		}
		if len(found) > 0 {
			known := slices.ContainsFunc(found, func(f report) bool { return f.partition == partition })
			if !known || early(file, of(partition).judged) {
				continue
			}
		}
		e := of(partition)
		switch {
		case r.Whole && !e.whole && len(e.files) == 0:
			return fmt.Errorf("%s: there is nothing of partition %d in %s: copy the dataset with its folder %s", r.Dir, partition, filepath.Join(own, reports), own)
		case len(e.files) == 0 && r.Whole:
			e.removed = firstEvent(file)
		}
		e.files = append(e.files, file)
	}
	for _, e := range r.from {
		if e.whole && len(e.files) == 0 {
			e.removed = e.judged
		}
	}
	return nil
}

// merge is the next event of all partitions, in the order in which one process
// would have judged them.
func (r *Reader) merge(keep bool) (*window.Event, error) {
	if r.ahead == nil {
		r.ahead = make([]*window.Event, len(r.from))
		for i := range r.from {
			if err := r.advance(i, false); err != nil {
				return nil, err
			}
		}
	} else if err := r.advance(r.taken, keep); err != nil {
		return nil, err
	}
	r.taken = -1
	for i, ev := range r.ahead {
		if ev == nil {
			continue
		}
		if r.taken < 0 || ev.Before(r.ahead[r.taken]) {
			r.taken = i
		}
	}
	if r.taken < 0 {
		return nil, io.EOF
	}
	return r.ahead[r.taken], nil
}

// advance reads the next event of a partition, of which the one before is kept
// if need be.
func (r *Reader) advance(i int, keep bool) (err error) {
	if r.ahead[i], err = r.from[i].nextEvent(keep); errors.Is(err, io.EOF) {
		r.ahead[i], err = nil, nil
	}
	return err
}
