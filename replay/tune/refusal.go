package tune

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// Refusals say of the rules that the verdict rests on why none of their settings
// is recommended, once for those of which the same holds. Of those that could look at
// nothing, [Report.Caveats] do.
func (r *Report) Refusals() (list []string) {
	verdict := r.Verdict()
	switch verdict {
	case Recommends, NothingRead, NothingFound, Doubled:
		return nil
	}
	names := map[string][]string{}
	for i := range r.Advice {
		a := &r.Advice[i]
		aside := verdict.limited() && !r.limited(a) || verdict == OutOfReach && a.Outcome.Loops+a.Hidden == 0 || coverage(&r.Result.Rules[i]) == 0
		if why := r.Refusal(i); why != "" && !aside {
			if names[why] == nil {
				list = append(list, why)
			}
			names[why] = append(names[why], a.Rule.Name)
		}
	}
	for i, why := range list {
		list[i] = strings.Join(names[why], ", ") + ": " + why
	}
	return list
}

// Refusal says why no setting of a rule is worth having, and how near the
// nearest comes; empty if one is.
func (r *Report) Refusal(advice int) string {
	a := &r.Advice[advice]
	account, least := &r.Result.Rules[advice], a.Rule.LeastCount()
	switch {
	case a.Found && !a.Outcome.outweighed():
		return ""
	case a.Found:
		text := fmt.Sprintf("%s, and %s", r.catches(a.Target, a.Cell, a.Threshold), term.Plural(a.Outcome.Wrong, "repeat that is none", "repeats that are none"))
		if x, ok := r.righter(a); ok {
			text += fmt.Sprintf("; %s is right more often than wrong: %s", r.setting(x.cell, x.threshold), caught(&r.outcomes[a.Target][x.cell][x.threshold]))
		}
		return text
	case account.Judged == account.NotMatched:
		return "it looks at none of the requests"
	case coverage(account) == 0:
		_, cause, _ := account.Blind()
		return "it can look at none of the requests: " + cause.String()
	case r.Options.ForGateway && a.Rule.Counter.Kind == window.TrackerKind:
		return "of what the tracker counts nothing is advised: without --policy and --profile the setting is chosen as documented, and said is what it does as shipped"
	case a.Outcome.Loops+a.Hidden == 0:
		return r.noLoop(a.Target)
	case a.Outcome.Loops == 0:
		text := fmt.Sprintf("%s, but none that comes %d times as any setting counts", term.Plural(a.Hidden, "loop", "loops"), least)
		if slices.ContainsFunc(a.Rule.Overrides, func(o window.Override) bool { return o.Threshold > least }) {
			text += ", or as often as an override asks for"
		}
		return text
	}
	near, ok := r.nearest(a)
	switch loops := term.Plural(a.Outcome.Loops, "loop", "loops"); {
	case r.Options.Most < least:
		return fmt.Sprintf("%s, but no threshold below %d is advised", loops, least)
	case !ok:
		return fmt.Sprintf("%s, of which no threshold from %d to %d finds one", loops, r.least(a.Rule), r.Options.Most)
	}
	text := r.catches(a.Target, near.cell, near.threshold)
	alerts, wrong := r.excess(a, near.cell, near.threshold)
	if alerts != "" {
		text += fmt.Sprintf("; %s, where --budget allows %s", alerts, rate(r.Options.Budget))
	}
	if wrong != "" {
		return text + fmt.Sprintf("; %s, where --max-wrong allows %.3g %%", wrong, 100*r.Options.MaxWrong)
	}
	margin := r.margin(a.Rule, near.threshold)
	hairAlerts, hairWrong := r.excess(a, near.cell, margin)
	switch {
	case hairWrong != "":
		text += fmt.Sprintf("; right by a hair: at %d it would hit %s", margin, hairWrong)
	case alerts == "" && hairAlerts != "":
		text += fmt.Sprintf("; right by a hair: at %d it would cost %s", margin, hairAlerts)
	}
	return text
}

