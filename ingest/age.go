package ingest

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
)

// age is by what logs are numbered: requests of the same time are judged in the
// order of their logs. Of whole seconds a rotation cuts one in two, so the older
// log comes first, and the order in which logs are named says nothing.
type age struct {
	written int64  // when its first line was, 0 if it has none yet: nothing is older then
	path    string // of the file itself, or the name of what is none
}

// compare puts logs in order by when they were begun, and those of the same by what
// a rotation added to their names.
func (a age) compare(b age) int {
	began := func(written int64) int64 {
		if written == 0 {
			return math.MaxInt64
		}
		return written
	}
	return cmp.Or(cmp.Compare(began(a.written), began(b.written)), compareRotated(a.path, b.path), cmp.Compare(a.path, b.path))
}

// sortByAge puts what has an age in order. Each is asked for once: to tell what a
// path leads to takes a look at the file system.
func sortByAge[T comparable](list []T, of func(T) age) {
	ages := make(map[T]age, len(list))
	for _, x := range list {
		ages[x] = of(x)
	}
	slices.SortStableFunc(list, func(a, b T) int { return ages[a].compare(ages[b]) })
}

// compareRotated puts files in order by the log that they are of, and those of one
// log from the oldest on: the one without a number or a date is written to.
func compareRotated(a, b string) int {
	logA, addedA := unrotate(a)
	logB, addedB := unrotate(b)
	rank := func(added string) int {
		switch {
		case added == "":
			return 2
		case isNumber(added):
			return 1
		}
		return 0
	}
	if c := cmp.Or(cmp.Compare(logA, logB), cmp.Compare(rank(addedA), rank(addedB))); c != 0 {
		return c
	}
	switch {
	case newer(addedA, addedB):
		return 1
	case newer(addedB, addedA):
		return -1
	}
	return 0
}

// unrotate is the log that a file is of by its name, and what a rotation added to
// that.
func unrotate(path string) (log, added string) {
	if logs := unrotated(path); len(logs) > 0 {
		return logs[0], rotation(path, logs[0])
	}
	return filepath.Clean(plainName(path)), ""
}
