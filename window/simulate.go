package window

// Simulator says how often a rule would have acted, one key at a time. It is
// for rules whose gateway counts otherwise once it has tripped (cooldown,
// blocked_counts, reset_on_fire), which no sweep of counts can answer.
type Simulator struct {
	judge *judge
	hit   Hit
}

// NewSimulator makes a simulator of a rule, whose counter must be keyed by
// scope and fingerprint.
func NewSimulator(rule *Rule) *Simulator { return &Simulator{judge: newJudge(rule, EngineOptions{})} }

// Fired is how many of a key's hits the rule would have acted on, given the
// times of all of them, in order.
func (s *Simulator) Fired(times []int64) (n int64) {
	rule := s.judge.rule
	for _, t := range times {
		s.hit = Hit{Time: t, Limit: rule.Threshold, Record: true}
		if s.judge.hit(&s.hit, rule.Action).fired {
			n++
		}
	}
	// The next key may have come earlier: nothing of this one stays.
	s.judge.counter.Forget(&s.hit)
	if s.judge.cooling != nil {
		s.judge.cooling.remove(pairKeyOf(&s.hit))
	}
	return n
}
