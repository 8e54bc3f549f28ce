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
	_, tail := r.PolicyParts(i)
	return r.ruleText(i, window.Warn, tail)
}

func (r *Report) ruleText(i int, action window.Action, tail string) string {
	a := &r.Advice[i]
	head, _ := r.PolicyParts(i)
	return fmt.Sprintf("%s    counter: %s\n    threshold: %d\n    action: %s\n%s", head, r.PolicyCounter(i, a.Cell), a.Threshold, action, tail)
}

// PolicyParts are what stands before and after the setting of a rule that warns.
func (r *Report) PolicyParts(i int) (head, tail string) {
	w := r.Advice[i].Rule.Written
	return fmt.Sprintf("  - name: %s\n%s", w.Name, w.Head), w.Warns
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
