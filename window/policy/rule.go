package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// ruleDraft is a rule as it is read: what a profile says, and over it what the
// rule says itself.
type ruleDraft struct {
	at             place
	name, profile  string
	nameAt         place
	enabled        bool
	identity       string
	parts          []string
	identityAt     place
	mask           []string
	maskAt         place
	lower          bool
	limitKeys      []string
	limitKeysAt    place
	ignoreBody     bool
	scope          []string // nil is not given
	scopeAt        place
	kind           string
	kindAt         place
	window         time.Duration
	windowAt       place
	closed         bool
	period         int
	periodAt       place
	threshold      int
	thresholdAt    place
	minThreshold   int
	cooldown       time.Duration
	cooldownAt     place
	cooldownCounts bool
	blockedCounts  bool
	resetOnFire    bool
	quiet          time.Duration
	quietAt        place
	action         string
	match          string
	matchAt        place
	overrides      []overrideDraft
}

type overrideDraft struct {
	at          place
	match       string
	matchAt     place
	threshold   int
	thresholdAt place
	action      string
	enabled     bool
	until       time.Time
	reason      string
	reasonAt    place
}

// leastThreshold is the smallest threshold that can mean a repeat.
const leastThreshold = 2

// noKind marks a rule that names no counter yet: the tracker cannot be named,
// only had by its profile.
const trackerKind = "tracker"

func newRuleDraft() *ruleDraft {
	return &ruleDraft{enabled: true, action: string(window.Warn), cooldownCounts: true, blockedCounts: true, minThreshold: leastThreshold}
}

// rule reads one rule. Its profile, if it names one, is read before the rest,
// wherever it stands.
func (r *reader) rule(n ast.Node, at place) *ruleDraft {
	d := newRuleDraft()
	if base := r.base(n, at); base != nil {
		d = base
	}
	d.at = at
	d.name = ""
	var profileAt place
	r.mapping(n, at, []field{
		{"name", r.text(&d.name, &d.nameAt)},
		{"profile", r.text(&d.profile, &profileAt)},
		{"enabled", r.boolean(&d.enabled)},
		{"identity", func(n ast.Node, at place) {
			d.identityAt = at
			d.identity, d.parts = "", nil
			if _, ok := n.(*ast.SequenceNode); ok {
				r.texts(&d.parts, &d.identityAt)(n, at)
				return
			}
			d.identity, _ = r.textOf(n, at)
		}},
		{"mask", r.texts(&d.mask, &d.maskAt)},
		{"normalize", r.choice([]string{"lower", "none"}, func(s string) { d.lower = s == "lower" })},
		{"limit_keys", r.texts(&d.limitKeys, &d.limitKeysAt)},
		{"body_hash", r.choice([]string{"use", "ignore"}, func(s string) { d.ignoreBody = s == "ignore" })},
		{"scope", r.texts(&d.scope, &d.scopeAt)},
		{"counter", func(n ast.Node, at place) {
			if d.kindAt.line == 0 {
				d.kindAt = at
			}
			r.mapping(n, at, []field{
				{"kind", func(n ast.Node, at place) {
					d.kindAt = at
					r.choice(kindNames(), func(s string) { d.kind = s })(n, at)
				}},
				{"window", r.duration(&d.window, &d.windowAt)},
				{"closed", r.boolean(&d.closed)},
				{"period", r.integer(&d.period, &d.periodAt)},
			})
		}},
		{"threshold", r.integer(&d.threshold, &d.thresholdAt)},
		{"cooldown", r.duration(&d.cooldown, &d.cooldownAt)},
		{"cooldown_counts", r.boolean(&d.cooldownCounts)},
		{"blocked_counts", r.boolean(&d.blockedCounts)},
		{"reset_on_fire", r.boolean(&d.resetOnFire)},
		{"quiet", r.duration(&d.quiet, &d.quietAt)},
		{"action", r.choice(actionNames(), func(s string) { d.action = s })},
		{"match", r.text(&d.match, &d.matchAt)},
		{"overrides", func(n ast.Node, at place) {
			d.overrides = nil
			r.list(n, at, func(n ast.Node, at place) { d.overrides = append(d.overrides, r.override(n, at)) })
		}},
	})
	return d
}

