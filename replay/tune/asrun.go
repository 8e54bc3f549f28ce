package tune

import (
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// A gateway may make another rule of its settings than its documents say: the
// tool-call proxy counts by the tracker, of which the sweep does not know what
// advice is told from. So the documented rule is advised, and the other, swept
// beside it, says what the gateway does with that setting.

// Shows tells that a swept rule is there to show what a gateway does with the
// settings of another, and not to be advised.
func (r *Report) Shows(target int) bool {
	return slices.ContainsFunc(r.Sweep, func(t window.SweepTarget) bool { return t.Tracker == nil && r.runs(t.Rule) == target })
}

// ShownAsRun tells that what a gateway does with the settings of a rule is known.
func (r *Report) ShownAsRun(target int) bool { return r.runs(r.Sweep[target].Rule) >= 0 }

// runs is the rule that a gateway makes of the settings of another; -1 if none
// is swept.
func (r *Report) runs(rule *window.Rule) int {
	if !r.Options.ForGateway {
		return -1
	}
	return slices.IndexFunc(r.Sweep, func(t window.SweepTarget) bool {
		return t.Tracker != nil && t.Rule != rule && t.Rule.SameKey(rule)
	})
}

// asRun is the tracker's cell that a gateway makes of a cell of a rule.
func (r *Report) asRun(rule *window.Rule, cell int) (runs, as int, ok bool) {
	if runs = r.runs(rule); runs < 0 {
		return 0, 0, false
	}
	return runs, len(r.Cells) + slices.Index(r.Options.Windows, r.Cells[cell].Window), true
}

// wrongAsRun is how many repeats a gateway hits wrongly with a setting, in what
// settings are chosen on.
func (r *Report) wrongAsRun(rule *window.Rule, cell, threshold int) int {
	runs, as, ok := r.asRun(rule, cell)
	if !ok || runs >= len(r.Advice) {
		return 0
	}
	return r.Advice[runs].on.grid[as][threshold].Wrong
}
