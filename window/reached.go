package window

import (
	"encoding/binary"
	"hash/maphash"
)

// told is how high the hits of a scope have counted in a session and for a caller
// of late, which nobody was told yet: the next hit is mostly of the same. A scope
// of many sessions has a place for several of them.
type told struct {
	sessions []toldPlace // a power of two of them; none before the first hit
}

type toldPlace struct {
	session, caller string
	most            []uint8 // by cell; empty if there is none
}

// mostTold is how many places a scope has at most, and moreTold how many all scopes
// of a target have besides one for each, those included that are gone and whose
// memory waits for another.
const (
	mostTold = 64
	moreTold = 1 << 12
)

// at is the place of a session.
func (q *told) at(session string) *toldPlace {
	var end [8]byte // in which ids differ most
	copy(end[:], session[max(len(session)-len(end), 0):])
	hash := binary.LittleEndian.Uint64(end[:]) * 0x9e3779b97f4a7c15
	return &q.sessions[hash>>32&uint64(len(q.sessions)-1)]
}

// reach notes how high a hit counts in its scope, session and caller.
func (t *sweepTarget) reach(q *sequence, ev *Event) {
	if len(q.sessions) == 0 {
		q.sessions = append(q.sessions, toldPlace{})
	}
	place := q.at(ev.Session)
	for len(place.most) > 0 && place.session != ev.Session && len(q.sessions) < mostTold && t.moreTold+len(q.sessions) <= moreTold {
		t.moreTold += len(q.sessions)
		t.spread(q)
		place = q.at(ev.Session)
	}
	if len(place.most) > 0 && place.session == ev.Session && place.caller == ev.Caller {
		Raise(place.most, t.shown)
		return
	}
	t.tellOf(q, place)
	place.session, place.caller, place.most = ev.Session, ev.Caller, append(place.most[:0], t.shown...)
}

// spread gives the sessions of a scope twice as many places.
func (t *sweepTarget) spread(q *sequence) {
	old := q.sessions
	q.sessions = make([]toldPlace, 2*len(old))
	for i := range old {
		if len(old[i].most) > 0 {
			*q.at(old[i].session) = old[i]
		}
	}
}

var reachedSeed = maphash.MakeSeed()

// tell tells how high the hits of a scope have counted in it, in its sessions and
// for its callers, and forgets it. The places stay.
func (t *sweepTarget) tell(q *sequence) {
	for i := range q.sessions {
		t.tellOf(q, &q.sessions[i])
		q.sessions[i].most = q.sessions[i].most[:0]
	}
}

func (t *sweepTarget) tellOf(q *sequence, place *toldPlace) {
	if len(place.most) == 0 {
		return
	}
	t.inScopes.saw(binary.LittleEndian.Uint64(q.key[:]), place.most)
	if place.session != "" {
		t.inSessions.saw(maphash.String(reachedSeed, place.session), place.most)
	}
	if place.caller != "" {
		t.inCallers.saw(maphash.String(reachedSeed, place.caller), place.most)
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
// That is enough to tell in how many of them a setting fired. A month has very
// many sessions: each is a hash and the number of its counts, for most count
// alike.
type reached struct {
	highest *table[uint64, uint32] // the number of its counts and one
	counts  *Rows                  // by cell
	raised  []uint8
	gone    []int64 // of those that are not there any more: see add
	cells   int
	most    int
}

// reachedForKey is how many scopes, sessions and callers are known for each key
// that may be live: they are known for ever, and take less.
const reachedForKey = 4

func newReached(most, cells, keys int) *reached {
	r := &reached{cells: cells, most: most, counts: NewRows(cells)}
	r.highest = newTable[uint64](-1, reachedForKey*keys, func(highest *uint32) {
		if r.gone == nil {
			r.gone = r.numbers()
		}
		r.add(r.gone, *highest)
	})
	return r
}

// saw notes the highest of some counts by cell of one with that hash.
func (r *reached) saw(who uint64, counts []uint8) {
	highest := r.highest.touch(who, 0) // for ever
	if *highest > 0 {
		r.raised = append(r.raised[:0], r.counts.At(*highest-1)...)
		Raise(r.raised, counts)
		counts = r.raised
	}
	*highest = r.counts.Add(counts) + 1
}

func (r *reached) numbers() []int64 { return make([]int64, r.cells*(r.most+1)) }

// add adds the highest counts that have a number to numbers by cell and count.
func (r *reached) add(numbers []int64, highest uint32) {
	for c, n := range r.counts.At(highest - 1) {
		numbers[c*(r.most+1)+min(int(n), r.most)]++
	}
}

// by is how many reached each threshold of each cell, in the slice that of
// finds in it.
func (r *reached) by(cells []Swept, of func(*Swept) []int64) {
	numbers := r.numbers()
	copy(numbers, r.gone)
	for e := range r.highest.all() {
		r.add(numbers, e.state)
	}
	for c := range cells {
		list, n := of(&cells[c]), int64(0)
		for t := r.most; t >= 2; t-- {
			n += numbers[c*(r.most+1)+t]
			list[t] = n
		}
	}
}