// righter is the setting of a rule that is right more often than wrong by most, of
// those within the limits.
func (r *Report) righter(a *Advice) (x choice, ok bool) {
	by := func(x choice) int {
		o := &r.outcomes[a.Target][x.cell][x.threshold]
		return o.Caught - o.Wrong
	}
	list := slices.DeleteFunc(r.choices(a.Rule, &a.on, r.Options.Budget), func(x choice) bool { return by(x) <= 0 })
	if len(list) == 0 {
		return x, false
	}
	return slices.MinFunc(list, func(x, y choice) int { return cmp.Or(cmp.Compare(by(y), by(x)), r.order(a.Rule, x, y)) }), true
}

// excess says by how much a setting breaks the limits, if it does: on the whole
// log, or else on the part of it that settings are chosen on.
func (r *Report) excess(a *Advice, cell, threshold int) (alerts, wrong string) {
	o, share, part := &r.outcomes[a.Target][cell][threshold], 1.0, ""
	if !a.on.whole() && r.affordable(o, 1, r.Options.Budget) && o.WrongRequests <= r.mostWrong(1) {
		o, share, part = &a.on.grid[cell][threshold], a.on.share, " in the first 70 % of the time"
	}
	if !r.affordable(o, share, r.Options.Budget) {
		costs := r.alerts(o, share)
		if alerts = rate(costs); alerts == rate(r.Options.Budget) {
			alerts = fmt.Sprintf("%.3g", costs)
		}
		alerts += " alerts a day" + part
	}
	if o.WrongRequests > r.mostWrong(share) {
		wrong = r.tooWrong(o, share) + part
	}
	return alerts, wrong
}

// tooWrong says how many requests a setting hits wrongly that breaks --max-wrong in a
// share of the log's time. Rounded to the limit it would keep to it.
func (r *Report) tooWrong(o *Outcome, share float64) string {
	hits, most := fmt.Sprintf("%.3g %%", 100*float64(o.WrongRequests)/(share*float64(r.Result.Account.Judged))), fmt.Sprintf("%.3g %%", 100*r.Options.MaxWrong)
	if hits == most {
		hits = "more than " + most
	}
	return hits + " of the requests wrongly"
}

// catches says what a setting is, and which loops it finds.
func (r *Report) catches(target, cell, threshold int) string {
	o := &r.outcomes[target][cell][threshold]
	return fmt.Sprintf("%s catches %s of %s", r.setting(cell, threshold), term.Count(o.Caught), term.Plural(o.Loops, "loop", "loops"))
}

// noLoop says what the repeats of a rule are that has no loop.
func (r *Report) noLoop(target int) string {
	longest, n := r.longest(func(of int, _ window.Kind) bool { return of == target })
	what := "nothing repeats in what is looked at"
	if r.Options.narrow() {
		what += " within " + window.Lasting(r.Options.longest())
	}
	if n > 0 {
		what = fmt.Sprintf("the one repeat is %s: %s", longest.Kind, longest.Evidence)
	}
	if n > 1 {
		what = fmt.Sprintf("none of %s repeats is a loop; the longest is %s: %s", term.Count(n), longest.Kind, longest.Evidence)
	}
	return what
}

// limited tells that some setting of a rule may be advised but for the limits.
func (r *Report) limited(a *Advice) bool {
	if a.Outcome.Loops == 0 {
		return false
	}
	_, ok := r.nearest(a)
	return ok
}

// nearest is the setting that catches a loop and hits least wrongly, by a hair
// too; of these the one that saves most, and is nearest to the rule. It goes by
// what settings are chosen on.
func (r *Report) nearest(a *Advice) (near choice, ok bool) {
	catching := r.catching(a.Rule, &a.on)
	if len(catching) == 0 {
		return near, false
	}
	return slices.MinFunc(catching, func(x, y choice) int {
		otherX, farX := r.away(a.Rule, x.cell)
		otherY, farY := r.away(a.Rule, y.cell)
		return cmp.Or(
			cmp.Compare(x.hair.WrongRequests, y.hair.WrongRequests),
			cmp.Compare(x.o.WrongRequests, y.o.WrongRequests), cmp.Compare(-x.o.Waste, -y.o.Waste),
			cmp.Compare(otherX, otherY), cmp.Compare(farX, farY),
		)
	}), true
}
