package window

import (
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
// changes later counts. For rules that have it, and for the tracker, which
// knows nothing else, each setting is simulated besides: see [Swept.Stopped]
// and [SweepTarget.Tracker].
//
// Only keys that repeat cost more than an entry in a table.
type Sweep struct {
	o       SweepOptions
	plan    *Plan
	cells   []SweepCell
	targets []*sweepTarget
	sights  []sight // by target
	looks   []Look  // of Add
	found   *Findings
	fetched uint64 // what came of fetching for the events at work

	ordinals ordinals // of the event at work
}

// SweepOptions are the axes of a sweep.
type SweepOptions struct {
	Windows []time.Duration // in rising order, all above 0
	Most    int             // the highest threshold, at most 255; the lowest is 2
	Period  int             // of the cycle counter; 0 is DefaultPeriod
	MaxKeys int             // cap on live keys of a target, 0 for none

	// Find asks for Findings. Witness says which requests it is to hear, for who
	// notes in it what is found; nil where nobody does.
	Find    bool
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

// SweepCell is one way to count: a column of all thresholds.
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

// sweepTarget is a target at work.
type sweepTarget struct {
	rule           *Rule
	hit            Hit     // the one at work
	limit          int32   // the highest threshold
	maxAges, quiet []int64 // by window: how old may count, and the longest pause inside an episode
	whole          []int64 // by window: the age up to which a key counts as in all longer windows
	period         int     // of the cycle counter
	seen           *seen
	repeats        pages[repeats]
	freed          []uint32         // of repeats: their keys are gone
	keyGone        func(key uint32) // nil where nobody asks
	dropped        int64            // repeats that had to make room
	inScopes       *reached         // of requests that repeat
	inSessions     *reached         // likewise
	inCallers      *reached
	moreTold       int      // places that scopes have besides one each
	trails         []*trail // of scopes that are gone
	trips          *trips   // nil unless tripping changes what the rule counts
	tally          sweepTally
	delays         delays    // of all columns
	rounding                 // of the delay before
	own            int32     // the threshold that an override sets for the hit at work, 0 is none
	key            uint32    // the number of its key, if that repeats
	counts         []int32   // of one hit
	shown          []uint8   // the same, as levels, at most 255
	climbs         []climb   // of the same
	sequence       *sequence // of its scope; nil before the second event
	rounds         int       // the period of what comes round in the longest window
	within         within    // of no use where nobody asks for repeats
	inRow          *inRow    // nil as long as its scopes tell all apart, and the longest window does
	alone          bool      // the hit is the only one of its request
	highest        []uint8   // of a request with several
	opened         []bool    // by threshold and column: such a request opened an episode
}

// span is a range of thresholds, both ends included.
type span struct{ low, high int32 }

// climb is how high a hit climbs in the cells of a column: to n, opening episodes
// from low on, if that is not 0.
type climb struct {
	column int
	n, low int32
}

// NewSweep sweeps each rule of plan that rules name by index.
func NewSweep(plan *Plan, rules []int, o SweepOptions) *Sweep {
	if len(o.Windows) == 0 || o.Most < 2 || o.Most > math.MaxUint8 || !slices.IsSorted(o.Windows) || len(o.Windows) > math.MaxUint16/tallyGroups {
		panic("window: a sweep needs rising windows, and thresholds from 2 to 255")
	}
	if o.Period == 0 {
		o.Period = DefaultPeriod
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

// maxRepeats caps the keys of a target that repeat and are live: each holds
// counts for all cells.
const maxRepeats = 1 << 16

// keepSlack is the part of the longest time for which keys may stay for nothing.
const keepSlack = 16

func (s *Sweep) newTarget(rule int) *sweepTarget {
	r := s.plan.Rules[rule]
	t := &sweepTarget{rule: r, hit: Hit{Record: true}, limit: int32(s.o.Most), period: s.o.Period}
	if CounterNamed(r.Counter.Kind).Periodic && r.Counter.Period > 0 {
		t.period = r.Counter.Period
	}
	longest := r.Cooldown.Microseconds()
	for _, w := range s.o.Windows {
		quiet := (&Rule{Counter: CounterSpec{Window: w}, Quiet: r.Quiet}).quiet().Microseconds()
		t.quiet = append(t.quiet, quiet)
		t.maxAges = append(t.maxAges, CounterSpec{Window: w, Closed: r.Counter.EdgeCounts()}.maxAge())
		t.whole = append(t.whole, min(t.maxAges[len(t.whole)], quiet))
		longest = max(longest, w.Microseconds(), quiet)
	}
	// Most keys come once and are many, in no cache: they go by the thousand.
	t.seen = newSeen(longest, longest/keepSlack, s.o.MaxKeys, t.gone, t.over)
	t.repeats.add() // 0 is none
	for _, in := range []**reached{&t.inScopes, &t.inSessions, &t.inCallers} {
		*in = newReached(s.o.Most, len(s.cells), s.o.MaxKeys)
	}
	if s.o.Find {
		target := len(s.targets)
		t.keyGone = func(key uint32) { s.found.add(Gone, target, key, nil) }
		if t.within = s.plan.within(r); t.within.sessions || s.o.InRow > s.longest() {
			t.inRow = s.newInRow(t)
		}
	}
	if r.ChangesCounts() {
		t.trips = newTrips(r, s.o, t.period)
	}
	t.counts, t.shown = make([]int32, len(s.cells)), make([]uint8, len(s.cells))
	t.tally = newSweepTally(s.o.Most, len(s.o.Windows))
	t.highest, t.opened = make([]uint8, len(s.cells)), make([]bool, len(t.tally.opened))
	return t
}

func (s *Sweep) longest() time.Duration { return s.o.Windows[len(s.o.Windows)-1] }

func (s *Sweep) newInRow(t *sweepTarget) *inRow {
	return newInRow(t.within, CounterSpec{Window: max(s.o.InRow, s.longest()), Closed: t.rule.Counter.EdgeCounts(), Period: t.period}, s.o.MaxKeys)
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
			s.count(&some[i])
		}
		looks = looks[len(some):]
	}
}

// count counts an event for a target.
func (s *Sweep) count(l *Look) {
	t, at := s.targets[l.target], &s.sights[l.target]
	if l.hears {
		s.found.add(Hears, int(l.target), 0, l.ev)
	}
	t.alone = l.prints == 1
	if at.own != nil {
		t.own = at.own[l.ev.Rules[at.rule]-Plain]
	}
	if t.inRow == nil && t.within.agent(l.ev) != "" { // few logs have agents
		t.inRow = s.newInRow(t)
	}
	repeated, equal := false, false
	for k := range int(l.prints) {
		if k > 0 {
			print := &l.ev.Prints[at.identity].Fingerprints[k]
			l.print = printKeyOf(print)
			l.hash = t.seen.again(l.entry, &l.print)
			equal = s.ordinals.find(print, l.ev, at.identity).first < k
		}
		if t.trips != nil {
			t.hit.Scope, t.hit.Time = l.scope, l.time
			t.hit.Print, _ = fingerprint.FromBytes(l.print[:]) // as much of it as counters look at
		}
		key := t.count(l, equal)
		var round Round
		if t.inRow != nil {
			round = t.inRow.count(l.ev, l.scope, l.print)
		}
		var tracked []int32
		if t.trips != nil {
			tracked = t.trip(l.ev, &l.ev.Scopes[at.scope], &t.hit, key, k, int(l.prints))
		}
		if key != nil {
			s.repeats(key, l, k, round, tracked)
			repeated = true
		}
	}
	if repeated && !t.alone {
		t.tallyRequest(usageOf(l.ev))
	}
}

// repeats notes what was counted of a key that repeats, with fingerprint k of
// an event that came round so.
func (s *Sweep) repeats(key *repeats, l *Look, k int, round Round, tracked []int32) {
	t := s.targets[l.target]
	shown := t.shown[:len(t.counts)]
	for c, n := range t.counts {
		shown[c] = uint8(min(t.level(n), math.MaxUint8))
	}
	t.fire(key, l.time, usageOf(l.ev))
	t.reach(t.sequence, l.ev)
	if !t.alone {
		Raise(t.highest, t.shown)
	}
	if !s.o.Find {
		return
	}
	if t.inRow == nil {
		round = Round{int(t.counts[len(t.counts)-1]), t.rounds}
	}
	f := s.found.add(Repeats, int(l.target), t.key, l.ev)
	f.Print, f.First, f.Round = k, key.first, round
	f.Counts, f.Tracked = copied(&s.found.counts, t.shown), nil
	if tracked != nil {
		f.Tracked = copied(&s.found.tracked, tracked)
	}
}

// fire climbs the ladder of every cell: which thresholds does a hit reach, and
// for which of them does it open an episode? The windows that are whole yet
// climb together.
func (t *sweepTarget) fire(key *repeats, now int64, u usage) {
	windows := len(t.maxAges)
	t.climbs = t.climbs[:0]
	cycle := t.countsOf(cycleKind)
	key.partCycles(cycle)
	for w := int(key.single); w < int(key.outlived); w++ {
		left := &key.left[w]
		if left.refresh < 2 { // none counts more
			continue
		}
		key.partOrder(w, t.counts)
		first, kinds := slidingKind, cycleKind
		if left.inRow { // streak and cycle climb as sliding does
			first, kinds = inRowGroup, streakKind
		}
		t.climb(&left.ladders[slidingKind], now, first, w, t.counts[w])
		for kind := fixedKind; kind < kinds; kind++ {
			t.climb(&left.ladders[kind], now, kind, w, t.counts[kind*windows+w])
		}
	}
	if w := int(key.outlived); w < windows {
		n, opens := min(key.n, t.limit), key.n // each hit counts one more
		if opens > n {
			opens = 0
		}
		t.climbed(wholeGroup, w, n, opens)
		t.climb(&key.streak, now, wholeStreakGroup, w, t.countsOf(streakKind)[windows-1])
	}
	for w := int(key.single); w < int(key.apart); w++ {
		if w < int(key.outlived) && key.left[w].inRow {
			continue
		}
		t.climb(&key.cycles[w], now, cycleKind, w, cycle[w])
	}
	if w := int(key.apart); w < windows {
		t.climb(&key.cycle, now, wholeCycleGroup, w, cycle[windows-1])
	}
	t.tallyHit(key, now, u)
}

// countsOf are the counts of a kind, by window.
func (t *sweepTarget) countsOf(kind int) []int32 {
	windows := len(t.maxAges)
	return t.counts[kind*windows : (kind+1)*windows]
}

// level is the highest threshold at which the hit at work fires if it counts n.
// Where an override sets a threshold for it, it fires at all or at none.
func (t *sweepTarget) level(n int32) int32 {
	switch {
	case t.own == 0:
		return n
	case n >= t.own:
		return t.limit
	}
	return 1
}

// climb climbs the ladder of the cells of a column, that of a window in a group,
// with what a hit counts there. A count below 2 climbs nothing.
func (t *sweepTarget) climb(l *ladder, now int64, group, window int, count int32) {
	if n := min(t.level(count), t.limit); n >= 2 {
		t.climbed(group, window, n, l.fire(n, now, t.quiet[window]))
	}
}

// climbed notes that a hit counts n, 2 or more, in the cells of a column, and
// opens episodes there from the threshold low on; none if that is 0.
func (t *sweepTarget) climbed(group, window int, n, low int32) {
	t.climbs = room(t.climbs)
	c := &t.climbs[len(t.climbs)-1]
	c.column, c.n, c.low = t.tally.column(group, window), n, low
}

// tallyHit tallies what a hit climbed.
func (t *sweepTarget) tallyHit(key *repeats, now int64, u usage) {
	if t.alone {
		for i := range t.climbs { // by itself, so that one wait for memory overlaps the next
			t.tally.fired[t.tally.at(t.climbs[i].n, t.climbs[i].column)].add(u)
		}
	}
	for i := range t.climbs {
		c := &t.climbs[i]
		if c.low == 0 {
			continue
		}
		opened, cell := span{c.low, c.n}, t.tally.cells[c.column][0] // all of them count alike
		before, delay := key.upTo(now, cell/len(t.maxAges), cell%len(t.maxAges), int(t.counts[cell]))
		t.tally.episode(c.column, opened, before)
		t.delays.add(t.round(delay), c.column, c.low, c.n)
		if t.alone {
			t.tally.opener(c.column, opened, u)
			continue
		}
		t.openOnce(c.column, opened, u)
	}
}

// openOnce notes a request of several hits that opens episodes: a threshold that
// two of them open, or one in several columns, has one request that did.
func (t *sweepTarget) openOnce(column int, opened span, u usage) {
	for _, cell := range t.tally.cells[column] {
		for threshold := opened.low; threshold <= opened.high; threshold++ {
			if at := t.tally.at(threshold, cell); !t.opened[at] {
				t.opened[at] = true
				t.tally.opened[at].firsts.add(u, 1)
			}
		}
	}
}

// rounding remembers how a delay was rounded: mostly the next is equal.
type rounding struct {
	delay  int64
	digits uint64
}

func (r *rounding) round(delay int64) uint64 {
	if delay != r.delay {
		r.delay, r.digits = delay, threeDigits(delay)
	}
	return r.digits
}

// tallyRequest tallies a request of several hits, of which some repeat.
func (t *sweepTarget) tallyRequest(u usage) {
	for c, n := range t.highest {
		if n >= 2 {
			t.tally.fired[t.tally.at(min(int32(n), t.limit), c)].add(u)
		}
	}
	clear(t.highest)
	clear(t.opened)
}

// Result is what has been counted so far, by rule in the order of NewSweep.
func (s *Sweep) Result() []SweepTarget {
	results := make([]SweepTarget, len(s.targets))
	for i, t := range s.targets {
		r := &results[i]
		*r = SweepTarget{Rule: t.rule}
		r.Dropped = t.seen.dropped + t.dropped + t.inScopes.highest.dropped + t.inSessions.highest.dropped + t.inCallers.highest.dropped
		r.Cells = t.tally.swept(s.cells)
		t.tellAll()
		t.inScopes.by(r.Cells, func(w *Swept) []int64 { return w.Scopes })
		t.inSessions.by(r.Cells, func(w *Swept) []int64 { return w.Sessions })
		t.inCallers.by(r.Cells, func(w *Swept) []int64 { return w.Callers })
		t.delays.quantiles(r.Cells, t.tally.cells)
		if t.trips != nil {
			t.trips.result(r)
		}
	}
	return results
}
