package window

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Sweep counts the repeats of a log in many ways at once: every counter kind
// with every window, each at every threshold. It answers what a rule with that
// setting would do, as an Engine with the rule would: a counter knows no
// threshold, so one count answers all of them.
//
// What a gateway does on tripping (cooldown, blocked_counts, reset_on_fire)
// changes later counts and is not part of a sweep.
//
// Only keys that repeat cost more than an entry in a table.
type Sweep struct {
	o       SweepOptions
	plan    *Plan
	maxAges []int64
	cells   []SweepCell
	targets []*sweepTarget
	repeat  Repeat
	number  uint64
}

// SweepOptions are the axes of a sweep.
type SweepOptions struct {
	Windows []time.Duration // in rising order, all above 0
	Most    int             // the highest threshold; the lowest is 2
	Period  int             // of the cycle counter; 0 is DefaultPeriod
	MaxKeys int             // cap on live keys of a target, 0 for none

	// Repeat is called for every hit that repeats another within the longest
	// window; nil where not wanted. It must not keep what it is given.
	Repeat func(*Repeat)
	// Ended is called when the key of a Repeat has been quiet for longer than
	// any setting looks back, or its memory was needed.
	Ended func(number uint64)
}

// SweepKinds are the counter kinds that a sweep knows, in the order of its
// cells. The tracker is not among them: what it counts depends on what fired.
var SweepKinds = []string{"sliding", "fixed", "refresh", "streak", "cycle"}

// SweepCell is one way to count: a column of all thresholds.
type SweepCell struct {
	Kind   string
	Window time.Duration
}

// Repeat is a hit that repeats an earlier one.
type Repeat struct {
	Number      uint64 // of the key while it lives, from 1
	Target      int
	Event       *Event
	Scope       *Scope
	Fingerprint fingerprint.Fingerprint
	First       int64   // time of the key's first hit
	Counts      []int32 // by cell
}

// Swept is what one cell of one target has counted. Slices are by threshold:
// element T is of the rule that fires at T; 0 and 1 are not used.
type Swept struct {
	SweepCell
	Requests    []int64   // with a count of T or more
	Episodes    []int64   // as an Engine with the rule would count them
	Scopes      []int64   // distinct scopes in which it fired
	TokensAfter []int64   // of the requests that fired, without the first of each episode
	CostAfter   []float64 // likewise, USD
}

// SweepTarget is what is counted for one rule. Its threshold and counter do
// not matter, its match and overrides do.
type SweepTarget struct {
	Rule     *Rule
	Cells    []Swept
	Requests int64 // that had a fingerprint and a scope
	Dropped  int64 // keys that had to make room before they were quiet
}

// sweepTarget is a target at work.
type sweepTarget struct {
	rule            int
	identity, scope int
	quiet           []int64 // by window: the longest pause inside an episode
	seen            *table[pairKey, int64]
	repeats         *table[pairKey, repeats]
	scopes          *table[fingerprint.ScopeKey, sequence]
	most            *table[fingerprint.ScopeKey, []int32] // highest count by cell, of scopes that repeat
	steps           steps
	requests        int64
	tallies         []sweepTally // by cell
	counts          []int32      // of one hit
	highest         []int32      // of one request
	opened          []span       // by cell: episodes that this request opened
}

// sweepTally adds up one cell. Histograms are by count, and differences by
// threshold: adding to a range of thresholds touches its two ends.
type sweepTally struct {
	requests, tokens []int64
	cost             []float64
	episodes, scopes []int64
	openTokens       []int64
	openCost         []float64
}

// span is a range of thresholds, both ends included; empty if low is 0.
type span struct{ low, high int32 }

// NewSweep sweeps each rule of plan that rules name by index.
func NewSweep(plan *Plan, rules []int, o SweepOptions) *Sweep {
	if len(o.Windows) == 0 || o.Most < 2 || !slices.IsSorted(o.Windows) {
		panic("window: a sweep needs rising windows and thresholds from 2")
	}
	if o.Period == 0 {
		o.Period = DefaultPeriod
	}
	s := &Sweep{o: o, plan: plan}
	for _, w := range o.Windows {
		s.maxAges = append(s.maxAges, CounterSpec{Window: w}.maxAge())
	}
	for _, kind := range SweepKinds {
		for _, w := range o.Windows {
			s.cells = append(s.cells, SweepCell{kind, w})
		}
	}
	for _, r := range rules {
		s.targets = append(s.targets, s.newTarget(r))
	}
	return s
}

// maxRepeats caps the keys of a target that repeat and are live: each holds
// counts for all cells.
const maxRepeats = 1 << 14

func (s *Sweep) newTarget(rule int) *sweepTarget {
	r := s.plan.Rules[rule]
	t := &sweepTarget{rule: rule, identity: s.plan.identity[rule], scope: s.plan.scope[rule]}
	var longest int64
	for _, w := range s.o.Windows {
		quiet := (&Rule{Counter: CounterSpec{Window: w}, Quiet: r.Quiet}).quiet().Microseconds()
		t.quiet = append(t.quiet, quiet)
		longest = max(longest, w.Microseconds(), quiet)
	}
	t.seen = newTable[pairKey, int64](longest, s.o.MaxKeys, nil)
	t.repeats = newTable[pairKey](longest, maxRepeats, func(k *repeats) {
		if s.o.Ended != nil {
			s.o.Ended(k.number)
		}
	})
	t.steps.size = s.o.Period
	t.scopes = newTable[fingerprint.ScopeKey](longest, s.o.MaxKeys, func(q *sequence) {
		if q.order != nil {
			t.steps.give(q.steps)
		}
	})
	t.most = newTable[fingerprint.ScopeKey, []int32](-1, s.o.MaxKeys, nil)
	t.counts, t.highest = make([]int32, len(s.cells)), make([]int32, len(s.cells))
	t.opened = make([]span, len(s.cells))
	for range s.cells {
		t.tallies = append(t.tallies, sweepTally{
			requests: make([]int64, s.o.Most+1), tokens: make([]int64, s.o.Most+1), cost: make([]float64, s.o.Most+1),
			episodes: make([]int64, s.o.Most+2), scopes: make([]int64, s.o.Most+2),
			openTokens: make([]int64, s.o.Most+2), openCost: make([]float64, s.o.Most+2),
		})
	}
	return t
}

