package window

// span is a range of thresholds, both ends included.
type span struct{ low, high int32 }

// climb is how high a hit climbs in the cells of a column: to n, opening episodes
// from low on, if that is not 0.
type climb struct {
	column int
	n, low int32
}

// climbAll climbs the ladder of every cell: which thresholds does a hit reach, and
// for which of them does it open an episode? The windows that are whole yet
// climb together.
func (t *sweepTarget) climbAll(key *keyCounts, now int64) {
	windows := len(t.maxAges)
	t.climbs = t.climbs[:0]
	cycle := t.countsOf(cycleKind)
	key.partCycles(cycle)
	for w := int(key.single); w < int(key.outlived); w++ {
		own := &key.own[w]
		if own.refresh < 2 { // none counts more
			continue
		}
		key.partOrder(w, t.counts)
		first, kinds := slidingKind, cycleKind
		if own.unbroken { // streak and cycle climb as sliding does
			first, kinds = unbrokenGroup, streakKind
		}
		t.climb(&own.ladders[slidingKind], now, first, w, t.counts[w])
		for kind := fixedKind; kind < kinds; kind++ {
			t.climb(&own.ladders[kind], now, kind, w, t.counts[kind*windows+w])
		}
	}
	if w := int(key.outlived); w < windows {
		n, opens := min(key.n, t.limit), key.n // each hit counts one more
		if opens > n {
			opens = 0
		}
		t.climbed(wholeGroup, w, n, opens)
		t.climb(&key.streak, now, wholeStreakGroup, w, t.countsOf(streakKind)[windows-1])
	}
	for w := int(key.single); w < int(key.apart); w++ {
		if w < int(key.outlived) && key.own[w].unbroken {
			continue
		}
		t.climb(&key.cycles[w], now, cycleKind, w, cycle[w])
	}
	if w := int(key.apart); w < windows {
		t.climb(&key.cycle, now, wholeCycleGroup, w, cycle[windows-1])
	}
}

// level is the highest threshold at which the hit at work fires if it counts n.
// Where an override sets a threshold for it, it fires at all or at none.
func (t *sweepTarget) level(n int32) int32 {
	switch {
	case t.override == 0:
		return n
	case n >= t.override:
		return t.limit
	}
	return 1
}

// climb climbs the ladder of the cells of a column, that of a window in a group,
// with what a hit counts there. A count below 2 climbs nothing.
func (t *sweepTarget) climb(l *ladder, now int64, group, window int, count int32) {
	if n := min(t.level(count), t.limit); n >= 2 {
		t.climbed(group, window, n, l.fire(n, now, t.quiet[window]))
	}
}

// climbed notes that a hit counts n, 2 or more, in the cells of a column, and
// opens episodes there from the threshold low on; none if that is 0.
func (t *sweepTarget) climbed(group, window int, n, low int32) {
	t.climbs = room(t.climbs)
	c := &t.climbs[len(t.climbs)-1]
	c.column, c.n, c.low = t.tally.column(group, window), n, low
}

// tallyClimbs tallies what a hit climbed.
func (t *sweepTarget) tallyClimbs(key *keyCounts, now int64, u usage) {
	if t.alone {
		for i := range t.climbs { // by itself, so that one wait for memory overlaps the next
			t.tally.fired[t.tally.at(t.climbs[i].n, t.climbs[i].column)].add(u)
		}
	}
	for i := range t.climbs {
		c := &t.climbs[i]
		if c.low == 0 {
			continue
		}
		opened, cell := span{c.low, c.n}, t.tally.cells[c.column][0] // all of them count alike
		before, delay := key.upTo(now, cell/len(t.maxAges), cell%len(t.maxAges), int(t.counts[cell]))
		t.tally.episode(c.column, opened, before)
		t.delays.add(delay, c.column, c.low, c.n)
		if t.alone {
			t.tally.opener(c.column, opened, u)
			continue
		}
		t.openOnce(c.column, opened, u)
	}
}

// openOnce notes a request of several hits that opens episodes: a threshold that
// two of them open, or one in several columns, has one request that did.
func (t *sweepTarget) openOnce(column int, opened span, u usage) {
	for _, cell := range t.tally.cells[column] {
		for threshold := opened.low; threshold <= opened.high; threshold++ {
			if at := t.tally.at(threshold, cell); !t.opened[at] {
				t.opened[at] = true
				t.tally.opened[at].firsts.add(u, 1)
			}
		}
	}
}

// tallyRequest tallies a request of several hits, of which some repeat.
func (t *sweepTarget) tallyRequest(u usage) {
	for c, n := range t.highest {
		if n >= 2 {
			t.tally.fired[t.tally.at(min(int32(n), t.limit), c)].add(u)
		}
	}
	clear(t.highest)
	clear(t.opened)
}
