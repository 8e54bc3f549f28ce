package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// bodyHashes are what body_hash of a rule may be.
var bodyHashes = []string{"use", "ignore", "require"}

// ruleDraft is a rule as it is read: what a profile says, and over it what the
// rule says itself.
type ruleDraft struct {
	at             place
	name, profile  string
	from           string // the profile's rule that it builds on, as a policy names it; empty is none
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
	bodyHash       string   // of bodyHashes; use if empty
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
	countsAt       place
	blockedCounts  bool
	resetOnFire    bool
	quiet          time.Duration
	quietAt        place
	action         string
	chatOverrides  bool
	chatAt         place
	match          string
	matchAt        place
	overrides      []overrideDraft
	broken         bool // its profile is unknown: what is missing may be in there
}

type overrideDraft struct {
	at          place
	match       string
	matchAt     place
	threshold   int
	thresholdAt place
	window      time.Duration
	windowAt    place
	action      string
	enabled     bool
	enabledAt   place
	until       time.Time
	reason      string
	reasonAt    place
}

func newRuleDraft() *ruleDraft {
	return &ruleDraft{enabled: true, action: string(window.Warn), cooldownCounts: true, blockedCounts: true, minThreshold: window.LeastThreshold}
}

// rule reads one rule. Its profile, if it names one, is read before the rest,
// wherever it stands.
func (r *reader) rule(n ast.Node, at place) *ruleDraft {
	d := newRuleDraft()
	base, ok := r.base(n, at)
	if base != nil {
		d = base
	}
	d.broken = !ok
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
		{"body_hash", r.choice(bodyHashes, func(s string) { d.bodyHash = s })},
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
		{"cooldown_counts", func(n ast.Node, at place) {
			d.countsAt = at
			r.boolean(&d.cooldownCounts)(n, at)
		}},
		{"blocked_counts", r.boolean(&d.blockedCounts)},
		{"reset_on_fire", r.boolean(&d.resetOnFire)},
		{"quiet", r.duration(&d.quiet, &d.quietAt)},
		{"action", r.choice(actionNames(), func(s string) { d.action = s })},
		{"chat_overrides", func(n ast.Node, at place) {
			d.chatAt = at
			r.boolean(&d.chatOverrides)(n, at)
		}},
		{"match", r.text(&d.match, &d.matchAt)},
		{"overrides", func(n ast.Node, at place) {
			d.overrides = nil
			r.list(n, at, func(n ast.Node, at place) { d.overrides = append(d.overrides, r.override(n, at)) })
		}},
	})
	return d
}

// forget drops the places, which are those of another file: what is said of
// these values is said of the rule that takes them over.
func (d *ruleDraft) forget() {
	for _, at := range []*place{
		&d.at, &d.nameAt, &d.identityAt, &d.maskAt, &d.limitKeysAt, &d.scopeAt, &d.kindAt, &d.windowAt, &d.periodAt,
		&d.thresholdAt, &d.cooldownAt, &d.countsAt, &d.quietAt, &d.chatAt, &d.matchAt,
	} {
		*at = place{}
	}
	for i := range d.overrides {
		o := &d.overrides[i]
		o.at, o.matchAt, o.thresholdAt, o.windowAt, o.reasonAt = place{}, place{}, place{}, place{}, place{}
	}
}

func (d *ruleDraft) clone() *ruleDraft {
	one := *d
	one.parts, one.mask, one.limitKeys, one.scope = slices.Clone(d.parts), slices.Clone(d.mask), slices.Clone(d.limitKeys), slices.Clone(d.scope)
	one.overrides = slices.Clone(d.overrides)
	return &one
}

// base is a copy of the profile's rule that a rule builds on, nil if it names
// none. It is not ok if the profile is not there.
func (r *reader) base(n ast.Node, at place) (rule *ruleDraft, ok bool) {
	m, ok := asMapping(n)
	if !ok {
		return nil, true
	}
	for _, v := range m.Values {
		if keyText(v.Key) != "profile" {
			continue
		}
		here := placeOf(v.Value, at.path+".profile")
		text, ok := v.Value.(*ast.StringNode)
		if !ok {
			return nil, false // read again below, and said there
		}
		rules, err := profileRules(text.Value)
		switch {
		case err != nil:
			r.problem(here, "%s", err)
			return nil, false
		case len(rules) > 1:
			var names []string
			for _, rule := range rules {
				names = append(names, text.Value+"/"+rule.name)
			}
			r.problem(here, "profile %q has %d rules; name one: %s", text.Value, len(rules), strings.Join(names, ", "))
			return nil, false
		}
		return rules[0], true
	}
	return nil, true
}

// fixed are the fields of a rule that an override may not change.
var fixed = []string{"identity", "scope", "counter", "mask", "normalize", "limit_keys", "body_hash", "profile"}

