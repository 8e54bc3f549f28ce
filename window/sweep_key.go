package window

import "slices"

// keyCounts is what a key that repeats has counted, in all cells.
//
// What its hits count in a window depends on how the key stands to it. The windows,
// the shortest first, are in three states, and each goes from whole to own, or by way
// of single:
//
//	0             single             outlived                windows
//	├── single ─────┼────── own ────────┼──────── whole ────────┤
//	       pair() ◄─┘                   └─► outlive()
//
// In a whole window nothing was forgotten, as the key is not older. All of them count
// how often it has come, sliding, fixed and refresh alike, and cost as much as one:
// their ladder is one rung, which needs not be kept. An own window has counts of its
// own. A single one the key has outlived without ever coming twice in it: it counts 1
// and costs nothing, as most keys that repeat do so after a pause longer than the
// short windows.
//
// What comes round may have begun before the key did. So cycle counts alike from
// apart on, which is outlived or more.
//
//	0                           apart                        windows
//	├── ladders in cycles ────────┼──── all climb one, cycle ────┤
type keyCounts struct {
	n        int32  // hits; 0 is none yet
	single   uint16 // windows; see above
	outlived uint16
	apart    uint16
	first    int64 // time of the key's first hit
	last     int64
	total    usage // by all hits but the first
	keyMemory
	streak ladder // of the windows that are whole
	cycle  ladder // of those that are not apart
	past   *past  // for trips by fingerprint; nil unless they need it
}

// keyMemory is what another key can use once a key is gone.
type keyMemory struct {
	hits   []keyHit    // that the longest window holds, and maybe some before
	own    []ownWindow // by window, those that are own; nil before the first
	cycles []ladder    // by window, from single to apart; likewise. Of no meaning where own is unbroken
}

// keyHit is a hit of a key.
type keyHit struct {
	time int64
	used usage // by the hits up to it, the key's first left out
}

// mostFreed bounds what is kept of a key, or a scope, that was hit very often.
const mostFreed = 64

// ownWindow is what a key counts in a window that is its own.
type ownWindow struct {
	head           int   // sliding: the first of the hits inside
	opened         int64 // fixed: when it opened
	fixed, refresh int32
	fixedFrom      start
	refreshFrom    start
	ladders        [cycleKind]ladder // by kind
	// Nothing has come between, so streak and cycle have always counted what
	// sliding does: its ladder is theirs.
	unbroken bool
}

// start is where a run began: what had been used then, and the time of its
// second hit.
type start struct {
	used   usage
	second int64
}

// outlive makes the shortest whole window one that is not. Up to here each hit has
// counted one more than the one before.
func (key *keyCounts) outlive(windows int, most int32) {
	w := key.outlived
	key.outlived++
	if key.n < 2 {
		key.single++
		return
	}
	l := key.ownOf(windows, w)
	second := start{second: key.hits[1].time}
	l.head, l.opened, l.fixed, l.refresh, l.fixedFrom, l.refreshFrom = 0, key.first, key.n, key.n, second, second
	for kind := range streakKind {
		l.ladders[kind] = ladder{threshold: min(key.n, most), last: key.last}
	}
	l.ladders[streakKind] = key.streak
	// Where streak counts what sliding does, so does cycle: there is a run.
	l.unbroken = key.streak == l.ladders[slidingKind]
}

// pair makes the longest single window the key's own: the next hit will be the
// second in it.
func (key *keyCounts) pair(windows int) {
	key.single--
	l := key.ownOf(windows, key.single)
	*l = ownWindow{head: len(key.hits) - 1, opened: key.last, fixed: 1, refresh: 1, fixedFrom: start{used: key.total}, refreshFrom: start{used: key.total}, unbroken: true}
}

// ownOf is where a window counts; what stands there may be of a key that is gone.
func (key *keyCounts) ownOf(windows int, w uint16) *ownWindow {
	if key.own == nil {
		key.own = make([]ownWindow, windows)
	}
	return &key.own[w]
}

