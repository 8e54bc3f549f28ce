package window

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Link is a template of a URL: {{session}} stands for the incident's session.
type Link struct {
	Name     string
	template string
}

// linkValue is a placeholder of links.
type linkValue struct {
	name string
	of   func(*Incident) string
}

// linkValues are the placeholders, in the order in which docs/alerts.md has
// them.
var linkValues = []linkValue{
	{"id", func(in *Incident) string { return in.ID }},
	{"rule", func(in *Incident) string { return in.Rule }},
	{"kind", func(in *Incident) string { return string(in.Kind) }},
	{"session", func(in *Incident) string { return in.Session }},
	{"caller", func(in *Incident) string { return in.Caller }},
	{"user", func(in *Incident) string { return in.User }},
	{"model", func(in *Incident) string { return in.Model }},
	{"backend", func(in *Incident) string { return in.Backend }},
	{"tool", func(in *Incident) string { return in.Tool }},
	{"path", func(in *Incident) string { return in.Path }},
	{"fingerprint", func(in *Incident) string { return in.Fingerprint }},
	{"first", func(in *Incident) string { return timeText(in.First) }},
	{"last", func(in *Incident) string { return timeText(in.Last) }},
	{"first_ms", func(in *Incident) string { return milliseconds(in.First) }},
	{"last_ms", func(in *Incident) string { return milliseconds(in.Last) }},
}

// LinkValues are the names of the placeholders.
func LinkValues() (names []string) {
	for _, v := range linkValues {
		names = append(names, v.name)
	}
	return names
}

// milliseconds is a time as Grafana and others take it.
func milliseconds(micros int64) string { return strconv.FormatInt(micros/1000, 10) }

func timeText(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000000Z")
}

// LinkError is what is wrong with a template, and at which byte of it.
type LinkError struct {
	At   int
	What string
}

func (e *LinkError) Error() string { return e.What }

// NewLink checks a template. Placeholders may stand behind the host alone: a
// log must not say where a link leads.
func NewLink(name, template string) (Link, error) {
	for rest, at := template, 0; ; {
		i := strings.Index(rest, "{{")
		if i < 0 {
			break
		}
		n := strings.Index(rest[i:], "}}")
		if n < 0 {
			return Link{}, &LinkError{at + i, "{{ is not closed: write {{session}}"}
		}
		key := strings.TrimSpace(rest[i+2 : i+n])
		if !slices.Contains(LinkValues(), key) {
			return Link{}, &LinkError{at + i, fmt.Sprintf("no placeholder is called %q; there are %s", key, strings.Join(LinkValues(), ", "))}
		}
		at, rest = at+i+n+2, rest[i+n+2:]
	}
	head, _, _ := strings.Cut(template, "{{")
	u, err := url.Parse(head)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return Link{}, &LinkError{0, "must begin with https:// or http:// and a host"}
	}
	if strings.Contains(template, "{{") && u.Path == "" && u.RawQuery == "" && !strings.HasSuffix(head, "?") && !strings.HasSuffix(head, "#") {
		return Link{}, &LinkError{len(head), "stands in the host's name: a placeholder may come after the first / or ? behind it"}
	}
	return Link{name, template}, nil
}

// For is the link for an incident. Values are escaped: nothing in a log can end a
// parameter or begin another.
func (l Link) For(in *Incident) string {
	var b strings.Builder
	for rest := l.template; ; {
		before, after, ok := strings.Cut(rest, "{{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		key, after, _ := strings.Cut(after, "}}")
		for _, v := range linkValues {
			if v.name == strings.TrimSpace(key) {
				b.WriteString(strings.ReplaceAll(url.QueryEscape(v.of(in)), "+", "%20"))
			}
		}
		rest = after
	}
}