// base is a copy of the profile's rule that a rule builds on, nil if it names
// none or none that is there.
func (r *reader) base(n ast.Node, at place) *ruleDraft {
	m, ok := asMapping(n)
	if !ok {
		return nil
	}
	for _, v := range m.Values {
		if keyText(v.Key) != "profile" {
			continue
		}
		here := placeOf(v.Value, at.path+".profile")
		text, ok := v.Value.(*ast.StringNode)
		if !ok {
			return nil // read again below, and said there
		}
		rules, err := profileRules(text.Value)
		switch {
		case err != nil:
			r.problem(here, "%s", err)
			return nil
		case len(rules) > 1:
			var names []string
			for _, rule := range rules {
				names = append(names, text.Value+"/"+rule.name)
			}
			r.problem(here, "profile %q has %d rules; name one: %s", text.Value, len(rules), strings.Join(names, ", "))
			return nil
		}
		return rules[0]
	}
	return nil
}

func (r *reader) override(n ast.Node, at place) overrideDraft {
	o := overrideDraft{at: at, enabled: true}
	r.mapping(n, at, []field{
		{"match", r.text(&o.match, &o.matchAt)},
		{"threshold", r.integer(&o.threshold, &o.thresholdAt)},
		{"action", r.choice(actionNames(), func(s string) { o.action = s })},
		{"enabled", r.boolean(&o.enabled)},
		{"until", func(n ast.Node, at place) {
			text, ok := r.textOf(n, at)
			if !ok {
				return
			}
			for _, layout := range []string{time.RFC3339, "2006-01-02"} {
				if t, err := time.Parse(layout, text); err == nil {
					o.until = t
					return
				}
			}
			r.problem(at, "%q is no time: write 2026-12-01 or 2026-12-01T08:00:00Z", text)
		}},
		{"reason", r.text(&o.reason, &o.reasonAt)},
	})
	return o
}

func kindNames() (names []string) {
	for _, k := range window.Counters {
		names = append(names, k.Name)
	}
	return names
}

func actionNames() (names []string) {
	for _, a := range window.Actions {
		names = append(names, string(a))
	}
	return names
}

// under is the place of a field of the rule: where it stands, or the rule if
// it does not.
func (d *ruleDraft) under(at place, name string) place {
	if at.line > 0 && strings.HasPrefix(at.path, d.at.path) {
		return at
	}
	here := d.at
	here.path += "." + name
	return here
}

// buildRule checks a rule as a whole and makes it; nil if it has problems.
func (r *reader) buildRule(d *ruleDraft, identities map[string]*fingerprint.Identity) *window.Rule {
	before := len(r.errors)
	if d.name == "" {
		r.problem(d.under(place{}, "name"), "is missing")
	}
	identity := r.buildIdentity(d, identities)
	if d.scope == nil {
		r.problem(d.under(place{}, "scope"), "is missing: a list of request fields; [] is one counter for all")
	}
	scope, err := fingerprint.NewScope(d.scope)
	if err != nil {
		r.problem(d.under(d.scopeAt, "scope"), "%s", scopeProblem(err, d.scope))
	}
	r.checkCounter(d)
	r.checkThreshold(d, d.threshold, d.under(d.thresholdAt, "threshold"), d.thresholdAt.line == 0)
	if d.cooldown == 0 && !d.cooldownCounts {
		r.problem(d.under(d.cooldownAt, "cooldown_counts"), "means nothing without a cooldown")
	}
	rule := &window.Rule{
		Name: d.name, Profile: d.profile, Identity: identity, Scope: scope,
		Counter:   window.CounterSpec{Kind: d.kind, Window: d.window, Closed: d.closed, Period: d.period},
		Threshold: d.threshold, Action: window.Action(d.action),
		Cooldown: d.cooldown, SkipInCooldown: !d.cooldownCounts, SkipBlocked: !d.blockedCounts, ResetOnFire: d.resetOnFire, Quiet: d.quiet,
	}
	if d.match != "" {
		m := r.compile(d.match, d.under(d.matchAt, "match"))
		rule.Match, rule.Reads = m.match, m.reads
	}
	for i := range d.overrides {
		o := &d.overrides[i]
		if o.thresholdAt.line > 0 {
			r.checkThreshold(d, o.threshold, o.thresholdAt, false)
		}
		out := window.Override{Threshold: o.threshold, Action: window.Action(o.action), Disabled: !o.enabled, Until: o.until, Reason: o.reason}
		if o.match != "" {
			m := r.compile(o.match, o.matchAt)
			out.Match = m.match
			rule.Reads |= m.reads
		} else if o.until.IsZero() {
			r.problem(o.at, "needs a match, or it would be the rule itself")
		}
		rule.Overrides = append(rule.Overrides, out)
	}
	if len(r.errors) > before {
		return nil
	}
	return rule
}

