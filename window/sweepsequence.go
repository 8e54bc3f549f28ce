package window

import (
	"slices"
	"sort"
)

// sequence is what a scope has seen. Most scopes see one event, or are long
// gone when the next comes: what it takes to count comes with the second.
type sequence struct {
	print printKey // of the last event
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
	run   int32 // events
	tail        // without times
	times []int64
	past  past // for trips by scope
}

// follow puts a hit at the end of its scope's sequence, which is t.sequence then,
// nil if the hit is the first.
func (t *sweepTarget) follow(h *Hit) {
	print := printKeyOf(&h.Print)
	q := t.scopes.touch(h.Scope, h.Time)
	t.sequence = nil
	if q.time == 0 {
		q.print, q.time = print, h.Time+1
		return
	}
	if q.order == nil {
		q.order = &order{tail: tail{steps: t.steps.take()}}
		t.extend(q.order, q.print, q.time-1)
		if t.trips != nil && t.trips.byScope {
			q.past.add(q.time-1, q.print.fingerprint(), t.trips.keep)
		}
	}
	if t.sequence = q.order; q.print != print {
		q.run, q.print = 0, print
	}
	t.extend(q.order, print, h.Time)
}

// extend puts an event at the end of a sequence, whose trailing run is of its
// fingerprint.
func (t *sweepTarget) extend(q *order, print printKey, now int64) {
	q.run++
	steps := t.steps.at(q.steps)
	c := cycle{period: t.period}
	round := false // some period longer than the run comes round, be it the first time
	for p := int64(1); p <= c.period; p++ {
		run := c.extend(&q.tail, steps, now, print, p)
		steps[p-1].run = run
		round = round || p > int64(q.run) && run.from <= q.next-p
	}
	if round {
		q.note(steps, now, t.maxAges[len(t.maxAges)-1])
	} else {
		q.times = q.times[:0]
	}
	steps[q.next%c.period].tailEvent = tailEvent{print, now}
	q.next++
}

// note notes the time of the next event, and before the first one those of the
// events that may have begun to come round.
func (q *order) note(steps []step, now, longest int64) {
	period := int64(len(steps))
	switch {
	case len(q.times) == 0:
		for i := max(q.next-period, 0); i < q.next; i++ {
			q.times = append(q.times, steps[i%period].time)
		}
	case len(q.times) == cap(q.times):
		q.times = slices.Delete(q.times, 0, len(q.times)-inside(q.times, now, longest))
	}
	q.times = append(q.times, now)
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
		run = q.run
	}
	for w, n := range sliding {
		streak[w] = min(n, run)
	}
	if run > 1 || q == nil || len(q.times) == 0 {
		copy(cycle, streak)
		return
	}
	steps, before := t.steps.at(q.steps), 0
	for w, age := range t.maxAges {
		n := inside(q.times, now, age)
		if n == before { // events in the window before
			cycle[w] = cycle[w-1]
			continue
		}
		before = n
		cycle[w] = repetitions(steps, q.next, q.next-int64(n))
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
