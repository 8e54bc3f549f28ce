package window

import "slices"

// repeats is what a key that repeats has counted, in all cells.
type repeats struct {
	number  uint64
	first   int64 // time of the key's first hit
	last    int64
	times   ages    // sliding
	opened  []int64 // fixed: when each window opened
	fixed   []int32
	refresh []int32
	ladders []ladder // by cell
}

// sequence is what a scope has seen. Most scopes see one event, or are long
// gone when the next comes: what it takes to count comes with the second.
type sequence struct {
	print printKey // of the last event
	time  int64    // of the last event + 1; 0 is none yet
	*order
}

// order is a scope's trailing run of equal fingerprints, and what repeats at
// its tail.
type order struct {
	run ages
	tail
	all ages // of the events whose order the cycles look at
}

// ages are the times inside the longest window, and for each window where it
// begins in them.
type ages struct {
	times []int64
	heads []int
}

// add notes a time and counts, by window, the times inside.
func (a *ages) add(now int64, maxAges []int64, counts []int32) {
	if a.heads == nil {
		a.heads = make([]int, len(maxAges))
	}
	a.times = append(a.times, now)
	for w, age := range maxAges {
		head := a.heads[w]
		for now-a.times[head] > age {
			head++
		}
		a.heads[w] = head
		counts[w] = int32(len(a.times) - head)
	}
	// The longest window comes last: what is before it is not needed again.
	if old := a.heads[len(maxAges)-1]; old >= 16 && old > len(a.times)/2 {
		a.times = slices.Delete(a.times, 0, old)
		for w := range a.heads {
			a.heads[w] -= old
		}
	}
}

func (a *ages) reset() {
	a.times = a.times[:0]
	clear(a.heads)
}

// count sets t.counts for a hit, and returns the hit's key if it repeats.
func (s *Sweep) count(t *sweepTarget, h *Hit) *repeats {
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
		s.newRepeats(key, *first-1)
	}
	s.countPair(key, h.Time, t.counts)
	return key
}

func (s *Sweep) newRepeats(key *repeats, first int64) {
	windows := len(s.o.Windows)
	small := make([]int32, 2*windows)
	*key = repeats{
		number: s.number, first: first, opened: make([]int64, windows),
		fixed: small[:windows], refresh: small[windows:], ladders: make([]ladder, len(s.cells)),
	}
	s.countPair(key, first, make([]int32, len(s.cells)))
}

// countPair counts a hit by the kinds that look at its key alone.
func (s *Sweep) countPair(key *repeats, now int64, counts []int32) {
	windows := len(s.o.Windows)
	key.times.add(now, s.maxAges, counts[:windows])
	for w, age := range s.maxAges {
		if key.fixed[w] == 0 || now-key.opened[w] > age {
			key.opened[w], key.fixed[w] = now, 0
		}
		key.fixed[w]++
		if now-key.last > age {
			key.refresh[w] = 0
		}
		key.refresh[w]++
	}
	key.last = now
	copy(counts[windows:], key.fixed)
	copy(counts[2*windows:], key.refresh)
}

// countSequence counts a hit by the kinds that look at the order in its scope.
func (s *Sweep) countSequence(t *sweepTarget, h *Hit, counts []int32) {
	print := printKeyOf(&h.Print)
	q := t.scopes.touch(h.Scope, h.Time)
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
	}
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
	q.run.add(now, s.maxAges, counts[:windows])

	counts = counts[windows:]
	steps := t.steps.at(q.steps)
	c := cycle{period: int64(s.o.Period)}
	for p := int64(1); p <= c.period; p++ {
		steps[p-1].run = c.extend(&q.tail, steps, now, print, p)
	}
	steps[q.next%c.period].tailEvent = tailEvent{print, now}
	q.next++
	q.all.add(now, s.maxAges, counts[:windows])
	for w := range windows {
		from := q.next - int64(counts[w]) // position of the first event inside the window
		counts[w] = 1
		for p := int64(1); p <= c.period; p++ {
			if n := (q.next - max(steps[p-1].run.from, from)) / p; n >= 2 {
				counts[w] = int32(n)
				break
			}
		}
	}
}
