package window

import (
	"slices"
	"sort"
)

// sequence is what a scope has seen. Most scopes see one event, or are long
// gone when the next comes: what it takes to count comes with the second.
type sequence struct {
	print printKey // of the first event
	time  int64    // of the first event + 1; 0 is none yet
	*order
}

// order is a scope's trailing run of equal fingerprints, and what comes round
// at its tail.
//
// The run needs no times: it is the last hits of its key, which knows how many
// of these a window holds. Where the run is of two or more it is what comes
// round, too, as the shortest period. Times are kept only while something else
// comes round.
type order struct {
	next   int64         // position of the next event
	recent []recentEvent // as many as the longest period
	times  []int64       // of the last events
	past   *past         // for trips by scope; nil unless they need it
}

// recentEvent is an element of two lists in one: events are found by position modulo
// their number, runs by period less 1.
type recentEvent struct {
	print printKey
	run   int32 // events at the end that repeat with the period
	time  int64
}

// over keeps what a scope that goes leaves.
func (t *sweepTarget) over(q *sequence) {
	if q.order != nil && cap(q.times) <= mostFreed {
		t.orders = append(t.orders, q.order)
	}
}

// order is for a scope's second event.
func (t *sweepTarget) order() *order {
	last := len(t.orders) - 1
	if last < 0 {
		return &order{recent: make([]recentEvent, t.period)}
	}
	q := t.orders[last]
	t.orders = t.orders[:last]
	*q = order{recent: q.recent, times: q.times[:0]}
	return q
}

// follow puts a hit at the end of its scope's sequence, which is t.sequence then,
// nil if the hit is the first. hash is the scope's.
func (t *sweepTarget) follow(h *Hit, hash uint32) {
	print := printKeyOf(&h.Print)
	q := t.scopes.touchAt(hash, h.Scope, h.Time)
	if t.sequence = q.order; q.time == 0 {
		q.print, q.time = print, h.Time+1
		return
	}
	if q.order == nil {
		q.order = t.order()
		q.extend(q.print, q.time-1, t.maxAges)
		if t.trips != nil && t.trips.byScope {
			q.past = &past{}
			q.past.add(q.time-1, q.print.fingerprint(), t.trips.keep)
		}
		t.sequence = q.order
	}
	q.extend(print, h.Time, t.maxAges)
}

// extend puts an event at the end.
func (q *order) extend(print printKey, now int64, maxAges []int64) {
	period := len(q.recent)
	slot := int(q.next % int64(period))
	round := false // some period longer than the run comes round, be it the first time
	for i, at := 0, slot; i < period; i++ {
		if at--; at < 0 {
			at = period - 1
		}
		p, r := i+1, &q.recent[i]
		switch {
		case int64(p) <= q.next && q.recent[at].print == print:
			r.run++
			round = round || int32(p) > q.recent[0].run
		default:
			r.run = int32(min(int64(p), q.next+1))
		}
	}
	if round {
		q.note(slot, now, maxAges[len(maxAges)-1])
	} else {
		q.times = q.times[:0]
	}
	q.recent[slot].print, q.recent[slot].time = print, now
	q.next++
}

// note notes the time of the next event, and before the first one those of the
// events that may have begun to come round. slot is where the oldest of the
// recent ones stands.
func (q *order) note(slot int, now, longest int64) {
	switch {
	case len(q.times) == 0:
		period := len(q.recent)
		for i := max(period-int(min(q.next, int64(period))), 0); i < period; i++ {
			q.times = append(q.times, q.recent[(slot+i)%period].time)
		}
	case len(q.times) == cap(q.times):
		q.times = slices.Delete(q.times, 0, len(q.times)-inside(q.times, now, longest))
	}
	q.times = append(q.times, now)
}

// repetitions is how often the shortest period that repeats stands complete
// among so many events at the end.
func (q *order) repetitions(inside int) int32 {
	for i := range q.recent {
		p := i + 1
		if n := min(int(q.recent[i].run), inside); n >= 2*p {
			return int32(n / p)
		}
	}
	return 1
}

// inside is how many of some times, in rising order, are at most so old.
func inside(times []int64, now, age int64) int {
	return len(times) - sort.Search(len(times), func(i int) bool { return now-times[i] <= age })
}

// countSequence counts a hit, of a key that repeats, by the kinds that look at
// the order in its scope.
func (t *sweepTarget) countSequence(now int64) {
	windows, q := len(t.maxAges), t.sequence
	sliding, streak, cycle := t.counts[:windows], t.counts[streakKind*windows:cycleKind*windows], t.counts[cycleKind*windows:]
	run := int32(1)
	if q != nil {
		run = q.recent[0].run
	}
	for w, n := range sliding {
		streak[w] = min(n, run)
	}
	if run > 1 || q == nil || len(q.times) == 0 {
		copy(cycle, streak)
		return
	}
	for w, age := range t.maxAges {
		cycle[w] = q.repetitions(inside(q.times, now, age))
	}
}
