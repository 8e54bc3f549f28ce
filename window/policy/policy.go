package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/link"
)

// Version is the version of the policy language.
const Version = 1

// Policy is what to run: rules, what they leave out, and how logs are read.
type Policy struct {
	Lateness    time.Duration
	LatenessSet bool // otherwise it may be measured
	EventTime   EventTime
	Duplicates  time.Duration // horizon within which an id counts once
	Session     []string      // where a session is named, as window.ExtractOptions has it
	Rules       []*window.Rule
	Exclude     []window.Exclusion
	Prices      map[string]window.Price
	Sinks       []Sink      // where alerts go, in their order
	Routes      []Route     // which of them hear of what; the first that matches counts, and without one all hear
	Links       []link.Link // in alerts
	Kafka       *Kafka      // nil if it says nothing of topics

	Source []byte // the policy in force as YAML, profiles written out
	Hash   string // hex SHA-256 of Source
}

// EventTime is which time of a request it is ordered and counted by.
type EventTime string

const (
	End   EventTime = "end"   // when the gateway wrote the record
	Start EventTime = "start" // when the request came in
)

// Price gives the price of a model.
func (p *Policy) Price(model string) (price window.Price, ok bool) {
	price, ok = p.Prices[model]
	return price, ok
}

// Sink is one sink with its settings. A text of the form ${NAME} stands for a
// variable of the environment; nothing here has looked at it.
type Sink struct {
	Kind     string          // slack, webhook, ...
	Name     string          // by which routes know it: its kind unless it says another
	Least    window.Severity // that an incident must have; empty is any
	Settings map[string]string
	Place    string // file:line:column: path, for problems that only the sink can see
}

// DefaultLateness is how far a live stream may be out of order.
const DefaultLateness = 10 * time.Second

// Load reads a policy from a file.
func Load(file string) (*Policy, error) {
	text, err := ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, text)
}

// ReadFile reads a file that a person wrote, as ReadText does.
func ReadFile(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadText(file, f)
}

// ReadText reads what a person wrote. Of another text, such as a log that was
// named by mistake, it reads no more than it takes to tell.
func ReadText(name string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if len(text) > MaxSize {
		return nil, fmt.Errorf("%s: more than %d bytes: is it a log?", name, MaxSize)
	}
	return text, err
}

// Parse reads a policy. name is how problems call the file. An error of type
// Errors holds every problem.
func Parse(name string, text []byte) (*Policy, error) {
	r := &reader{file: name, kind: policyKind}
	doc := r.document(text)
	if doc == nil {
		return nil, r.errors
	}
	d := newDraft()
	r.policy(doc, d)
	p := r.build(d)
	if len(r.errors) == 0 && len(p.Rules) == 0 {
		r.problem(d.rulesAt, "every rule is disabled")
	}
	if len(r.errors) > 0 {
		return nil, r.errors.sorted()
	}
	return p, nil
}

// draft is a policy as it is read, before it is checked as a whole.
type draft struct {
	version    int
	versionAt  place
	lateness   time.Duration
	latenessAt place
	eventTime  EventTime
	duplicates time.Duration
	session    []string
	sessionAt  place
	rules      []*ruleDraft
	rulesAt    place
	exclude    []exclusionDraft
	prices     map[string]window.Price
	priceOrder []string
	sinks      []Sink
	routes     []routeDraft
	links      []link.Link
	kafka      *Kafka
}

type exclusionDraft struct {
	name, match string
	at, matchAt place
}

func newDraft() *draft {
	return &draft{eventTime: End, duplicates: window.DefaultDuplicates, lateness: DefaultLateness, prices: map[string]window.Price{}}
}

func (r *reader) policy(doc *ast.MappingNode, d *draft) {
	var ignored place
	r.mapping(doc, place{}, []field{
		{"version", r.integer(&d.version, &d.versionAt)},
		{"lateness", r.duration(&d.lateness, &d.latenessAt)},
		{"event_time", r.choice([]string{string(End), string(Start)}, func(s string) { d.eventTime = EventTime(s) })},
		{"duplicates", r.duration(&d.duplicates, &ignored)},
		{"session", r.texts(&d.session, &d.sessionAt)},
		{"rules", func(n ast.Node, at place) {
			d.rulesAt = at
			r.list(n, at, func(n ast.Node, at place) { d.rules = append(d.rules, r.rule(n, at)) })
		}},
		{"exclude", func(n ast.Node, at place) {
			r.list(n, at, func(n ast.Node, at place) {
				x := exclusionDraft{at: at}
				r.mapping(n, at, []field{
					{"name", r.text(&x.name, &ignored)},
					{"match", r.text(&x.match, &x.matchAt)},
				})
				d.exclude = append(d.exclude, x)
			})
		}},
		{"prices", func(n ast.Node, at place) { r.prices(n, at, d) }},
		{"sinks", func(n ast.Node, at place) { r.sinks(n, at, d) }},
		{"routes", func(n ast.Node, at place) {
			r.list(n, at, func(n ast.Node, at place) { d.routes = append(d.routes, r.route(n, at)) })
		}},
		{"links", func(n ast.Node, at place) { d.links = r.links(n, at) }},
		{"kafka", func(n ast.Node, at place) { d.kafka = r.kafka(n, at) }},
	})
}

