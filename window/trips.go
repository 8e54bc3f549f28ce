package window

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// warning is in force in a simulation: only what is counted matters.
var warning = Settings{Action: Warn}

// trips simulate a rule whose gateway counts otherwise once it has tripped:
// each window with each threshold is a setting with a judge of its own.
//
// Until a setting trips for the first time its judge would know what the plain
// counts know. So it begins with the first key, or scope, whose plain count
// reaches the threshold, and is told what of its past may still count. What
// never repeats never comes here.
type trips struct {
	rule    *Rule
	byScope bool // the counter looks at the order in a scope
	tracker bool
	// In windows that a key has not outlived each hit fires from the first
	// firing on: it is in the cooldown, or counts more than the threshold.
	together bool
	base     int // the cells whose counts tell when a setting may trip begin here
	windows  []time.Duration
	most     int
	keep     int    // of the past
	event    uint64 // number of the one at work
	hit      Hit    // the one at work
	shown    Hit    // what a judge is shown; here, so that none is allocated

	settings []trip  // by window and threshold
	whole    []int64 // by setting: requests that fired in this window and all longer, up to this threshold
	highest  []int32 // by window: the highest threshold at which a hit fired
	// The tracker alone: the scopes, sessions and callers, each with the
	// settings that fired in it.
	in     [reachable]*table[string, []bool]
	delays delays // cells are windows
}

// What a setting of the tracker fires in.
const (
	inScopes = iota
	inSessions
	inCallers
	reachable
)

// trip is one setting at work.
type trip struct {
	judge *judge // nil before anything may trip it
	fired int64  // requests
	last  uint64 // number of the event that fired last

	// The tracker alone, whose counts are nobody else's.
	reached       [reachable]int64
	before, after usage
	opened        uint64 // number of the event that opened an episode last
	setting       int    // its index
}

// past is what a key or scope has last seen.
type past struct {
	hits    []passed
	started []int32 // by window: the highest threshold that has begun, 0 is none
	// By setting, until when the gateway blocks the key without counting;
	// nil unless it does.
	blocked []int64
}

type passed struct {
	time  int64
	print fingerprint.Fingerprint
}

// add notes a hit, of which the last keep are kept.
func (p *past) add(now int64, print fingerprint.Fingerprint, keep int) {
	if len(p.hits) == 2*keep {
		p.hits = slices.Delete(p.hits, 0, keep)
	}
	p.hits = append(p.hits, passed{now, print})
}

func newTrips(rule *Rule, o SweepOptions, period int) *trips {
	windows, most := o.Windows, o.Most
	kind := CounterNamed(rule.Counter.Kind)
	if kind.New == nil {
		panic("window: unknown counter kind " + rule.Counter.Kind)
	}
	t := &trips{
		rule: rule, byScope: kind.Keying == ByScope, tracker: rule.Counter.Kind == TrackerKind, windows: windows, most: most, keep: most,
		settings: make([]trip, len(windows)*(most+1)), highest: make([]int32, len(windows)),
	}
	if rule.SkipInCooldown && rule.Cooldown > 0 && !rule.SkipBlocked && !rule.ResetOnFire && !t.byScope {
		t.together, t.whole = true, make([]int64, len(t.settings))
	}
	switch {
	case t.tracker:
		// It counts at most the hits of the key inside the window, which are
		// those that sliding, the first of the kinds, counts.
		t.keep = trackerCalls
		for i := range t.in {
			t.in[i] = newTable[string, []bool](-1, o.MaxKeys, nil)
		}
	case kind.Periodic:
		t.keep = (most + 1) * period // a part of a repetition may stand before the whole ones
	}
	t.base = max(slices.Index(SweepKinds, rule.Counter.Kind), 0) * len(windows)
	return t
}

// index is that of the setting of a window and a threshold.
func (t *trips) index(w int, threshold int32) int { return w*(t.most+1) + int(threshold) }

