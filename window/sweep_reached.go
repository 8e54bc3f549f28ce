package window

import "hash/maphash"

// What a setting fires in.
const (
	inScopes = iota
	inSessions
	inCallers
	reachable
)

var reachedSeed = maphash.MakeSeed()

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