func (r *reader) buildIdentity(d *ruleDraft, identities map[string]*fingerprint.Identity) *fingerprint.Identity {
	at := d.under(d.identityAt, "identity")
	if d.identity == "" && len(d.parts) == 0 {
		r.problem(at, "is missing: a name or a list of parts; docs/policy.md has them")
		return nil
	}
	o := fingerprint.Options{Parts: d.parts, Mask: d.mask, Lower: d.lower, LimitKeys: d.limitKeys, IgnoreBody: d.ignoreBody}
	key := fmt.Sprintf("%q %+v", d.identity, o)
	if id := identities[key]; id != nil {
		return id // rules of one identity share its computation
	}
	id, err := fingerprint.New(d.identity, o)
	if err != nil {
		r.problem(at, "%s", identityProblem(err, d))
		return nil
	}
	identities[key] = id
	return id
}

// identityProblem adds the word that was meant, if a name is nearly right.
func identityProblem(err error, d *ruleDraft) string {
	var names []string
	for _, k := range fingerprint.Kinds {
		names = append(names, k.Name)
	}
	if d.identity != "" && !slices.Contains(names, d.identity) {
		return fmt.Sprintf("no identity is called %q%s", d.identity, suggest(d.identity, names))
	}
	return err.Error()
}

func scopeProblem(err error, fields []string) string {
	names, _ := fingerprint.ScopeNames()
	for _, f := range fields {
		if !slices.Contains(names, f) && !strings.HasPrefix(f, "attr:") {
			return fmt.Sprintf("no request field is called %q%s", f, suggest(f, names))
		}
	}
	return err.Error()
}

func (r *reader) checkCounter(d *ruleDraft) {
	at := d.under(d.kindAt, "counter")
	switch {
	case d.kind == "":
		r.problem(at, "is missing a kind: %s", strings.Join(kindNames(), ", "))
		return
	case d.kind == trackerKind && !strings.HasPrefix(d.profile, "tool-call-shipped"):
		r.problem(at, "tracker is only for profile: tool-call-shipped")
	}
	if d.window == 0 && d.kind != "streak" && d.kind != "cycle" {
		r.problem(d.under(d.windowAt, "counter.window"), "is missing: how long a repeat counts, as in 60s")
	}
	switch {
	case d.periodAt.line == 0:
	case d.kind != "cycle":
		r.problem(d.under(d.periodAt, "counter.period"), "means nothing to %s: only cycle has a period", d.kind)
	case d.period < 1 || d.period > window.MaxPeriod:
		r.problem(d.under(d.periodAt, "counter.period"), "must be from 1 to %d, is %d", window.MaxPeriod, d.period)
	}
}

// maxThreshold is beyond any loop that somebody would let run.
const maxThreshold = 1_000_000

func (r *reader) checkThreshold(d *ruleDraft, n int, at place, missing bool) {
	switch {
	case missing:
		r.problem(at, "is missing: the repeat on which the rule fires, from %d", leastThreshold)
	case n < d.minThreshold:
		r.problem(at, "must be at least %d, is %d", d.minThreshold, n)
	case n > maxThreshold:
		r.problem(at, "must be at most %d, is %d", maxThreshold, n)
	}
}
