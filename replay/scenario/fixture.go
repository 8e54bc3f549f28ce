// Package scenario holds a policy to what a log is known to contain: which
// loops it must find, which repeats it must leave alone, and how often it may
// speak. docs/testing.md describes the fixtures.
package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// Fixture is one file: a log, the rules to judge it by, and what is expected.
type Fixture struct {
	File     string   // as messages name it
	Name     string   // what it shows, in words; empty if it does not say
	Logs     []string // paths, made relative to the working directory, or URLs
	Format   string   // empty: detected
	Policy   string   // path; empty if Profiles are run
	Profiles []string

	mustFire, mustNotFire []*expectation
	limits                limits
	episodes              []episode
	episodesAt            policy.Value // not set: any episodes will do

	text     []byte
	yaml     *policy.Strict
	policyAt policy.Value
}

// selector picks requests, and the rules that look at them.
type selector struct {
	rule   string
	ruleAt policy.Value
	fields []fieldGlob
}

// fieldGlob wants a field of the request to look like this; * is any text.
type fieldGlob struct{ name, glob string }

type expectation struct {
	selector
	atLeast int // episodes
	at      policy.Value
}

type limits struct {
	episodes   int
	episodesAt policy.Value
	perDay     float64
	perDayAt   policy.Value
}

// episode is what is compared of a window.Episode. Its fingerprint is not: a
// better canonical form is no regression.
type episode struct {
	rule        string
	scope       []scopeValue
	fired, last int64 // microseconds
	requests    int64
	at          policy.Value
}

type scopeValue struct{ field, value string }

// eventFields are the fields that an event has whatever the policy counts by.
var eventFields = []struct {
	name  string
	value func(*window.Event) string
}{
	{"session", func(e *window.Event) string { return e.Session }},
	{"caller", func(e *window.Event) string { return e.Caller }},
	{"user", func(e *window.Event) string { return e.User }},
	{"model", func(e *window.Event) string { return e.Model }},
	{"backend", func(e *window.Event) string { return e.Backend }},
	{"method", func(e *window.Event) string { return e.Method }},
	{"path", func(e *window.Event) string { return e.Path }},
}

// conversation is the one scope field that is no field of the event.
const conversation = "conversation"

// Parse reads a fixture. An error of type policy.Errors holds every problem.
func Parse(file string, text []byte) (*Fixture, error) {
	f := &Fixture{File: file, text: text}
	f.yaml = policy.NewStrict(file, text, "fixture", "log and what is expected of it", "docs/testing.md")
	var profileAt policy.Value
	beside := func(v policy.Value) string {
		path := v.Text()
		if filepath.IsAbs(path) || strings.Contains(path, "://") { // an object store's, a topic's
			return path
		}
		return filepath.Join(filepath.Dir(file), path)
	}
	f.yaml.Read(
		policy.Member{Name: "name", Read: func(v policy.Value) { f.Name = v.Text() }},
		policy.Member{Name: "log", Read: oneOrMore(func(v policy.Value) { f.Logs = append(f.Logs, beside(v)) })},
		policy.Member{Name: "format", Read: func(v policy.Value) {
			if strings.HasSuffix(v.Plain(), ".yaml") {
				f.Format = beside(v)
				return
			}
			f.Format = v.OneOf(formats.Names())
		}},
		policy.Member{Name: "policy", Read: func(v policy.Value) { f.Policy, f.policyAt = beside(v), v }},
		policy.Member{Name: "profile", Read: func(v policy.Value) {
			profileAt = v
			oneOrMore(func(v policy.Value) { f.Profiles = append(f.Profiles, v.Text()) })(v)
		}},
		policy.Member{Name: "must_fire", Read: func(v policy.Value) { f.mustFire = expectations(v, true) }},
		policy.Member{Name: "must_not_fire", Read: func(v policy.Value) { f.mustNotFire = expectations(v, false) }},
		policy.Member{Name: "limits", Read: f.limits.read},
		policy.Member{Name: "episodes", Read: func(v policy.Value) {
			f.episodesAt = v
			v.List(func(v policy.Value) { f.episodes = append(f.episodes, readEpisode(v)) })
		}},
	)
	if err := f.yaml.Err(); err != nil {
		return nil, err
	}
	switch {
	case f.policyAt.Set() && profileAt.Set():
		profileAt.Reject("there is a policy already: a fixture runs one or the other")
	case profileAt.Set():
		f.policyAt = profileAt
	case !f.policyAt.Set():
		f.Profiles = []string{"loopgauge"}
	}
	if len(f.Logs) == 0 {
		f.yaml.Missing("log", "is missing: name a log, relative to the fixture")
	}
	if len(f.mustFire)+len(f.mustNotFire) == 0 && !f.limits.episodesAt.Set() && !f.limits.perDayAt.Set() && !f.episodesAt.Set() {
		f.yaml.Missing("", "expects nothing: write must_fire, must_not_fire, limits or episodes")
	}
	return f, f.yaml.Err()
}

// oneOrMore reads a text, or a list of texts.
func oneOrMore(read func(policy.Value)) func(policy.Value) {
	return func(v policy.Value) {
		if v.IsText() {
			read(v)
			return
		}
		v.List(read)
	}
}

