package policy

import (
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/loopgauge/loopgauge/window"
)

// bodyHashes are what body_hash of a rule may be, and normalizations normalize.
var (
	bodyHashes     = []string{"use", "ignore", "require"}
	normalizations = []string{"lower", "none"}
)

// ruleDraft is a rule as it is read: what a profile says, and over it what the
// rule says itself.
type ruleDraft struct {
	at             place
	name, profile  string
	from           string // the profile's rule that it builds on, as a policy names it; empty is none
	enabled        bool
	identity       string
	parts          []string
	mask           []string
	normalize      string // of normalizations
	limitKeys      []string
	bodyHash       string   // of bodyHashes
	scope          []string // nil is not given
	counter        window.CounterSpec
	threshold      int
	minThreshold   int
	cooldown       time.Duration
	cooldownCounts bool
	blockedCounts  bool
	resetOnFire    bool
	quiet          time.Duration
	action         window.Action
	chatOverrides  bool
	match          string
	overrides      []overrideDraft
	broken         bool // its profile is unknown, or the word misspelt: what is missing may be in there
}

type overrideDraft struct {
	at           place
	match        string
	threshold    int
	window       time.Duration
	action       window.Action
	enabled      bool
	enabledGiven bool
	until        time.Time
	reason       string
}

func newRuleDraft() *ruleDraft {
	return &ruleDraft{enabled: true, normalize: "none", bodyHash: "use", action: window.Warn, cooldownCounts: true, blockedCounts: true, minThreshold: window.LeastThreshold}
}

// rule reads one rule. Its profile, if it names one, is read before the rest,
// wherever it stands.
func (v Value) rule() *ruleDraft {
	d := newRuleDraft()
	base, ok := v.base()
	if base != nil {
		d = base
	}
	d.broken = !ok
	d.at = v.at
	d.name = ""
	var members []Member
	for _, f := range d.fields() {
		members = append(members, f.Member)
	}
	v.mapping(members)
	d.broken = d.broken || v.r.wrong[member(v.at.path, "profile")]
	return d
}

// field is a member of a rule: how it is read, and how it is written.
type field struct {
	Member
	value any  // as a policy has it
	said  bool // a rule without it would be another
}

// fields are the members of a rule, in the order of docs/policy.md.
func (d *ruleDraft) fields() []field {
	identity := any(d.identity)
	if d.identity == "" {
		identity = d.parts
	}
	readIdentity := func(v Value) {
		d.identity, d.parts = "", nil
		if _, ok := v.node.(*ast.SequenceNode); ok {
			words(&d.parts, partProblem)(v)
			return
		}
		d.identity, _ = v.textOf()
	}
	readCounter := func(v Value) {
		v.mapping([]Member{
			{"kind", choiceOf(kindNames(), freeKinds(), &d.counter.Kind)},
			{"window", duration(&d.counter.Window)},
			{"closed", boolean(&d.counter.Closed)},
			{"period", integer(&d.counter.Period)},
		})
	}
	overrides := []yaml.MapSlice{}
	for i := range d.overrides {
		overrides = append(overrides, d.overrides[i].source())
	}
	return []field{
		{Member{"name", text(&d.name)}, d.name, true},
		{Member{"profile", text(&d.profile)}, d.profile, d.keepsProfile()},
		{Member{"enabled", boolean(&d.enabled)}, d.enabled, !d.enabled},
		{Member{"identity", readIdentity}, identity, true},
		{Member{"mask", words(&d.mask, maskProblem)}, slices.Concat([]string{}, d.mask), len(d.mask) > 0},
		{Member{"normalize", choice(normalizations, &d.normalize)}, d.normalize, d.normalize != "none"},
		{Member{"limit_keys", texts(&d.limitKeys)}, d.limitKeys, d.limitKeys != nil}, // none is not all
		{Member{"body_hash", choice(bodyHashes, &d.bodyHash)}, d.bodyHash, d.bodyHash != "use"},
		{Member{"scope", words(&d.scope, scopeProblem)}, slices.Concat([]string{}, d.scope), true},
		{Member{"counter", readCounter}, counterFields(d.counter, d.keepsProfile()), true},
		{Member{"threshold", integer(&d.threshold)}, d.threshold, true},
		{Member{"cooldown", duration(&d.cooldown)}, window.Lasting(d.cooldown), d.cooldown > 0},
		{Member{"cooldown_counts", boolean(&d.cooldownCounts)}, d.cooldownCounts, !d.cooldownCounts},
		{Member{"blocked_counts", boolean(&d.blockedCounts)}, d.blockedCounts, !d.blockedCounts},
		{Member{"reset_on_fire", boolean(&d.resetOnFire)}, d.resetOnFire, d.resetOnFire},
		{Member{"quiet", duration(&d.quiet)}, window.Lasting(d.quiet), d.quiet > 0},
		{Member{"action", choice(window.Actions, &d.action)}, string(d.action), true},
		{Member{"chat_overrides", boolean(&d.chatOverrides)}, d.chatOverrides, d.chatOverrides},
		{Member{"match", text(&d.match)}, d.match, d.match != ""},
		{Member{"overrides", listOf(&d.overrides, Value.override)}, overrides, len(overrides) > 0},
	}
}

