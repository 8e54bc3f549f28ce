package window

// ladder knows when each threshold of a key fired last. A hit with count n
// fires every threshold up to n, so a lower threshold never fired before a
// higher one did: the rungs rise in threshold and fall in time, and a hit
// replaces those it reaches. A ladder is its lowest rung and the ladder above,
// which never changes, so that a copy is a ladder of its own. Mostly there is
// but one rung.
type ladder struct {
	threshold int32 // 0 is no rung
	last      int64 // when the thresholds up to that, and above those of no lower rung, fired last
	above     *ladder
}

// fire notes a hit with count n. It returns the lowest threshold, of 2 and more,
// that had been quiet for longer than quiet, or had never fired, as all from
// there up to n have; 0 if there is none.
func (l *ladder) fire(n int32, now, quiet int64) (low int32) {
	if n < 2 {
		return 0
	}
	next := int32(2) // threshold above those of the rungs so far
	above := l
	for above != nil && above.threshold <= n {
		if low == 0 && next <= above.threshold && now-above.last > quiet {
			low = next
		}
		next = max(next, above.threshold+1)
		above = above.above
	}
	if low == 0 && next <= n && (above == nil || now-above.last > quiet) {
		low = next
	}
	if above == l { // all of it stays above
		above = &ladder{l.threshold, l.last, l.above}
	}
	*l = ladder{n, now, above}
	return low
}
