package window

import "slices"

// told is how high the hits of a scope have counted since its session and its
// caller are these, which nobody was told: they mostly stay what they are.
type told struct {
	session, caller string
	most            []uint8 // by cell
}

// reach notes how high a hit counts in its scope, session and caller.
func (t *sweepTarget) reach(q *sequence, ev *Event) {
	if len(q.most) > 0 && q.session == ev.Session && q.caller == ev.Caller {
		raise(q.most, t.shown)
		return
	}
	t.tell(q)
	q.session, q.caller, q.most = ev.Session, ev.Caller, append(q.most[:0], t.shown...)
}

// tell tells how high the hits of a scope have counted in it, in its session and
// its caller.
func (t *sweepTarget) tell(q *sequence) {
	if len(q.most) == 0 {
		return
	}
	t.inScopes.saw(q.key, q.most)
	if q.session != "" {
		t.inSessions.saw(q.session, q.most)
	}
	if q.caller != "" {
		t.inCallers.saw(q.caller, q.most)
	}
}

// tellAll tells of all scopes that are known.
func (t *sweepTarget) tellAll() {
	t.seen.scopes.each(func(q *sequence) {
		if q.trail != nil {
			t.tell(q)
		}
	})
}

// reached knows the highest counts that each scope, session or caller has had.
// That is enough to tell in how many of them a setting fired.
type reached[K comparable] struct {
	highest *table[K, []uint8] // by cell
	gone    []int64            // of those that are not there any more: see add
	cells   int
	most    int
}

func newReached[K comparable](most, cells, keys int) *reached[K] {
	r := &reached[K]{cells: cells, most: most}
	r.highest = newTable[K](-1, keys, func(highest *[]uint8) {
		if r.gone == nil {
			r.gone = r.numbers()
		}
		r.add(r.gone, *highest)
	})
	return r
}

// saw notes the highest of some counts by cell.
func (r *reached[K]) saw(key K, counts []uint8) {
	highest := r.highest.touch(key, 0) // for ever
	if *highest == nil {
		*highest = slices.Clone(counts)
		return
	}
	raise(*highest, counts)
}

// raise makes each of the highest as high as the count beside it.
func raise(highest, counts []uint8) {
	highest = highest[:len(counts)]
	for i, n := range counts {
		if n > highest[i] {
			highest[i] = n
		}
	}
}

func (r *reached[K]) numbers() []int64 { return make([]int64, r.cells*(r.most+1)) }

// add adds one of the highest counts to numbers by cell and count.
func (r *reached[K]) add(numbers []int64, highest []uint8) {
	for c, n := range highest {
		numbers[c*(r.most+1)+min(int(n), r.most)]++
	}
}

// by is how many reached each threshold of each cell, in the slice that of
// finds in it.
func (r *reached[K]) by(cells []Swept, of func(*Swept) []int64) {
	numbers := r.numbers()
	copy(numbers, r.gone)
	for i := r.highest.oldest; i != 0; i = r.highest.entries.at(i).prev {
		r.add(numbers, r.highest.entries.at(i).state)
	}
	for c := range cells {
		list, n := of(&cells[c]), int64(0)
		for t := r.most; t >= 2; t-- {
			n += numbers[c*(r.most+1)+t]
			list[t] = n
		}
	}
}
