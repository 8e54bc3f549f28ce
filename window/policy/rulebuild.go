package policy

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// buildRule checks a rule as a whole and makes it; nil if it has problems.
func (r *reader) buildRule(d *ruleDraft, identities map[string]*fingerprint.Identity) *window.Rule {
	before := len(r.errors)
	if d.name == "" {
		r.check(r.where(d.at, "name"), "is missing")
	}
	identity := r.buildIdentity(d, identities)
	if d.scope == nil {
		r.missing(d, r.where(d.at, "scope"), "is missing: a list of request fields; [] is one counter for all")
	}
	scope, err := fingerprint.NewScope(d.scope)
	if err != nil {
		r.problem(r.where(d.at, "scope"), "%s", err)
	}
	r.checkCounter(d)
	r.checkThreshold(d, d.threshold, r.where(d.at, "threshold"), !r.given(d.at, "threshold") && d.threshold == 0)
	if d.cooldown == 0 && !d.cooldownCounts {
		if r.given(d.at, "cooldown_counts") && !r.wrong[member(d.at.path, "cooldown")] {
			r.missing(d, r.where(d.at, "cooldown_counts"), "means nothing without a cooldown")
		}
		d.cooldownCounts = true // a profile's, whose cooldown the rule took away
	}
	rule := &window.Rule{
		Name: d.name, Profile: d.profile, Identity: identity, Scope: scope,
		Counter:   d.counter,
		Threshold: d.threshold, Action: d.action,
		Cooldown: d.cooldown, SkipInCooldown: !d.cooldownCounts, SkipBlocked: !d.blockedCounts, ResetOnFire: d.resetOnFire, Quiet: d.quiet,
	}
	rule.ChatOverrides, rule.Off = d.chatOverrides, !d.enabled
	r.checkChat(d)
	if d.match != "" {
		m := r.compile(d.match, r.where(d.at, "match"))
		rule.Match, rule.Reads, rule.Fields = m.match, m.reads, m.fields
	}
	for i := range d.overrides {
		o := &d.overrides[i]
		if r.given(o.at, "threshold") {
			r.checkThreshold(d, o.threshold, r.where(o.at, "threshold"), false)
		}
		if r.given(o.at, "window") && d.counter.Kind != "" {
			r.checkWindow(d, o)
		}
		out := window.Override{Threshold: o.threshold, Action: o.action, Window: o.window, Disabled: !o.enabled, Enabled: o.switchesOn(), Until: o.until, Reason: o.reason}
		if o.match != "" {
			m := r.compile(o.match, r.where(o.at, "match"))
			out.Match = m.match
			rule.Reads |= m.reads
			rule.Fields = append(rule.Fields, m.fields...)
		}
		switch last := i == len(d.overrides)-1; {
		case o.match == "" && o.until.IsZero():
			r.lacks(o.at, "needs a match, or it would be the rule itself", "match", "until")
		case last && !o.changes() && !r.given(o.at, "threshold") && !r.given(o.at, "window"): // before others it keeps requests from them
			r.lacks(o.at, "changes nothing: give it a threshold, action, window or enabled", "threshold", "action", "window", "enabled")
		}
		rule.Overrides = append(rule.Overrides, out)
	}
	rule.Selection = d.selection()
	rule.Written = d.written()
	if len(r.errors) > before {
		return nil
	}
	return rule
}

// selection writes out what decides how the rule sees a request: its match and
// which override is in force, but not what that changes.
func (d *ruleDraft) selection() string {
	text := fmt.Sprintf("%q", d.match)
	if !d.enabled || d.chatOverrides {
		text = fmt.Sprintf("enabled %t chat %t ", d.enabled, d.chatOverrides) + text
	}
	for i := range d.overrides {
		o := &d.overrides[i]
		text += fmt.Sprintf(" %q %t %s", o.match, o.enabled, o.until.Format(time.RFC3339Nano))
		if !d.enabled && o.switchesOn() {
			text += " on"
		}
	}
	return text
}

func (r *reader) buildIdentity(d *ruleDraft, identities map[string]*fingerprint.Identity) *fingerprint.Identity {
	at := r.where(d.at, "identity")
	if d.identity == "" && len(d.parts) == 0 {
		if !r.wrong[at.path+"[0]"] { // none of its parts could be read
			r.missing(d, at, "is missing: a name or a list of parts; docs/policy.md has them")
		}
		return nil
	}
	o := fingerprint.Options{Parts: d.parts, Mask: d.mask, Lower: d.normalize == "lower", LimitKeys: d.limitKeys, IgnoreBody: d.bodyHash == "ignore", RequireBody: d.bodyHash == "require"}
	key := fmt.Sprintf("%q %#v", d.identity, o)
	if id := identities[key]; id != nil {
		return id // rules of one identity share its computation
	}
	id, err := fingerprint.New(d.identity, o)
	if err != nil {
		at, what := r.identityProblem(d, err, at)
		r.check(at, "%s", what)
		return nil
	}
	identities[key] = id
	return id
}

// identityProblem finds the field that an identity does not take, and adds the
// word that was meant, if its name is nearly right.
func (r *reader) identityProblem(d *ruleDraft, err error, at place) (place, string) {
	if option, ok := errors.AsType[*fingerprint.OptionError](err); ok {
		return r.where(d.at, option.Option), "means nothing to this identity"
	}
	names := fingerprint.IdentityNames()
	if d.identity != "" && !slices.Contains(names, d.identity) {
		return at, fmt.Sprintf("no identity is called %q%s", d.identity, suggest(d.identity, names))
	}
	return at, err.Error()
}
