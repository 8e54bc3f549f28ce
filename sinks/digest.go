package sinks

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

// A sink is told of so many openings within a minute of event time; further
// ones become a digest.
const (
	maxOpenings  = 5
	digestMinute = int64(time.Minute / time.Microsecond)
)

// digestGrowth is by how much a digest must have grown to be worth an alert.
const digestGrowth = 10

// digest stands for loops that a sink is not told of one by one. It has the
// life of an incident: it opens with the first of them, grows tenfold, and is
// over a minute after the last.
type digest struct {
	Alert *Alert `json:"alert"` // as it would be sent now
	Told  int64  `json:"told"`  // loops at the last alert
	Last  int64  `json:"last"`  // time of the last opening, microseconds
}

// newDigest makes the digest that begins with an opening.
func newDigest(sink string, first *Alert, t int64) *digest {
	sum := sha256.Sum256([]byte(sink + "\x00" + first.ID))
	return &digest{Alert: &Alert{
		Version: AlertVersion, ID: "dg-" + hex.EncodeToString(sum[:8]), Severity: first.Severity,
		Rule: first.Rule, WindowS: time.Minute.Seconds(), Threshold: maxOpenings, Scope: map[string]string{}, Seen: []AlertSeen{}, Links: map[string]string{},
		Session: first.Session, Caller: first.Caller, User: first.User, Model: first.Model, Backend: first.Backend,
		First: instant(t), Fired: instant(t),
	}}
}

// add takes an opening in. Of whom they are is kept as long as all agree.
func (d *digest) add(a *Alert, t int64) {
	to := d.Alert
	to.Loops++
	to.Last, d.Last = instant(t), t
	if to.Severity.Less(a.Severity) {
		to.Severity = a.Severity
	}
	for _, rule := range a.Rules {
		if !slices.Contains(to.Rules, rule) {
			to.Rules = append(to.Rules, rule)
		}
	}
	from := []*string{&a.Session, &a.Caller, &a.User, &a.Model, &a.Backend}
	for i, field := range []*string{&to.Session, &to.Caller, &to.User, &to.Model, &to.Backend} {
		if *field != *from[i] {
			*field = ""
		}
	}
}

// due tells whether the digest is worth an alert: the first, or one more.
func (d *digest) due() (window.IncidentState, bool) {
	if d.Told == 0 {
		return window.Opened, true
	}
	return window.Grown, d.Alert.Loops >= digestGrowth*d.Told
}

// alert is the digest as it is to be sent.
func (d *digest) alert(state window.IncidentState, t int64) *Alert {
	d.Told = d.Alert.Loops
	d.Alert.Revision++
	d.Alert.State, d.Alert.Event, d.Alert.Time = state, "digest."+string(state), instant(t)
	a := *d.Alert // nothing that it points to is changed
	return &a
}

// Digest tells whether an alert stands for many loops.
func (a *Alert) Digest() bool { return strings.HasPrefix(a.Event, "digest.") }
