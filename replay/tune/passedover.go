package tune

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/loopgauge/loopgauge/replay/term"
)

// passedOver is a rule that is not recommended, or not by this setting, though it
// finds loops that those which are do not.
type passedOver struct {
	*Advice
	more  int     // conversations with a loop that it finds besides
	takes float64 // alerts a day that --budget must allow for it; 0 if the conversations are too few
}

// passOver finds the rule that finds most besides, in the order in which rules are
// recommended.
func (r *Report) passOver(order []int, caught []catch, seen catch) {
	var all *alerts
	if r.Options.Budget > 0 { // without one what is worth it is recommended
		all = r.recommendedAlerts()
	}
	for _, i := range order {
		takes := 0.0
		if all != nil && caught[i].worth(seen) {
			besides, _ := all.besides(r, &r.Advice[i])
			takes = all.perDay + besides
		}
		more, _ := caught[i].beyond(seen)
		r.passOne(&r.Advice[i], more, takes)
	}
}

// passOverDear takes a rule for it that --budget leaves no setting, or one that
// finds next to nothing, if such a rule finds more.
func (r *Report) passOverDear(seen catch) {
	if r.Options.Budget == 0 || len(r.Recommended) == 0 {
		return
	}
	for i := range r.Advice {
		if a, takes := r.dear(&r.Advice[i]); a != nil {
			if c := r.caught(a); c.worth(seen) {
				more, _ := c.beyond(seen)
				r.passOne(a, more, takes)
			}
		}
	}
}

func (r *Report) passOne(a *Advice, more int, takes float64) {
	if (more >= leastMore || takes > 0) && (r.passedOver == nil || more > r.passedOver.more) {
		r.passedOver = &passedOver{a, more, takes}
	}
}

// dear is the setting of a rule that costs fewest alerts of those that save nearly
// as much as any within --max-wrong, and what --budget must allow for it; nil if
// there is none, or none that would be recommended.
func (r *Report) dear(a *Advice) (*Advice, float64) {
	costs := func(x choice) float64 { return max(r.alerts(x.o, a.on.share), r.alerts(x.hair, a.on.share)) }
	saving := saveMost(r.choices(a.Rule, &a.on, 0))
	if len(saving) == 0 {
		return nil, 0
	}
	x := slices.MinFunc(saving, func(x, y choice) int {
		return cmp.Or(cmp.Compare(costs(x), costs(y)), r.order(a.Rule, x, y))
	})
	loose := *a
	loose.Cell, loose.Threshold, loose.Found = x.cell, x.threshold, true
	loose.Outcome = r.outcomes[a.Target][x.cell][x.threshold]
	if loose.Outcome.outweighed() {
		return nil, 0
	}
	return &loose, costs(x)
}

// passes says which loops are not found for want of a rule that would.
func (r *Report) passes() []string {
	p := r.passedOver
	if p == nil {
		return nil
	}
	why := ", fewer than a tenth of what is recommended finds"
	if p.takes > 0 {
		costs, raise := rate(r.alerts(&p.Outcome, 1)), "--budget"
		if takes := rate(p.takes); takes != costs && p.takes > r.Options.Budget {
			raise += " to more than " + takes + "/day"
		}
		why = fmt.Sprintf(", but costs %s alerts a day: raise %s to have it", costs, raise)
	}
	return []string{fmt.Sprintf("left out is %s, %s: it finds loops in %s more%s",
		term.Safe(p.Rule.Name), r.setting(p.Cell, p.Threshold), term.Plural(p.more, "conversation", "conversations"), why)}
}
