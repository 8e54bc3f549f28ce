package tune

import (
	"fmt"
	"strings"

	"github.com/loopgauge/loopgauge/window"
)

// Policy is the recommended policy, as YAML; empty without a recommendation.
func (r *Report) Policy() string {
	if len(r.Recommended) == 0 {
		return ""
	}
	head, tail := r.PolicyFrame()
	var b strings.Builder
	b.WriteString(head)
	for _, i := range r.Recommended {
		a := &r.Advice[i]
		cell := r.Cells[a.Cell]
		fmt.Fprintf(&b, "%s    counter: {kind: %s, window: %s}\n    threshold: %d\n    action: warn\n",
			a.PolicyRule(), cell.Kind, window.Lasting(cell.Window), a.Threshold)
	}
	b.WriteString(tail)
	return b.String()
}

// PolicyFrame is what stands before and after the rules of a policy.
func (r *Report) PolicyFrame() (head, tail string) {
	head = "version: 1\n"
	if r.Lateness.Value > 0 {
		head += fmt.Sprintf("lateness: %s\n", window.Lasting(r.Lateness.Value))
	}
	if r.Sessions != nil {
		head += "session:\n"
		for _, place := range r.Sessions {
			head += fmt.Sprintf("  - %q\n", place)
		}
	}
	head += "rules:\n"
	for _, x := range r.Exclusions {
		if x.Hides > 0 {
			continue
		}
		if tail == "" {
			tail = "exclude:\n"
		}
		tail += fmt.Sprintf("  - {name: %q, match: %q}\n", x.Name, x.Match)
	}
	return head, tail
}

// PolicyRule is the beginning of the rule in a policy: all but its setting. Of
// a rule that does not come from a profile the match and the overrides are
// left out: its other fields are known by their names alone.
func (a *Advice) PolicyRule() string {
	from := a.Rule.Profile
	if from != "" && !strings.Contains(from, "/") {
		from += "/" + a.Rule.Name
	}
	name := fmt.Sprintf("  - name: %s\n", a.Rule.Name)
	if from != "" {
		return name + fmt.Sprintf("    profile: %s\n", from)
	}
	return name + fmt.Sprintf("    identity: %s\n    scope: [%s]\n", a.Rule.Identity.Name, strings.Join(a.Rule.Scope.Fields, ", "))
}
