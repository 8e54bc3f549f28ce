package tune

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// keeper keeps the repeats that have ended: one by one while there is room, and
// beyond that the loops and the long ones.
type keeper struct {
	*collector
	labels  Labels
	most    int // the highest threshold
	room    int // repeats that are kept
	kept    []ranked
	least   rank // what ranks lower is summed up
	longest map[targetKind]*Repeat
	sums    sums
	counts  *window.Rows // of what is kept, if something is summed up
	fetched uint64       // what came of fetching what is at work
	all     []*Repeat    // in the end
}

// rank says what stays: loops first, then by requests.
type rank uint32

const loopRank rank = 1 << 31

type ranked struct {
	*Repeat
	rank rank
}

type targetKind struct {
	target int
	kind   window.Kind
}

func (k *Repeat) targetKind() targetKind { return targetKind{k.Target, k.Kind} }

// defaultRepeats is how many repeats that have ended are kept one by one unless
// told otherwise.
const defaultRepeats = 1 << 17

func newKeeper(c *collector, o *Options) *keeper {
	return &keeper{collector: c, labels: o.Labels, most: o.Most, room: cmp.Or(o.MaxRepeats, defaultRepeats), longest: map[targetKind]*Repeat{}, sums: newSums()}
}

// fetchedAtOnce are looked at together: they are in no cache, and one wait for
// memory overlaps the next.
const fetchedAtOnce = 16

// note notes what a sweep has found, and takes in what has ended.
func (s *keeper) note(found []window.Finding) {
	s.collector.note(found)
	s.take(s.ended())
}

func (s *keeper) take(ended []*Repeat) {
	for some := range slices.Chunk(ended, fetchedAtOnce) {
		for _, k := range some {
			s.fetched += uint64(k.facts.Requests)
			if len(k.hits) > 0 {
				s.fetched += uint64(k.hits[0].row)
			}
		}
		for _, k := range some {
			if k.empty() {
				s.free(k)
				continue
			}
			k.Kind = s.witness.KindAlone(k.Rule, k.facts)
			k.counted()
			if rank := s.rank(k); s.example(k) || rank >= s.least {
				s.kept = append(s.kept, ranked{k, rank})
			} else {
				s.sum(k)
			}
			if len(s.kept) > s.room { // however many come at once
				s.makeRoom()
			}
		}
	}
}

func (s *keeper) rank(k *Repeat) rank {
	r := rank(min(k.Requests, math.MaxInt32))
	if s.labels.isLoop(k) {
		r |= loopRank
	}
	return r
}

// example says whether a repeat is the longest of its rule and kind, of which
// that is shown.
func (s *keeper) example(k *Repeat) bool {
	longest := s.longest[k.targetKind()]
	if k.alone() || longest != nil && cmp.Or(cmp.Compare(longest.Requests, k.Requests), cmp.Compare(k.number, longest.number)) > 0 {
		return false
	}
	s.longest[k.targetKind()] = k
	return true
}

// makeRoom sums up half of what is kept: what ranks lowest, and of equals the
// first.
func (s *keeper) makeRoom() {
	ranks := make([]rank, len(s.kept))
	for i, k := range s.kept {
		ranks[i] = k.rank
	}
	slices.Sort(ranks)
	s.least = ranks[len(ranks)/2]
	lower, _ := slices.BinarySearch(ranks, s.least)
	equals := len(ranks)/2 - lower
	s.kept = slices.DeleteFunc(s.kept, func(k ranked) bool {
		switch {
		case k.rank > s.least || s.longest[k.targetKind()] == k.Repeat:
			return false
		case k.rank == s.least:
			if equals--; equals < 0 {
				return false
			}
		}
		s.sum(k.Repeat)
		return true
	})
	s.countAnew()
}

func (s *keeper) sum(k *Repeat) {
	s.sums.add(k, s.labels, highestThreshold(k.Rule, s.most), s.cells+len(k.tracked))
	s.free(k)
}

// countAnew takes the counts of what is kept from those of all that came, which
// need not be kept for them then.
func (s *keeper) countAnew() {
	if s.counts == nil || s.counts.Bytes() >= keptCounts/2 {
		s.counts = window.NewRows(s.cells)
	}
	for _, k := range s.kept {
		k.move(s.counts)
	}
}

// repeats are those that are left, with what they are, in the order in which they
// began.
func (s *keeper) repeats() []*Repeat {
	s.take(s.over)
	s.all = slices.Clone(s.open)
	for _, k := range s.kept {
		s.all = append(s.all, k.Repeat)
	}
	s.all = slices.DeleteFunc(s.all, (*Repeat).empty)
	slices.SortFunc(s.all, func(a, b *Repeat) int { return cmp.Compare(a.number, b.number) })
	inParts(runtime.GOMAXPROCS(0), len(s.all), func(_, from, to int) {
		for _, k := range s.all[from:to] {
			k.Kind, k.Evidence = s.witness.Kind(k.Rule, k.facts)
			k.counted()
		}
	})
	return s.all
}
