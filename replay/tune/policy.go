package tune

import (
	"fmt"
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
	text := ""
	for i := range r.Advice {
		if rule := r.Advice[i].Rule; r.Advice[i].Found {
			text += r.ruleText(i, rule.Action, rule.Written.Tail)
		}
	}
	if text != "" {
		text = "version: 1\nrules:\n" + text
	}
	return text
}

// policyRule is an advised rule as the recommended policy has it; empty if none
// is advised.
func (r *Report) policyRule(i int) string {
	if !r.Advice[i].Found {
		return ""
	}
	_, _, tail := r.PolicyParts(i)
	return r.ruleText(i, window.Warn, tail)
}

func (r *Report) ruleText(i int, action window.Action, tail string) string {
	a := &r.Advice[i]
	cell := r.Cells[a.Cell]
	head, counted, _ := r.PolicyParts(i)
	return fmt.Sprintf("%s    counter: {kind: %s, window: %s%s}\n    threshold: %d\n    action: %s\n%s",
		head, cell.Kind, window.Lasting(cell.Window), counted[cell.Kind], a.Threshold, action, tail)
}

// PolicyParts are what a rule that warns has beside its setting: what stands
// before and after it, and what, by counter, stands behind the window.
func (r *Report) PolicyParts(i int) (head string, counted map[string]string, tail string) {
	rule := r.Advice[i].Rule
	counted = map[string]string{}
	for _, kind := range window.SweepKinds {
		if rule.Counter.EdgeCounts() {
			counted[kind] = ", closed: true"
		}
	}
	if rule.Counter.Kind == "cycle" && rule.Counter.Period > 0 {
		counted["cycle"] += fmt.Sprintf(", period: %d", rule.Counter.Period)
	}
	return fmt.Sprintf("  - name: %s\n%s", rule.Written.Name, rule.Written.Head), counted, rule.Written.Warns
}

// PolicyFrame is what stands before and after the rules of a policy: how the
// log was read, and what was left out or should be.
func (r *Report) PolicyFrame() (head, tail string) {
	head = "version: 1\n"
	if r.Lateness.Value > 0 {
		head += fmt.Sprintf("lateness: %s\n", window.Lasting(r.Lateness.Value))
	}
	head += r.Options.Frame.Reading + "rules:\n"
	tail = r.Options.Frame.Exclude
	for _, x := range r.Exclusions {
		if x.inPolicy() {
			tail += fmt.Sprintf("  - {name: %s, match: %s}\n", policy.Quoted(x.Name), policy.Quoted(x.Match))
		}
	}
	if tail != "" {
		tail = "exclude:\n" + tail
	}
	return head, tail + r.Options.Frame.Prices
}
