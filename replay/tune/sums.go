package tune

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/loopgauge/loopgauge/window"
)

// sums are what is left of repeats that have ended and for which there is no
// room any more. Every number is what it would be if each were still there, but
// for the border of the time that settings are chosen on: it is as fine as a
// slot.
type sums struct {
	first, last int64 // microseconds: between them the repeats begin
	fine        int   // a slot is so many bits of a time, the lowest
	tallies     map[alike]*tally
	loops       map[whose][]uint8 // the highest counts by cell of its loops
	repeats     int
}

// slots is how many parts the time has in which the repeats begin that are summed
// up, at most; at least half of that, once it is longer than so many seconds.
const slots = 64

const finest = 20 // some second

// mostAlike is how many sums are kept apart. Beyond it nobody asks any more what
// an exclusion would take out: web servers have a path for every page.
const mostAlike = 1 << 13

// alike is what is the same of repeats that are summed up together.
type alike struct {
	target   int
	slot     int64 // of the first request
	kind     window.Kind
	class    Class // as if nothing were excluded
	labelled bool
	alone    bool
	of       reason // why it may be excluded
	shows    reason // what an exclusion would go by; only of a loop, and of what is alone
}

// whose names a session or conversation in which a rule found a repeat; the time
// of the first request stands for what has none.
type whose struct {
	target int
	who    string
	first  int64
}

func (w whose) String() string { return cmp.Or(w.who, strconv.FormatInt(w.first, 10)) }

func (k *Repeat) whose() whose {
	if who := k.who(); who != "" {
		return whose{target: k.Target, who: who}
	}
	return whose{target: k.Target, first: k.First}
}

func newSums() sums {
	return sums{first: math.MaxInt64, last: math.MinInt64, fine: finest, tallies: map[alike]*tally{}, loops: map[whose][]uint8{}}
}

// add sums a repeat up that has its kind. Counts above most are as good as that,
// and a rule has so many cells.
func (s *sums) add(k *Repeat, labels Labels, most, cells int) {
	s.repeats++
	a := alikeOf(k, labels)
	a.slot = s.slot(k.First)
	t := s.tallies[a]
	if t == nil && len(s.tallies) >= mostAlike {
		a.of, a.shows = reason{}, reason{}
		t = s.tallies[a]
	}
	if t == nil {
		t = &tally{cells: cells}
		s.tallies[a] = t
	}
	t.note(k, most)
	if a.class.isLoop() {
		s.noteLoop(k, cells)
	}
}

// noteLoop notes the highest counts of a loop for those whose it is.
func (s *sums) noteLoop(k *Repeat, cells int) {
	w := k.whose()
	if s.loops[w] == nil {
		s.loops[w] = make([]uint8, cells)
	}
	window.Raise(s.loops[w], k.highest())
}

// caught are those of whom a setting that is advised catches a loop.
func (s *sums) caught(a *Advice) iter.Seq[whose] {
	return func(yield func(whose) bool) {
		for w, counts := range s.loops { // any order: who asks makes a set
			if w.target == a.Target && int(counts[a.Cell]) >= a.Threshold && !yield(w) {
				return
			}
		}
	}
}

// looping are the sessions and conversations in which a rule found a loop that
// looks at what was said or called. To the others all that a gateway is asked may
// be the same: their word counts where it is all there is, and where a label says
// it.
func looping(kept []*keeper, rules []window.RuleAccount) map[conversation]bool {
	loops, seen := map[conversation]bool{}, !blind(rules, true)
	for _, s := range kept {
		note := func(target int, who string) {
			loop, labelled := s.labels[who]
			if labelled && !loop {
				return
			}
			if !seen || labelled || s.plan.Rules[s.rules[target]].Identity.Sees != 0 {
				loops[conversationOf(who)] = true
			}
		}
		for w := range s.sums.loops { // any order: a set
			note(w.target, w.who)
		}
		for _, k := range s.all {
			if s.labels.isLoop(k) {
				note(k.Target, k.who())
			}
		}
	}
	delete(loops, 0) // those of nobody
	return loops
}

// slot is that of a time. Slots grow where there would be too many.
func (s *sums) slot(time int64) int64 {
	s.first, s.last = min(s.first, time), max(s.last, time)
	for s.last>>s.fine-s.first>>s.fine >= slots {
		s.fine++
		old := s.tallies
		s.tallies = make(map[alike]*tally, len(old))
		for a, t := range old { // any order: sums
			a.slot >>= 1
			if at := s.tallies[a]; at != nil {
				at.plus(t)
				continue
			}
			s.tallies[a] = t
		}
	}
	return time >> s.fine
}

// before says whether most of a slot is up to a time.
func (s *sums) before(slot, time int64) bool { return (2*slot+1)<<(s.fine-1) <= time }

// alikeOf says what is the same of a repeat and others; its slot is not set.
func alikeOf(k *Repeat, labels Labels) alike {
	class, labelled := labels.class(k)
	a := alike{target: k.Target, kind: k.Kind, class: class, labelled: labelled, alone: k.alone(), of: reasonOf(k)}
	if class.isLoop() || a.alone {
		a.shows = shows(k)
	}
	return a
}

// alike are the repeats of a report that have as much in common, and how many
// they are: what is summed up, and behind it what is not, one by one.
func (r *Report) alike() iter.Seq2[alike, int] {
	return func(yield func(alike, int) bool) {
		for a, t := range r.sums.tallies { // any order: who asks adds up
			if !yield(a, t.repeats) {
				return
			}
		}
		for _, k := range r.Repeats {
			if !yield(alikeOf(k, r.Options.Labels), 1) {
				return
			}
		}
	}
}

// Summed is how many repeats are summed up: Repeats has them no more.
func (r *Report) Summed() int { return r.sums.repeats }

// Sum is what is left of some repeats of a target, of one kind.
type Sum struct {
	Target int
	Kind   window.Kind
	*tally
}

// Sums yields what is left of the repeats that are summed up, by target and kind.
func (r *Report) Sums(yield func(Sum) bool) {
	for _, a := range slices.SortedFunc(maps.Keys(r.sums.tallies), func(a, b alike) int {
		return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.kind, b.kind))
	}) {
		if !yield(Sum{a.target, a.kind, r.sums.tallies[a]}) {
			return
		}
	}
}

// Highest yields the highest counts that these repeats have in a cell, and how
// many have each.
func (t *tally) Highest(cell int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for at := cell; at < len(t.at); at += t.cells {
			if n := t.at[at].repeats; n > 0 && !yield(at/t.cells, int(n)) {
				return
			}
		}
	}
}
