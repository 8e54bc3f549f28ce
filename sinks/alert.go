package sinks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/link"
	"github.com/loopgauge/loopgauge/window/response"
)

// AlertVersion is the version of the form in which alerts are sent.
const AlertVersion = 1

// Alert says that an incident opened, grew or closed. ID and Revision tell it
// from all others: whoever gets one twice has got it once. It holds no text of
// a prompt, an argument or a result, unless Signature does.
type Alert struct {
	Version  int                  `json:"version"`
	Event    string               `json:"event"` // loop.opened, loop.grown, loop.closed; digest.opened and so on
	ID       string               `json:"id"`    // of the episode that fired first
	Revision int                  `json:"revision"`
	State    window.IncidentState `json:"state"`
	Time     string               `json:"time"` // event time, RFC 3339, UTC
	Severity window.Severity      `json:"severity"`
	Loops    int64                `json:"loops"` // 1; of a digest, how many loops it stands for

	Rule        string            `json:"rule"`  // that fired first
	Rules       []string          `json:"rules"` // all that fired, in that order
	Identity    string            `json:"identity"`
	Counter     string            `json:"counter"`
	WindowS     float64           `json:"window_s"`
	Threshold   int               `json:"threshold"`
	CooldownS   float64           `json:"cooldown_s"` // 0: none
	Action      string            `json:"action"`
	Scope       map[string]string `json:"scope"`
	Fingerprint string            `json:"fingerprint"`

	Repeats string `json:"repeats"` // what does: "tool read_file", "POST /v1/chat/completions"; empty if the log does not say
	Calls   bool   `json:"calls"`   // the first rule looks at calls of tools
	Tool    string `json:"tool"`    // those it saw called, with commas between
	Method  string `json:"method"`
	Path    string `json:"path"`
	// Signature is the text of the call that repeats, which people and models
	// wrote; empty without --show-text.
	Signature string `json:"signature"`
	Count     int    `json:"count"` // the highest that the first rule counted; 0 if its gateway had not counted

	Kind     string      `json:"kind"` // window.Kinds; empty where it is not told
	Evidence string      `json:"evidence"`
	Seen     []AlertSeen `json:"seen"` // by rule, in the order of Rules

	Example  *Example           `json:"example"`  // one of the loops of a digest; null of a loop
	Explain  string             `json:"explain"`  // the command that says why; empty if none can
	Links    map[string]string  `json:"links"`    // of the policy, by name
	Response *response.Response `json:"response"` // what the client would have seen of the first rule's gateway

	Session string `json:"session"` // of the request that fired first; empty if not logged, as below
	Caller  string `json:"caller"`
	User    string `json:"user"`
	Model   string `json:"model"`
	Backend string `json:"backend"`

	First         string   `json:"first"` // request counted
	Fired         string   `json:"fired"` // for the first time
	Last          string   `json:"last"`  // request that fired
	Requests      int64    `json:"requests"`
	RequestsAfter int64    `json:"requests_after"` // after the first firing, and the tokens and USD of those
	TokensAfter   *int64   `json:"tokens_after"`
	CostAfter     *float64 `json:"cost_after"`
}

// Example is one of the loops that a digest stands for.
type Example struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Explain string `json:"explain"`
}

// AlertSeen is what one rule saw.
type AlertSeen struct {
	Rule      string `json:"rule"`
	Threshold int    `json:"threshold"` // in force
	Count     int    `json:"count"`
	Kind      string `json:"kind"`
	Evidence  string `json:"evidence"`
	// WouldNotFire is the lowest threshold with which the rule would not have
	// fired so far; null where explain alone can tell.
	WouldNotFire *int `json:"threshold_would_not_fire"`
}

// Content is what alerts say beside the incident.
type Content struct {
	// Explain is the command that explains an episode; nil if none can.
	Explain func(episode string) string
	Links   []link.Link
}

