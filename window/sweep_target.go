package window

import (
	"cmp"
	"math"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// sweepTarget is a target at work. A cell is a kind of counter with a window; each
// hit counts a number in each cell.
//
//	Look ─► seen                  has the key come of late, and when?
//	        │ sequence            what comes round at the end of its scope?
//	        │
//	        │ only if the key repeats, which few do:
//	        ├─► keyCounts         what does the hit count, by cell?
//	        ├─► ladder, climb     up to which threshold does it fire there, and from
//	        │                     which one on does it open an episode?
//	        ├─► sweepTally        requests, episodes and their use, in columns that
//	        │                     stand for one cell or many
//	        ├─► delays            how long it took until an episode was opened
//	        ├─► highs, reached    in how many scopes, sessions and callers it fired
//	        ├─► Findings          for who wants to know of each hit that repeats
//	        │
//	        └─► trips             how often a gateway fires that counts otherwise
//	                              once it has tripped, cell by cell
//
// Memory is what it waits for: what most hits touch is kept small and together.
type sweepTarget struct {
	// How it counts.
	rule           *Rule
	limit          int32   // the highest threshold
	maxAges, quiet []int64 // by window: how old may count, and the longest pause inside an episode
	wholeAges      []int64 // by window: the age up to which it is whole for a key
	period         int     // of the cycle counter

	// What it remembers.
	seen      *seen
	keys      pool[keyCounts]
	keyGone   func(key uint32) // nil where nobody asks
	dropped   int64            // of keys: those that had to make room
	trails    []*trail         // of scopes that are gone
	moreHighs int              // that scopes have besides one each
	rounds    *rounds          // nil where its scopes tell senders apart, and the longest window does
	trips     *trips           // nil unless tripping changes what the rule counts

	// What it has found out.
	tally   sweepTally
	delays  delays              // of all columns
	reached [reachable]*reached // by requests that repeat

	// The hit at work.
	override    int32      // the threshold that an override sets for it, 0 is none
	scope       *seenScope // its; nil before the second event
	key         uint32     // of keys: its, if that repeats
	counts      []int32    // by cell
	shown       []uint8    // the same, as levels, at most 255
	climbs      []climb    // of the same
	cyclePeriod int        // the period of what comes round in the longest window

	// Its request.
	alone   bool    // it has no other hit
	highest []uint8 // by cell, if it has: what they count
	opened  []bool  // likewise, by threshold and column: it has opened an episode
}

// maxRepeats caps the keys of a target that repeat and are live: each holds
// counts for all cells.
const maxRepeats = 1 << 16

// keepSlack is the part of the longest time for which keys may stay for nothing.
const keepSlack = 16

func (s *Sweep) newTarget(rule int) *sweepTarget {
	r := s.plan.Rules[rule]
	t := &sweepTarget{rule: r, limit: int32(s.o.Most), period: cmp.Or(r.Counter.effective().Period, DefaultPeriod)}
	longest := r.Cooldown.Microseconds()
	for _, w := range s.o.Windows {
		quiet := (&Rule{Counter: CounterSpec{Window: w}, Quiet: r.Quiet}).quiet().Microseconds()
		t.quiet = append(t.quiet, quiet)
		t.maxAges = append(t.maxAges, CounterSpec{Window: w, Closed: r.Counter.EdgeCounts()}.maxAge())
		t.wholeAges = append(t.wholeAges, min(t.maxAges[len(t.wholeAges)], quiet))
		longest = max(longest, w.Microseconds(), quiet)
	}
	// Most keys come once and are many, in no cache: they go by the thousand.
	t.seen = newSeen(longest, longest/keepSlack, s.o.MaxKeys, t.dropKey, t.dropScope)
	for in := range t.reached {
		t.reached[in] = newReached(s.o.Most, len(s.cells), s.o.MaxKeys)
	}
	if s.o.Witness != nil {
		target := len(s.targets)
		t.keyGone = func(key uint32) { s.found.add(Gone, target, key, nil) }
		if x := s.plan.senders(r); x.sessions || x.agents || s.o.InRow > s.longest() {
			t.rounds = newRounds(x, CounterSpec{Window: max(s.o.InRow, s.longest()), Closed: r.Counter.EdgeCounts(), Period: t.period}, s.o.MaxKeys)
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

// countEvent counts an event for a target.
func (s *Sweep) countEvent(l *Look) {
	t, at := s.targets[l.target], &s.sights[l.target]
	if l.hears {
		s.found.add(Hears, int(l.target), 0, l.ev)
	}
	t.alone = l.prints == 1
	if at.overrides != nil {
		t.override = at.overrides[l.ev.Rules[at.rule]-Plain]
	}
	repeated, equal := false, false
	for k := range int(l.prints) {
		if k > 0 {
			print := &l.ev.Prints[at.identity].Fingerprints[k]
			l.print = printKeyOf(print)
			l.hash = t.seen.holdFor(l.entry, &l.print)
			equal = s.ordinals.find(print, l.ev, at.identity).first < k
		}
		if t.trips != nil {
			t.trips.hit.Scope, t.trips.hit.Time = l.scope, l.time
			t.trips.hit.Print, _ = fingerprint.FromBytes(l.print[:]) // as much of it as counters look at
		}
		key := t.countHit(l, equal)
		var round Round
		if t.rounds != nil {
			round = t.rounds.count(l.ev, l.scope, l.print)
		}
		var tracked []int32
		if t.trips != nil {
			tracked = t.trip(l.ev, &l.ev.Scopes[at.scope], key, k == 0)
		}
		if key != nil {
			s.repeated(key, l, k, round, tracked)
			repeated = true
		}
	}
	if repeated && !t.alone {
		t.tallyRequest(usageOf(l.ev))
	}
}

// repeated notes what was counted of a key that repeats, with fingerprint k of
// an event that came round so.
func (s *Sweep) repeated(key *keyCounts, l *Look, k int, round Round, tracked []int32) {
	t := s.targets[l.target]
	shown := t.shown[:len(t.counts)]
	for c, n := range t.counts {
		shown[c] = uint8(min(t.level(n), math.MaxUint8))
	}
	t.climbAll(key, l.time)
	t.tallyClimbs(key, l.time, usageOf(l.ev))
	t.reach(l.ev)
	if !t.alone {
		Raise(t.highest, t.shown)
	}
	if s.o.Witness == nil {
		return
	}
	if t.rounds == nil {
		round = Round{int(t.counts[len(t.counts)-1]), t.cyclePeriod}
	}
	f := s.found.add(Repeats, int(l.target), t.key, l.ev)
	f.Print, f.First, f.Round = k, key.first, round
	f.Counts, f.Tracked = copied(&s.found.counts, t.shown), nil
	if tracked != nil {
		f.Tracked = copied(&s.found.tracked, tracked)
	}
}

// countHit sets t.counts for a hit of the key that l looks at, and returns the key
// if it repeats. If it does not, nothing is set: it counts 1 in all cells. equal says
// that the request has had the key before, whose use counts once.
func (t *sweepTarget) countHit(l *Look, equal bool) *keyCounts {
	now := l.time
	v, again := t.seen.touch(l.entry, &l.print, l.hash, now)
	t.follow(l, v, again)
	if !again {
		return nil
	}
	key := t.keyOf(v)
	t.key = v.counts
	if key.n == 0 {
		key.first = v.first
		t.countKey(key, v.first, usage{})
		if t.trips != nil && !t.trips.byScope {
			key.past = &past{}
			key.past.add(v.first, t.trips.hit.Print, t.trips.keep)
		}
	}
	var used usage
	if !equal {
		used = usageOf(l.ev)
	}
	t.countKey(key, now, used)
	t.countSequence(now)
	return key
}

// countsOf are the counts of a kind, by window.
func (t *sweepTarget) countsOf(kind int) []int32 {
	windows := len(t.maxAges)
	return t.counts[kind*windows : (kind+1)*windows]
}

// keyOf is what is counted of a key that repeats.
func (t *sweepTarget) keyOf(v *visit) *keyCounts {
	if v.counts != 0 {
		return t.keys.at(v.counts)
	}
	if t.keys.live() >= maxRepeats {
		if t.seen.expire(v.touched); t.keys.live() >= maxRepeats {
			t.seen.forget()
			t.dropped++
		}
	}
	v.counts = t.keys.take()
	return t.keys.at(v.counts)
}

// dropKey lets go of what a key has counted. Another can use its memory.
func (t *sweepTarget) dropKey(i uint32) {
	if t.keyGone != nil {
		t.keyGone(i)
	}
	key := t.keys.at(i)
	var m keyMemory
	if cap(key.hits) <= mostFreed {
		m = keyMemory{key.hits[:0], key.own, key.cycles}
	}
	*key = keyCounts{keyMemory: m}
	t.keys.give(i)
}
