package tune

import (
	"fmt"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// cellName is how a cell is looked up.
type cellName = window.SweepCell

func micros(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

// Policy is the recommended policy, as YAML; empty without a recommendation.
// Of a rule that does not come from a profile the match and the overrides are
// left out: its other fields are known by their names alone.
func (r *Report) Policy() string {
	if len(r.Recommended) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("version: 1\n")
	if r.Lateness.Value > 0 {
		fmt.Fprintf(&b, "lateness: %s\n", term.Lasting(r.Lateness.Value))
	}
	b.WriteString("rules:\n")
	for _, i := range r.Recommended {
		a := &r.Advice[i]
		cell := r.Cells[a.Cell]
		from := a.Rule.Profile
		if from != "" && !strings.Contains(from, "/") {
			from += "/" + a.Rule.Name
		}
		fmt.Fprintf(&b, "  - name: %s\n", a.Rule.Name)
		if from != "" {
			fmt.Fprintf(&b, "    profile: %s\n", from)
		} else {
			fmt.Fprintf(&b, "    identity: %s\n    scope: [%s]\n", a.Rule.Identity.Name, strings.Join(a.Rule.Scope.Fields, ", "))
		}
		fmt.Fprintf(&b, "    counter: {kind: %s, window: %s}\n    threshold: %d\n    action: warn\n", cell.Kind, term.Lasting(cell.Window), a.Threshold)
	}
	for i, x := range r.Exclusions {
		if x.Hides > 0 {
			continue
		}
		if i == 0 {
			b.WriteString("exclude:\n")
		}
		fmt.Fprintf(&b, "  - {name: %q, match: %q}\n", x.Name, x.Match)
	}
	return b.String()
}