func (key *keyCounts) cyclesOf(windows int) []ladder {
	if key.cycles == nil {
		key.cycles = make([]ladder, windows)
	}
	return key.cycles
}

// partCycles gives ladders of their own to the windows that are not whole any
// more, and to those whose counts are not what the longest window counts: what
// comes round may have begun before the key did.
func (key *keyCounts) partCycles(counts []int32) {
	apart, least := len(counts)-1, int(max(key.apart, key.outlived))
	for apart > least && counts[apart-1] == counts[len(counts)-1] {
		apart--
	}
	apart = max(apart, least)
	for w := int(max(key.apart, key.single)); w < apart; w++ {
		key.cyclesOf(len(counts))[w] = key.cycle
	}
	key.apart = uint16(apart)
}

// partOrder gives ladders of their own to streak and cycle, in a window of the
// key's own, once they count otherwise than sliding.
func (key *keyCounts) partOrder(w int, counts []int32) {
	l, windows, n := &key.own[w], len(key.own), counts[w]
	if l.unbroken && (counts[streakKind*windows+w] != n || counts[cycleKind*windows+w] != n) {
		l.unbroken = false
		l.ladders[streakKind], key.cyclesOf(windows)[w] = l.ladders[slidingKind], l.ladders[slidingKind]
	}
}

// countKey counts a hit by the kinds that look at its key alone.
func (t *sweepTarget) countKey(key *keyCounts, now int64, u usage) {
	windows := len(t.maxAges)
	// What a hit fires is not told by how often its key has come, if an override
	// sets its threshold: no window is whole any more.
	for int(key.outlived) < windows && (t.override > 0 && key.n > 0 || now-key.first > t.wholeAges[key.outlived]) {
		if t.trips != nil && t.trips.whole != nil {
			t.trips.endWhole(key)
		}
		key.outlive(windows, t.limit)
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
		l, age := &key.own[w], t.maxAges[w]
		for now-key.hits[l.head].time > age {
			l.head++
		}
		sliding[w] = int32(len(key.hits) - l.head)
		if now-l.opened > age {
			l.opened, l.fixed = now, 0
		}
		l.fixed++
		l.fixedFrom.hit(l.fixed, now, key.total)
		if now-key.last > age {
			l.refresh = 0
		}
		l.refresh++
		l.refreshFrom.hit(l.refresh, now, key.total)
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
func (key *keyCounts) trim() {
	old := len(key.hits) - 1
	if key.single < key.outlived {
		old = key.own[key.outlived-1].head
	}
	if old < 16 || old <= len(key.hits)/2 {
		return
	}
	key.hits = slices.Delete(key.hits, 0, old)
	for w := key.single; w < key.outlived; w++ {
		key.own[w].head -= old
	}
}

// opened is when the fixed window that holds the last hit was opened.
func (key *keyCounts) opened(w int) int64 {
	switch {
	case w >= int(key.outlived):
		return key.first
	case w < int(key.single):
		return key.last
	}
	return key.own[w].opened
}

// hit notes hit number n of the run.
func (s *start) hit(n int32, now int64, total usage) {
	switch n {
	case 1:
		s.used = total
	case 2:
		s.second = now
	}
}

// upTo tells of the n hits that a kind counts in a window at now what those
// after the first have used, and how long ago the first of these was. Fixed and
// refresh are asked of in windows of their own alone.
func (key *keyCounts) upTo(now int64, kind, w, n int) (used usage, delay int64) {
	used = key.total
	if kind >= streakKind || kind == slidingKind {
		// These count the last n hits of the key, which are young enough to
		// be kept, unless the key had to make room.
		first := max(len(key.hits)-n, 0)
		used.add(key.hits[first].used, -1)
		return used, now - key.hits[min(first+1, len(key.hits)-1)].time
	}
	from := &key.own[w].fixedFrom
	if kind == refreshKind {
		from = &key.own[w].refreshFrom
	}
	used.add(from.used, -1)
	return used, now - from.second
}
