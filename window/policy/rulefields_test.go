package policy

import (
	"slices"
	"strings"
	"testing"
)

// ruleFields are what fields of a rule say instead of what the plain rule says,
// and what stands beside that. Every field of the schema has its line.
var ruleFields = map[string]struct{ says, beside string }{
	"enabled":         {says: "enabled: false", beside: "chat_overrides: true"},
	"identity":        {says: "identity: request"},
	"mask":            {says: "mask: [uuids]"},
	"normalize":       {says: "normalize: lower"},
	"limit_keys":      {says: "limit_keys: [x]", beside: "identity: fairvisor"},
	"body_hash":       {says: "body_hash: require", beside: "identity: fairvisor"},
	"scope":           {says: "scope: [session, model]"},
	"counter.kind":    {says: "counter: {kind: cycle, window: 1m}"},
	"counter.window":  {says: "counter: {kind: streak, window: 2m}"},
	"counter.closed":  {says: "counter: {kind: streak, window: 1m, closed: true}"},
	"counter.period":  {says: "counter: {kind: cycle, period: 2}", beside: "counter: {kind: cycle}"},
	"threshold":       {says: "threshold: 7"},
	"cooldown":        {says: "cooldown: 30s"},
	"cooldown_counts": {says: "cooldown_counts: false", beside: "cooldown: 30s"},
	"blocked_counts":  {says: "blocked_counts: false"},
	"reset_on_fire":   {says: "reset_on_fire: true"},
	"quiet":           {says: "quiet: 2m"},
	"action":          {says: "action: reject"},
	"chat_overrides":  {says: "chat_overrides: true"},
	"match":           {says: "match: has_tools"},
	"overrides":       {says: "overrides: [{match: has_tools, threshold: 9}]"},
}

// A field of a rule changes what the rule does, stands in the source, which the
// hash is of, is written again as it was, and keeps a rule from an export whose
// form cannot say it.
func TestFieldsOfARule(t *testing.T) {
	plain := []string{"name: a", "identity: prompt", "scope: [session]", "counter: {kind: streak, window: 1m}", "threshold: 3"}
	with := func(items ...string) *Policy {
		t.Helper()
		rule := slices.Clone(plain)
		for _, item := range items {
			key, _, _ := strings.Cut(item, ":")
			rule = slices.DeleteFunc(rule, func(s string) bool { return strings.HasPrefix(s, key+":") })
			if item != "" {
				rule = append(rule, item)
			}
		}
		return parse(t, "version: 1\nrules: [{"+strings.Join(rule, ", ")+"}]\n")
	}
	facts := func(p *Policy) string {
		d, errs := readDraft("source", p.Source)
		if errs != nil {
			t.Fatal(errs)
		}
		return flow(d.rules[0].facts())
	}
	taken := []string{
		"enabled", "counter.window", "threshold", "action", // settings of gateways
		"quiet", "chat_overrides", // no gateway has a setting for them
	}

	var names []string
	rule := schema(t)["properties"].(map[string]any)["rules"].(map[string]any)["items"].(map[string]any)["properties"].(map[string]any)
	for name := range rule {
		names = append(names, name)
	}
	for name := range rule["counter"].(map[string]any)["properties"].(map[string]any) {
		names = append(names, "counter."+name)
	}
	for _, name := range names {
		field, known := ruleFields[name]
		switch {
		case name == "name", name == "profile", name == "counter": // who it is, what is written out, and more than one field
			continue
		case !known:
			t.Errorf("%s: a new field of a rule: say in ruleFields what another rule says of it", name)
			continue
		}
		was, is := with(field.beside), with(field.beside, field.says)
		if was.Rules[0].Alike(is.Rules[0]) {
			t.Errorf("%s: Rule.Alike does not know it", name)
		}
		if was.Hash == is.Hash {
			t.Errorf("%s: ruleDraft.source does not write it:\n%s", name, is.Source)
		}
		if again := parse(t, string(is.Source)); !again.Rules[0].Alike(is.Rules[0]) {
			t.Errorf("%s: ruleDraft.source does not write all of it:\n%s", name, is.Source)
		}
		hash := is.Hash
		if err := is.Rewrite(); err != nil || is.Hash != hash {
			t.Errorf("%s: Policy.Rewrite does not write it: %v\n%s", name, err, is.Source)
		}
		if facts(was) == facts(is) != slices.Contains(taken, name) {
			t.Errorf("%s: neither in ruleDraft.facts nor what a gateway takes", name)
		}
	}
}

// What a rule takes back of its profile stays so where it is written with it.
func TestSourceOverProfile(t *testing.T) {
	f := func(rule string) {
		t.Helper()
		p := parse(t, "version: 1\nrules: [{name: a, profile: aisg-article, "+rule+"}]\n")
		if again := parse(t, string(p.Source)); !again.Rules[0].Alike(p.Rules[0]) || again.Hash != p.Hash {
			t.Errorf("%s: written\n%s", rule, p.Source)
		}
	}
	f("counter: {kind: streak, window: 0s}")
	f("counter: {closed: false}")
	f("cooldown: 0s")
	f("cooldown_counts: true")
	f("identity: prompt, scope: [session]")
}
