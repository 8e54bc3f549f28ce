package tune

// Verdict says what came of it in a sentence.
type Verdict string

// What can come of it.
const (
	Recommends   Verdict = "recommended: warn by these rules, and look at what they find before enforcing"
	NothingRead  Verdict = "nothing to judge"
	OverLimits   Verdict = "loops found, but no setting keeps to the limits: raise --budget or --max-wrong"
	Blind        Verdict = "no rule could look at this log"
	Overlooked   Verdict = "loops found, but these rules cannot tell them from other requests: leave out --policy and --profile"
	Unseen       Verdict = "no loop found, but no rule could look at what was said or called"
	NothingFound Verdict = "no loop found, nothing to enforce"
)

// Verdict says what came of it.
func (r *Report) Verdict() Verdict {
	loops := false
	for _, k := range r.Repeats {
		loops = loops || r.isLoop(k)
	}
	switch {
	case r.Result.Account.Judged == 0:
		return NothingRead
	case len(r.Recommended) > 0:
		return Recommends
	case loops:
		return OverLimits
	case r.looping > 0:
		return Overlooked
	case r.blind():
		return Blind
	case r.unseen():
		return Unseen
	}
	return NothingFound
}

// unseen tells that all rules that go by what was said or called were blind, so
// that no loop found is no proof that there is none.
func (r *Report) unseen() bool {
	for i := range r.Result.Rules {
		if a := &r.Result.Rules[i]; a.Rule.Identity.Sees != 0 && coverage(a) > 0 {
			return false
		}
	}
	return true
}
