package window

import (
	"slices"
	"sort"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// past is what a key or scope has last seen.
type past struct {
	hits  []passed
	begun []int32 // by window: the highest threshold whose setting has begun
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

// past is that of the hit at work, nil if it repeats nothing.
func (t *sweepTarget) past(key *keyCounts) *past {
	switch {
	case t.trips.byScope && t.scope != nil:
		return t.scope.past
	case !t.trips.byScope && key != nil:
		return key.past
	}
	return nil
}

// keepsBlocked tells that the pasts know what cools down, so that judges need
// not: while it does they are shown nothing.
func (t *trips) keepsBlocked() bool { return t.rule.SkipInCooldown && !t.byScope }

// prepare makes what is kept of a key or scope by window and setting.
func (t *trips) prepare(p *past) {
	if p.begun != nil {
		return
	}
	p.begun = make([]int32, len(t.windows))
	if t.keepsBlocked() {
		p.blocked = make([]int64, len(t.settings))
	}
}

// inWindow are the hits of a past that may still count in a window. What a fixed
// window forgot must not be told: it would open the window at another time.
func (t *trips) inWindow(hits []passed, key *keyCounts, w int) []passed {
	if t.kind != fixedKind {
		return hits
	}
	opened := key.opened(w)
	return hits[sort.Search(len(hits), func(i int) bool { return hits[i].time >= opened }):]
}
