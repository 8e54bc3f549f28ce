package parquet

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// split makes a reader of each partition, if several processes wrote the
// dataset, so that their events can be merged.
func (r *Reader) split() error {
	if !slices.ContainsFunc(r.files, func(f string) bool { _, ok := partitionOf(f); return ok }) {
		return nil
	}
	var found []report
	if r.Whole {
		var err error
		if found, _, err = reportsOf(r.Dir); err != nil {
			return err
		}
	}
	of := func(partition int) *Reader {
		k := slices.IndexFunc(r.parts, func(p *Reader) bool { return p.partition == partition })
		if k >= 0 {
			return r.parts[k]
		}
		p := &Reader{Dir: r.Dir, Run: r.Run, rules: r.rules, numbered: true, partition: partition, rows: newEventColumns()}
		r.parts = append(r.parts, p)
		return p
	}
	for _, f := range found {
		p := of(f.partition)
		row, err := readRow(f.path)
		if err != nil {
			return err
		}
		if p.Run.Judged = row.Judged; row.Judged > 0 {
			p.Whole = true
		}
	}
	for _, file := range r.files {
		partition, ok := partitionOf(file)
		if !ok {
			return damaged(file, "not of a partition, as the others are")
		}
		if len(found) > 0 {
			known := slices.ContainsFunc(found, func(f report) bool { return f.partition == partition })
			if !known || early(file, of(partition).Run.Judged) {
				continue
			}
		}
		p := of(partition)
		switch {
		case r.Whole && !p.Whole && len(p.files) == 0:
			return fmt.Errorf("%s: there is nothing of partition %d in %s: copy the dataset with its folder %s", r.Dir, partition, filepath.Join(own, reports), own)
		case len(p.files) == 0 && r.Whole:
			p.Removed = firstEvent(file)
		}
		p.files = append(p.files, file)
	}
	for _, p := range r.parts {
		if p.Whole && len(p.files) == 0 {
			p.Removed = p.Run.Judged
		}
		if p.Removed > 0 {
			p.Whole, r.Whole = false, false
		}
		r.Removed += p.Removed
	}
	return nil
}

// merge is the next event of all partitions, in the order in which one process
// would have judged them.
func (r *Reader) merge(keep bool) (*window.Event, error) {
	if r.ahead == nil {
		r.ahead = make([]*window.Event, len(r.parts))
		for i := range r.parts {
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
	if r.ahead[i], err = r.parts[i].Next(keep); errors.Is(err, io.EOF) {
		r.ahead[i], err = nil, nil
	}
	return err
}