func nameOf(d *ruleDraft) string { return d.name }

// forget drops the places, which are those of another file: what is said of
// these values is said of the rule that takes them over.
func (d *ruleDraft) forget() {
	d.at = place{}
	for i := range d.overrides {
		d.overrides[i].at = place{}
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
func (v Value) base() (rule *ruleDraft, ok bool) {
	m, ok := asMapping(v.node)
	if !ok {
		return nil, true
	}
	for _, x := range m.Values {
		if keyText(x.Key) != "profile" {
			continue
		}
		here := placeOf(x.Value, v.at.path+".profile")
		text, ok := x.Value.(*ast.StringNode)
		if !ok {
			return nil, false // read again below, and said there
		}
		rules, err := profileRules(text.Value)
		switch {
		case err != nil:
			v.r.problem(here, "%s", err)
			return nil, false
		case len(rules) > 1:
			names := named(rules, func(rule *ruleDraft) string { return rule.from })
			v.r.problem(here, "profile %q has %d rules; name one: %s", text.Value, len(rules), strings.Join(names, ", "))
			return nil, false
		}
		return rules[0], true
	}
	return nil, true
}

// fixed are the fields of a rule that an override may not change.
var fixed = []string{"identity", "scope", "counter", "mask", "normalize", "limit_keys", "body_hash", "profile"}

func (v Value) override() overrideDraft {
	o := overrideDraft{at: v.at, enabled: true}
	var refused []Member
	for _, name := range fixed {
		refused = append(refused, Member{name, func(v Value) {
			v.problem("an override cannot change it: write a second rule, and match in both")
		}})
	}
	v.mapping([]Member{
		{"match", text(&o.match)},
		{"threshold", integer(&o.threshold)},
		{"action", choice(window.Actions, &o.action)},
		{"window", duration(&o.window)},
		{"enabled", boolean(&o.enabled)},
		{"until", func(v Value) {
			text, ok := v.textOf()
			if !ok {
				return
			}
			for _, layout := range []string{time.RFC3339, "2006-01-02"} {
				if t, err := time.Parse(layout, text); err == nil {
					o.until = t.UTC()
					return
				}
			}
			v.problem("%q is no time: write 2026-12-01 or 2026-12-01T08:00:00Z", text)
		}},
		{"reason", text(&o.reason)},
	}, refused...)
	o.enabledGiven = v.r.given(v.at, "enabled")
	return o
}

func kindNames() []string {
	return named(window.Counters, func(k window.CounterKind) string { return k.Name })
}

// freeKinds are those that any rule may have.
func freeKinds() []string {
	return slices.DeleteFunc(kindNames(), func(name string) bool { return name == window.TrackerKind })
}
