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

// fire notes a hit with count n, 2 or more. It returns the lowest threshold, of 2
// and more, that had been quiet for longer than quiet, or had never fired, as all
// from there up to n have; 0 if there is none.
func (l *ladder) fire(n int32, now, quiet int64) (low int32) {
	switch {
	case l.threshold == 0 || now-l.last > quiet: // so have all above
		*l = ladder{n, now, nil}
		return 2
	case n == l.threshold:
		l.last = now
		return 0
	case n < l.threshold: // all of it stays above
		*l = ladder{n, now, &ladder{l.threshold, l.last, l.above}}
		return 0
	}
	next := l.threshold + 1 // above those of the rungs so far
	above := l.above
	for above != nil && above.threshold <= n && now-above.last <= quiet {
		next, above = above.threshold+1, above.above
	}
	if above != nil && now-above.last > quiet {
		above = nil // what has been quiet might as well never have fired
	}
	if above == nil && next <= n {
		low = next
	}
	*l = ladder{n, now, above}
	return low
}
