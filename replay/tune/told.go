package tune

import (
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// told is what the sweep tells of rules as they are, so that they need not be
// judged besides.
type told struct {
	cells    []int // by swept rule: see tellable
	all      []bool
	gateways *gatewayCounts // of those that all is told of
	o        *Options
	compared []Gateway
}

func newTold(o *Options, plan *window.Plan, cells []window.SweepCell, gateways []Gateway) *told {
	t := &told{o: o, compared: gateways}
	for _, rule := range o.Rules {
		t.cells = append(t.cells, tellable(rule, cells, o.Most))
	}
	for _, g := range gateways {
		t.all = append(t.all, t.tells(g))
	}
	t.gateways = newGatewayCounts(gateways, plan, t.all, true)
	return t
}

// tells says whether the sweep tells all of a gateway: where each of its rules
// fires, and nothing else is to be held against it.
func (t *told) tells(g Gateway) bool {
	return len(g.Differences) == 0 && !slices.ContainsFunc(g.Rules, func(r *window.Rule) bool {
		target := slices.Index(t.o.Rules, r)
		return target < 0 || t.cells[target] < 0
	})
}

// tellable is the cell that counts as a rule does, -1 if none does, or if what
// the cell counts does not tell where the rule fires.
func tellable(rule *window.Rule, cells []window.SweepCell, most int) int {
	own := func(o window.Override) bool { return o.Threshold == 1 || o.Window > 0 }
	if rule.ChangesCounts() || rule.ChatOverrides || rule.Threshold < 2 || rule.Threshold > most || slices.ContainsFunc(rule.Overrides, own) {
		return -1
	}
	return slices.Index(cells, window.SweepCell{Kind: rule.Counter.Kind, Window: rule.Counter.Window})
}

// repeat takes in a hit that repeats, as the sweep has counted it.
func (t *told) repeat(r *window.Finding, whose string) {
	rule := t.o.Rules[r.Target]
	if c := t.cells[r.Target]; c >= 0 && int(r.Counts[c]) >= rule.Threshold {
		t.gateways.current = conversationOf(whose)
		t.gateways.fired(rule, r.Event)
	}
}

// episodes takes over how many episodes the sweep has counted.
func (t *told) episodes(swept []window.SweepTarget) {
	for i, c := range t.cells {
		if c < 0 {
			continue
		}
		rule := swept[i].Rule
		for _, g := range t.gateways.byRule[rule] {
			t.gateways.episodes[g] += swept[i].Cells[c].Episodes[rule.Threshold]
		}
	}
}

// unjudged are, by their index, the rules that nobody needs judged: no gateway
// which the sweep does not tell all of.
func (t *told) unjudged(rules []*window.Rule) []bool {
	list := make([]bool, len(rules))
	for i, r := range rules {
		list[i] = true
		for k, g := range t.compared {
			if !t.all[k] && (slices.Contains(g.Rules, r) || slices.ContainsFunc(g.Differences, func(d Difference) bool { return d.Rule == r })) {
				list[i] = false
			}
		}
	}
	return list
}