func expectations(v policy.Value, fire bool) []*expectation {
	var list []*expectation
	v.List(func(v policy.Value) {
		x := &expectation{atLeast: 1, at: v}
		members := []policy.Member{{Name: "rule", Read: func(v policy.Value) { x.rule, x.ruleAt = v.Text(), v }}}
		field := func(name string) {
			members = append(members, policy.Member{Name: name, Read: func(v policy.Value) {
				x.fields = append(x.fields, fieldGlob{name, v.Text()})
			}})
		}
		for _, f := range eventFields {
			field(f.name)
		}
		field(conversation)
		if fire {
			members = append(members, policy.Member{Name: "at_least", Read: func(v policy.Value) { x.atLeast = v.Integer(1) }})
		}
		v.Mapping(members...)
		list = append(list, x)
	})
	return list
}

func (l *limits) read(v policy.Value) {
	v.Mapping(
		policy.Member{Name: "episodes", Read: func(v policy.Value) { l.episodes, l.episodesAt = v.Integer(0), v }},
		policy.Member{Name: "episodes_per_day", Read: func(v policy.Value) { l.perDay, l.perDayAt = v.Number(), v }},
	)
}

func readEpisode(v policy.Value) episode {
	e := episode{at: v}
	missing := []string{"rule", "scope", "fired", "last", "requests"}
	member := func(name string, read func(policy.Value)) policy.Member {
		return policy.Member{Name: name, Read: func(v policy.Value) {
			missing = slices.DeleteFunc(missing, func(m string) bool { return m == name })
			read(v)
		}}
	}
	v.Mapping(
		member("rule", func(v policy.Value) { e.rule = v.Text() }),
		member("scope", func(v policy.Value) {
			v.Members(func(name string, v policy.Value) { e.scope = append(e.scope, scopeValue{name, v.Text()}) })
		}),
		member("fired", func(v policy.Value) { e.fired = readTime(v) }),
		member("last", func(v policy.Value) { e.last = readTime(v) }),
		member("requests", func(v policy.Value) { e.requests = int64(v.Integer(1)) }),
	)
	if len(missing) > 0 {
		v.Lacks("needs "+strings.Join(missing, ", ")+"; --update writes whole episodes", missing...)
	}
	return e
}

func readTime(v policy.Value) int64 {
	text := v.Text()
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		v.Reject(fmt.Sprintf("%q is no time: write it as 2026-11-21T10:00:00Z", text))
	}
	return t.UnixMicro()
}

// Load gives the rules to run, and checks the fixture against them.
func (f *Fixture) Load() (*policy.Policy, error) {
	var p *policy.Policy
	var err error
	if f.Policy != "" {
		p, err = policy.Load(f.Policy)
	} else {
		p, err = policy.FromProfiles(f.Profiles)
	}
	if err != nil {
		// A policy's own problems have their own place; the rest is about
		// what the fixture named.
		if _, own := errors.AsType[policy.Errors](err); own && f.Policy != "" {
			return nil, err
		}
		f.policyAt.Reject(strings.TrimPrefix(err.Error(), "--profile: "))
		return nil, f.yaml.Err()
	}
	var names []string
	scoped := false
	for _, r := range p.Rules {
		names = append(names, r.Name)
		scoped = scoped || slices.Contains(r.Scope.Fields, conversation)
	}
	for _, x := range slices.Concat(f.mustFire, f.mustNotFire) {
		if x.ruleAt.Set() {
			x.ruleAt.OneOf(names)
		}
		for _, field := range x.fields {
			if field.name == conversation && !scoped {
				x.at.Reject("no rule counts by conversation: name the session, or what else the log has")
			}
		}
	}
	return p, f.yaml.Err()
}

func (s *selector) wants(rule *window.Rule) bool { return s.rule == "" || s.rule == rule.Name }

// picks tells whether a request is meant. conversations are what its rules
// take for its conversation: at most one each.
func (s *selector) picks(ev *window.Event, conversations []string) bool {
	for _, f := range s.fields {
		if f.name == conversation {
			if !slices.ContainsFunc(conversations, func(c string) bool { return matches(f.glob, c) }) {
				return false
			}
			continue
		}
		for _, e := range eventFields {
			if e.name == f.name && !matches(f.glob, e.value(ev)) {
				return false
			}
		}
	}
	return true
}

// matches compares a text with a pattern in which * stands for any text. What
// the log does not have matches nothing.
func matches(glob, text string) bool {
	if text == "" {
		return false
	}
	head, rest, star := strings.Cut(glob, "*")
	if !star {
		return glob == text
	}
	if !strings.HasPrefix(text, head) {
		return false
	}
	text = text[len(head):]
	for {
		part, after, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(text, part)
		}
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text, rest = text[i+len(part):], after
	}
}

// String names what is picked: "in session X by rule Y".
func (s *selector) String() string {
	var texts []string
	if requests := s.requests(); requests != "" {
		texts = append(texts, requests)
	}
	if s.rule != "" {
		texts = append(texts, "by rule "+s.rule)
	}
	return strings.Join(texts, " ")
}

func (s *selector) requests() string {
	texts := make([]string, len(s.fields))
	for i, f := range s.fields {
		texts[i] = f.name + " " + f.glob
	}
	if len(texts) == 0 {
		return ""
	}
	return "in " + strings.Join(texts, ", ")
}

func compareEpisodes(a, b episode) int {
	return cmp.Or(cmp.Compare(a.fired, b.fired), cmp.Compare(a.rule, b.rule), slices.CompareFunc(a.scope, b.scope, compareScopes),
		cmp.Compare(a.last, b.last), cmp.Compare(a.requests, b.requests))
}

func compareScopes(a, b scopeValue) int {
	return cmp.Or(strings.Compare(a.field, b.field), strings.Compare(a.value, b.value))
}
