package explain

import (
	"fmt"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// judge notes what each rule makes of a request. r is nil if only events are
// kept.
func (x *explaining) judge(r *fingerprint.Request, ev *window.Event) {
	if ev.Exclude > 0 {
		return
	}
	for i, rule := range x.plan.Rules {
		out := explainedRule(rule, ev.Rules[i])
		prints, scope := &ev.Prints[x.plan.IdentityOf(i)], &ev.Scopes[x.plan.ScopeOf(i)]
		cause, what := prints.Cause, "identity "+rule.Identity.Name
		if cause == fingerprint.Computable {
			cause, what = scope.Cause, fmt.Sprintf("scope %v", rule.Scope.Fields)
		}
		switch {
		case ev.Rules[i] == window.NotMatched:
			out.State, out.Why = stateNotMatched, replay.TextOrNull(notMatched(rule, r, ev.Time))
		case cause != fingerprint.Computable:
			out.State, out.Why = stateNotComputable, replay.TextOrNull(what+": "+cause.String())
			out.Remedy, out.changes = replay.TextOrNull(replay.Remedy(cause)), replay.HasRemedy(cause)
		default:
			out.State = stateCounted
		}
		if x.rules = append(x.rules, out); out.State == stateCounted {
			x.follow(r, i, prints.Fingerprints, scope, nil)
		}
	}
}

// maxPrints is how many fingerprints of one request are explained.
const maxPrints = 20

// follow makes a trace for each fingerprint of a request under one rule, the
// last of x.rules; of the first firing of an episode for that which fired. r is nil
// if only events are kept.
func (x *explaining) follow(r *fingerprint.Request, i int, prints []fingerprint.Fingerprint, scope *window.Scope, first *window.Verdict) {
	rule := &x.rules[len(x.rules)-1]
	w := fingerprint.NewWriter(x.q.Run.Extract.Key)
	w.Keep = x.q.ShowText
	masks := make([][]fingerprint.Masked, len(prints))
	if r != nil {
		x.plan.Rules[i].Identity.Compute(r, w)
		masks = x.plan.Rules[i].Identity.Masked(r)
	}
	episode := ""
	if first != nil {
		episode = first.Episode
	}
	followed := map[fingerprint.Fingerprint]bool{}
	for k, print := range prints {
		if followed[print] || first != nil && print != first.Fingerprint {
			continue
		}
		followed[print] = true
		if len(rule.Fingerprints) == maxPrints {
			rule.LeftOut++
			continue
		}
		out := Print{Fingerprint: print.String(), Masks: []Mask{}, Lines: []Line{}}
		if w.Keep {
			out.Canonical = replay.TextOrNull(string(w.Prints()[k].Canonical))
		}
		for _, m := range masks[k] {
			out.Masks = append(out.Masks, Mask{m.Name, m.N})
		}
		rule.Fingerprints = append(rule.Fingerprints, out)
		t := newTrace(x.plan, i, scope, print, episode)
		t.of, t.nth = len(x.rules)-1, len(rule.Fingerprints)-1
		x.traces = append(x.traces, t)
	}
}

// notMatched says why a rule does not look at a request.
func notMatched(rule *window.Rule, r *fingerprint.Request, t int64) string {
	if r == nil {
		return "the rule did not look at it when the dataset was written"
	}
	if rule.Match != nil && !rule.Match(r) {
		return "the rule's match is false"
	}
	for i := range rule.Overrides {
		o := &rule.Overrides[i]
		if o.Disabled && (o.Until.IsZero() || t < o.Until.UnixMicro()) && (o.Match == nil || o.Match(r)) {
			return overrideName(rule, i) + " disables the rule"
		}
	}
	return "the rule does not look at it"
}

// offForSession says why the rule does not look at a request, where its session decides.
func offForSession(rule *window.Rule) string {
	if rule.Off {
		return "the session has not switched the rule on"
	}
	return "the session has switched the rule off"
}

func overrideName(rule *window.Rule, i int) string {
	name := fmt.Sprintf("overrides[%d]", i)
	if reason := rule.Overrides[i].Reason; reason != "" {
		name += " (" + reason + ")"
	}
	return name
}