// Cells are the cells of every target, kind by kind and in it by window.
func (s *Sweep) Cells() []SweepCell { return s.cells }

// Add counts an event. Events come in release order.
func (s *Sweep) Add(ev *Event) {
	for i, t := range s.targets {
		prints, scope := &ev.Prints[t.identity], &ev.Scopes[t.scope]
		if ev.Rules[t.rule] == NotMatched || prints.Cause != fingerprint.Computable || scope.Cause != fingerprint.Computable {
			continue
		}
		t.requests++
		repeated := false
		for k := range prints.Fingerprints {
			h := Hit{Scope: scope.Key, Print: prints.Fingerprints[k], Time: ev.Time}
			if key := s.count(t, &h); key != nil {
				if !repeated {
					clear(t.highest)
					clear(t.opened)
					repeated = true
				}
				s.fire(t, key, &h)
				if s.o.Repeat != nil {
					s.repeat = Repeat{key.number, i, ev, scope, h.Print, key.first, t.counts}
					s.o.Repeat(&s.repeat)
				}
			}
		}
		if repeated {
			s.tally(t, ev, scope.Key)
		}
	}
}

// fire climbs the ladder of every cell: which thresholds does this hit reach,
// and for which of them does it open an episode?
func (s *Sweep) fire(t *sweepTarget, key *repeats, h *Hit) {
	windows := len(s.o.Windows)
	for c, n := range t.counts {
		if n < 2 {
			continue
		}
		t.highest[c] = max(t.highest[c], n)
		key.ladders[c].fire(min(n, int32(s.o.Most)), h.Time, t.quiet[c%windows], func(low, high int32) {
			tally := &t.tallies[c]
			tally.episodes[low]++
			tally.episodes[high+1]--
			o := &t.opened[c]
			if o.low == 0 {
				*o = span{low, high}
			} else {
				o.low, o.high = min(o.low, low), max(o.high, high)
			}
		})
	}
}

// tally adds a request to the cells in which it counts 2 or more.
func (s *Sweep) tally(t *sweepTarget, ev *Event, scope fingerprint.ScopeKey) {
	tokens := max(ev.TokensIn, 0) + max(ev.TokensOut, 0)
	cost := ev.Cost
	if math.IsNaN(cost) {
		cost = 0
	}
	most := t.most.touch(scope, ev.Time)
	if *most == nil {
		*most = make([]int32, len(s.cells))
	}
	for c, n := range t.highest {
		if n < 2 {
			continue
		}
		n = min(n, int32(s.o.Most))
		tally := &t.tallies[c]
		tally.requests[n]++
		tally.tokens[n] += tokens
		tally.cost[n] += cost
		if before := (*most)[c]; n > before {
			tally.scopes[max(before+1, 2)]++
			tally.scopes[n+1]--
			(*most)[c] = n
		}
		if o := t.opened[c]; o.low > 0 {
			tally.openTokens[o.low] += tokens
			tally.openTokens[o.high+1] -= tokens
			tally.openCost[o.low] += cost
			tally.openCost[o.high+1] -= cost
		}
	}
}

// Result is what has been counted so far, by rule in the order of NewSweep.
func (s *Sweep) Result() []SweepTarget {
	results := make([]SweepTarget, len(s.targets))
	for i, t := range s.targets {
		r := &results[i]
		*r = SweepTarget{Rule: s.plan.Rules[t.rule], Requests: t.requests, Dropped: t.seen.dropped + t.repeats.dropped + t.scopes.dropped + t.most.dropped}
		for c := range t.tallies {
			r.Cells = append(r.Cells, t.tallies[c].swept(s.cells[c], s.o.Most))
		}
	}
	return results
}

// swept turns histograms by count into sums by threshold.
func (tally *sweepTally) swept(cell SweepCell, most int) Swept {
	w := Swept{
		cell, make([]int64, most+1), make([]int64, most+1), make([]int64, most+1),
		make([]int64, most+1), make([]float64, most+1),
	}
	var requests, tokens int64
	var cost float64
	for t := most; t >= 2; t-- {
		requests += tally.requests[t]
		tokens += tally.tokens[t]
		cost += tally.cost[t]
		w.Requests[t], w.TokensAfter[t], w.CostAfter[t] = requests, tokens, cost
	}
	var episodes, scopes, openTokens int64
	var openCost float64
	for t := 2; t <= most; t++ {
		episodes += tally.episodes[t]
		scopes += tally.scopes[t]
		openTokens += tally.openTokens[t]
		openCost += tally.openCost[t]
		w.Episodes[t], w.Scopes[t] = episodes, scopes
		w.TokensAfter[t] -= openTokens
		w.CostAfter[t] -= openCost
	}
	return w
}

// String names a cell: "streak 10m0s".
func (c SweepCell) String() string { return fmt.Sprintf("%s %s", c.Kind, c.Window) }
