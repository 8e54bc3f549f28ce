package window

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestSimulatorAgreesWithEngine: on the hits of one key, a simulator acts as
// often as an engine does, whatever else is in the log.
func TestSimulatorAgreesWithEngine(t *testing.T) {
	n := newNames(t)
	identity, scope := byModel(t), bySession(t)
	rapid.Check(t, func(rt *rapid.T) {
		rule := &Rule{
			Name: "r", Identity: identity, Scope: scope, Action: Reject, Threshold: rapid.IntRange(2, 4).Draw(rt, "threshold"),
			Counter:        CounterSpec{Kind: rapid.SampledFrom([]string{"sliding", "fixed", "refresh"}).Draw(rt, "kind"), Window: 10 * time.Second},
			Cooldown:       time.Duration(rapid.IntRange(0, 15).Draw(rt, "cooldown")) * time.Second,
			SkipInCooldown: rapid.Bool().Draw(rt, "skip in cooldown"), SkipBlocked: rapid.Bool().Draw(rt, "skip blocked"), ResetOnFire: rapid.Bool().Draw(rt, "reset"),
		}
		var fired int64
		e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{Verdict: func(v *Verdict) {
			if v.Fired && v.Scope.Values[0] == "s" && v.Fingerprint == n.print("A") {
				fired++
			}
		}})
		var times []int64
		now := int64(1_000_000)
		for range rapid.IntRange(1, 40).Draw(rt, "hits") {
			now += int64(rapid.SampledFrom([]int{0, 1, 2, 5, 10, 11, 30}).Draw(rt, "pause")) * 1_000_000
			session, print := rapid.SampledFrom([]string{"s", "s", "u"}).Draw(rt, "session"), rapid.SampledFrom([]string{"A", "A", "B"}).Draw(rt, "print")
			e.Judge(n.event(now, session, []string{print}, 1))
			if session == "s" && print == "A" {
				times = append(times, now)
			}
		}
		s := NewSimulator(rule)
		for range 2 { // the second time as if there had been no first
			if got := s.Fired(times); got != fired {
				rt.Errorf("simulated: %d, the engine: %d", got, fired)
			}
		}
	})
}
