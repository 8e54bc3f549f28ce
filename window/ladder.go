package window

import "slices"

// ladder knows when each threshold of a key fired last. A hit with count n
// fires every threshold up to n, so a lower threshold never fired before a
// higher one did: the rungs, from the lowest on, rise in threshold and fall in
// time, and a hit replaces those it reaches. Mostly there is but one.
type ladder struct {
	lowest rung
	others []rung // the highest first
}

// rung says that the thresholds above those of the rung below, up to its own,
// fired last at a time.
type rung struct {
	threshold int32 // 0 is no rung
	last      int64
}

// fire notes a hit with count n. It returns the lowest threshold, of 2 and more,
// that had been quiet for longer than quiet, or had never fired, as all from
// there up to n have; 0 if there is none.
func (l *ladder) fire(n int32, now, quiet int64) (low int32) {
	if n < 2 {
		return 0
	}
	next := int32(2) // threshold that no rung so far is of
	for l.lowest.threshold > 0 && l.lowest.threshold <= n {
		if low == 0 && now-l.lowest.last > quiet {
			low = next
		}
		next = l.lowest.threshold + 1
		l.pop()
	}
	if low == 0 && next <= n && (l.lowest.threshold == 0 || now-l.lowest.last > quiet) {
		low = next
	}
	if l.lowest.threshold > 0 {
		l.others = append(l.others, l.lowest)
	}
	l.lowest = rung{n, now}
	return low
}

func (l *ladder) pop() {
	last := len(l.others) - 1
	if last < 0 {
		l.lowest = rung{}
		return
	}
	l.lowest, l.others = l.others[last], l.others[:last]
}

// clone is a ladder like l that goes its own way.
func (l *ladder) clone() ladder { return ladder{l.lowest, slices.Clone(l.others)} }