func (r *reader) prices(n ast.Node, at place, d *draft) {
	m, ok := asMapping(n)
	if !ok {
		r.problem(at, "must be a mapping of models to {input, output, cached} or {per_1k}, is %s", kindOf(n))
		return
	}
	for _, v := range m.Values {
		model := keyText(v.Key)
		here := placeOf(v.Value, at.path+"."+model)
		p := r.price(v.Value, here)
		if _, twice := d.prices[model]; twice {
			r.problem(placeOf(v.Key, at.path+"."+model), "is there twice")
			continue
		}
		d.prices[model] = p
		d.priceOrder = append(d.priceOrder, model)
	}
}

// price reads one price: of input and output, or one for both.
func (r *reader) price(n ast.Node, at place) (p window.Price) {
	given := map[string]bool{}
	note := func(name string, to *float64) field {
		return field{name, func(n ast.Node, at place) {
			given[name] = true
			r.number(to)(n, at)
		}}
	}
	var blended float64
	r.mapping(n, at, []field{note("input", &p.Input), note("output", &p.Output), note("cached", &p.Cached), note("per_1k", &blended)})
	switch {
	case given["per_1k"] && len(given) > 1:
		r.problem(at, "has per_1k, which is for all tokens: leave the others out")
	case given["per_1k"]:
		p = window.Price{Input: 1000 * blended, Cached: 1000 * blended, Output: 1000 * blended}
	case !given["cached"]:
		p.Cached = p.Input
	}
	return p
}

// secretWords are what the names of settings have in them that must not stand
// in the file; NAME_file names a file instead.
var secretWords = []string{"token", "secret", "password", "webhook_url", "api_key", "authorization"}

// IsSecret tells whether a sink's setting of this name must not stand in the
// file.
func IsSecret(name string) bool {
	name = strings.ToLower(name)
	return !strings.HasSuffix(name, "_file") && slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(name, w) })
}

// fromEnvironment is how a setting takes its value from the environment.
var fromEnvironment = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)

// passwordInURL finds the password of a URL's user.
var passwordInURL = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*:[^/?#]*@`)

// noSecret is what is said of a secret in the file.
const noSecret = "secrets do not stand in a policy: write ${NAME} and set NAME in the environment"

// secrets finds secrets in the settings of a sink, however deep.
func (r *reader) secrets(n ast.Node, path string) {
	if list, ok := n.(*ast.SequenceNode); ok {
		for i, v := range list.Values {
			r.secrets(v, fmt.Sprintf("%s[%d]", path, i))
		}
	}
	settings, ok := asMapping(n)
	if !ok {
		return
	}
	for _, v := range settings.Values {
		key := keyText(v.Key)
		text, ok := v.Value.(*ast.StringNode)
		switch {
		case IsSecret(key) && (!ok || !fromEnvironment.MatchString(text.Value)), ok && passwordInURL.MatchString(text.Value):
			r.problem(placeOf(v.Value, path+"."+key), noSecret)
		case !IsSecret(key):
			r.secrets(v.Value, path+"."+key)
		}
	}
}

// build checks the draft as a whole and makes the policy.
func (r *reader) build(d *draft) *Policy {
	switch {
	case d.versionAt.line == 0:
		r.problem(place{line: 1, column: 1, path: "version"}, "is missing: write version: %d", Version)
	case d.version != Version:
		r.check(d.versionAt, "must be %d, is %d", Version, d.version)
	}
	if len(d.rules) == 0 && len(r.errors) == 0 {
		at := d.rulesAt
		at.path = "rules"
		r.problem(at, "there is no rule; run 'loopgauge policy profiles' for ready ones")
	}
	p := &Policy{
		Lateness: d.lateness, LatenessSet: d.latenessAt.line > 0, EventTime: d.eventTime, Duplicates: d.duplicates,
		Prices: d.prices, Sinks: d.sinks, Links: d.links, Kafka: d.kafka, Session: r.sessionPlaces(d),
	}
	identities := map[string]*fingerprint.Identity{}
	names := map[string]bool{}
	for _, rule := range d.rules {
		if rule.name != "" && names[rule.name] {
			r.problem(rule.nameAt, "another rule is called %q", rule.name)
		}
		names[rule.name] = true
		if built := r.buildRule(rule, identities); built != nil && rule.mayJudge() {
			p.Rules = append(p.Rules, built)
		}
	}
	for i := range d.exclude {
		x := &d.exclude[i]
		if x.name == "" {
			r.problem(x.at, "needs a name: the account of what was excluded shows it")
		}
		if x.match == "" {
			r.problem(x.at, "needs a match")
			continue
		}
		m := r.compile(x.match, x.matchAt)
		p.Exclude = append(p.Exclude, window.Exclusion{Name: x.name, Text: x.match, Match: m.match, Reads: m.reads, Fields: m.fields})
	}
	p.Routes = r.buildRoutes(d)
	p.Source = d.source()
	sum := sha256.Sum256(p.Source)
	p.Hash = hex.EncodeToString(sum[:])
	return p
}

// sessionPlaces checks where a session may be named.
func (r *reader) sessionPlaces(d *draft) []string {
	for i, name := range d.session {
		switch {
		case name == "":
			r.problem(d.sessionAt, "entry %d is empty", i+1)
		case name == "header:":
			r.problem(d.sessionAt, "entry %d names no header: write header:NAME", i+1)
		case slices.Contains(d.session[:i], name):
			r.problem(d.sessionAt, "%q is there twice", name)
		}
	}
	if d.sessionAt.line > 0 && len(d.session) == 0 {
		r.problem(d.sessionAt, "names no place; leave it out, or write [%s], or [none] for no session at all", window.LogSession)
	}
	return d.session
}