// trip shows the hit at work to the settings that it may trip, before it becomes
// part of the past. first says that its event has had none before. It returns, of
// the tracker, the highest threshold that fires, by window.
func (t *sweepTarget) trip(ev *Event, scope *Scope, key *keyCounts, first bool) []int32 {
	trips := t.trips
	if first {
		trips.event++
	}
	var past *past
	switch {
	case trips.byScope && t.scope != nil:
		past = t.scope.past
	case !trips.byScope && key != nil:
		past = key.past
	default:
		return nil
	}
	windows := len(trips.windows)
	if trips.together {
		windows = int(key.outlived)
		trips.wholeWindows(windows, min(key.n, int32(trips.most)), t.alone)
	} else {
		trips.prepare(past)
	}
	for w := range windows {
		count := int32(1)
		if key != nil || !trips.tracker {
			count = min(t.counts[trips.base+w], int32(trips.most))
		}
		if t.override > 0 { // which may be beyond what is kept of the past
			count = int32(trips.most)
		}
		for ; past.started[w] < count; past.started[w]++ {
			if threshold := past.started[w] + 1; threshold >= 2 {
				trips.begin(w, threshold, trips.inWindow(past.hits, key, w))
			}
		}
		trips.highest[w] = 0
		hit := &trips.shown
		*hit = trips.hit
		for threshold := int32(2); threshold <= past.started[w]; threshold++ {
			i := trips.index(w, threshold)
			trip := &trips.settings[i]
			hit.Limit, hit.Record = int(cmp.Or(t.override, threshold)), true // which judges change
			out := outcome{fired: true}
			if past.blocked == nil || hit.Time >= past.blocked[i] {
				out = trip.judge.hit(hit, &warning)
				if out.fired && past.blocked != nil {
					past.blocked[i] = trips.rule.cooled(hit.Time)
				}
			}
			if !out.fired {
				continue
			}
			trips.highest[w] = threshold
			again := !trip.fire(trips.event)
			if trips.tracker {
				trips.tally(w, trip, ev, scope, hit, out.count, key, again)
			}
		}
	}
	past.add(trips.hit.Time, trips.hit.Print, trips.keep)
	if !trips.tracker {
		return nil
	}
	return trips.highest
}

// fire notes that an event fires, and says whether it is the first time.
func (t *trip) fire(event uint64) bool {
	if t.last == event {
		return false
	}
	t.fired++
	t.last = event
	return true
}

// wholeWindows notes a hit that fires in the windows from one on, up to a
// threshold. alone says that its event has no other.
func (t *trips) wholeWindows(from int, threshold int32, alone bool) {
	if alone && from < len(t.windows) {
		t.whole[t.index(from, threshold)]++
		return
	}
	for w := from; w < len(t.windows); w++ {
		for th := int32(2); th <= threshold; th++ {
			t.settings[t.index(w, th)].fire(t.event)
		}
	}
}

// keepsBlocked tells that the pasts know what cools down, so that judges need
// not: while it does they are shown nothing.
func (t *trips) keepsBlocked() bool { return t.rule.SkipInCooldown && !t.byScope }

// prepare makes what is kept of a key or scope by window and setting.
func (t *trips) prepare(p *past) {
	if p.started != nil {
		return
	}
	p.started = make([]int32, len(t.windows))
	if t.keepsBlocked() {
		p.blocked = make([]int64, len(t.settings))
	}
}

// part tells the settings of a window, which a key has outlived, of the past:
// what was counted, and until when it is blocked. The hit at work comes after that.
func (t *trips) part(key *keyCounts) {
	t.prepare(key.past)
	w := int(key.outlived)
	key.past.started[w] = min(key.n, int32(t.most))
	for threshold := int32(2); threshold <= key.past.started[w]; threshold++ {
		t.begin(w, threshold, nil)
		counter := t.settings[t.index(w, threshold)].judge.counter
		n, until := int32(0), int64(math.MinInt64)
		for i := range key.hits {
			at := key.hits[i].time
			if at < until {
				continue
			}
			t.show(counter, threshold, passed{at, t.hit.Print})
			if n++; n >= threshold {
				until = t.rule.cooled(at)
			}
		}
		key.past.blocked[t.index(w, threshold)] = until
	}
}

// inWindow are the hits of a past that may still count in a window. What a fixed
// window forgot must not be told: it would open the window at another time.
func (t *trips) inWindow(hits []passed, key *keyCounts, w int) []passed {
	if t.rule.Counter.Kind != "fixed" {
		return hits
	}
	opened := key.opened(w)
	return hits[sort.Search(len(hits), func(i int) bool { return hits[i].time >= opened }):]
}

// begin tells a setting what has passed in the scope at work, none of which trips it.
func (t *trips) begin(w int, threshold int32, hits []passed) {
	trip := &t.settings[t.index(w, threshold)]
	if trip.judge == nil {
		rule := *t.rule
		rule.Counter.Window, rule.Threshold, rule.Action, rule.Overrides = t.windows[w], int(threshold), Warn, nil
		trip.judge = t.newJudge(&rule)
		trip.setting = t.index(w, threshold)
	}
	// Other keys may have shown the judge later times. Its tables forget these
	// hits later than they could, which changes no count.
	for i := range hits {
		t.show(trip.judge.counter, threshold, hits[i])
	}
}

