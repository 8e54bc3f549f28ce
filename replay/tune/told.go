package tune

import (
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// told is what the sweep tells of rules as they are, so that they need not be
// judged besides.
type told struct {
	of       [][]toldRule // by swept rule
	gateways *gatewayCounts
}

// toldRule is a rule of a gateway, or of its documents, that a cell tells of.
type toldRule struct {
	rule *window.Rule
	cell int
}

func newTold(o *Options, plan *window.Plan, cells []window.SweepCell, gateways []Gateway) *told {
	t := &told{of: make([][]toldRule, len(o.Rules)), gateways: newGatewayCounts(gateways, plan)}
	known := map[*window.Rule]bool{}
	for i := range t.gateways.of {
		g := &t.gateways.of[i]
		g.told = true
		for _, rule := range g.compared() {
			if known[rule] {
				continue
			}
			target := slices.IndexFunc(o.Rules, func(swept *window.Rule) bool { return countsFor(swept, rule) })
			cell := tellable(rule, cells, o.Most)
			if target < 0 || cell < 0 {
				g.told = false
				continue
			}
			known[rule] = true
			t.of[target] = append(t.of[target], toldRule{rule, cell})
		}
	}
	return t
}

// countsFor tells that what is swept for a rule is what another counts in some cell.
func countsFor(swept, rule *window.Rule) bool {
	as := *swept
	as.Counter.Kind, as.Counter.Window, as.Threshold = rule.Counter.Kind, rule.Counter.Window, rule.Threshold
	return swept == rule || as.Alike(rule)
}

// tellable is the cell that counts as a rule does, -1 if none does, or if what
// the cell counts does not tell where the rule fires.
func tellable(rule *window.Rule, cells []window.SweepCell, most int) int {
	own := func(o window.Override) bool { return o.Threshold == 1 || o.Window > 0 }
	if rule.ChangesCounts() || rule.ChatOverrides || rule.Threshold < 2 || rule.Threshold > most || slices.ContainsFunc(rule.Overrides, own) {
		return -1
	}
	return cellOf(rule, cells)
}

// repeat takes in a hit that repeats, as the sweep has counted it.
func (t *told) repeat(r *window.Finding, whose string) {
	for _, of := range t.of[r.Target] {
		if int(r.Counts[of.cell]) >= of.rule.Threshold {
			t.gateways.fired(of.rule, r.Event, conversationOf(whose), true)
		}
	}
}

// episodes takes over how many episodes the sweep has counted.
func (t *told) episodes(swept []window.SweepTarget) {
	for i, rules := range t.of {
		for _, of := range rules {
			t.gateways.episodes(of.rule, swept[i].Cells[of.cell].Episodes[of.rule.Threshold], true)
		}
	}
}

// unjudged are, by their index, the rules that nobody needs judged: no gateway
// which the sweep does not tell all of.
func (t *told) unjudged(rules []*window.Rule) []bool {
	list := make([]bool, len(rules))
	for i, r := range rules {
		list[i] = !slices.ContainsFunc(t.gateways.of, func(g gatewayCount) bool { return !g.told && slices.Contains(g.compared(), r) })
	}
	return list
}
