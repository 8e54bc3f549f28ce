package window

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestPartitionsAddUp: whatever the partitions that keys are dealt out to, hits,
// openings and what tripping stops add up to what a sweep of the whole log, in
// its order, counts; and the episodes are those of an engine. The whole log
// forgets idle keys in between, a partition does not: neither changes a count.
func TestPartitionsAddUp(t *testing.T) {
	n := newNames(t)
	identity, scope := byModel(t), bySession(t)
	kinds := append([]string{TrackerKind}, SweepKinds...)
	rapid.Check(t, func(rt *rapid.T) {
		o := SweepOptions{Windows: []time.Duration{3 * time.Second, 20 * time.Second, 2 * time.Minute}, Most: 5}
		var rules []*Rule
		for i := range rapid.IntRange(1, 3).Draw(rt, "rules") {
			rule := &Rule{
				Name: string(rune('a' + i)), Identity: identity, Scope: scope, Action: Warn, Threshold: rapid.IntRange(2, 4).Draw(rt, "threshold"),
				Quiet:   rapid.SampledFrom([]time.Duration{0, time.Second, time.Minute}).Draw(rt, "quiet"),
				Counter: CounterSpec{Kind: rapid.SampledFrom(kinds).Draw(rt, "kind"), Window: 20 * time.Second, Period: 3, Closed: rapid.Bool().Draw(rt, "closed")},
			}
			if rule.Counter.Kind != TrackerKind {
				rule.Cooldown = time.Duration(rapid.SampledFrom([]int{0, 2, 300}).Draw(rt, "cooldown")) * time.Second
				rule.SkipInCooldown, rule.SkipBlocked, rule.ResetOnFire = rapid.Bool().Draw(rt, "skip in cooldown"), rapid.Bool().Draw(rt, "skip blocked"), rapid.Bool().Draw(rt, "reset")
			}
			rules = append(rules, rule)
		}
		plan := NewPlan(rules, nil)
		events := sweepEvents(rt, n, 80, false)
		for _, ev := range events {
			ev.Rules = slices.Repeat([]Choice{Plain}, len(rules))
		}

		var want, got []Episode
		sweep := NewSweep(plan, allOf(rules), o)
		engine := NewEngine(plan, EngineOptions{Episode: func(e *Episode) { want = append(want, *e) }})
		for _, ev := range events {
			sweep.Add(ev)
			engine.Judge(ev)
		}
		engine.Close()
		sum := map[string][3]int64{}
		for _, target := range sweep.Result() {
			for _, cell := range append(target.Cells, target.Tracker...) {
				addCell(sum, target.Rule, &cell, 1)
			}
		}

		for _, keying := range []Keying{ByScopeAndFingerprint, ByScope} {
			parts := rapid.IntRange(1, 3).Draw(rt, "partitions")
			dealt := make([][]*Event, parts)
			to := map[pairKey]int{}
			for _, ev := range events {
				key := keyOf(ev, keying)
				if _, ok := to[key]; !ok {
					to[key] = rapid.IntRange(0, parts-1).Draw(rt, "partition")
				}
				dealt[to[key]] = append(dealt[to[key]], ev)
			}
			for _, list := range dealt {
				slices.SortStableFunc(list, func(a, b *Event) int { return comparePairs(keyOf(a, keying), keyOf(b, keying)) })
				p := NewPartition(plan, keying, o, func(e *Episode) { got = append(got, *e) })
				for r := range rules {
					for _, ev := range list {
						own := *ev
						own.Rules = slices.Repeat([]Choice{NotMatched}, len(rules))
						own.Rules[r] = Plain
						p.Add(r, &own)
					}
				}
				p.Close()
				for _, tally := range p.Result() {
					if tally.Hits != int64(len(list)) || tally.Dropped != 0 {
						rt.Errorf("%s: %d hits of %d, %d keys dropped", tally.Rule.Name, tally.Hits, len(list), tally.Dropped)
					}
					for _, cell := range tally.Cells {
						addCell(sum, tally.Rule, &cell, -1)
					}
				}
			}
		}
		for cell, n := range sum {
			if n != [3]int64{} {
				rt.Errorf("%s: the whole has %v more requests, episodes, stopped", cell, n)
			}
		}
		byID := func(a, b Episode) int { return cmp.Compare(a.ID, b.ID) }
		slices.SortFunc(want, byID)
		slices.SortFunc(got, byID)
		if diff := gocmp.Diff(want, got, cmpopts.IgnoreFields(Episode{}, "Rule"), cmpopts.IgnoreUnexported(Episode{}), cmpopts.EquateEmpty(), gocmp.AllowUnexported(printOf(t, "a"))); diff != "" {
			rt.Errorf("episodes: - engine, + partitions\n%s", diff)
		}
	})
}

func allOf(rules []*Rule) (list []int) {
	for i := range rules {
		list = append(list, i)
	}
	return list
}

func keyOf(ev *Event, keying Keying) pairKey {
	key := pairKey{scope: ev.Scopes[0].Key}
	if keying == ByScopeAndFingerprint {
		key.print = printKeyOf(&ev.Prints[0].Fingerprints[0])
	}
	return key
}

func comparePairs(a, b pairKey) int {
	return cmp.Or(slices.Compare(a.scope[:], b.scope[:]), slices.Compare(a.print[:], b.print[:]))
}

// addCell adds what adds up of a cell.
func addCell(sum map[string][3]int64, rule *Rule, cell *Swept, times int64) {
	for threshold := 2; threshold < len(cell.Requests); threshold++ {
		key := fmt.Sprint(rule.Name, cell.SweepCell, threshold)
		n := sum[key]
		n[0] += times * cell.Requests[threshold]
		n[1] += times * cell.Episodes[threshold]
		if cell.Stopped != nil {
			n[2] += times * cell.Stopped[threshold]
		}
		sum[key] = n
	}
}
