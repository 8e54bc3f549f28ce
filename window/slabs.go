package window

import "github.com/loopgauge/loopgauge/fingerprint"

// Slabs are the events of one block and their memory: an event costs no
// allocation of its own, and blocks that follow cost none at all.
//
// Lifetimes: an [Extractor] fills slabs from NewBlock to the next. The events,
// and all slices in them, are valid until Release; from then on they may be
// those of another block. Strings, and what pointers lead to, are never written
// over: they may be kept.
type Slabs struct {
	Events []Event
	pieces
	spare Spare
}

// pieces are what events are made of, each with a part of every slab.
type pieces struct {
	prints  []Prints
	sums    []fingerprint.Fingerprint
	scopes  []Scope
	texts   []string
	choices []Choice
	tools   []string
}

// Spare are slabs that were released, for blocks to come. Any number of
// goroutines may share it. Nil has none and takes none.
type Spare chan *Slabs

// mostSpare bounds what is kept for blocks that may not come: some for each
// processor, and slabs may be longer than their block.
const mostSpare = 32

// mostEvents and mostPrints are more than a block of short lines has. One line
// may be as long as many blocks: its slabs would stay as long as the process.
const (
	mostEvents = 1 << 15
	mostPrints = 1 << 17
)

// NewSpare makes an empty Spare.
func NewSpare() Spare { return make(Spare, mostSpare) }

// take are slabs without events.
func (spare Spare) take() *Slabs {
	select {
	case s := <-spare:
		s.Events = s.Events[:0]
		p := &s.pieces
		*p = pieces{p.prints[:0], p.sums[:0], p.scopes[:0], p.texts[:0], p.choices[:0], p.tools[:0]}
		return s
	default:
		return &Slabs{spare: spare}
	}
}

// Release says that nobody looks at the events any more.
func (s *Slabs) Release() {
	if poisoned {
		s.poison()
	}
	if cap(s.Events) > mostEvents || cap(s.sums) > mostPrints {
		return
	}
	select {
	case s.spare <- s:
	default:
	}
}

// roomFor is a list with room for n more at its end. It is another one where there
// is none: what stands in the old stays with the events that it is of, and a copy
// of it would be of no use to any.
func roomFor[T any](list []T, n int) []T {
	if n <= cap(list)-len(list) {
		return list
	}
	return make([]T, 0, max(n, 2*cap(list), leastRoom))
}

// leastRoom is room for an event or a few.
const leastRoom = 32

// poison writes over what is given back, so that a test fails that looks at it
// all the same: it finds a time before all others, causes that there are not,
// and a choice that no rule leaves.
func (s *Slabs) poison() {
	fill(s.Events, Event{Time: -1, Exclude: -1})
	fill(s.prints, Prints{Cause: fingerprint.Cause(fingerprint.Causes)})
	fill(s.sums, fingerprint.Fingerprint{})
	fill(s.scopes, Scope{Cause: fingerprint.Cause(fingerprint.Causes)})
	fill(s.texts, "released")
	fill(s.choices, 1<<14)
	fill(s.tools, "released")
}

func fill[T any](list []T, with T) {
	for i := range list {
		list[i] = with
	}
}
