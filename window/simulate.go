package window

// Simulate says on which of the hits of one key a rule would have acted, given
// the times of all of them. It is for rules whose gateway changes later counts
// when it trips (cooldown, blocked_counts, reset_on_fire), which no sweep of
// counts can answer; the rule's counter must be keyed by scope and fingerprint.
func Simulate(rule *Rule, times []int64) (fired int64) {
	j := newJudge(rule, EngineOptions{})
	for _, t := range times {
		h := Hit{Time: t, Limit: rule.Threshold, Record: true}
		if j.hit(&h, rule.Action).fired {
			fired++
		}
	}
	return fired
}

// ChangesCounts says that the rule's gateway counts otherwise once it has
// tripped.
func (rule *Rule) ChangesCounts() bool {
	return rule.Cooldown > 0 || rule.SkipBlocked || rule.ResetOnFire
}

// KeyingOf is how the counters of a kind are keyed; ok is false if there is no
// such kind.
func KeyingOf(kind string) (keying Keying, ok bool) {
	for _, k := range Counters {
		if k.Name == kind {
			return k.Keying, true
		}
	}
	return 0, false
}
