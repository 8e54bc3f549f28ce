package window

import "slices"

// repeats is what a key that repeats has counted, in all cells.
//
// In a window that is longer than the key is old nothing has been forgotten:
// all such windows count the same, sliding, fixed and refresh alike, which is
// how often the key has come. They are whole, and cost as much as one. What is
// counted in a window of its own begins when the key grows older than it.
//
// Windows in which the key has never come twice count 1, and cost nothing: they
// are the shortest of those that it has outlived.
type repeats struct {
	n        int32  // hits; 0 is none yet
	outlived uint16 // the windows that are not whole any more, the shortest
	single   uint16 // of these, the windows that have counted but 1
	apart    uint16 // the windows, the shortest, that have counted cycles on their own
	first    int64  // time of the key's first hit
	last     int64
	total    usage // by all hits but the first
	keyMemory
	streak ladder // of the windows that are whole
	cycle  ladder // of the windows that are not apart, which always counted alike
	past   *past  // for trips by fingerprint; nil unless they need it
}

// keyMemory is what another key can use once a key is gone.
type keyMemory struct {
	hits   []keyHit     // that the longest window holds, and maybe some before
	left   []leftWindow // by window, from single to outlived; nil before the first
	cycles []ladder     // by window, from single to apart; likewise
}

// keyHit is a hit of a key.
type keyHit struct {
	time int64
	used usage // by the hits up to it, the key's first left out
}

// mostFreed bounds what is kept of a key, or a scope, that was hit very often.
const mostFreed = 64

// repeatsOf is what is counted of a key that repeats.
func (t *sweepTarget) repeatsOf(v *visit) *repeats {
	if v.repeats != 0 {
		return t.repeats.at(v.repeats)
	}
	if t.live() >= maxRepeats {
		if t.seen.expire(v.touched); t.live() >= maxRepeats {
			t.seen.forget()
			t.dropped++
		}
	}
	if last := len(t.freed) - 1; last >= 0 {
		v.repeats, t.freed = t.freed[last], t.freed[:last]
	} else {
		v.repeats = t.repeats.add()
	}
	return t.repeats.at(v.repeats)
}

// live is how many keys have repeats.
func (t *sweepTarget) live() int { return int(t.repeats.n) - 1 - len(t.freed) }

// gone lets go of the repeats of a key. Another can use its memory.
func (t *sweepTarget) gone(i uint32) {
	if t.keyGone != nil {
		t.keyGone(i)
	}
	key := t.repeats.at(i)
	var m keyMemory
	if cap(key.hits) <= mostFreed {
		m = keyMemory{key.hits[:0], key.left, key.cycles}
	}
	*key = repeats{keyMemory: m}
	t.freed = append(t.freed, i)
}

// leftWindow is what a key counts in a window that it has outlived.
type leftWindow struct {
	head           int   // sliding: the first of the hits inside
	opened         int64 // fixed: when it opened
	fixed, refresh int32
	fixedFrom      start
	refreshFrom    start
	ladders        [cycleKind]ladder // by kind
	// Streak and cycle have always counted what sliding does, as nothing came
	// between: its ladder is theirs.
	inRow bool
}

// start is where a run began: what had been used then, and the time of its
// second hit.
type start struct {
	used   usage
	second int64
}

// leave makes the shortest whole window one that is not whole. Up to here each hit
// has counted one more than the one before.
func (key *repeats) leave(windows int, most int32) {
	w := key.outlived
	key.outlived++
	if key.n < 2 {
		key.single++
		return
	}
	l := key.own(windows, w)
	whole := start{second: key.hits[1].time}
	l.head, l.opened, l.fixed, l.refresh, l.fixedFrom, l.refreshFrom = 0, key.first, key.n, key.n, whole, whole
	for kind := range streakKind {
		l.ladders[kind] = ladder{threshold: min(key.n, most), last: key.last}
	}
	l.ladders[streakKind] = key.streak
	cycle := &key.cycle
	if w < key.apart {
		cycle = &key.cycles[w]
	}
	l.inRow = key.streak == l.ladders[0] && *cycle == l.ladders[0]
}

// pair gives the longest of the windows that have counted but 1 counts of its own:
// those after the last hit, as the next one will be the second.
func (key *repeats) pair(windows int) {
	key.single--
	l := key.own(windows, key.single)
	*l = leftWindow{head: len(key.hits) - 1, opened: key.last, fixed: 1, refresh: 1, fixedFrom: start{used: key.total}, refreshFrom: start{used: key.total}, inRow: true}
	if key.single < key.apart {
		key.cyclesOf(windows)[key.single] = ladder{}
	}
}

// own is what is counted in a window, maybe of a key that is gone.
func (key *repeats) own(windows int, w uint16) *leftWindow {
	if key.left == nil {
		key.left = make([]leftWindow, windows)
	}
	return &key.left[w]
}

func (key *repeats) cyclesOf(windows int) []ladder {
	if key.cycles == nil {
		key.cycles = make([]ladder, windows)
	}
	return key.cycles
}

// partCycles gives ladders of their own to the windows that are not whole any
// more, and to those whose counts are not what the longest window counts: what
// comes round may have begun before the key did.
func (key *repeats) partCycles(counts []int32) {
	apart := len(counts) - 1
	for apart > int(key.apart) && counts[apart-1] == counts[len(counts)-1] {
		apart--
	}
	if int(key.outlived) == len(counts) {
		apart = len(counts)
	}
	apart = max(apart, int(key.outlived))
	for w := int(max(key.apart, key.single)); w < apart; w++ {
		key.cyclesOf(len(counts))[w] = key.cycle
	}
	key.apart = uint16(max(apart, int(key.apart)))
}

