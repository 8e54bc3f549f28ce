package tune

import (
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// unheardMore is what may help where no rule could look at what was said.
const unheardMore = "more is told where the log has what was said: 'loopgauge formats LOG' names what to log"

// Ways say what may help where nothing is recommended, or something by paths alone.
func (r *Report) Ways() (list []string) {
	verdict := r.Verdict()
	switch verdict {
	case NothingRead, Overlooked, Narrow:
		return nil
	case Recommends:
		if r.unheard() && !r.own() {
			list = append(list, unheardMore)
		}
		return list
	case NothingFound:
		return r.masks()
	case Doubled:
		return []string{"give one copy of the log, or have it name the ids of requests: what shares an id counts once"}
	case OverLimits, Outweighed:
		if raise := r.Raise(); raise != "" {
			list = append(list, raise)
		}
	}
	list = append(list, r.masks()...)
	if r.unheard() {
		if r.Result.Routed && !verdict.limited() && !r.own() {
			list = append(list, replay.Bodiless)
		}
		list = append(list, unheardMore)
	}
	return list
}

// masks says that calls repeat whose results change, if some do often enough: it
// may be but an id or a time that is new in each.
func (r *Report) masks() []string {
	if !slices.ContainsFunc(r.Repeats, func(k *Repeat) bool {
		return k.Kind == window.Polling && k.Rule.Identity.Sees == fingerprint.SeesCalls && k.facts.ResultsChange() && k.Requests >= window.LeastRepeats
	}) {
		return nil
	}
	return []string{"the same call repeats with results that change: if only ids, times or numbers do, a rule by tool-call-result with mask: [uuids, timestamps, durations, hex, numbers] finds it (docs/policy.md#masks)"}
}

// near is how many times --max-wrong may be raised and still be meant. What alerts
// are worth only who reads them knows.
const near = 10

// Raise says which limits to raise to have the setting that comes nearest, if
// that is near, and what else decides; empty if nothing does.
func (r *Report) Raise() string {
	var alerts, wrong float64
	least, outweighed, far := math.Inf(1), false, false
	for i := range r.Advice {
		a := &r.Advice[i]
		switch {
		case !r.limited(a):
		case r.outweighed(a):
			outweighed = true
		case !a.Found:
			if x, y := r.over(a); y > near {
				far = true
			} else if !r.brings(a, x, y) {
				outweighed = true
			} else if max(x, y) < least {
				alerts, wrong, least = x, y, max(x, y)
			}
		}
	}
	text := ""
	switch {
	case alerts > 1 && wrong > 1:
		text = "raise --budget and --max-wrong to have it"
	case alerts > 1:
		text = "raise --budget to have it"
	case wrong > 1:
		text = "raise --max-wrong to have it"
	}
	if wrong <= 1 && (text != "" || !outweighed && !far) || r.Options.Labels != nil || r.Conversations == 0 { // then there is nothing to label
		return text
	}
	if text != "" {
		text += ", or "
	}
	return text + "give --labels, which decide what is wrong"
}

// brings tells that limits so many times as high bring a setting of a rule that is
// recommended: one that saves more than the nearest then keeps to them too, and may
// be wrong as often as right.
func (r *Report) brings(a *Advice, alerts, wrong float64) bool {
	raised := *r
	raised.Options.Budget *= max(alerts, 1) * enough
	raised.Options.MaxWrong *= max(wrong, 1) * enough
	cell, threshold := raised.choose(a.Rule, &a.on, r.outcomes[a.Target])
	return cell >= 0 && (r.Options.ForGateway || !r.outcomes[a.Target][cell][threshold].outweighed())
}

// enough is how far above what a setting comes to a limit has to be: a quotient and
// its product may be below it by a last digit.
const enough = 1 + 1e-9

// outweighed tells that the advised setting of a rule, or the nearest, is wrong as
// often as it is right: whatever the limits, it is not recommended. A gateway that
// is asked for by name gets what keeps to them.
func (r *Report) outweighed(a *Advice) bool {
	o := &a.Outcome
	if !a.Found {
		near, _ := r.nearest(a)
		o = &r.outcomes[a.Target][near.cell][near.threshold]
	}
	return !r.Options.ForGateway && o.outweighed()
}

// over is how many times the limits the nearest setting of a rule comes to, or
// the lower threshold that must keep to them too, on the whole log or the part of
// it that settings are chosen on.
func (r *Report) over(a *Advice) (alerts, wrong float64) {
	near, _ := r.nearest(a)
	see := func(o *Outcome, share float64) {
		if r.Options.Budget > 0 {
			alerts = max(alerts, r.alerts(o, share)/r.Options.Budget)
		}
		if o.WrongRequests > 0 { // where none may be, any is too far
			wrong = max(wrong, float64(o.WrongRequests)/(share*float64(r.Result.Account.Judged)*r.Options.MaxWrong))
		}
	}
	for _, th := range []int{near.threshold, r.margin(a.Rule, near.threshold)} {
		see(&r.outcomes[a.Target][near.cell][th], 1)
		see(&a.on.grid[near.cell][th], a.on.share)
	}
	return alerts, wrong
}
