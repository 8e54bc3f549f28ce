// Package link makes the links that lead on from an alert.
package link

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/loopgauge/loopgauge/window"
)

// Link is a template of a URL: {{session}} stands for the incident's session.
type Link struct {
	Name     string
	template string
}

// value is a placeholder of links.
type value struct {
	name string
	of   func(*window.Incident) string
}

// values are the placeholders, in the order in which docs/alerts.md has
// them.
var values = []value{
	{"id", func(in *window.Incident) string { return in.ID }},
	{"rule", func(in *window.Incident) string { return in.Rule }},
	{"kind", func(in *window.Incident) string { return string(in.Kind) }},
	{"session", func(in *window.Incident) string { return in.Session }},
	{"caller", func(in *window.Incident) string { return in.Caller }},
	{"user", func(in *window.Incident) string { return in.User }},
	{"model", func(in *window.Incident) string { return in.Model }},
	{"backend", func(in *window.Incident) string { return in.Backend }},
	{"tool", func(in *window.Incident) string { return in.Tool }},
	{"path", func(in *window.Incident) string { return in.Path }},
	{"fingerprint", func(in *window.Incident) string { return in.Fingerprint }},
	{"first", func(in *window.Incident) string { return window.Stamp(in.First) }},
	{"last", func(in *window.Incident) string { return window.Stamp(in.Last) }},
	{"first_ms", func(in *window.Incident) string { return milliseconds(in.First) }},
	{"last_ms", func(in *window.Incident) string { return milliseconds(in.Last) }},
}

// Values are the names of the placeholders.
func Values() (names []string) {
	for _, v := range values {
		names = append(names, v.name)
	}
	return names
}

// milliseconds is a time as Grafana and others take it.
func milliseconds(micros int64) string { return strconv.FormatInt(micros/1000, 10) }

// Error is what is wrong with a template, and at which byte of it, from 0.
type Error struct {
	At   int
	What string
}

func (e *Error) Error() string { return e.What }

// New checks a template. Placeholders may stand behind the host alone: a
// log must not say where a link leads.
func New(name, template string) (Link, error) {
	for rest, at := template, 0; ; {
		i := strings.Index(rest, "{{")
		if i < 0 {
			break
		}
		n := strings.Index(rest[i:], "}}")
		if n < 0 {
			return Link{}, &Error{at + i, "{{ is not closed: write {{session}}"}
		}
		key := strings.TrimSpace(rest[i+2 : i+n])
		if !slices.Contains(Values(), key) {
			return Link{}, &Error{at + i, fmt.Sprintf("no placeholder is called %q; there are %s", key, strings.Join(Values(), ", "))}
		}
		at, rest = at+i+n+2, rest[i+n+2:]
	}
	head, _, _ := strings.Cut(template, "{{")
	u, err := url.Parse(head)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return Link{}, &Error{0, "must begin with https:// or http:// and a host"}
	}
	if _, host, _ := strings.Cut(head, "://"); strings.Contains(template, "{{") && !strings.ContainsAny(host, "/?#") {
		return Link{}, &Error{len(head), "stands in the host's name: a placeholder may come after the first /, ? or # behind it"}
	}
	return Link{name, template}, nil
}

// For is the link for an incident. Values are escaped: nothing in a log can end a
// parameter or begin another.
func (l Link) For(in *window.Incident) string {
	var b strings.Builder
	for rest := l.template; ; {
		before, after, ok := strings.Cut(rest, "{{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		key, after, _ := strings.Cut(after, "}}")
		for _, v := range values {
			if v.name == strings.TrimSpace(key) {
				b.WriteString(strings.ReplaceAll(url.QueryEscape(v.of(in)), "+", "%20"))
			}
		}
		rest = after
	}
}
