package window

import "slices"

// repeats is what a key that repeats has counted, in all cells.
//
// In a window that is longer than the key is old nothing has been forgotten:
// all such windows count the same, sliding, fixed and refresh alike, which is
// how often the key has come. They are whole, and cost as much as one. What is
// counted in a window of its own begins when the key grows older than it.
type repeats struct {
	number uint64
	n      int32 // hits
	first  int64 // time of the key's first hit
	second int64 // of the second
	last   int64
	times  ages         // sliding
	used   []usage      // by times: what the hits up to there have used, the key's first left out
	total  usage        // by all
	left   []leftWindow // the windows that are not whole any more, from the shortest on
	streak ladder       // of the others
	cycles []ladder     // of the shortest windows: those that have counted on their own
	cycle  ladder       // of the others, which always counted alike
	past   past         // for trips by fingerprint
}

// leftWindow is what a key counts in a window that it has outlived.
type leftWindow struct {
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
			l.ladders[kind] = ladder{{min(key.n, int32(most)), key.last}}
		}
	}
	l.ladders[streakKind] = slices.Clone(key.streak)
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
		key.cycles = append(key.cycles, slices.Clone(key.cycle))
	}
}

// sequence is what a scope has seen. Most scopes see one event, or are long
// gone when the next comes: what it takes to count comes with the second.
type sequence struct {
	print printKey // of the last event
	time  int64    // of the first event + 1; 0 is none yet
	*order
}

// order is a scope's trailing run of equal fingerprints, and what repeats at
// its tail.
type order struct {
	run ages
	tail
	all  ages // of the events whose order the cycles look at
	past past // for trips by scope
}

// ages are the times inside the longest window, and for each window where it
// begins in them.
type ages struct {
	times []int64
	heads []int
}

// add notes a time and counts, by window, the times inside. It returns how
// many old times it let go.
func (a *ages) add(now int64, maxAges []int64, counts []int32) (gone int) {
	if a.heads == nil {
		a.heads = make([]int, len(maxAges))
	}
	a.times = append(a.times, now)
	for w, age := range maxAges {
		head := a.heads[w]
		if head == 0 && now-a.times[0] <= age { // nor has any longer window lost any
			for ; w < len(maxAges); w++ {
				counts[w] = int32(len(a.times))
			}
			break
		}
		for now-a.times[head] > age {
			head++
		}
		a.heads[w] = head
		counts[w] = int32(len(a.times) - head)
	}
	return a.trim()
}

// trim lets old times go once they are the most: what is before the longest
// window, which comes last, is not needed again. It returns how many.
func (a *ages) trim() (gone int) {
	old := a.heads[len(a.heads)-1]
	if old < 16 || old <= len(a.times)/2 {
		return 0
	}
	a.times = slices.Delete(a.times, 0, old)
	for w := range a.heads {
		a.heads[w] -= old
	}
	return old
}

// put adds a time and counts nothing: where the windows begin is found by the
// next add. Memory stays what it is with add.
func (a *ages) put(now int64, maxAges []int64) {
	if a.heads == nil {
		a.heads = make([]int, len(maxAges))
	}
	if len(a.times) == cap(a.times) {
		longest := len(maxAges) - 1
		head := a.heads[longest]
		for head < len(a.times) && now-a.times[head] > maxAges[longest] {
			head++
		}
		for w := range a.heads {
			a.heads[w] = max(a.heads[w], head)
		}
		a.trim()
	}
	a.times = append(a.times, now)
}

func (a *ages) reset() {
	a.times = a.times[:0]
	clear(a.heads)
}

// count sets t.counts for a hit, whose request uses u, and returns the hit's
// key if it repeats.
func (s *Sweep) count(t *sweepTarget, h *Hit, u usage) *repeats {
	windows := len(s.o.Windows)
	s.countSequence(t, h, t.counts[3*windows:])

	pair := pairKeyOf(h)
	first := t.seen.touch(pair, h.Time)
	if *first == 0 {
		*first = h.Time + 1 // 0 is a key not seen before
		return nil
	}
	key := t.repeats.touch(pair, h.Time)
	if key.number == 0 {
		s.number++
		*key = repeats{number: s.number, first: *first - 1}
		key.count(t, &Hit{Scope: h.Scope, Print: h.Print, Time: key.first}, usage{}, t.counts)
		if t.trips != nil && !t.trips.byScope {
			key.past.add(*first-1, h.Print, t.trips.keep)
		}
	}
	key.count(t, h, u, t.counts)
	return key
}