// NewAlert says of an incident what is so now, and with content what leads on
// from there; nil is nothing.
func NewAlert(in *window.Incident, content *Content) *Alert {
	a := &Alert{
		Version: AlertVersion, Event: "loop." + string(in.State), ID: in.ID, Revision: in.Revision, State: in.State, Time: window.Stamp(in.Time),
		Severity: in.Severity(), Loops: 1,
		Rule: in.Rule, Rules: slices.Clone(in.Rules), Identity: in.Identity, Counter: in.Counter.Kind,
		WindowS: in.Counter.Window.Seconds(), Threshold: in.Threshold, CooldownS: in.Cooldown.Seconds(), Action: string(in.Action),
		Scope: map[string]string{}, Fingerprint: in.Fingerprint,
		Calls: in.Calls, Tool: in.Tool, Method: in.Method, Path: in.Path, Repeats: repeats(in), Signature: in.Text,
		Kind: string(in.Kind), Evidence: in.Evidence, Links: map[string]string{}, Seen: []AlertSeen{},
		Session: in.Session, Caller: in.Caller, User: in.User, Model: in.Model, Backend: in.Backend,
		First: window.Stamp(in.First), Fired: window.Stamp(in.Fired), Last: window.Stamp(in.Last), Requests: in.Requests, RequestsAfter: in.After,
	}
	for i, field := range in.Fields {
		a.Scope[field] = in.Scope[i]
	}
	for _, s := range in.Seen {
		seen := AlertSeen{Rule: s.Rule, Threshold: s.Limit, Count: s.Count, Kind: string(s.Kind), Evidence: s.Evidence}
		if s.Quiet > 0 {
			seen.WouldNotFire = new(s.Quiet) // the incident goes on
		}
		a.Seen = append(a.Seen, seen)
	}
	if len(in.Seen) > 0 {
		a.Count = in.Seen[0].Count
	}
	a.Response = response.Of(response.Case{
		Profile: in.Profile, Action: in.Action, Count: a.Count, Window: in.Counter.Window, Cooldown: in.Cooldown,
		Fingerprint: in.Fingerprint, Tool: in.Tool,
	})
	if in.Tokens >= 0 {
		a.TokensAfter = new(in.Tokens)
	}
	if !math.IsNaN(in.Cost) {
		a.CostAfter = new(in.Cost)
	}
	if content != nil {
		if content.Explain != nil {
			a.Explain = content.Explain(in.ID)
		}
		for _, l := range content.Links {
			a.Links[l.Name] = l.For(in)
		}
	}
	return a
}

// repeats says what does: a tool where the rule looks at calls, else a route.
func repeats(in *window.Incident) string {
	if in.Tool != "" {
		return "tool " + in.Tool
	}
	return strings.TrimSpace(in.Method + " " + in.Path)
}

// Settings are those with which no rule would have fired, in words; empty where
// they are not known.
func (a *Alert) Settings() string {
	var parts []string
	for _, s := range a.Seen {
		if s.WouldNotFire == nil {
			return ""
		}
		parts = append(parts, fmt.Sprintf("%s: threshold %d", s.Rule, *s.WouldNotFire))
	}
	return strings.Join(parts, ", ")
}

// Limit is the setting that was reached: "4 in 10m", and "4" without a window.
func (a *Alert) Limit() string {
	limit := strconv.Itoa(a.Threshold)
	if a.WindowS > 0 {
		limit += " in " + window.Lasting(time.Duration(a.WindowS*float64(time.Second)))
	}
	return limit
}

// Lasted is from the first request counted to the last that fired.
func (a *Alert) Lasted() time.Duration {
	first, err := time.Parse(time.RFC3339, a.First)
	last, err2 := time.Parse(time.RFC3339, a.Last)
	if err != nil || err2 != nil {
		return 0
	}
	return last.Sub(first)
}

// ScopeText is the scope on a line, "conversation=s8 model=m", the same each
// time; empty if there is one counter for all.
func (a *Alert) ScopeText() string {
	var parts []string
	for _, field := range slices.Sorted(maps.Keys(a.Scope)) { // any order: sorted
		v := a.Scope[field]
		if v == "" || strings.ContainsAny(v, " =\"") {
			v = strconv.Quote(v)
		}
		parts = append(parts, field+"="+v)
	}
	return strings.Join(parts, " ")
}

// Whose is a field of the request that fired first.
type Whose struct{ Name, Value string }

// Whose are session, caller and user, where they are logged and the scope does
// not say them.
func (a *Alert) Whose() (list []Whose) {
	for _, who := range []Whose{{"session", a.Session}, {"caller", a.Caller}, {"user", a.User}} {
		if _, said := a.Scope[who.Name]; who.Value != "" && !said && who.Value != a.Scope["conversation"] {
			list = append(list, who)
		}
	}
	return list
}

// Marshal is the alert as one line of JSON, without its end.
func (a *Alert) Marshal() []byte { return marshal(a) }

// MarshalTo is the same with the names of the sinks that it goes to, as to.
func (a *Alert) MarshalTo(to []string) []byte {
	return marshal(struct {
		*Alert
		To []string `json:"to"`
	}{a, to})
}

func marshal(alert any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(alert); err != nil {
		panic(err) // strings and numbers that are none of the impossible ones
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}
