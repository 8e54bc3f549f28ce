package window

// ladder knows when each threshold of a key fired last. A hit with count n
// fires every threshold up to n, so a lower threshold never fired before a
// higher one did: the rungs, from the last one on, rise in threshold and fall
// in time, and a hit replaces those it reaches.
type ladder []rung

// rung says that the thresholds above the next rung's, up to its own, fired
// last at a time.
type rung struct {
	threshold int32
	last      int64
}

// fire notes a hit with count n, and calls open for each range of thresholds
// that had been quiet for longer than quiet, or had never fired.
func (l *ladder) fire(n int32, now, quiet int64, open func(low, high int32)) {
	rungs := *l
	// Mostly a hit counts what the one before did, and opens nothing.
	if last := len(rungs) - 1; last >= 0 && rungs[last].threshold == n && now-rungs[last].last <= quiet {
		rungs[last].last = now
		return
	}
	low := int32(2)
	for len(rungs) > 0 {
		top := rungs[len(rungs)-1]
		if top.threshold > n {
			break
		}
		if now-top.last > quiet {
			open(low, top.threshold)
		}
		low = top.threshold + 1
		rungs = rungs[:len(rungs)-1]
	}
	if low <= n && (len(rungs) == 0 || now-rungs[len(rungs)-1].last > quiet) {
		open(low, n)
	}
	*l = append(rungs, rung{n, now})
}
