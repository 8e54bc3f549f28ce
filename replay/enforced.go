package replay

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// UpperBound labels all that is said of rules as if they had been in force.
const UpperBound = "upper bound"

// upperBoundWhy says why it is one.
const upperBoundWhy = "an agent that is blocked or waits behaves differently"

// enforced writes what the rules would have done.
func (s Summary) enforced(b *strings.Builder) {
	if s.Result.Enforced == nil {
		return
	}
	b.WriteByte('\n')
	t := term.Table{Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true}}
	t.Add("in force", "blocked", "guided", "delayed", "waited", "tokens", "cost")
	for i := range s.Result.Enforced {
		d := &s.Result.Enforced[i]
		tokens, cost := "?", "?"
		if d.Tokens >= 0 {
			tokens = term.Short(d.Tokens)
		}
		if d.Cost > 0 || d.Cost == 0 && (d.Tokens == 0 || !s.Result.someNoPrice()) {
			cost = term.Money(d.Cost)
		}
		if !rejects(d) {
			tokens, cost = "-", "-"
		}
		waited := "-"
		if d.Delayed > 0 {
			waited = term.Span(d.Delay.Microseconds())
		}
		t.Add(term.Shorten(term.Safe(d.Rule.Name), 24), term.Count(d.Blocked), term.Count(d.Guided), term.Count(d.Delayed), waited, tokens, cost)
	}
	t.Write(b, "")
	if !slices.ContainsFunc(s.Result.Enforced, func(d window.Enforced) bool { return acts(d.Rule) }) {
		fmt.Fprintln(b, Wrapped(onlyWarn))
		return
	}
	fmt.Fprintln(b, term.Bold(s.Colour, Wrapped(fmt.Sprintf("%s: %s", UpperBound, upperBoundWhy))))
}

// onlyWarn says why all is zero: there is nothing for which it would be a bound.
const onlyWarn = "these rules only warn, so nothing is blocked, guided or delayed: give them an action such as reject in a policy, or take a gateway's rule, as with --profile fairvisor"

// acts tells whether a rule may do more than warn.
func acts(r *window.Rule) bool {
	does := func(a window.Action) bool { return a != "" && a != window.Warn && a != window.Record }
	return r.ChatOverrides || does(r.Action) || slices.ContainsFunc(r.Overrides, func(o window.Override) bool { return does(o.Action) })
}

// rejects tells that the rule has rejected something: only then it is known
// what was not spent.
func rejects(d *window.Enforced) bool {
	return d.Blocked > 0 && d.Rule.Action != window.Break && d.Rule.Action != window.ChanceThenBreak
}

// DocumentEnforced is what the rules would have done.
type DocumentEnforced struct {
	Bound string                 `json:"bound"` // always "upper bound"
	Why   string                 `json:"why"`
	Rules []DocumentEnforcedRule `json:"rules"`
}

// DocumentEnforcedRule is what one rule would have done, as the only one.
type DocumentEnforcedRule struct {
	Rule          string   `json:"rule"`
	Blocked       int64    `json:"blocked"`
	Guided        int64    `json:"guided"`
	Delayed       int64    `json:"delayed"`
	DelaySeconds  float64  `json:"delay_s"`
	Moved         int64    `json:"moved"`
	TokensBlocked *int64   `json:"tokens_blocked"`
	CostBlocked   *float64 `json:"cost_blocked"`
}

func documentEnforced(list []window.Enforced) *DocumentEnforced {
	if list == nil {
		return nil
	}
	out := &DocumentEnforced{Bound: UpperBound, Why: upperBoundWhy, Rules: []DocumentEnforcedRule{}}
	for i := range list {
		d := &list[i]
		row := DocumentEnforcedRule{
			Rule: d.Rule.Name, Blocked: d.Blocked, Guided: d.Guided, Delayed: d.Delayed,
			DelaySeconds: d.Delay.Round(time.Millisecond).Seconds(), Moved: d.Moved,
		}
		if d.Tokens >= 0 {
			row.TokensBlocked = &d.Tokens
		}
		if !math.IsNaN(d.Cost) {
			row.CostBlocked = &d.Cost
		}
		out.Rules = append(out.Rules, row)
	}
	return out
}
