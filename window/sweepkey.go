package window

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// repeats is what a key that repeats has counted, in all cells.
//
// In a window that is longer than the key is old nothing has been forgotten:
// all such windows count the same, sliding, fixed and refresh alike, which is
// how often the key has come. They are whole, and cost as much as one. What is
// counted in a window of its own begins when the key grows older than it.
type repeats struct {
	n      int32 // hits; 0 is none yet
	first  int64 // time of the key's first hit
	second int64 // of the second
	last   int64
	total  usage // by all hits but the first
	keyMemory
	streak ladder // of the windows that are whole
	cycle  ladder // of the windows behind cycles, which always counted alike
	past   *past  // for trips by fingerprint; nil unless they need it
	keep   any    // of Repeat

	// Since when the session and the caller are these nothing was told to
	// reached: they mostly stay what they are.
	scope           fingerprint.ScopeKey
	session, caller string
}

// keyMemory is what another key can use once a key is gone.
type keyMemory struct {
	hits   []keyHit     // that the longest window holds, and maybe some before
	left   []leftWindow // the windows that are not whole any more, from the shortest on
	cycles []ladder     // of the shortest windows: those that have counted cycles on their own
	most   []uint8      // highest count by cell, of the session and the caller
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
	key := t.repeats.at(i)
	t.tell(key)
	var m keyMemory
	if cap(key.hits) <= mostFreed {
		m = keyMemory{key.hits[:0], key.left[:0], key.cycles[:0], key.most[:0]}
	}
	*key = repeats{keyMemory: m}
	t.freed = append(t.freed, i)
}

// reach notes how high a hit of a key counts in its scope, session and caller.
func (t *sweepTarget) reach(key *repeats, ev *Event) {
	if len(key.most) > 0 && key.session == ev.Session && key.caller == ev.Caller {
		raise(key.most, t.shown)
		return
	}
	t.tell(key)
	key.session, key.caller, key.most = ev.Session, ev.Caller, append(key.most[:0], t.shown...)
}

// tell tells how high the hits of a key have counted in its scope, session and
// caller.
func (t *sweepTarget) tell(key *repeats) {
	if len(key.most) == 0 {
		return
	}
	t.inScopes.saw(key.scope, key.most)
	if key.session != "" {
		t.inSessions.saw(key.session, key.most)
	}
	if key.caller != "" {
		t.inCallers.saw(key.caller, key.most)
	}
}

// tellAll tells of all keys that are live.
func (t *sweepTarget) tellAll() {
	t.seen.each(func(i uint32) { t.tell(t.repeats.at(i)) })
}

// leftWindow is what a key counts in a window that it has outlived.
type leftWindow struct {
	head           int   // sliding: the first of the hits inside
	opened         int64 // fixed: when it opened
	fixed, refresh int32
	fixedFrom      start
	refreshFrom    start
	ladders        [cycleKind]ladder // by kind
}

// start is where a run began: what had been used then, and the time of its
// second hit.
type start struct {
	used   usage
	second int64
}

// leave gives the shortest whole window counts of its own. Up to here each hit
// has counted one more than the one before.
func (key *repeats) leave(most int) {
	whole := start{second: key.second}
	l := leftWindow{opened: key.first, fixed: key.n, refresh: key.n, fixedFrom: whole, refreshFrom: whole}
	if key.n >= 2 {
		for kind := range streakKind {
			l.ladders[kind] = ladder{threshold: min(key.n, int32(most)), last: key.last}
		}
	}
	l.ladders[streakKind] = key.streak
	key.left = append(key.left, l)
}

// partCycles gives ladders of their own to the windows that are not whole any
// more, and to those whose counts are not what the longest window counts: what
// comes round may have begun before the key did.
func (key *repeats) partCycles(counts []int32) {
	apart := len(counts) - 1
	for apart > len(key.cycles) && counts[apart-1] == counts[len(counts)-1] {
		apart--
	}
	if len(key.left) == len(counts) {
		apart = len(counts)
	}
	for apart = max(apart, len(key.left)); len(key.cycles) < apart; {
		key.cycles = append(key.cycles, key.cycle)
	}
}

// count sets t.counts for a hit of the key that l looks at, and returns the key
// if it repeats. If it does not, only what a sequence counts is set, for trips.
func (t *sweepTarget) count(l *Look) *repeats {
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
	if key.n == 0 {
		key.first, key.scope = v.first, l.scope
		key.count(t, v.first, usage{}, t.counts)
		if t.trips != nil && !t.trips.byScope {
			key.past = &past{}
			key.past.add(v.first, t.hit.Print, t.trips.keep)
		}
	}
	key.count(t, now, usageOf(l.ev), t.counts)
	t.countSequence(now)
	return key
}

// count counts a hit by the kinds that look at its key alone.
func (key *repeats) count(t *sweepTarget, now int64, u usage, counts []int32) {
	windows := len(t.maxAges)
	for len(key.left) < windows && now-key.first > t.whole[len(key.left)] {
		if t.trips != nil && t.trips.together {
			t.trips.part(key, &t.hit)
		}
		key.leave(t.limit)
	}
	if key.n++; key.n == 2 {
		key.second = now
	}
	key.total.add(u, 1)
	key.hits = append(key.hits, keyHit{now, key.total})
	sliding, fixed, refresh := counts[:windows], counts[windows:2*windows], counts[2*windows:3*windows]
	for w := range key.left {
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
	for w := len(key.left); w < windows; w++ {
		sliding[w], fixed[w], refresh[w] = key.n, key.n, key.n
	}
	key.last = now
	if len(key.left) == windows {
		key.trim()
	}
}

// trim lets old hits go once they are the most: what is before the longest
// window is not needed again.
func (key *repeats) trim() {
	old := key.left[len(key.left)-1].head
	if old < 16 || old <= len(key.hits)/2 {
		return
	}
	key.hits = slices.Delete(key.hits, 0, old)
	for w := range key.left {
		key.left[w].head -= old
	}
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
	case kind >= streakKind || kind == 0:
		// These count the last n hits of the key, which are young enough to
		// be kept, unless the key had to make room.
		first := max(len(key.hits)-n, 0)
		used.add(key.hits[first].used, -1)
		return used, now - key.hits[min(first+1, len(key.hits)-1)].time
	case w >= len(key.left):
		return used, now - key.second
	}
	from := &key.left[w].fixedFrom
	if kind == refreshKind {
		from = &key.left[w].refreshFrom
	}
	used.add(from.used, -1)
	return used, now - from.second
}
