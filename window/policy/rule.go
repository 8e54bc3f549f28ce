package policy

import (
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/loopgauge/loopgauge/fingerprint"
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
	v.mapping(d.members())
	d.broken = d.broken || v.r.wrong[member(v.at.path, "profile")]
	return d
}

// field is a member of a rule, and how it is written.
type field struct {
	entry
	value any  // as a policy has it
	said  bool // a rule without it would be another
}

func (d *ruleDraft) members() (members []entry) {
	for _, f := range d.fields() {
		members = append(members, f.entry)
	}
	return members
}

// fields are the members of a rule, in the order of docs/policy.md.
func (d *ruleDraft) fields() []field {
	parts := words(&d.parts, partProblem, object{"type": "string"})
	identity := any(d.identity)
	if d.identity == "" {
		identity = d.parts
	}
	readIdentity := func(v Value) {
		d.identity, d.parts = "", nil
		if _, ok := v.node.(*ast.SequenceNode); ok {
			parts.read(v)
			return
		}
		d.identity, _ = v.textOf()
	}
	identities := object{"anyOf": []object{{"enum": fingerprint.IdentityNames()}, described(parts.schema, "parts")}}
	masks := object{"enum": fingerprint.MaskNames(), "description": "volatile text"}
	scopes := object{"anyOf": []object{{"enum": fingerprint.ScopeNames()}, {"type": "string", "pattern": "^attr:.+"}}}
	counter := counterMembers(&d.counter)
	overrides := []yaml.MapSlice{}
	for i := range d.overrides {
		overrides = append(overrides, d.overrides[i].source())
	}
	return []field{
		{entry{"name", text(&d.name), "name of the rule"}, d.name, true},
		{entry{"profile", form{text(&d.profile).read, object{"enum": allProfiles{}}}, "built-in rule to start from"}, d.profile, d.keepsProfile()},
		{entry{"enabled", boolean(&d.enabled), "false leaves the rule out"}, d.enabled, !d.enabled},
		{entry{"identity", form{readIdentity, identities}, "what makes two requests the same"}, identity, true},
		{entry{"mask", words(&d.mask, maskProblem, masks), "volatile text to replace before hashing"}, slices.Concat([]string{}, d.mask), len(d.mask) > 0},
		{entry{"normalize", choice(normalizations, &d.normalize), "fold message text"}, d.normalize, d.normalize != "none"},
		{entry{"limit_keys", texts(&d.limitKeys), "fairvisor: attributes that are descriptors"}, d.limitKeys, d.limitKeys != nil}, // none is not all
		{entry{"body_hash", choice(bodyHashes, &d.bodyHash), "fairvisor: use the body's hash where there is one, ignore it, or require it"}, d.bodyHash, d.bodyHash != "use"},
		{entry{"scope", words(&d.scope, scopeProblem, scopes), "whose counter it is"}, slices.Concat([]string{}, d.scope), true},
		{entry{"counter", form{func(v Value) { v.mapping(counter) }, closed(counter)}, ""}, counterFields(d.counter, d.keepsProfile()), true},
		{entry{"threshold", within(&d.threshold, 1, maxThreshold), "the repeat on which the rule fires"}, d.threshold, true},
		{entry{"cooldown", duration(&d.cooldown), "fire on every hit for so long after a firing"}, window.Lasting(d.cooldown), d.cooldown > 0},
		{entry{"cooldown_counts", boolean(&d.cooldownCounts), "hits in the cooldown are counted"}, d.cooldownCounts, !d.cooldownCounts},
		{entry{"blocked_counts", boolean(&d.blockedCounts), "hits that fire are counted"}, d.blockedCounts, !d.blockedCounts},
		{entry{"reset_on_fire", boolean(&d.resetOnFire), "start counting anew after a firing"}, d.resetOnFire, d.resetOnFire},
		{entry{"quiet", duration(&d.quiet), "longest pause inside one episode"}, window.Lasting(d.quiet), d.quiet > 0},
		{entry{"action", choice(window.Actions, &d.action), "hypothetical action"}, string(d.action), true},
		{entry{"chat_overrides", boolean(&d.chatOverrides), "sessions may change the rule by commands in user messages"}, d.chatOverrides, d.chatOverrides},
		{entry{"match", text(&d.match), "CEL condition on the request"}, d.match, d.match != ""},
		{entry{"overrides", listOf(&d.overrides, Value.override, new(overrideDraft).members()), "first that matches wins"}, overrides, len(overrides) > 0},
	}
}

func counterMembers(c *window.CounterSpec) []entry {
	return []entry{
		{"kind", choiceOf(kindNames(), freeKinds(), &c.Kind), "how repeats are counted"},
		{"window", duration(&c.Window), "how long a repeat counts"},
		{"closed", boolean(&c.Closed), "age = window still counts"},
		{"period", within(&c.Period, 1, window.MaxPeriod), "cycle: longest period"},
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
	list, _ := v.members()
	for _, x := range list {
		if x.name != "profile" {
			continue
		}
		text, ok := x.node.(*ast.StringNode)
		if !ok {
			return nil, false // read again below, and said there
		}
		rules, err := profileRules(text.Value)
		switch {
		case err != nil:
			x.problem("%s", err)
			return nil, false
		case len(rules) > 1:
			names := named(rules, func(rule *ruleDraft) string { return rule.from })
			x.problem("profile %q has %d rules; name one: %s", text.Value, len(rules), strings.Join(names, ", "))
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
	refuse := form{read: func(v Value) {
		v.problem("an override cannot change it: write a second rule, and match in both")
	}}
	var refused []entry
	for _, name := range fixed {
		refused = append(refused, entry{name, refuse, ""})
	}
	v.mapping(o.members(), refused...)
	o.enabledGiven = v.r.given(v.at, "enabled")
	return o
}

func (o *overrideDraft) members() []entry {
	until := func(v Value) {
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
	}
	return []entry{
		{"match", text(&o.match), "CEL condition on the request"},
		{"threshold", within(&o.threshold, 1, maxThreshold), "the repeat on which the rule fires"},
		{"action", choice(window.Actions, &o.action), "hypothetical action"},
		{"window", duration(&o.window), "how long a repeat counts for these requests; streak and tracker"},
		{"enabled", boolean(&o.enabled), "false: the rule does not look at the request; true: it does, though it is not enabled"},
		{"until", form{until, object{"type": "string"}}, "until when it holds: 2026-12-01 or RFC 3339"},
		{"reason", text(&o.reason), "why"},
	}
}

func kindNames() []string {
	return named(window.Counters, func(k window.CounterKind) string { return k.Name })
}

// freeKinds are those that any rule may have.
func freeKinds() []string {
	return slices.DeleteFunc(kindNames(), func(name string) bool { return name == window.TrackerKind })
}