// count counts a hit by the kinds that look at its key alone.
func (key *repeats) count(t *sweepTarget, h *Hit, u usage, counts []int32) {
	windows, now := len(t.maxAges), h.Time
	for len(key.left) < windows && now-key.first > t.whole[len(key.left)] {
		if t.trips != nil && t.trips.together {
			t.trips.part(key, h)
		}
		key.leave(t.limit)
	}
	if key.n++; key.n == 2 {
		key.second = now
	}
	key.total.add(u, 1)
	gone := key.times.add(now, t.maxAges, counts[:windows])
	key.used = slices.Delete(append(key.used, key.total), 0, gone)
	fixed, refresh := counts[windows:2*windows], counts[2*windows:3*windows]
	for w := range fixed {
		if w >= len(key.left) {
			fixed[w], refresh[w] = key.n, key.n
			continue
		}
		l, age := &key.left[w], t.maxAges[w]
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
	key.last = now
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

// upTo tells of the n hits that a cell counts at now what those after the
// first have used, and how long ago the first of these was.
func (key *repeats) upTo(now int64, cell, windows, n int) (used usage, delay int64) {
	used = key.total
	kind, w := cell/windows, cell%windows
	switch {
	case kind >= streakKind || kind == 0:
		// These count the last n hits of the key, which are young enough to
		// be kept, unless the key had to make room.
		first := max(len(key.used)-n, 0)
		used.add(key.used[first], -1)
		return used, now - key.times.times[min(first+1, len(key.used)-1)]
	case w >= len(key.left):
		return used, now - key.second
	}
	from := &key.left[w].fixedFrom
	if kind == 2 {
		from = &key.left[w].refreshFrom
	}
	used.add(from.used, -1)
	return used, now - from.second
}

// countSequence counts a hit by the kinds that look at the order in its scope.
func (s *Sweep) countSequence(t *sweepTarget, h *Hit, counts []int32) {
	print := printKeyOf(&h.Print)
	q := t.scopes.touch(h.Scope, h.Time)
	t.sequence = nil
	switch {
	case q.time == 0:
		q.print, q.time = print, h.Time+1
		for i := range counts {
			counts[i] = 1
		}
		return
	case q.order == nil:
		q.order = &order{tail: tail{steps: t.steps.take()}}
		s.follow(t, q.order, q.print, q.time-1, counts)
		if t.trips != nil && t.trips.byScope {
			q.past.add(q.time-1, q.print.fingerprint(), t.trips.keep)
		}
	}
	t.sequence = q.order
	if q.print != print {
		q.run.reset()
		q.print = print
	}
	s.follow(t, q.order, print, h.Time, counts)
}

// follow puts an event at the end of a scope's sequence, whose trailing run is
// of its fingerprint.
func (s *Sweep) follow(t *sweepTarget, q *order, print printKey, now int64, counts []int32) {
	windows := len(s.o.Windows)
	q.run.add(now, t.maxAges, counts[:windows])

	counts = counts[windows:]
	steps := t.steps.at(q.steps)
	c := cycle{period: t.period}
	repeats := false // some period, in a window without end
	for p := int64(1); p <= c.period; p++ {
		run := c.extend(&q.tail, steps, now, print, p)
		steps[p-1].run = run
		repeats = repeats || q.next+1-run.from >= 2*p
	}
	steps[q.next%c.period].tailEvent = tailEvent{print, now}
	q.next++
	if !repeats { // as mostly
		q.all.put(now, t.maxAges)
		for w := range windows {
			counts[w] = 1
		}
		return
	}
	q.all.add(now, t.maxAges, counts[:windows])
	inside := int32(0) // events in the window before
	for w, n := range counts {
		if n == inside {
			counts[w] = counts[w-1]
			continue
		}
		inside = n
		counts[w] = repetitions(steps, q.next, q.next-int64(n))
	}
}

// repetitions is how often the shortest period that repeats stands complete at
// the end of a sequence, as far as it reaches back no further than from.
func repetitions(steps []step, end, from int64) int32 {
	for i := range steps {
		p := int64(i + 1)
		if n := end - max(steps[i].run.from, from); n >= 2*p {
			return int32(n / p)
		}
	}
	return 1
}
