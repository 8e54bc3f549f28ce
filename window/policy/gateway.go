package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/loopgauge/loopgauge/window"
)

// Gateway knows the form in which one gateway has its loop settings.
type Gateway struct {
	Name string
	Form string // what such a file is

	// profiles are the gateway's rule in its readings. What is read becomes
	// the first; what is written may be any, for the form does not tell them
	// apart.
	profiles []string
	files    int // that settings may stand in
	read     func(*imported)
	// settings takes over what the form can say of a rule, which then is to
	// equal the rule; it refuses what is out of the form's bounds.
	settings func(f *fitted)
	write    func(x *exported) []byte
}

// Runs is the profile of the rule that the gateway makes of its settings.
func (g *Gateway) Runs() string { return g.profiles[0] }

// Gateways are the forms that can be read and written.
var Gateways = []Gateway{fairvisorForm, aisgForm, toolCallForm, zelyxForm}

// GatewayNames are the names of the forms.
func GatewayNames() []string { return named(Gateways, func(g Gateway) string { return g.Name }) }

// GatewayNamed finds a gateway's form.
func GatewayNamed(name string) (*Gateway, error) {
	names := GatewayNames()
	if i := slices.Index(names, name); i >= 0 {
		return &Gateways[i], nil
	}
	if name == "" {
		return nil, errors.New("no gateway is named: say which, " + strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("no gateway is called %q%s", name, suggest(name, names))
}

// Settings are a file with a gateway's own settings.
type Settings struct {
	File string
	Text []byte
}

// Import turns a gateway's own settings into a policy. said is what a policy
// cannot say of them, and what the gateway makes of values that it does not
// take. An error of type Errors holds every problem.
func (g *Gateway) Import(files ...Settings) (policy []byte, said []Problem, err error) {
	files = slices.Clone(files)
	for i := range files {
		files[i].Text = unmarked(files[i].Text)
	}
	in := &imported{Settings: files[0], files: files}
	if n := max(g.files, 1); len(files) > n {
		in.Settings = files[n]
		in.refuse("", "is one file too many: %s has its settings in %s", g.Name, g.Form)
		return nil, nil, in.errors
	}
	g.read(in)
	if len(in.errors) == 0 && len(in.rules) == 0 {
		in.refuse("", "has no loop settings of %s: %s is expected", g.Name, g.Form)
	}
	if len(in.errors) > 0 {
		return nil, in.said, in.errors
	}
	var b strings.Builder
	fmt.Fprintf(&b, "version: %d\nrules:\n", Version)
	for _, rule := range in.rules {
		fmt.Fprintf(&b, "  - name: %s\n    profile: %s\n%s", Quoted(rule.name), g.profiles[0], rule.fields.lines())
	}
	// A name may be there twice, or a threshold be beyond what a policy takes.
	if _, errs := readDraft(in.File, []byte(b.String())); len(errs) > 0 {
		for _, p := range errs {
			in.refuse(p.Path, "%s", p.What)
		}
		return nil, in.said, in.errors
	}
	return []byte(b.String()), in.said, nil
}

// imported is what was read of a gateway's settings.
type imported struct {
	Settings // that are read
	files    []Settings
	rules    []importedRule
	said     []Problem
	errors   Errors
}

// importedRule is a rule as a policy has it: what it changes in the profile.
type importedRule struct {
	name   string
	fields items
}

func (in *imported) say(field, format string, args ...any) {
	in.said = append(in.said, Problem{File: in.File, Path: field, What: fmt.Sprintf(format, args...)})
}

func (in *imported) refuse(field, format string, args ...any) {
	in.errors = append(in.errors, Problem{File: in.File, Path: field, What: fmt.Sprintf(format, args...)})
}

// rule adds a rule with what every gateway sets.
func (in *imported) rule(name string, enabled bool, seconds, threshold int64, action window.Action, more ...yaml.MapItem) {
	var fields items
	fields.add("enabled", enabled, !enabled)
	fields.add("counter", yaml.MapSlice{{Key: "window", Value: wholeSeconds(seconds)}}, true)
	fields.add("threshold", threshold, true)
	fields.add("action", string(action), true)
	in.rules = append(in.rules, importedRule{name, append(fields, more...)})
}

func wholeSeconds(n int64) string { return window.Lasting(time.Duration(n) * time.Second) }

// mostSeconds is the longest duration of a policy.
const mostSeconds = int64(maxDuration / time.Second)

// readDraft reads a policy whose rules may all be disabled: a gateway's loop
// detection may be switched off.
func readDraft(file string, text []byte) (*draft, Errors) {
	r := &reader{file: file, kind: policyKind}
	doc := r.document(text)
	if doc == nil {
		return nil, r.errors
	}
	d := newDraft()
	r.policy(doc, d)
	r.build(d)
	return d, r.errors.sorted()
}

// Export writes rules of a policy in the gateway's own form: the one called
// rule, or, if that is empty, all of them. A rule that does not fit is refused
// with each field that keeps it from it, as Errors. said is what the form does
// not hold, or holds for want of better.
func (g *Gateway) Export(file string, text []byte, rule string) (settings []byte, said []Problem, err error) {
	d, errs := readDraft(file, text)
	if len(errs) > 0 {
		return nil, nil, errs
	}
	x := &exported{file: file}
	for _, r := range d.rules {
		if rule == "" || r.name == rule {
			x.rules = append(x.rules, r)
		}
	}
	if len(x.rules) == 0 {
		return nil, nil, fmt.Errorf("%s: no rule is called %q%s", file, rule, suggest(rule, named(d.rules, nameOf)))
	}
	for _, r := range x.rules {
		x.misfits = append(x.misfits, g.fit(x, r)...)
	}
	if len(x.misfits) == 0 {
		settings = g.write(x)
	}
	if len(x.misfits) > 0 {
		return nil, nil, x.misfits
	}
	return settings, x.said, nil
}

// exported is what is to be written.
type exported struct {
	file    string
	rules   []*ruleDraft
	said    []Problem
	misfits Errors
}

func (x *exported) say(d *ruleDraft, field, what string) {
	x.said = append(x.said, x.problem(d, field, "%s", what))
}

func (x *exported) problem(d *ruleDraft, field, format string, args ...any) Problem {
	return Problem{File: x.file, Line: d.at.line, Column: d.at.column, Path: fmt.Sprintf("rule %s: %s", Quoted(d.name), field), What: fmt.Sprintf(format, args...)}
}

// only is the one rule that a form has room for.
func (x *exported) only(form string) *ruleDraft {
	for _, d := range x.rules[1:] {
		x.misfits = append(x.misfits, x.problem(d, "name", "%s has room for one rule: leave the others out, or choose with --rule of 'loopgauge policy export'", form))
	}
	return x.rules[0]
}

// fitted is a rule held against what the gateway's form would make of it.
type fitted struct {
	x     *exported
	rule  *ruleDraft
	again *ruleDraft // the profile's, with the settings of the rule
	wrong Errors     // values out of bounds
}

func (f *fitted) refuse(field, format string, args ...any) {
	f.wrong = append(f.wrong, f.x.problem(f.rule, field, format, args...))
}

// fit finds what keeps a rule from being one of the gateway's: what differs
// from the reading that it differs least from, once that has its settings.
func (g *Gateway) fit(x *exported, d *ruleDraft) Errors {
	var least Errors
	for i, profile := range g.profiles {
		base, err := profileRules(profile)
		if err != nil {
			panic(err) // a test exports them all
		}
		f := &fitted{x: x, rule: d, again: base[0]}
		if d.counter.Window <= 0 || d.counter.Window%time.Second != 0 {
			f.refuse("counter.window", "must be whole seconds for %s, is %s", g.Name, window.Lasting(d.counter.Window))
		}
		g.settings(f)
		f.differences(g)
		if i == 0 || len(f.wrong) < len(least) {
			least = f.wrong
		}
	}
	if len(least) == 0 && d.quiet > 0 {
		x.say(d, "quiet", "stays here: no gateway has it")
	}
	return least
}

// takeAction takes over the rule's action if the gateway has it.
func (f *fitted) takeAction(g string, actions ...window.Action) {
	f.again.action = f.rule.action
	if slices.Contains(actions, f.rule.action) {
		return
	}
	f.refuse("action", "%s has no %s; it can do %s", g, f.rule.action, strings.Join(namesOf(actions), ", "))
}

// differences adds the fields in which the rule is not what the gateway's form
// would make of it.
func (f *fitted) differences(g *Gateway) {
	is, would := f.rule.facts(), f.again.facts()
	for i, fact := range is {
		if text := flow(fact.Value); text != flow(would[i].Value) {
			f.refuse(fmt.Sprint(fact.Key), "is %s; %s has only %s", text, g.Name, flow(would[i].Value))
		}
	}
}

// facts are the fields of a rule that decide what it does, given or not, but for
// those that gateways set, or have nothing for.
func (d *ruleDraft) facts() yaml.MapSlice {
	var facts items
	for _, f := range d.fields() {
		switch f.name {
		case "name", "profile", "enabled", "threshold", "quiet", "action", "chat_overrides":
		case "counter":
			facts.add("counter.kind", d.counter.Kind, true)
			facts.add("counter.closed", d.counter.Closed, true)
			facts.add("counter.period", d.counter.Period, true)
		default:
			if all, ok := unrestricted[f.name]; ok && !f.said {
				f.value = all
			}
			facts.add(f.name, f.value, true)
		}
	}
	return yaml.MapSlice(facts)
}

// unrestricted is what fields that restrict a rule are called where they do not.
var unrestricted = map[string]string{"limit_keys": "all attributes", "match": "all requests"}
