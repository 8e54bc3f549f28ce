package parquet

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/window"
)

// Append begins a part of a dataset in dir that grows. Parts sort by their
// names in the order of their events; first is the number of the first event.
// A part of the same name, and the run, are replaced.
func Append(dir string, plan *window.Plan, part string, first int64) (*Dataset, error) {
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	d := &Dataset{dir: dir, plan: plan, part: part, unlock: unlock}
	d.begin(first)
	return d, nil
}

// Follows tells whether a part, whose first event has the number first, may come
// next in dir: there is nothing yet, or what is there ends where it begins, or it
// is there already.
func Follows(dir, part string, first int64) bool {
	if !Holds(dir) {
		return true
	}
	if run, err := LastRun(dir); err == nil && run.Judged == first {
		return true
	}
	return slices.ContainsFunc(byDay, func(table string) bool { return len(filesOf(dir, table, part+"*.parquet")) > 0 })
}

// Discard removes the parts of a dataset that grows whose names sort at part
// or behind it.
func Discard(dir, part string) error {
	if !Holds(dir) {
		return nil
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	for _, table := range byDay {
		for _, f := range filesOf(dir, table, "*.parquet") {
			from, to, merged := strings.Cut(filepath.Base(f), "_")
			switch {
			case !fileNames.MatchString(filepath.Base(f)):
			case from >= part:
				if err := os.Remove(f); err != nil {
					return err
				}
			case merged && to >= part:
				return fmt.Errorf("%s: holds part %s, which is to be written anew, among others: it was compacted too early\nwrite the dataset anew from the log: loopgauge replay --out DIR LOG", f, part)
			}
		}
	}
	return nil
}
