package window

import "slices"

// trackerTally is what the tracker did by simulation: it counts in no other way, so
// nothing else says it.
type trackerTally struct {
	settings []trackerTrip
	in       [reachable]*table[string, []bool] // by setting: whether it fired in a scope, a session or for a caller
	delays   delays                            // columns are windows
}

// trackerTrip is what one setting did.
type trackerTrip struct {
	episodes      int64
	reached       [reachable]int64
	before, after usage
	opened        uint64 // number of the event that opened an episode last
}

func newTrackerTally(settings, keys int) *trackerTally {
	tally := &trackerTally{settings: make([]trackerTrip, settings)}
	for in := range tally.in {
		tally.in[in] = newTable[string, []bool](-1, keys, nil)
	}
	return tally
}

// tally adds up a firing of the tracker, by the hit at work. again says that its
// request has fired before.
func (t *trips) tally(w int, threshold int32, ev *Event, scope *Scope, n Count, key *keyCounts, again bool) {
	i := t.index(w, threshold)
	trip, episodes := &t.tracker.settings[i], t.settings[i].judge.episodes
	used := usageOf(ev)
	if !again {
		trip.after.add(used, 1)
	}
	if episodes.fired(ev, scope, &t.shown, n, "", ""); episodes.opened {
		trip.episodes++
		if trip.opened != t.event {
			trip.opened = t.event
			trip.after.add(used, -1)
		}
		before, delay := used, int64(0)
		if key != nil && n.N > 0 { // else it had to make room, and the session remembers it, or a cooldown counts nothing
			before, delay = key.upTo(t.hit.Time, slidingKind, 0, n.N)
		}
		trip.before.add(before, 1)
		t.tracker.delays.add(delay, w, threshold, threshold)
	}
	if again {
		return
	}
	for in, who := range [reachable]string{inScopes: string(scope.Key[:]), inSessions: ev.Session, inCallers: ev.Caller} {
		if who == "" {
			continue
		}
		fired := t.tracker.in[in].touch(who, ev.Time)
		if *fired == nil {
			*fired = make([]bool, len(t.settings))
		}
		if !(*fired)[i] {
			(*fired)[i] = true
			trip.reached[in]++
		}
	}
}

// forget ends what is known of those in which it fired.
func (t *trackerTally) forget() {
	for _, table := range t.in {
		table.clear()
	}
}

// trackerResult adds what the tracker did.
func (t *trips) trackerResult(r *SweepTarget) {
	for _, table := range t.tracker.in {
		r.Dropped += table.dropped
	}
	cells := make([][]int, len(t.windows))
	for w := range t.windows {
		cells[w] = []int{w}
		r.Tracker = append(r.Tracker, t.swept(w))
	}
	t.tracker.delays.quantiles(r.Tracker, cells)
}

// swept is what the tracker did with a window.
func (t *trips) swept(w int) Swept {
	s := newSwept(SweepCell{TrackerKind, t.windows[w]}, t.most)
	for i := LeastThreshold; i <= t.most; i++ {
		setting := t.index(w, int32(i))
		trip, tracked := &t.settings[setting], &t.tracker.settings[setting]
		if trip.judge == nil {
			continue
		}
		s.Requests[i], s.Episodes[i] = trip.fired, tracked.episodes
		for in, n := range tracked.reached {
			s.reached(in)[i] = n
		}
		s.TokensBefore[i], s.CostBefore[i] = tracked.before.tokens, tracked.before.cost.Dollars()
		s.TokensAfter[i], s.CostAfter[i] = tracked.after.tokens, tracked.after.cost.Dollars()
	}
	s.Stopped = slices.Clone(s.Requests)
	return s
}
