package tune

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// TestToldAgreesWithEngine: what the sweep tells of gateways is what an engine
// that judges by their rules finds.
func TestToldAgreesWithEngine(t *testing.T) {
	var identities []*fingerprint.Identity
	for _, part := range []string{"model", "path"} {
		id, err := fingerprint.New("", fingerprint.Options{Parts: []string{part}})
		if err != nil {
			t.Fatal(err)
		}
		identities = append(identities, id)
	}
	scope, err := fingerprint.NewScope([]string{"conversation"})
	if err != nil {
		t.Fatal(err)
	}
	windows := []time.Duration{3 * time.Second, 20 * time.Second, 2 * time.Minute}
	const most = 4
	rapid.Check(t, func(rt *rapid.T) {
		var rules []*window.Rule
		for i := range rapid.IntRange(1, 4).Draw(rt, "rules") {
			rules = append(rules, &window.Rule{
				Name: fmt.Sprint("r", i), Identity: rapid.SampledFrom(identities).Draw(rt, "identity"), Scope: scope,
				Counter:   window.CounterSpec{Kind: rapid.SampledFrom(window.SweepKinds).Draw(rt, "kind"), Window: rapid.SampledFrom(windows).Draw(rt, "window")},
				Threshold: rapid.IntRange(1, most+1).Draw(rt, "threshold"), Action: window.Warn,
				Cooldown: time.Duration(rapid.SampledFrom([]int{0, 0, 0, 5}).Draw(rt, "cooldown")) * time.Second,
			})
			if own := rapid.IntRange(0, most+2).Draw(rt, "threshold of some"); own > 0 {
				rules[i].Selection = fmt.Sprint(own)
				rules[i].Overrides = []window.Override{{Threshold: own, Match: func(r *fingerprint.Request) bool { return string(r.Method) == "b" }}}
			}
		}
		var compared []Gateway
		for i := range rapid.IntRange(1, 3).Draw(rt, "gateways") {
			compared = append(compared, Gateway{Name: fmt.Sprint("g", i), Rules: rapid.SliceOfNDistinct(rapid.SampledFrom(rules), 1, len(rules), rapid.ID[*window.Rule]).Draw(rt, "of")})
		}
		all := slices.Clone(rules)
		for i := range compared {
			for range rapid.IntRange(0, 2).Draw(rt, "differences") {
				documented := *compared[i].Rules[0]
				documented.Counter.Kind, documented.Counter.Window = rapid.SampledFrom(window.SweepKinds).Draw(rt, "documented kind"), rapid.SampledFrom(windows).Draw(rt, "documented window")
				documented.Threshold = rapid.IntRange(2, most).Draw(rt, "documented threshold")
				all, compared[i].Differences = append(all, &documented), append(compared[i].Differences, Difference{Rule: &documented})
			}
		}
		plan := window.NewPlan(all, nil)
		witness := plan.NewWitness(0)
		swept := make([]int, len(rules))
		for i := range swept {
			swept[i] = i
		}
		c := newCollector(plan, swept, len(windows)*len(window.SweepKinds), witness)
		sweep := c.sweep(windows, most, 0)
		c.told = newTold(&Options{Rules: rules, Most: most}, plan, sweep.Cells(), compared)
		told := c.told.gateways
		judged := newGatewayCounts(compared, plan)
		for i := range judged.of { // of which the sweep tells
			judged.of[i].told = !told.of[i].told
		}
		var who conversation
		engine := window.NewEngine(plan, window.EngineOptions{
			Verdict: func(v *window.Verdict) {
				if v.Fired {
					judged.fired(v.Rule, v.Event, who, false)
				}
			},
			Episode: func(e *window.Episode) { judged.episodes(e.Rule, 1, false) },
		})
		extractor := plan.NewExtractor(window.ExtractOptions{})
		now := int64(1_000_000_000)
		for i := range rapid.IntRange(1, 60).Draw(rt, "events") {
			now += int64(rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3, 19, 20, 61, 200}).Draw(rt, "pause")) * 1_000_000
			text := func(label string) []byte {
				return []byte(rapid.SampledFrom([]string{"a", "a", "a", "b"}).Draw(rt, label))
			}
			var ev window.Event
			extractor.Event(&fingerprint.Request{
				Time: now, End: now, Session: text("session"), Model: text("model"), Path: text("path"), Method: text("method"), Position: fingerprint.Position{Line: int64(i)},
			}, &ev)
			who = conversationOf(witness.Conversation(&ev))
			engine.Judge(&ev)
			var found window.Findings
			sweep.Count(sweep.Look(nil, &ev), &found)
			c.note(found.List)
		}
		engine.Close()
		c.told.episodes(sweep.Result())
		if !maps.Equal(told.flagged.of, judged.flagged.of) {
			rt.Errorf("told %v, judged %v", told.flagged.of, judged.flagged.of)
		}
		for i := range compared {
			a, b := &told.of[i], &judged.of[i]
			if a.requests != b.requests || a.episodes != b.episodes {
				rt.Errorf("%s: told %d requests in %d episodes, judged %d in %d", a.Name, a.requests, a.episodes, b.requests, b.episodes)
			}
			for k, d := range b.judging {
				own := a.judging[k]
				own.settle()
				if d.settle(); own.more != d.more || own.less != d.less {
					rt.Errorf("told %d more and %d less than documented, judged %d and %d", own.more, own.less, d.more, d.less)
				}
			}
		}
	})
}
