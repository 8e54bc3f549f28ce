package tune

import (
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// Verdict says what came of it in a sentence.
type Verdict string

// What can come of it.
const (
	Recommends   Verdict = "recommended: warn by these rules, and look at what they find before enforcing"
	NothingRead  Verdict = "nothing to judge"
	OverLimits   Verdict = "loops found, but no setting keeps to the limits"
	Outweighed   Verdict = "loops found, but what saves most within the limits is wrong as often as right"
	OutOfReach   Verdict = "loops found, but none that any setting of these rules finds"
	Blind        Verdict = "no rule could look at this log"
	Overlooked   Verdict = "loops found, but these rules cannot tell them from other requests: leave out --policy and --profile"
	Narrow       Verdict = "loops found, but not by these rules in these windows: leave out --policy, --profile and --window"
	Unseen       Verdict = "no loop found, but no rule could look at what was said or called"
	Unheard      Verdict = "no loop found by what these rules go by, which is not what was said or called"
	Doubled      Verdict = "no loop found, as most of what repeats was logged twice"
	NothingFound Verdict = "no loop found, nothing to enforce"
)

// Verdict says what came of it.
func (r *Report) Verdict() Verdict {
	loops, limited := false, slices.ContainsFunc(r.Advice, func(a Advice) bool { return r.limited(&a) })
	for a := range r.alike() {
		loops = loops || a.class.isLoop()
	}
	switch {
	case r.Result.Account.Judged == 0:
		return NothingRead
	case len(r.Recommended) > 0:
		return Recommends
	case limited && slices.ContainsFunc(r.Advice, func(a Advice) bool { return a.Found }):
		return Outweighed
	case limited:
		return OverLimits
	case loops:
		return OutOfReach
	case r.looping > 0 && r.Options.narrow():
		return Narrow
	case r.looping > 0:
		return Overlooked
	case blind(r.Result.Rules[:len(r.Options.Rules)], false):
		return Blind
	case r.unheard() && r.own(): // then that no loop was found is no proof that there is none
		return Unheard
	case r.unheard():
		return Unseen
	case r.doubled():
		return Doubled
	}
	return NothingFound
}

// limited tells that limits are in the way, or that what saves most within them is
// wrong as often as right.
func (v Verdict) limited() bool { return v == OverLimits || v == Outweighed }

// doubled tells that most of what repeats was written to the log twice, in which a
// loop does not stand out.
func (r *Report) doubled() bool {
	_, all := r.longest(func(int, window.Kind) bool { return true })
	_, twice := r.longest(func(_ int, kind window.Kind) bool { return kind == window.DuplicateLogging })
	return 2*twice > all
}

// unheard tells that no rule could look at what was said or called.
func (r *Report) unheard() bool { return blind(r.Result.Rules, true) }

// own tells that a rule which somebody wrote, as is to be done where only paths
// are logged, looked at the log.
func (r *Report) own() bool {
	return slices.ContainsFunc(r.Result.Rules[:len(r.Options.Rules)], func(a window.RuleAccount) bool {
		return a.Rule.Profile == "" && a.Rule.Identity.Sees == 0 && a.Counted > 0
	})
}

// blind tells that none of the rules could look at any request; of those that go
// by what was said or called, if content is asked for.
func blind(rules []window.RuleAccount, content bool) bool {
	for i := range rules {
		if a := &rules[i]; coverage(a) > 0 && (!content || a.Rule.Identity.Sees != 0) {
			return false
		}
	}
	return true
}
