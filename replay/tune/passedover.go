package tune

import (
	"fmt"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
)

// passedOver is a rule that is not recommended, though it finds loops that those
// which are do not.
type passedOver struct {
	*Advice
	more   int  // conversations with a loop that it finds besides
	budget bool // has no room for it; else these are too few
}

// passOver finds the rule that finds most besides, in the order in which rules are
// recommended.
func (r *Report) passOver(order []int, caught []map[string]bool, seen map[string]bool) {
	for _, i := range order {
		more := beyond(caught[i], seen)
		if more >= leastMore && (r.passedOver == nil || more > r.passedOver.more) {
			r.passedOver = &passedOver{&r.Advice[i], more, more >= enoughMore(seen)}
		}
	}
}

// passes says which loops are not found for want of a rule that would.
func (r *Report) passes() []string {
	p := r.passedOver
	if p == nil {
		return nil
	}
	why := "fewer than a tenth of what is recommended finds"
	if p.budget {
		why = "for which --budget has no room"
	}
	cell := r.Cells[p.Cell]
	return []string{fmt.Sprintf("left out is %s, %s: it finds loops in %s more, %s",
		term.Safe(p.Rule.Name), replay.Setting(p.Threshold, cell.Window, cell.Kind), term.Plural(int64(p.more), "conversation", "conversations"), why)}
}