// show has a counter count a hit of the past in the scope at work.
func (t *trips) show(counter Counter, threshold int32, hit passed) {
	t.shown = Hit{Scope: t.hit.Scope, Print: hit.print, Time: hit.time, Limit: int(threshold), Record: true}
	counter.Count(&t.shown)
}

// maxTripped caps the keys of a judge.
const maxTripped = 1 << 14

// newJudge is a judge with no more than it needs to count: there are hundreds.
func (t *trips) newJudge(rule *Rule) *judge {
	if t.tracker {
		return newJudge(rule, nil, EngineOptions{MaxKeys: maxTripped})
	}
	j := &judge{rule: rule, counter: CounterNamed(rule.Counter.Kind).New(rule.Counter, maxTripped)}
	if rule.Cooldown > 0 && !t.keepsBlocked() {
		j.cooling = newTable[pairKey, int64](rule.Cooldown.Microseconds(), maxTripped, nil)
	}
	return j
}

// tally adds up a firing of the tracker. again says that its request has fired
// before.
func (t *trips) tally(w int, trip *trip, ev *Event, scope *Scope, h *Hit, n Count, key *keyCounts, again bool) {
	was, used := "", usageOf(ev)
	if open := trip.judge.episodes.open.find(pairKeyOf(h)); open != nil {
		was = open.ID
	}
	if !again {
		trip.after.add(used, 1)
	}
	if ep := trip.judge.episodes.fired(ev, scope, h, n, "", ""); ep.ID != was {
		if trip.opened != t.event {
			trip.opened = t.event
			trip.after.add(used, -1)
		}
		before, delay := used, int64(0)
		if key != nil && n.N > 0 { // else it had to make room, and the session remembers it, or a cooldown counts nothing
			before, delay = key.upTo(h.Time, slidingKind, 0, n.N)
		}
		trip.before.add(before, 1)
		threshold := int32(trip.judge.rule.Threshold)
		t.delays.add(t.delays.round(delay), w, threshold, threshold)
	}
	if again {
		return
	}
	for i, who := range [reachable]string{string(scope.Key[:]), ev.Session, ev.Caller} {
		if who == "" {
			continue
		}
		seen := t.in[i].touch(who, ev.Time)
		if *seen == nil {
			*seen = make([]bool, len(t.settings))
		}
		if !(*seen)[trip.setting] {
			(*seen)[trip.setting] = true
			trip.reached[i]++
		}
	}
}

// result adds what was simulated to what was counted.
func (t *trips) result(r *SweepTarget) {
	for i := range t.settings {
		if j := t.settings[i].judge; j != nil {
			r.Dropped += j.counter.Dropped()
		}
	}
	for _, table := range t.in {
		if table != nil {
			r.Dropped += table.dropped
		}
	}
	for w := range t.windows {
		if t.tracker {
			r.Tracker = append(r.Tracker, t.swept(w))
			continue
		}
		stopped := make([]int64, t.most+1)
		for threshold := 2; threshold <= t.most; threshold++ {
			stopped[threshold] = t.settings[t.index(w, int32(threshold))].fired
		}
		t.addWhole(w, stopped)
		r.Cells[t.base+w].Stopped = stopped
	}
	cells := make([][]int, len(t.windows))
	for w := range cells {
		cells[w] = []int{w}
	}
	t.delays.quantiles(r.Tracker, cells)
}

// addWhole adds what fired in a window while it was whole.
func (t *trips) addWhole(w int, stopped []int64) {
	if !t.together {
		return
	}
	n := int64(0)
	for threshold := t.most; threshold >= 2; threshold-- {
		for v := range w + 1 {
			n += t.whole[t.index(v, int32(threshold))]
		}
		stopped[threshold] += n
	}
}

// swept is what the tracker did with a window.
func (t *trips) swept(w int) Swept {
	s := newSwept(SweepCell{TrackerKind, t.windows[w]}, t.most)
	for i := 2; i <= t.most; i++ {
		trip := &t.settings[t.index(w, int32(i))]
		if trip.judge == nil {
			continue
		}
		s.Requests[i], s.Episodes[i] = trip.fired, trip.judge.episodes.n
		s.Scopes[i], s.Sessions[i], s.Callers[i] = trip.reached[inScopes], trip.reached[inSessions], trip.reached[inCallers]
		s.TokensBefore[i], s.CostBefore[i] = trip.before.tokens, trip.before.cost.Dollars()
		s.TokensAfter[i], s.CostAfter[i] = trip.after.tokens, trip.after.cost.Dollars()
	}
	s.Stopped = slices.Clone(s.Requests)
	return s
}
