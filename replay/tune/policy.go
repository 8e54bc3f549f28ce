package tune

import (
	"strings"

	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// Policy is the recommended policy, as YAML; empty without a recommendation. It
// warns: whoever is told of a loop can look at it first. What a gateway does on
// tripping is no part of it then, so that it fires where the cells do.
func (r *Report) Policy() string {
	if len(r.Recommended) == 0 {
		return ""
	}
	head, tail := r.PolicyFrame()
	var b strings.Builder
	b.WriteString(head)
	for _, i := range r.Recommended {
		b.WriteString(r.policyRule(i))
	}
	b.WriteString(tail)
	return b.String()
}

// Enforced is a policy of every rule that a setting is advised for, with the
// rule's own action, as it is to run in a gateway; empty without advice.
func (r *Report) Enforced() string {
	rules := ""
	for i := range r.Advice {
		if rule := r.Advice[i].Rule; r.Advice[i].Found {
			rules += r.ruleText(i, rule.Action, rule.Written.Tail)
		}
	}
	if rules == "" {
		return ""
	}
	head, _ := policy.Frame{}.Around(0, false)
	return head + rules
}

// policyRule is an advised rule as the recommended policy has it; empty if none
// is advised.
func (r *Report) policyRule(i int) string {
	if !r.Advice[i].Found {
		return ""
	}
	return r.ruleText(i, window.Warn, r.Advice[i].Rule.Written.Warns)
}

func (r *Report) ruleText(i int, action window.Action, tail string) string {
	a := &r.Advice[i]
	return policy.RuleText(&a.Rule.Written, r.PolicyCounter(i, a.Cell), a.Threshold, action, tail)
}

// PolicyParts are what stands before and after the setting of a rule that warns.
func (r *Report) PolicyParts(i int) (head, tail string) {
	w := &r.Advice[i].Rule.Written
	return policy.RuleHead(w), w.Warns
}

// PolicyCounter is what such a rule has for its counter, to count as a cell does.
func (r *Report) PolicyCounter(i, cell int) string {
	rule, as := r.Advice[i].Rule, r.Cells[cell]
	spec := window.CounterSpec{Kind: as.Kind, Window: as.Window, Closed: rule.Counter.EdgeCounts(), Period: rule.Counter.Period}
	return policy.CounterText(spec, rule.Written.Closed)
}

// PolicyFrame is what stands before and after the rules of a policy: how the
// log was read, and what was left out or should be.
func (r *Report) PolicyFrame() (head, tail string) {
	frame := r.Options.Frame
	for _, x := range r.Exclusions {
		if x.inPolicy() {
			frame.Exclude += policy.Exclusions([]window.Exclusion{{Name: x.Name, Text: x.Match}})
		}
	}
	return frame.Around(r.Lateness.Value, r.Lateness.Value > 0)
}
