package window

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestSweepKnowsTheCounters: a new counter is swept, or named here with the
// reason why it is not.
func TestSweepKnowsTheCounters(t *testing.T) {
	notSwept := []string{"tracker"} // what it counts depends on what fired
	for _, kind := range Counters {
		if slices.Contains(SweepKinds, kind.Name) == slices.Contains(notSwept, kind.Name) {
			t.Errorf("counter %s: in SweepKinds or not swept, but not both or neither", kind.Name)
		}
	}
}

// TestSweepAgreesWithEngine: a cell at a threshold says what an Engine with
// that one rule does: how many requests it stops, in how many episodes and
// scopes, and what is used after the first of each.
func TestSweepAgreesWithEngine(t *testing.T) {
	n := newNames(t)
	identity, scope := byModel(t), bySession(t)
	rapid.Check(t, func(rt *rapid.T) {
		windows := []time.Duration{3 * time.Second, 20 * time.Second, 2 * time.Minute}
		rule := &Rule{Name: "swept", Identity: identity, Scope: scope, Quiet: rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour}).Draw(rt, "quiet")}
		plan := NewPlan([]*Rule{rule}, nil)
		const most = 6
		s := NewSweep(plan, []int{0}, SweepOptions{Windows: windows, Most: most, Period: 3})

		var events []*Event
		now := int64(1_000_000_000)
		phrase := rapid.SliceOfN(rapid.SampledFrom([]string{"A", "B", "C"}), 1, 4).Draw(rt, "phrase")
		for i := range rapid.IntRange(1, 60).Draw(rt, "events") {
			now += int64(rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3, 19, 20, 60, 61, 200}).Draw(rt, "pause")) * 1_000_000
			print := phrase[i%len(phrase)]
			if rapid.IntRange(0, 6).Draw(rt, "stray") == 0 {
				print = rapid.SampledFrom([]string{"A", "B", "C"}).Draw(rt, "print")
			}
			ev := n.event(now, rapid.SampledFrom([]string{"s", "s", "s", "u"}).Draw(rt, "session"), []string{print}, 1)
			ev.Position.Line = int64(i)
			ev.TokensIn, ev.TokensOut, ev.Cost = int64(i), 1, 0.5
			events = append(events, ev)
			s.Add(ev)
		}

		cells := s.Result()[0].Cells
		if len(cells) != len(SweepKinds)*len(windows) {
			rt.Fatalf("%d cells", len(cells))
		}
		for _, cell := range cells {
			for threshold := 2; threshold <= most; threshold++ {
				one := *rule
				one.Counter = CounterSpec{Kind: cell.Kind, Window: cell.Window, Period: 3}
				one.Threshold, one.Action = threshold, Warn
				one.Quiet = rule.Quiet
				var requests, episodes, tokens int64
				var cost float64
				scopes := map[string]bool{}
				e := NewEngine(NewPlan([]*Rule{&one}, nil), EngineOptions{
					Verdict: func(v *Verdict) {
						if v.Fired {
							requests++
							scopes[v.Scope.Values[0]] = true
						}
					},
					Episode: func(ep *Episode) {
						episodes++
						tokens += ep.TokensAfter
						cost += ep.CostAfter
					},
				})
				for _, ev := range events {
					e.Judge(ev)
				}
				e.Close()
				if got := cell.Requests[threshold]; got != requests {
					rt.Errorf("%s at %d: %d requests, an engine stops %d", cell.SweepCell, threshold, got, requests)
				}
				if got := cell.Episodes[threshold]; got != episodes {
					rt.Errorf("%s at %d: %d episodes, an engine has %d", cell.SweepCell, threshold, got, episodes)
				}
				if got := cell.Scopes[threshold]; got != int64(len(scopes)) {
					rt.Errorf("%s at %d: %d scopes, an engine fires in %d", cell.SweepCell, threshold, got, len(scopes))
				}
				if got := cell.TokensAfter[threshold]; got != tokens {
					rt.Errorf("%s at %d: %d tokens after, an engine says %d", cell.SweepCell, threshold, got, tokens)
				}
				if got := cell.CostAfter[threshold]; got != cost {
					rt.Errorf("%s at %d: $%g after, an engine says $%g", cell.SweepCell, threshold, got, cost)
				}
			}
		}
	})
}
