package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

var eventTimes = []EventTime{End, Start}

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

// FileError names an error by the file that a person asked for, instead of by what
// was done to it.
func FileError(file string, err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	info, statErr := os.Stat(file)
	switch {
	case statErr == nil && info.IsDir(): // which each system says in its own words
		err = errors.New("is a directory: name a file")
	case errors.Is(err, fs.ErrNotExist) && file == "-":
		err = fmt.Errorf("%w: standard input is named /dev/stdin here", err)
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(file, "://"):
		file, _, _ = strings.Cut(file, "?") // what follows may be a key
		err = fmt.Errorf("%w: only logs and datasets are read from elsewhere, copy it here", err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// ReadFile reads a file that a person wrote, as ReadText does.
func ReadFile(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, FileError(file, err)
	}
	defer f.Close()
	return ReadText(file, f)
}

// MaxSize is the longest policy read: a person wrote it.
const MaxSize = 1 << 20

// answer matches how a document of --json begins.
var answer = regexp.MustCompile(`^\s*\{\s*"version":\s*\d+,\s*"loopgauge":`)

// ReadText reads what a person wrote. Of another text, such as a log that was
// named by mistake, it reads no more than it takes to tell.
func ReadText(name string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if answer.Match(text) {
		return nil, fmt.Errorf("%s: this is what a command prints with --json: of the answer of loopgauge tune 'jq -er .policy' takes the policy out", name)
	}
	if len(text) > MaxSize {
		return nil, fmt.Errorf("%s: more than %d bytes: is it a log?", name, MaxSize)
	}
	if err != nil {
		return nil, FileError(name, err)
	}
	return text, nil
}

// Parse reads a policy. name is how problems call the file. An error of type
// Errors holds every problem.
func Parse(name string, text []byte) (*Policy, error) {
	r := &reader{file: name, kind: policyKind}
	doc := r.document(text)
	if doc == nil {
		return nil, r.errors
	}
	if isProfile(doc) {
		r.problem(place{line: 1, column: 1}, "this is a profile, as 'loopgauge policy profiles NAME' prints it: a policy has version: 1, and names it in a rule, {name: mine, profile: NAME}, beside what is to be otherwise")
		return nil, r.errors
	}
	d := newDraft()
	r.policy(doc, d)
	p := r.build(d)
	if len(r.errors) == 0 && len(p.Rules) == 0 {
		r.problem(r.where(place{}, "rules"), "every rule is disabled")
	}
	if len(r.errors) > 0 {
		return nil, r.errors.sorted()
	}
	return p, nil
}

func isProfile(doc *ast.MappingNode) bool {
	return slices.ContainsFunc(doc.Values, func(v *ast.MappingValueNode) bool { return keyText(v.Key) == "reading" })
}

// draft is a policy as it is read, before it is checked as a whole.
type draft struct {
	version       int
	lateness      time.Duration
	latenessGiven bool
	eventTime     EventTime
	duplicates    time.Duration
	session       []string
	rules         []*ruleDraft
	exclude       []exclusionDraft
	prices        map[string]window.Price
	sinks         []Sink
	sinkLost      bool // of an unknown kind: a route may lead to it
	routes        []routeDraft
	links         []link.Link
	kafka         *Kafka
}

type exclusionDraft struct {
	name, match string
	at          place
}

func newDraft() *draft {
	return &draft{eventTime: End, duplicates: window.DefaultDuplicates, lateness: DefaultLateness, prices: map[string]window.Price{}}
}

func (d *draft) members() []entry {
	return []entry{
		{"version", form{integer(&d.version).read, object{"const": Version}}, ""},
		{"lateness", duration(&d.lateness), "how far a log may be out of order"},
		{"event_time", choice(eventTimes, &d.eventTime), "which time of a request counts"},
		{"duplicates", duration(&d.duplicates), "horizon within which a request id, or a call that two spans tell of, counts once; 0s judges all"},
		{"session", form{texts(&d.session).read, array(object{"type": "string", "minLength": 1})}, "where a session is named, the first place that says something: log, header:NAME or another attribute"},
		{"rules", listOf(&d.rules, Value.rule, newRuleDraft().members(), "name"), "the rules"},
		{"exclude", listOf(&d.exclude, Value.exclusion, new(exclusionDraft).members(), "name", "match"), "requests left out"},
		{"prices", form{func(v Value) { v.prices(d) }, object{
			"type": "object", "additionalProperties": closed(priceMembers(new(window.Price), new(float64))),
		}}, "USD per million tokens, where the log has none, or 0"},
		{"sinks", form{func(v Value) { v.sinks(d) }, array(sinkSchema())}, "where alerts go"},
		{"routes", listOf(&d.routes, Value.route, new(routeDraft).members(), "match", "to"), "which sinks hear of what: the first that matches"},
		{"links", form{func(v Value) { d.links = v.links() }, object{
			"type": "object", "additionalProperties": object{"type": "string", "pattern": "^https?://"},
		}}, "URLs in alerts, by name; {{session}} and others stand for what the alert says"},
		{"kafka", form{func(v Value) { d.kafka = v.kafka() }, closed(new(Kafka).members())}, ""},
	}
}

func (r *reader) policy(doc *ast.MappingNode, d *draft) {
	Value{r: r, node: doc}.mapping(d.members())
	d.latenessGiven = r.given(place{}, "lateness")
	switch {
	case !r.given(place{}, "version"):
		r.check(place{line: 1, column: 1, path: "version"}, "is missing: write version: %d", Version)
	case d.version != Version:
		r.check(r.where(place{}, "version"), "must be %d, is %d", Version, d.version)
	}
}

func (x *exclusionDraft) members() []entry {
	return []entry{{"name", text(&x.name), "name in the account"}, {"match", text(&x.match), "CEL condition on the request"}}
}

func (v Value) exclusion() exclusionDraft {
	x := exclusionDraft{at: v.at}
	v.mapping(x.members())
	return x
}

// build checks the draft as a whole and makes the policy.
func (r *reader) build(d *draft) *Policy {
	if len(d.rules) == 0 && len(r.errors) == 0 {
		r.problem(r.where(place{}, "rules"), "there is no rule; write {name: loops, profile: loopgauge/tool-call-result}, or another that 'loopgauge policy profiles' lists")
	}
	p := &Policy{
		Lateness: d.lateness, LatenessSet: d.latenessGiven, EventTime: d.eventTime, Duplicates: d.duplicates,
		Prices: d.prices, Sinks: d.sinks, Links: d.links, Kafka: d.kafka, Session: r.sessionPlaces(d),
	}
	identities := map[string]*fingerprint.Identity{}
	names := map[string]bool{}
	for _, rule := range d.rules {
		if rule.name != "" && names[rule.name] {
			r.problem(r.where(rule.at, "name"), "another rule is called %q", rule.name)
		}
		names[rule.name] = true
		if built := r.buildRule(rule, identities); built != nil && rule.mayJudge() {
			p.Rules = append(p.Rules, built)
		}
	}
	for i := range d.exclude {
		x := &d.exclude[i]
		if x.name == "" {
			r.lacks(x.at, "needs a name: the account of what was excluded shows it", "name")
		}
		if x.match == "" {
			r.lacks(x.at, "needs a match", "match")
			continue
		}
		m := r.compile(x.match, r.where(x.at, "match"))
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
	at := r.where(place{}, "session")
	for i, name := range d.session {
		switch {
		case name == "":
			r.problem(at, "entry %d is empty", i+1)
		case name == "header:":
			r.problem(at, "entry %d names no header: write header:NAME", i+1)
		case slices.Contains(d.session[:i], name):
			r.problem(at, "%q is there twice", name)
		}
	}
	if r.given(place{}, "session") && len(d.session) == 0 {
		r.problem(at, "names no place; leave it out, or write [%s], or [none] for no session at all", window.LogSession)
	}
	if slices.Equal(d.session, []string{window.LogSession}) {
		d.session = nil // as without
	}
	return d.session
}
