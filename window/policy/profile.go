package policy

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/loopgauge/loopgauge/window"
)

//go:embed profiles/*.yaml
var profileFiles embed.FS

// Profile is a built-in policy that reproduces one gateway, or our advice.
type Profile struct {
	Name    string
	Title   string
	Reading string // as documented, as shipped, or recommended
	Kind    Kind   // who has it
	Source  string // where the settings were found
	Notes   string // what differs from other readings
	Text    []byte // the file

	Differences []Difference // from what the gateway's documents say

	rules []*ruleDraft
}

// Kind is who has the rules of a profile.
type Kind string

const (
	OfGateway Kind = "gateway" // a gateway that looks for loops
	OfAgent   Kind = "agent"   // an agent, or what stands between it and its tools
	OfLimit   Kind = "limit"   // a gateway that limits a session, looping or not
	Advice    Kind = "advice"  // ours
)

// Compared tells that the profile is one of those that a log is held against
// unasked: the others are off unless somebody wants them, or no gateway's.
func (p *Profile) Compared() bool { return p.Kind == OfGateway || p.Kind == Advice }

// Difference is one thing that a gateway does otherwise than documented.
type Difference struct {
	Of, Shipped, Documented string
	// Otherwise is what a rule over the profile changes to do as documented, as
	// a rule has it; empty where no rule can.
	Otherwise string
}

// AsDocumented is the rule of the profile with one difference taken back; nil
// where no rule can say it.
func (p *Profile) AsDocumented(d Difference) (*window.Rule, error) {
	if d.Otherwise == "" {
		return nil, nil
	}
	policy, err := Parse(p.Name+", "+d.Of, fmt.Appendf(nil, "version: 1\nrules: [{name: %s, profile: %s, %s}]\n", Quoted(p.Name+": "+d.Of), p.Name, d.Otherwise))
	if err != nil {
		return nil, err
	}
	return policy.Rules[0], nil
}

// Profiles are the built-in profiles, by name, not to be changed. A new one is
// one file in profiles/.
func Profiles() []*Profile {
	var list []*Profile
	for _, name := range ProfileNames() {
		list = append(list, readProfile(name))
	}
	return list
}

// FindProfile is the built-in profile of this name, or the one that has the rule
// which PROFILE/RULE names.
func FindProfile(name string) (*Profile, error) {
	if _, err := profileRules(name); err != nil {
		return nil, err
	}
	name, _, _ = strings.Cut(name, "/")
	return readProfile(name), nil
}

// ProfileNames are the names of the built-in profiles, in order.
func ProfileNames() []string {
	entries, err := profileFiles.ReadDir("profiles")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// profiles are those that were asked for, by name: each is looked up for every
// rule that builds on it.
var profiles sync.Map

func readProfile(name string) *Profile {
	if p, ok := profiles.Load(name); ok {
		return p.(*Profile)
	}
	text, err := profileFiles.ReadFile(path.Join("profiles", name+".yaml"))
	if err != nil {
		panic(err)
	}
	p, err := parseProfile(name, text)
	if err != nil {
		panic(err) // a test reads them all
	}
	profiles.Store(name, p)
	return p
}

func parseProfile(name string, data []byte) (*Profile, error) {
	p := &Profile{Name: name, Text: data}
	r := &reader{file: name + ".yaml", kind: policyKind}
	doc := r.document(data)
	if doc == nil {
		return nil, r.errors
	}
	least := window.LeastThreshold
	Value{r: r, node: doc}.mapping([]entry{
		{"title", text(&p.Title), ""},
		{"reading", text(&p.Reading), ""},
		{"kind", choice([]Kind{OfGateway, OfAgent, OfLimit, Advice}, &p.Kind), ""},
		{"source", text(&p.Source), ""},
		{"notes", text(&p.Notes), ""},
		{"differences", listOf(&p.Differences, Value.difference, nil), ""},
		{"min_threshold", integer(&least), ""},
		{"rules", listOf(&p.rules, Value.rule, nil), ""},
	})
	for _, rule := range p.rules {
		rule.profile, rule.from = name, name
		if len(p.rules) > 1 {
			rule.from += "/" + rule.name
		}
		rule.minThreshold = least
		rule.forget()
	}
	if len(r.errors) > 0 {
		return nil, r.errors
	}
	return p, nil
}

func (v Value) difference() (d Difference) {
	v.mapping([]entry{{"of", text(&d.Of), ""}, {"shipped", text(&d.Shipped), ""}, {"documented", text(&d.Documented), ""}, {"otherwise", text(&d.Otherwise), ""}})
	return d
}

// profileRules are the rules of a profile, or the one that name/rule picks:
// copies, which the caller may change.
func profileRules(name string) ([]*ruleDraft, error) {
	name, only, picked := strings.Cut(name, "/")
	names := ProfileNames()
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("no profile is called %q%s", name, suggest(name, names))
	}
	var all []*ruleDraft
	for _, rule := range readProfile(name).rules {
		all = append(all, rule.clone())
	}
	if !picked {
		return all, nil
	}
	rules := named(all, nameOf)
	i := slices.Index(rules, only)
	if i < 0 {
		return nil, fmt.Errorf("profile %q has no rule %q%s", name, only, suggest(only, rules))
	}
	all[i].profile = name + "/" + only
	return all[i : i+1], nil
}

// FromProfiles makes a policy of built-in profiles.
func FromProfiles(names []string) (*Policy, error) {
	d := newDraft()
	r := &reader{file: "--profile", kind: policyKind}
	seen := map[string]bool{}
	for _, name := range names {
		rules, err := profileRules(name)
		if err != nil {
			r.problem(place{}, "%s", err)
			continue
		}
		for _, rule := range rules {
			if seen[rule.name] {
				rule.name = name + "/" + rule.name
			}
			seen[rule.name] = true
			d.rules = append(d.rules, rule)
		}
	}
	if len(r.errors) > 0 {
		return nil, r.errors
	}
	p := r.build(d)
	if len(r.errors) > 0 {
		return nil, r.errors
	}
	return p, nil
}
