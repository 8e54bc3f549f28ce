package window

import (
	"cmp"
	"slices"
	"time"
)

// warning is in force in a simulation: only what is counted matters.
var warning = Settings{Action: Warn}

// trips simulate a rule whose gateway counts otherwise once it has tripped:
// each window with each threshold is a setting with a judge of its own.
//
// Until a hit may trip a setting its judge would know what the plain counts know.
// So of each key, or each scope for the kinds that look at the order there, a past
// is kept, and with the first hit whose plain count reaches its threshold a setting
// begins: its judge is told of the past, and then shown each hit.
//
//	plain count of a hit in a window    1  2  3  4  3  1  2
//	settings that have begun, up to     1  2  3  4  4  4  4
//
// What never repeats never comes here.
type trips struct {
	rule    *Rule
	windows []time.Duration
	most    int
	byScope bool          // the counter looks at the order in a scope
	kind    int           // of the sweep, whose counts tell when a setting may trip
	keep    int           // of the past
	whole   []int64       // see sweep_trips_whole.go; nil where judges are shown all windows
	tracker *trackerTally // nil unless the rule's counter is the tracker

	settings []trip
	event    uint64  // number of the one at work
	hit      Hit     // the one at work
	shown    Hit     // what a judge is shown; here, so that none is allocated
	highest  []int32 // by window: the highest threshold at which the hit at work fired
}

// trip is one setting at work.
type trip struct {
	judge *judge // nil before anything may trip it
	fired int64  // requests
	last  uint64 // number of the event that fired last
}

func newTrips(rule *Rule, o SweepOptions, period int) *trips {
	kind := CounterNamed(rule.Counter.Kind)
	settings := len(o.Windows) * (o.Most + 1)
	t := &trips{
		rule: rule, windows: o.Windows, most: o.Most, byScope: kind.Keying == ByScope, keep: o.Most,
		// Sliding counts no less than a kind that is not swept.
		kind:     max(slices.Index(SweepKinds, kind.Name), slidingKind),
		settings: make([]trip, settings), highest: make([]int32, len(o.Windows)),
	}
	if rule.SkipInCooldown && rule.Cooldown > 0 && !rule.SkipBlocked && !rule.ResetOnFire && !t.byScope {
		t.whole = make([]int64, settings)
	}
	switch {
	case kind.Name == TrackerKind:
		t.keep, t.tracker = trackerCalls, newTrackerTally(settings, o.MaxKeys)
	case kind.Periodic:
		t.keep = (o.Most + 1) * period // a part of a repetition may stand before the whole ones
	}
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
	past := t.past(key)
	if past == nil {
		return nil
	}
	windows := len(trips.windows)
	if trips.whole != nil {
		windows = int(key.outlived)
		trips.fireWhole(windows, min(key.n, int32(trips.most)), t.alone)
	} else {
		trips.prepare(past)
	}
	for w := range windows {
		for most := t.mayTrip(key, w); past.begun[w] < most; {
			past.begun[w]++
			trips.begin(w, past.begun[w], trips.inWindow(past.hits, key, w))
		}
		trips.highest[w] = 0
		trips.shown = trips.hit
		for threshold := int32(LeastThreshold); threshold <= past.begun[w]; threshold++ {
			setting := trips.index(w, threshold)
			out := trips.judge(setting, int(cmp.Or(t.override, threshold)), past)
			if !out.fired {
				continue
			}
			trips.highest[w] = threshold
			again := !trips.settings[setting].fire(trips.event)
			if trips.tracker != nil {
				trips.tally(w, threshold, ev, scope, out.count, key, again)
			}
		}
	}
	past.add(trips.hit.Time, trips.hit.Print, trips.keep)
	if trips.tracker == nil {
		return nil
	}
	return trips.highest
}

// mayTrip is the highest threshold that a hit may reach in a window.
func (t *sweepTarget) mayTrip(key *keyCounts, w int) int32 {
	switch {
	case t.override > 0: // which may be beyond what is kept of the past
		return int32(t.trips.most)
	case key == nil:
		return 1
	}
	return min(t.countsOf(t.trips.kind)[w], int32(t.trips.most))
}

// judge judges the hit at work by a setting, at whose threshold or another.
func (t *trips) judge(setting, threshold int, past *past) outcome {
	if past.blocked != nil && t.hit.Time < past.blocked[setting] {
		return outcome{fired: true}
	}
	t.shown.Limit, t.shown.Record = threshold, true // which judges change
	out := t.settings[setting].judge.hit(&t.shown, &warning)
	if out.fired && past.blocked != nil {
		past.blocked[setting] = t.rule.cooled(t.hit.Time)
	}
	return out
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

// begin tells a setting what has passed in the scope at work, none of which trips it.
func (t *trips) begin(w int, threshold int32, hits []passed) {
	if threshold < LeastThreshold {
		return
	}
	trip := &t.settings[t.index(w, threshold)]
	if trip.judge == nil {
		rule := *t.rule
		rule.Counter.Window, rule.Threshold, rule.Action, rule.Overrides = t.windows[w], int(threshold), Warn, nil
		trip.judge = t.newJudge(&rule)
	}
	// Other keys may have shown the judge later times. Its tables forget these
	// hits later than they could, which changes no count.
	for i := range hits {
		t.tell(trip.judge, hits[i])
	}
}

// tell tells a judge of a hit of the past in the scope at work.
func (t *trips) tell(j *judge, hit passed) {
	t.shown = Hit{Scope: t.hit.Scope, Print: hit.print, Time: hit.time, Limit: j.rule.Threshold, Record: true}
	j.counter.Count(&t.shown)
}

// maxTripped caps the keys of a judge.
const maxTripped = 1 << 14

// newJudge is a judge with no more than it needs to count: there are hundreds.
func (t *trips) newJudge(rule *Rule) *judge {
	if t.tracker != nil {
		return newJudge(rule, nil, EngineOptions{MaxKeys: maxTripped})
	}
	j := &judge{rule: rule, counter: CounterNamed(rule.Counter.Kind).New(rule.Counter, maxTripped)}
	if rule.Cooldown > 0 && !t.keepsBlocked() {
		j.cooling = newTable[pairKey, int64](rule.Cooldown.Microseconds(), maxTripped, nil)
	}
	return j
}

// forget ends what is known of the only key, whose last hit h is.
func (t *trips) forget(h *Hit) {
	for i := range t.settings {
		if j := t.settings[i].judge; j != nil {
			j.forget(h)
		}
	}
	if t.tracker != nil {
		t.tracker.forget()
	}
}

// result adds what was simulated to what was counted.
func (t *trips) result(r *SweepTarget) {
	for i := range t.settings {
		if j := t.settings[i].judge; j != nil {
			r.Dropped += j.counter.Dropped()
		}
	}
	if t.tracker != nil {
		t.trackerResult(r)
		return
	}
	for w := range t.windows {
		stopped := make([]int64, t.most+1)
		for threshold := LeastThreshold; threshold <= t.most; threshold++ {
			stopped[threshold] = t.settings[t.index(w, int32(threshold))].fired
		}
		if t.whole != nil {
			t.addWhole(w, stopped)
		}
		r.Cells[t.kind*len(t.windows)+w].Stopped = stopped
	}
}
