package tune

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// leastGap is the share of requests whose lack is worth a word: one in so many.
const leastGap = 100

// gaps say which of the rules could look at no request, and which not at some
// for what the log lacks: there may be loops among those. A few are not told of,
// nor what is told of other rules.
func (r *Report) gaps(rules, told []*window.Rule) (list []string) {
	names, known := map[string][]string{}, map[string]bool{}
	for i := range r.Result.Rules {
		if a := &r.Result.Rules[i]; slices.Contains(told, a.Rule) {
			known[gapOf(a)] = true
		}
	}
	for i := range r.Result.Rules {
		a := &r.Result.Rules[i]
		if !slices.Contains(rules, a.Rule) {
			continue
		}
		if gap := gapOf(a); gap != "" && !known[gap] {
			if names[gap] == nil {
				list = append(list, gap)
			}
			names[gap] = append(names[gap], term.Safe(a.Rule.Name))
		}
	}
	for i, gap := range list {
		list[i] = strings.Join(names[gap], ", ") + " " + gap
	}
	return list
}

// Caveats say what is to be known before the verdict is relied on: loops that it
// passes over, gaps, what is left aside, how conversations were told, that most
// requests are not judged or many not read, that the labels are of another log, and
// what keeps repeats from being seen.
func (r *Report) Caveats() []string {
	rules := r.restsOn()
	list := slices.Concat(r.passes(), r.gaps(rules, nil), r.leftAside(rules))
	of := slices.DeleteFunc(slices.Clone(r.Result.Rules), func(a window.RuleAccount) bool { return !slices.Contains(rules, a.Rule) })
	if apart := replay.ToldApart(of, r.Result.Account.Judged); apart != "" {
		list = append(list, apart)
	}
	if out := r.Result.LeftOut(); out != "" {
		list = append(list, out)
	}
	if most := r.Result.Account.MostlyDuplicate(); most != "" {
		list = append(list, most)
	}
	if much := r.Result.Account.MuchMalformed(); much != "" {
		list = append(list, much)
	}
	if l := r.Labelled; l != nil && l.strange() {
		list = append(list, fmt.Sprintf("the log has none of the %s: the labels must name sessions as the log does, or as 'loopgauge replay' lists them", term.Plural(l.Sessions, "labelled session", "labelled sessions")))
	}
	return append(list, r.Result.Unseen()...)
}

// leftAside says of rules that they set themselves otherwise for some requests than
// the cells go by, so that replay may count otherwise there.
func (r *Report) leftAside(rules []*window.Rule) (list []string) {
	for i := range r.Advice {
		a := &r.Advice[i]
		if !slices.Contains(rules, a.Rule) {
			continue
		}
		var what []string
		if slices.ContainsFunc(a.Rule.Overrides, func(o window.Override) bool {
			over := !o.Until.IsZero() && o.Until.UnixMicro() <= r.Result.First
			return o.Window > 0 && !over && (!a.Found || o.Window != r.Cells[a.Cell].Window)
		}) {
			what = append(what, "the window that an override sets")
		}
		if r.Result.Rules[i].ChatSet > 0 {
			what = append(what, "what sessions set")
		}
		if what != nil {
			list = append(list, fmt.Sprintf("what is said of %s leaves aside %s: replay may fire on other requests", term.Safe(a.Rule.Name), strings.Join(what, " and ")))
		}
	}
	return list
}

// restsOn are the rules that the verdict rests on: those that are recommended,
// or else all that were swept.
func (r *Report) restsOn() []*window.Rule {
	if len(r.Recommended) == 0 {
		return r.Options.Rules
	}
	rules := make([]*window.Rule, len(r.Recommended))
	for i, j := range r.Recommended {
		rules[i] = r.Advice[j].Rule
	}
	return rules
}

// GatewayGaps are those of the gateways' rules. Where nothing is recommended it is
// without what [Report.Caveats] say of all rules.
func (r *Report) GatewayGaps() []string {
	var rules []*window.Rule
	for i := range r.Gateways {
		rules = append(rules, r.Gateways[i].Gateway.Rules...)
	}
	if len(r.Recommended) > 0 {
		return r.gaps(rules, nil)
	}
	return r.gaps(rules, r.restsOn())
}

func gapOf(a *window.RuleAccount) string {
	if a.Judged == 0 {
		return ""
	}
	missing, cause := a.Unlogged()
	few := missing == 0 || missing*leastGap < a.Judged
	if coverage(a) == 0 {
		if few {
			if _, cause, _ = a.Blind(); cause.ForOthers() {
				return ""
			}
		}
		return fmt.Sprintf("could look at none of the requests: %s", cause)
	}
	if few {
		return ""
	}
	return fmt.Sprintf("could not look at %s of the requests: %s", term.Percent(missing, a.Judged), cause)
}
