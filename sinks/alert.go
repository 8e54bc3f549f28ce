package sinks

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

// AlertVersion is the version of the form in which alerts are sent.
const AlertVersion = 1

// Alert says that an incident opened, grew or closed. ID and Revision tell it
// from all others: whoever gets one twice has got it once. It holds no text of
// a prompt, an argument or a result.
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

// NewAlert says of an incident what is so now.
func NewAlert(in *window.Incident) *Alert {
	a := &Alert{
		Version: AlertVersion, Event: "loop." + string(in.State), ID: in.ID, Revision: in.Revision, State: in.State, Time: instant(in.Time),
		Severity: in.Severity(), Loops: 1,
		Rule: in.Rule, Rules: slices.Clone(in.Rules), Identity: in.Identity, Counter: in.Counter.Kind,
		WindowS: in.Counter.Window.Seconds(), Threshold: in.Threshold, CooldownS: in.Cooldown.Seconds(), Action: string(in.Action),
		Scope: map[string]string{}, Fingerprint: in.Fingerprint,
		Session: in.Session, Caller: in.Caller, User: in.User, Model: in.Model, Backend: in.Backend,
		First: instant(in.First), Fired: instant(in.Fired), Last: instant(in.Last), Requests: in.Requests, RequestsAfter: in.After,
	}
	for i, field := range in.Fields {
		a.Scope[field] = in.Scope[i]
	}
	if in.Tokens >= 0 {
		tokens := in.Tokens
		a.TokensAfter = &tokens
	}
	if !math.IsNaN(in.Cost) {
		cost := in.Cost
		a.CostAfter = &cost
	}
	return a
}

// Marshal is the alert as one line of JSON, without its end.
func (a *Alert) Marshal() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(a); err != nil {
		panic(err) // strings and numbers that are none of the impossible ones
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

func instant(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000000Z")
}
