package parquet

import "slices"

// lists are the rows of the columns of a list: how many entries each has. The
// columns have them in common.
type lists struct {
	lengths []int32 // of each request of the page at hand

	// Of a page that ends:
	single  bool // each row has one entry
	filled  bool // each row has one at least
	entries int  // of all rows, where an empty list counts as one
	reps    []byte
	packed  []byte
}

// row ends the row of a request, which has so many entries.
func (l *lists) row(entries int) { l.lengths = append(l.lengths, int32(entries)) }

// page ends a page of so many rows. times are the rows of each request, nil if
// all have one.
func (l *lists) page(times []int32, rows int) (err error) {
	l.single, l.filled, l.entries = true, true, rows
	for _, n := range l.lengths {
		l.single = l.single && n == 1
		l.filled = l.filled && n > 0
	}
	l.reps, l.packed = l.reps[:0], l.packed[:0]
	if l.single {
		l.packed = appendRun(l.packed, 0, rows)
		return nil
	}
	for i, n := range l.lengths {
		for range timesOf(times, i) {
			l.reps = append(l.reps, 0)
			for range n - 1 {
				l.reps = append(l.reps, 1)
			}
		}
	}
	l.entries = len(l.reps)
	l.packed, err = appendLevels(l.packed, l.reps, 1)
	return err
}

// reset makes ready for another page.
func (l *lists) reset() { l.lengths = l.lengths[:0] }

// timesOf is how many rows a request has.
func timesOf(times []int32, request int) int32 {
	if times == nil {
		return 1
	}
	return times[request]
}

// repeated is a list of which each element comes so many times, in place of once.
func repeated[E any](list []E, times []int32, all int) []E {
	list = slices.Grow(list, all-len(list))[:all]
	for i, n := range slices.Backward(times) {
		one := list[i]
		for range n {
			all--
			list[all] = one
		}
	}
	return list
}
