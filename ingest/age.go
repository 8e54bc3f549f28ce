package ingest

import (
	"cmp"
	"math"
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