func (r *reader) override(n ast.Node, at place) overrideDraft {
	o := overrideDraft{at: at, enabled: true}
	var refused []field
	for _, name := range fixed {
		refused = append(refused, field{name, func(_ ast.Node, at place) {
			r.problem(at, "an override cannot change it: write a second rule, and match in both")
		}})
	}
	r.mapping(n, at, []field{
		{"match", r.text(&o.match, &o.matchAt)},
		{"threshold", r.integer(&o.threshold, &o.thresholdAt)},
		{"action", r.choice(actionNames(), func(s string) { o.action = s })},
		{"window", r.duration(&o.window, &o.windowAt)},
		{"enabled", func(n ast.Node, at place) {
			o.enabledAt = at
			r.boolean(&o.enabled)(n, at)
		}},
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
	}, refused...)
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
	if at.line > 0 {
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
		r.check(d.under(d.nameAt, "name"), "is missing")
	}
	identity := r.buildIdentity(d, identities)
	if d.scope == nil {
		r.missing(d, d.under(d.scopeAt, "scope"), "is missing: a list of request fields; [] is one counter for all")
	}
	scope, err := fingerprint.NewScope(d.scope)
	if err != nil {
		r.problem(d.under(d.scopeAt, "scope"), "%s", scopeProblem(err, d.scope))
	}
	r.checkCounter(d)
	r.checkThreshold(d, d.threshold, d.under(d.thresholdAt, "threshold"), d.thresholdAt.line == 0 && d.threshold == 0)
	if d.cooldown == 0 && !d.cooldownCounts {
		if d.countsAt.line > 0 {
			r.missing(d, d.countsAt, "means nothing without a cooldown")
		}
		d.cooldownCounts = true // a profile's, whose cooldown the rule took away
	}
	rule := &window.Rule{
		Name: d.name, Profile: d.profile, Identity: identity, Scope: scope,
		Counter:   window.CounterSpec{Kind: d.kind, Window: d.window, Closed: d.closed, Period: d.period},
		Threshold: d.threshold, Action: window.Action(d.action),
		Cooldown: d.cooldown, SkipInCooldown: !d.cooldownCounts, SkipBlocked: !d.blockedCounts, ResetOnFire: d.resetOnFire, Quiet: d.quiet,
	}
	rule.ChatOverrides, rule.Off = d.chatOverrides, !d.enabled
	r.checkChat(d)
	if d.match != "" {
		m := r.compile(d.match, d.under(d.matchAt, "match"))
		rule.Match, rule.Reads, rule.Fields = m.match, m.reads, m.fields
	}
	for i := range d.overrides {
		o := &d.overrides[i]
		if o.thresholdAt.line > 0 {
			r.checkThreshold(d, o.threshold, o.thresholdAt, false)
		}
		if o.windowAt.line > 0 && d.kind != "" {
			r.checkWindow(d, o)
		}
		out := window.Override{Threshold: o.threshold, Action: window.Action(o.action), Window: o.window, Disabled: !o.enabled, Enabled: o.switchesOn(), Until: o.until, Reason: o.reason}
		if o.match != "" {
			m := r.compile(o.match, o.matchAt)
			out.Match = m.match
			rule.Reads |= m.reads
			rule.Fields = append(rule.Fields, m.fields...)
		} else if o.until.IsZero() {
			r.problem(o.at, "needs a match, or it would be the rule itself")
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
		text += fmt.Sprintf(" %q %t %s", o.match, o.enabled, o.until.UTC().Format(time.RFC3339Nano))
		if !d.enabled && o.switchesOn() {
			text += " on"
		}
	}
	return text
}

func (r *reader) buildIdentity(d *ruleDraft, identities map[string]*fingerprint.Identity) *fingerprint.Identity {
	at := d.under(d.identityAt, "identity")
	if d.identity == "" && len(d.parts) == 0 {
		r.missing(d, at, "is missing: a name or a list of parts; docs/policy.md has them")
		return nil
	}
	o := fingerprint.Options{Parts: d.parts, Mask: d.mask, Lower: d.lower, LimitKeys: d.limitKeys, IgnoreBody: d.bodyHash == "ignore", RequireBody: d.bodyHash == "require"}
	key := fmt.Sprintf("%q %#v", d.identity, o)
	if id := identities[key]; id != nil {
		return id // rules of one identity share its computation
	}
	id, err := fingerprint.New(d.identity, o)
	if err != nil {
		at, what := d.identityProblem(err, at)
		r.check(at, "%s", what)
		return nil
	}
	identities[key] = id
	return id
}

// identityProblem finds the field that an identity does not take, and adds the
// word that was meant, if a name is nearly right.
func (d *ruleDraft) identityProblem(err error, at place) (place, string) {
	if option, ok := errors.AsType[*fingerprint.OptionError](err); ok {
		fields := map[string]place{"mask": d.maskAt, "limit_keys": d.limitKeysAt}
		return d.under(fields[option.Option], option.Option), "means nothing to this identity"
	}
	var names []string
	for _, k := range fingerprint.Kinds {
		names = append(names, k.Name)
	}
	if d.identity != "" && !slices.Contains(names, d.identity) {
		return at, fmt.Sprintf("no identity is called %q%s", d.identity, suggest(d.identity, names))
	}
	names = nil
	for _, p := range fingerprint.Parts {
		names = append(names, p.Name)
	}
	for _, part := range d.parts {
		if name, _, _ := strings.Cut(part, ":"); !slices.Contains(names, name) {
			return at, fmt.Sprintf("no part is called %q%s", name, suggest(name, names))
		}
	}
	names = nil
	for _, m := range fingerprint.Masks {
		names = append(names, m.Name)
	}
	for _, m := range d.mask {
		if !slices.Contains(names, m) {
			return d.under(d.maskAt, "mask"), fmt.Sprintf("no mask is called %q%s", m, suggest(m, names))
		}
	}
	return at, err.Error()
}

// missing is a problem of a rule that lacks something, unless it may be in a
// profile that could not be found.
func (r *reader) missing(d *ruleDraft, at place, format string, args ...any) {
	if !d.broken {
		r.check(at, format, args...)
	}
}

func scopeProblem(err error, fields []string) string {
	names, _ := fingerprint.ScopeNames()
	for _, f := range fields {
		if f == "attr:" {
			return "write attr:NAME, the name of an attribute"
		}
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
		r.missing(d, at, "is missing a kind: %s", strings.Join(slices.DeleteFunc(kindNames(), func(name string) bool { return name == window.TrackerKind }), ", "))
		return
	case d.kind == window.TrackerKind && !strings.HasPrefix(d.profile, "tool-call-shipped"):
		r.problem(at, "tracker is only for profile: tool-call-shipped")
	}
	if d.window == 0 && !window.Endless(d.kind) {
		if d.windowAt.line > 0 {
			r.check(d.windowAt, "must be more than 0s: %s counts inside a window", d.kind)
		} else {
			r.missing(d, d.under(place{}, "counter.window"), "is missing: how long a repeat counts, as in 60s")
		}
	}
	switch {
	case d.periodAt.line == 0:
	case d.kind != "cycle":
		r.problem(d.under(d.periodAt, "counter.period"), "means nothing to %s: only cycle has a period", d.kind)
	case d.period < 1 || d.period > window.MaxPeriod:
		r.problem(d.under(d.periodAt, "counter.period"), "must be from 1 to %d, is %d", window.MaxPeriod, d.period)
	}
}

// varies tells that the window of the rule's counter may be another for each
// request.
func (d *ruleDraft) varies() bool { return window.Varies(d.kind) && d.window > 0 }

// switchesOn tells that the override says enabled: true, which only means
// something where the rule is not.
func (o *overrideDraft) switchesOn() bool { return o.enabled && o.enabledAt.line > 0 }

func (r *reader) checkWindow(d *ruleDraft, o *overrideDraft) {
	switch {
	case !d.varies():
		r.check(o.windowAt, "needs counter streak with a window, or profile tool-call-shipped: to others it is the same for all requests; write a second rule, and match in both")
	case o.window == 0:
		r.check(o.windowAt, "must be more than 0s")
	}
}

// mayJudge tells that there may be requests which the rule looks at.
func (d *ruleDraft) mayJudge() bool {
	return d.enabled || d.chatOverrides || slices.ContainsFunc(d.overrides, func(o overrideDraft) bool { return o.switchesOn() })
}

// checkChat checks that there are sessions which may say something, and that
// what they may say can be had.
func (r *reader) checkChat(d *ruleDraft) {
	if !d.chatOverrides {
		return
	}
	at := d.under(d.chatAt, "chat_overrides")
	if d.kind != "" && !d.varies() {
		r.check(at, "needs counter streak with a window, or profile tool-call-shipped: a session may set its window")
	}
	if d.scope != nil && !slices.Contains(d.scope, "session") && !slices.Contains(d.scope, "conversation") {
		r.check(at, "needs session or conversation in scope: what one session says must not hold for others")
	}
}

// maxThreshold is beyond any loop that somebody would let run.
const maxThreshold = 1_000_000

func (r *reader) checkThreshold(d *ruleDraft, n int, at place, missing bool) {
	switch {
	case missing:
		r.missing(d, at, "is missing: the repeat on which the rule fires, from %d", window.LeastThreshold)
	case n < d.minThreshold:
		r.check(at, "must be at least %d, is %d", d.minThreshold, n)
	case n > maxThreshold:
		r.check(at, "must be at most %d", maxThreshold)
	}
}
