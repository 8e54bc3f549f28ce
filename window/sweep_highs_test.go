package window

import (
	"strconv"
	"testing"
	"time"
)

// TestHighsAreBounded: scopes of many sessions have no more highs than they may, one
// by one and together, also once others have left theirs.
func TestHighsAreBounded(t *testing.T) {
	n := newNames(t)
	rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding"}}
	s := NewSweep(NewPlan([]*Rule{rule}, nil), []int{0}, SweepOptions{Windows: []time.Duration{time.Minute}, Most: 2})
	target, now := s.targets[0], int64(0)
	for round := range 3 {
		for scope := range 2 * maxMoreHighs / maxHighs {
			for i := range 4 * maxHighs {
				ev := n.event(now, strconv.Itoa(scope%(50*(round+1))), []string{"AB"[i%2 : i%2+1]}, 1)
				ev.Session = strconv.Itoa(i % (8 << round) * 7919)
				s.Add(ev)
				now += 1000
			}
		}
		now += time.Hour.Microseconds()
	}
	more, most := 0, 0
	count := func(q *trail) {
		more, most = more+max(len(q.highs)-1, 0), max(most, len(q.highs))
	}
	target.seen.scopes.each(func(scope *seenScope) { count(scope.trail) })
	for _, q := range target.trails {
		count(q)
	}
	if more != target.moreHighs || more > maxMoreHighs || most > maxHighs || most < 2 {
		t.Errorf("%d highs besides one a scope, of which %d are known, and %d of one scope; want %d and %d at most", more, target.moreHighs, most, maxMoreHighs, maxHighs)
	}
}
