package window

import (
	"slices"
	"sort"
)

// sequence is the order of the events of a scope. Most scopes see one event, or are
// long gone when the next comes: what it takes to count comes with the second.
type sequence struct {
	next int64 // position of the next event
	last int64 // time of the last event
	*trail
}

// trail is a scope's trailing run of equal fingerprints, and what comes round
// at its tail.
//
// An event repeats with a period if it is equal to the one so many before. What
// comes round with a period are the events at the end that all repeat with it, and
// those of the period before them. So for each period it is enough to know which
// event broke it last:
//
//	position                      0  1  2  3  4  5  6
//	fingerprint                   A  B  C  B  C  B  C
//	shortest period               -  -  -  2  2  2  2
//	broke                         0  1  2  2  2  2  2
//	at the end, with period 2                         6 = 2 + 6 - broke
//
// The run needs no times: it is the last hits of its key, which knows how many
// of these a window holds. Where the run is of two or more it is what comes
// round, too, as the shortest period. Times are kept only while something else
// comes round.
type trail struct {
	broke  int64         // position of the last event that repeats with no period
	slot   int           // of the next event
	recent []recentEvent // as many as the longest period
	times  []int64       // of the last events, as far as they come round; none if but the run does
	past   *past         // for trips by scope; nil unless they need it
	highs  highs
}

// recentEvent is an element of two lists in one: events are found by position
// modulo their number, periods less 1.
type recentEvent struct {
	time  int64
	broke int64 // position of the last event that does not repeat with the period
}

// spot is where in its scope a key came last, and before: of the periods from 1
// to MaxPeriod a bit each, set if it came so many events earlier.
type spot struct{ at, before uint32 }

// move moves a key to another position.
func (p *spot) move(position int64) {
	at := uint32(position)
	ago := at - p.at
	*p = spot{at, 1<<(ago-1) | p.before<<ago}
}

// dropScope lets go of what a scope has seen. Another can use its memory.
func (t *sweepTarget) dropScope(scope *seenScope) {
	if scope.trail == nil {
		return
	}
	t.tellAll(scope)
	if cap(scope.times) <= mostFreed {
		t.trails = append(t.trails, scope.trail)
	} else {
		t.moreHighs -= max(len(scope.highs)-1, 0)
	}
}

// newTrail makes the trail of a scope at its second event, in memory that others
// have left.
func (t *sweepTarget) newTrail() *trail {
	last := len(t.trails) - 1
	if last < 0 {
		return &trail{recent: make([]recentEvent, t.period)}
	}
	q := t.trails[last]
	t.trails = t.trails[:last]
	clear(q.recent)
	*q = trail{recent: q.recent, times: q.times[:0], highs: q.highs}
	return q
}

// follow puts a hit at the end of its scope's sequence. The scope is t.scope then,
// nil if the hit is its first. again says that the key has come before.
func (t *sweepTarget) follow(l *Look, v *visit, again bool) {
	scope, now := t.seen.scope(l.entry), l.time
	q := &scope.sequence
	if again {
		v.move(q.next)
	} else {
		v.spot = spot{at: uint32(q.next)}
	}
	t.scope = nil
	if q.next == 0 {
		q.next, q.last = 1, now
		if t.trips != nil && t.trips.byScope {
			q.trail = t.newTrail()
			q.past = &past{}
			q.past.add(now, t.trips.hit.Print, t.trips.keep)
		}
		return
	}
	if q.next == 1 {
		if q.trail == nil {
			q.trail = t.newTrail()
		}
		q.keep(q.last)
	}
	q.extend(v.before, now, t.maxAges[len(t.maxAges)-1])
	t.scope = scope
}

// extend puts an event at the end, which repeats with some periods.
func (q *sequence) extend(periods uint32, now, longest int64) {
	at := q.next
	q.next, q.last = at+1, now
	others := MaxPeriod - len(q.recent)
	if periods = periods << others >> others; periods == 0 { // mostly, and there is no more to fetch
		q.broke, q.times = at, q.times[:0]
		q.keep(now)
		return
	}
	for i := range q.recent {
		if periods>>i&1 == 0 {
			q.recent[i].broke = at
		}
	}
	if periods>>q.run(1) != 0 { // with one longer than the run, be it the first time
		q.note(now, longest)
	} else {
		q.times = q.times[:0]
	}
	q.keep(now)
}

// run is how many events at the end repeat with a period.
func (q *sequence) run(period int) int64 {
	return int64(period) + q.next - 1 - max(q.broke, q.recent[period-1].broke)
}

// keep keeps the time of an event.
func (q *trail) keep(time int64) {
	q.recent[q.slot].time = time
	if q.slot++; q.slot == len(q.recent) {
		q.slot = 0
	}
}

// note notes the time of the last event, and before the first one those of the
// events that may have begun to come round.
func (q *sequence) note(now, longest int64) {
	switch {
	case len(q.times) == 0:
		period := len(q.recent)
		for i := period - int(min(q.next-1, int64(period))); i < period; i++ {
			q.times = append(q.times, q.recent[(q.slot+i)%period].time)
		}
	case len(q.times) == cap(q.times): // if old ones are the most they go, else there must be more room
		if old := len(q.times) - inside(q.times, now, longest); old > len(q.times)/2 {
			q.times = slices.Delete(q.times, 0, old)
		}
	}
	q.times = append(q.times, now)
}

// repetitions is how often the shortest period that repeats stands complete
// among so many events at the end, and which that is.
func (q *sequence) repetitions(inside int) (n int32, period int) {
	for p := 1; p <= len(q.recent); p++ {
		if n := int(min(q.run(p), int64(inside))); n >= 2*p {
			return int32(n / p), p
		}
	}
	return 1, 1
}

// inside is how many of some times, in rising order, are at most so old.
func inside(times []int64, now, age int64) int {
	return len(times) - sort.Search(len(times), func(i int) bool { return now-times[i] <= age })
}

// countSequence counts a hit, of a key that repeats, by the kinds that look at
// the order in its scope.
func (t *sweepTarget) countSequence(now int64) {
	q, streak, cycle := &t.scope.sequence, t.countsOf(streakKind), t.countsOf(cycleKind)
	t.cyclePeriod = 1
	run := q.run(1)
	for w, n := range t.countsOf(slidingKind) {
		streak[w] = int32(min(int64(n), run))
	}
	if run > 1 || len(q.times) == 0 {
		copy(cycle, streak)
		return
	}
	for w, age := range t.maxAges {
		cycle[w], t.cyclePeriod = q.repetitions(inside(q.times, now, age))
	}
}
