package explain

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// repeat finds by its id what tune lists: the repeats of one fingerprint in one
// scope, whether or not any rule fires on them.
type repeat struct {
	id   string
	plan *window.Plan

	// Of the request that it begins with; rule is nil until that has come.
	rule  *window.Rule
	as    window.Choice // of its overrides
	print fingerprint.Fingerprint
	scope fingerprint.ScopeKey
	first fingerprint.Position
}

// look takes the next event that is judged.
func (k *repeat) look(ev *window.Event) error {
	if k.rule != nil {
		return nil
	}
	for i, rule := range k.plan.Rules {
		prints, scope := &ev.Prints[k.plan.IdentityOf(i)], &ev.Scopes[k.plan.ScopeOf(i)]
		if ev.Rules[i] == window.NotMatched || prints.Cause != fingerprint.Computable || scope.Cause != fingerprint.Computable {
			continue
		}
		for n := range prints.Fingerprints {
			if print := &prints.Fingerprints[n]; window.RepeatID(rule, scope.Values, print, ev.Time) == k.id {
				k.rule, k.as, k.print, k.scope, k.first = rule, ev.Rules[i], *print, scope.Key, ev.Position
				return nil
			}
		}
	}
	return nil
}

// fired says whether a verdict is a firing on the repeat.
func (k *repeat) fired(v *window.Verdict) bool {
	return v.Fired && v.Rule == k.rule && v.Fingerprint == k.print && v.Scope.Key == k.scope
}

// setting is what the rule is set to for it, in words.
func (k *repeat) setting() string {
	in := k.rule.InForce(k.as)
	text := replay.Setting(in.Threshold, in.Window, k.rule.Counter.Kind)
	if k.as >= 0 {
		text += ", by " + overrideName(k.rule, int(k.as))
	}
	return text
}
