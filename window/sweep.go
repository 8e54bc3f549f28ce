package window

import (
	"math"
	"slices"
	"time"
)

// Sweep counts the repeats of a log in many ways at once: every counter kind
// with every window, each at every threshold. It answers what a rule with that
// setting would do, as an Engine with the rule would: a counter knows no
// threshold, so one count answers all of them.
//
// What a gateway does on tripping (cooldown, blocked_counts, reset_on_fire)
// changes later counts. For rules that have it, and for the tracker, which
// knows nothing else, each setting is simulated besides: see [Swept.Stopped]
// and [SweepTarget.Tracker].
type Sweep struct {
	o       SweepOptions
	plan    *Plan
	cells   []SweepCell
	targets []*sweepTarget
	sights  []sight // by target; not in it, as Look is called while others count
	looks   []Look  // of Add
	found   *Findings
	fetched uint64 // what came of fetching for the events at work

	ordinals ordinals // of the event at work
}

// SweepOptions are the axes of a sweep.
type SweepOptions struct {
	Windows []time.Duration // in rising order, all above 0
	Most    int             // the highest threshold, at most 255; the lowest is 2
	MaxKeys int             // cap on live keys of a target, 0 for none

	// Witness asks for Findings, and says which requests it is to hear: who notes in
	// it what is found keeps it. Nil where nobody does.
	Witness *Witness
	InRow   time.Duration // in which the same may come in a row, if it is longer than Windows
}

// SweepKinds are the counter kinds that every target is counted by, in the
// order of its cells. The tracker is not among them: what it counts depends on
// what fired.
var SweepKinds = []string{slidingKind: "sliding", fixedKind: "fixed", refreshKind: "refresh", streakKind: "streak", cycleKind: "cycle"}

// The kinds of a sweep. Those from streak on look at the order in a scope, those
// before it at a key alone.
const (
	slidingKind = iota
	fixedKind
	refreshKind
	streakKind
	cycleKind
	sweptKinds
)

// SweepCell is one way to count, whatever the threshold.
type SweepCell struct {
	Kind   string
	Window time.Duration
}

// SweepTarget is what is counted for one rule. Its threshold does not matter,
// nor does the kind of its counter and the window; the rest of it does.
type SweepTarget struct {
	Rule    *Rule
	Cells   []Swept
	Tracker []Swept // by window, simulated; nil unless the rule's counter is the tracker
	Dropped int64   // keys that had to make room before they were quiet
}

// Cell is one of Cells or, behind these, of Tracker.
func (t *SweepTarget) Cell(i int) *Swept {
	if own := len(t.Cells); i >= own {
		return &t.Tracker[i-own]
	}
	return &t.Cells[i]
}

// NewSweep sweeps each rule of plan that rules name by index.
func NewSweep(plan *Plan, rules []int, o SweepOptions) *Sweep {
	if len(o.Windows) == 0 || o.Most < 2 || o.Most > math.MaxUint8 || !slices.IsSorted(o.Windows) || len(o.Windows) > math.MaxUint16/tallyGroups {
		panic("window: a sweep needs rising windows, and thresholds from 2 to 255")
	}
	s := &Sweep{o: o, plan: plan}
	for _, kind := range SweepKinds {
		for _, w := range o.Windows {
			s.cells = append(s.cells, SweepCell{kind, w})
		}
	}
	for _, r := range rules {
		s.targets, s.sights = append(s.targets, s.newTarget(r)), append(s.sights, newSight(plan, r))
	}
	return s
}

// Cells are the cells of every target, kind by kind and in it by window.
func (s *Sweep) Cells() []SweepCell { return s.cells }

// Add counts events, where nobody asks what is found. They come in release order.
func (s *Sweep) Add(events ...*Event) {
	s.looks = s.looks[:0]
	for _, ev := range events {
		s.looks = s.Look(s.looks, ev)
	}
	s.Count(s.looks, nil)
}

// ahead is how many keys are found at a time.
const ahead = 16

// Count counts what was looked at, and adds what it finds; found is nil where
// SweepOptions do not ask for that. Many at a time take less time: their keys are
// in no cache, and one wait for memory overlaps the next.
func (s *Sweep) Count(looks []Look, found *Findings) {
	s.found = found
	for len(looks) > 0 {
		some := looks[:min(ahead, len(looks))]
		for i := range some {
			if l := &some[i]; l.prints > 0 {
				l.entry, l.hash = s.targets[l.target].seen.hold(&l.scope, &l.print)
			}
		}
		for i := range some {
			if l := &some[i]; l.prints > 0 {
				s.fetched += s.targets[l.target].seen.fetch(l.entry, l.hash)
			}
		}
		for i := range some {
			s.countEvent(&some[i])
		}
		looks = looks[len(some):]
	}
}

// Result is what has been counted so far, by rule in the order of NewSweep.
func (s *Sweep) Result() []SweepTarget {
	results := make([]SweepTarget, len(s.targets))
	for i, t := range s.targets {
		r := &results[i]
		*r = SweepTarget{Rule: t.rule}
		r.Dropped = t.seen.dropped + t.dropped
		r.Cells = t.tally.swept(s.cells)
		t.seen.scopes.each(t.tellAll)
		for in, reached := range t.reached {
			r.Dropped += reached.highest.dropped
			reached.by(r.Cells, func(w *Swept) []int64 { return w.reached(in) })
		}
		t.delays.quantiles(r.Cells, t.tally.cells)
		if t.trips != nil {
			t.trips.result(r)
		}
	}
	return results
}