// partOrder gives ladders of their own to streak and cycle, in a window that the key
// has outlived, once they count otherwise than sliding.
func (key *repeats) partOrder(w int, counts []int32) {
	l, windows, n := &key.left[w], len(key.left), counts[w]
	if l.inRow && (counts[streakKind*windows+w] != n || counts[cycleKind*windows+w] != n) {
		l.inRow = false
		l.ladders[streakKind], key.cyclesOf(windows)[w] = l.ladders[0], l.ladders[0]
	}
}

// count sets t.counts for a hit of the key that l looks at, and returns the key
// if it repeats. If it does not, only what a sequence counts is set, for trips.
// equal says that the request has had the key before, whose use counts once.
func (t *sweepTarget) count(l *Look, equal bool) *repeats {
	now := l.time
	v, again := t.seen.touch(l.entry, &l.print, l.hash, now)
	t.follow(l, v, again)
	if !again {
		if t.trips != nil {
			for c := streakKind * len(t.maxAges); c < len(t.counts); c++ {
				t.counts[c] = 1
			}
		}
		return nil
	}
	key := t.repeatsOf(v)
	t.key = v.repeats
	if key.n == 0 {
		key.first = v.first
		key.count(t, v.first, usage{})
		if t.trips != nil && !t.trips.byScope {
			key.past = &past{}
			key.past.add(v.first, t.hit.Print, t.trips.keep)
		}
	}
	var used usage
	if !equal {
		used = usageOf(l.ev)
	}
	key.count(t, now, used)
	t.countSequence(now)
	return key
}

// count counts a hit by the kinds that look at its key alone.
func (key *repeats) count(t *sweepTarget, now int64, u usage) {
	windows := len(t.maxAges)
	// What a hit fires is not told by how often its key has come, if an override
	// sets its threshold: no window is whole any more.
	for int(key.outlived) < windows && (t.own > 0 && key.n > 0 || now-key.first > t.whole[key.outlived]) {
		if t.trips != nil && t.trips.together {
			t.trips.part(key, &t.hit)
		}
		key.leave(windows, t.limit)
	}
	for key.single > 0 && now-key.last <= t.maxAges[key.single-1] {
		key.pair(windows)
	}
	key.n++
	key.total.add(u, 1)
	key.hits = append(key.hits, keyHit{now, key.total})
	sliding, fixed, refresh := t.countsOf(slidingKind), t.countsOf(fixedKind), t.countsOf(refreshKind)
	for w := range key.single {
		sliding[w], fixed[w], refresh[w] = 1, 1, 1
	}
	for w := key.single; w < key.outlived; w++ {
		l, age := &key.left[w], t.maxAges[w]
		for now-key.hits[l.head].time > age {
			l.head++
		}
		sliding[w] = int32(len(key.hits) - l.head)
		if now-l.opened > age {
			l.opened, l.fixed = now, 0
		}
		l.fixedFrom.count(&l.fixed, now, key.total)
		if now-key.last > age {
			l.refresh = 0
		}
		l.refreshFrom.count(&l.refresh, now, key.total)
		fixed[w], refresh[w] = l.fixed, l.refresh
	}
	for w := int(key.outlived); w < windows; w++ {
		sliding[w], fixed[w], refresh[w] = key.n, key.n, key.n
	}
	key.last = now
	if int(key.outlived) == windows {
		key.trim()
	}
}

// trim lets old hits go once they are the most: what is before the longest
// window is not needed again.
func (key *repeats) trim() {
	old := len(key.hits) - 1
	if key.single < key.outlived {
		old = key.left[key.outlived-1].head
	}
	if old < 16 || old <= len(key.hits)/2 {
		return
	}
	key.hits = slices.Delete(key.hits, 0, old)
	for w := key.single; w < key.outlived; w++ {
		key.left[w].head -= old
	}
}

// opened is when the fixed window that holds the last hit was opened.
func (key *repeats) opened(w int) int64 {
	switch {
	case w >= int(key.outlived):
		return key.first
	case w < int(key.single):
		return key.last
	}
	return key.left[w].opened
}

func (s *start) count(n *int32, now int64, total usage) {
	*n++
	switch *n {
	case 1:
		s.used = total
	case 2:
		s.second = now
	}
}

// upTo tells of the n hits that a kind counts in a window at now what those
// after the first have used, and how long ago the first of these was.
func (key *repeats) upTo(now int64, kind, w, n int) (used usage, delay int64) {
	used = key.total
	switch {
	case kind >= streakKind || kind == slidingKind:
		// These count the last n hits of the key, which are young enough to
		// be kept, unless the key had to make room.
		first := max(len(key.hits)-n, 0)
		used.add(key.hits[first].used, -1)
		return used, now - key.hits[min(first+1, len(key.hits)-1)].time
	case w >= int(key.outlived):
		return used, now - key.hits[1].time
	}
	from := &key.left[w].fixedFrom
	if kind == refreshKind {
		from = &key.left[w].refreshFrom
	}
	used.add(from.used, -1)
	return used, now - from.second
}
