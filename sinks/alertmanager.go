package sinks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

// AlertmanagerOptions are where an Alertmanager is.
type AlertmanagerOptions struct {
	URL            string // without /api/v2
	User, Password string // of HTTP's basic authentication; empty for none
	AllowPrivate   bool   // as that of WebhookOptions
}

// Alertmanager sends alerts to a Prometheus Alertmanager, by its API v2. An
// alert there is its labels, and firing as long as it is told so again.
type Alertmanager struct {
	AlertmanagerOptions
	client *http.Client
	now    func() time.Time
}

// NewAlertmanager makes a sink that posts to o.URL.
func NewAlertmanager(o AlertmanagerOptions) *Alertmanager {
	o.URL = strings.TrimSuffix(o.URL, "/")
	return &Alertmanager{o, NewClient(o.URL, o.AllowPrivate), time.Now}
}

// Name implements Sink.
func (m *Alertmanager) Name() string { return receiverName("alertmanager", m.URL) }

// firesFor is how long an alert fires that is not told of again: as Prometheus
// has it, long enough for a restart.
const firesFor = 4 * resendInterval

// postable is an alert of Alertmanager's API.
type postable struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations,omitempty"`
	StartsAt    string            `json:"startsAt"`
	EndsAt      string            `json:"endsAt"`
}

// labels say which alert it is. None changes while an incident lasts but the
// severity, by which alerts are routed.
func labels(a *Alert, severity window.Severity) map[string]string {
	name := "LoopgaugeLoop"
	if a.Digest() {
		name = "LoopgaugeDigest"
	}
	l := map[string]string{"alertname": name, "incident": a.ID, "severity": string(severity), "rule": a.Rule}
	if !a.Digest() { // whose loops they are changes
		maps.Copy(l, map[string]string{"action": a.Action, "session": a.Session, "caller": a.Caller, "user": a.User, "model": a.Model, "backend": a.Backend})
	}
	for name, value := range l {
		if l[name] = defanged(value); value == "" {
			delete(l, name) // an empty label is none
		}
	}
	return l
}

// notInNames is what Alertmanager refuses in the name of an annotation.
var notInNames = regexp.MustCompile(`[^a-zA-Z0-9_]`)

// annotations say the rest.
func annotations(a *Alert) map[string]string {
	if a.Digest() {
		return digestAnnotations(a)
	}
	var scope []string
	for name, value := range a.Scope {
		scope = append(scope, name+" "+value)
	}
	slices.Sort(scope)
	list := map[string]string{
		"summary":     fmt.Sprintf("Loop of %d requests.", a.Requests),
		"description": fmt.Sprintf("%d requests, limit %s, from %s to %s.", a.Requests, a.Limit(), a.First, a.Last),
		"scope":       defanged(strings.Join(scope, ", ")), "rules": defanged(strings.Join(a.Rules, ", ")), "fingerprint": defanged(a.Fingerprint),
	}
	if a.Kind != "" {
		list["summary"] = fmt.Sprintf("Loop (%s) of %d requests.", a.Kind, a.Requests)
		list["kind"], list["evidence"] = a.Kind, defanged(a.Evidence)
	}
	for name, value := range map[string]string{"repeats": defanged(a.Repeats), "would_not_fire": defanged(a.Settings()), "explain": a.Explain} { // whose words are not the log's
		if value != "" {
			list[name] = value
		}
	}
	annotateLinks(list, a)
	if a.TokensAfter != nil {
		list["tokens_after"] = strconv.FormatInt(*a.TokensAfter, 10)
	}
	if a.CostAfter != nil {
		list["cost_after"] = strconv.FormatFloat(*a.CostAfter, 'f', 4, 64) + " USD"
	}
	return list
}

func annotateLinks(list map[string]string, a *Alert) {
	for _, name := range slices.Sorted(maps.Keys(a.Links)) { // of two that become one, the same each time
		list["link_"+notInNames.ReplaceAllString(name, "_")] = a.Links[name] // values of the log are escaped in it
	}
}

// digestAnnotations are also what the loops share, and one of them.
func digestAnnotations(a *Alert) map[string]string {
	list := map[string]string{
		"summary":     fmt.Sprintf("Many loops at once: %d more than are told of one by one.", a.Loops),
		"description": fmt.Sprintf("More than %d loops a minute, from %s to %s, of %s.", a.Threshold, a.First, a.Last, defanged(strings.Join(a.Rules, ", "))),
	}
	said := map[string]string{"kind": a.Kind, "repeats": a.Repeats, "session": a.Session, "caller": a.Caller, "user": a.User, "model": a.Model, "backend": a.Backend}
	if x := a.Example; x != nil {
		said["example"], said["example_session"] = x.ID, x.Session
		if x.Explain != "" {
			list["explain"] = x.Explain
		}
	}
	for name, value := range said {
		if value != "" {
			list[name] = defanged(value)
		}
	}
	annotateLinks(list, a)
	return list
}

// postable is an alert as it is now, under a severity. Event times that our
// clock has not come to would leave it firing, or be refused.
func (m *Alertmanager) postable(a *Alert, severity window.Severity, over bool) postable {
	now := m.now().UTC()
	upToNow := func(text string) time.Time {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil || t.After(now) {
			return now
		}
		return t
	}
	p := postable{Labels: labels(a, severity), Annotations: annotations(a)}
	start, end := upToNow(a.Fired), now.Add(firesFor)
	if over {
		end = upToNow(a.Time)
	}
	if !end.After(start) { // is refused
		end = start.Add(time.Millisecond)
	}
	p.StartsAt, p.EndsAt = start.Format(time.RFC3339Nano), end.Format(time.RFC3339Nano)
	return p
}

// Send implements Sink. Where an incident has come to matter more, what it was
// before is over.
func (m *Alertmanager) Send(ctx context.Context, a *Alert) error {
	over := a.State == window.Closed
	list := []postable{m.postable(a, a.Severity, over)}
	for _, severity := range window.Severities {
		if severity.Less(a.Severity) && (a.State == window.Grown || over) {
			list = append(list, m.postable(a, severity, true))
		}
	}
	return m.post(ctx, list)
}

// resendAtOnce bounds one request.
const resendAtOnce = 100

// Resend implements Resender.
func (m *Alertmanager) Resend(ctx context.Context, open []*Alert) error {
	for part := range slices.Chunk(open, resendAtOnce) {
		var list []postable
		for _, a := range part {
			list = append(list, m.postable(a, a.Severity, false))
		}
		if err := m.post(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

func (m *Alertmanager) post(ctx context.Context, list []postable) error {
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(list); err != nil {
		return &Refused{err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL+"/api/v2/alerts", &body)
	if err != nil {
		return &Refused{err}
	}
	r.Header.Set("Content-Type", "application/json")
	if m.User != "" {
		r.SetBasicAuth(m.User, m.Password)
	}
	return post(m.client, r)
}
