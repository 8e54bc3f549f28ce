package sinks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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

// storm is what came at once for a sink: the openings of the last minute, and
// the digest that they have become.
type storm struct {
	Told   []int64 `json:"told,omitempty"` // times of openings within the last minute
	Digest *digest `json:"digest,omitempty"`
}

// room takes one of the openings of a minute, if one is left.
func (s *storm) room(t int64) bool {
	s.Told = slices.DeleteFunc(s.Told, func(before int64) bool { return before <= t-digestMinute })
	if len(s.Told) >= maxOpenings {
		return false
	}
	s.Told = append(s.Told, t)
	return true
}

// matters says that a loop of its digest matters so much: the digest no less.
func (s *storm) matters(a *Alert) {
	if s.Digest != nil && s.Digest.Alert.Severity.Less(a.Severity) {
		s.Digest.Alert.Severity = a.Severity
	}
}

// over is the end of a digest that a sink knows of, if it is over by then.
func (s *storm) over(t int64) *Alert {
	d := s.Digest
	if d == nil || t < d.Last+digestMinute {
		return nil
	}
	if s.Digest = nil; d.Quiet {
		return nil
	}
	return d.alert(window.Closed, d.Last+digestMinute)
}

// digest stands for loops that a sink is not told of one by one. It has the
// life of an incident: it opens with the first of them, grows tenfold, and is
// over a minute after the last.
type digest struct {
	Alert *Alert `json:"alert"` // as it would be sent now
	Told  int64  `json:"told"`  // loops at the last alert
	Last  int64  `json:"last"`  // time of the last opening, microseconds
	// Quiet says that it matters too little so far for the sink to know of it.
	Quiet bool `json:"quiet,omitempty"`
}

// newDigest makes the digest that begins with an opening.
func newDigest(sink string, first *Alert, t int64) *digest {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", sink, first.ID, first.Revision))
	d := &digest{Quiet: true, Alert: &Alert{
		Version: AlertVersion, ID: "dg-" + hex.EncodeToString(sum[:8]), Severity: first.Severity,
		Rule: first.Rule, WindowS: time.Minute.Seconds(), Threshold: maxOpenings, Scope: map[string]string{}, Seen: []AlertSeen{}, Links: first.Links,
		Example: &Example{ID: first.ID, Session: first.Session, Explain: first.Explain},
		First:   window.Stamp(t), Fired: window.Stamp(t),
	}}
	from := first.shared()
	for i, field := range d.Alert.shared() {
		*field = *from[i]
	}
	return d
}

// add takes an opening in. What they are of is kept as long as all agree.
func (d *digest) add(a *Alert, t int64) {
	to := d.Alert
	to.Loops++
	to.Last, d.Last = window.Stamp(t), t
	for _, rule := range a.Rules {
		if !slices.Contains(to.Rules, rule) {
			to.Rules = append(to.Rules, rule)
		}
	}
	from := a.shared()
	for i, field := range to.shared() {
		if *field != *from[i] {
			*field = ""
		}
	}
	links := map[string]string{}
	for name, link := range to.Links {
		if a.Links[name] == link {
			links[name] = link
		}
	}
	to.Links = links
}

// shared are the fields that a digest has where its loops do.
func (a *Alert) shared() []*string {
	return []*string{&a.Kind, &a.Repeats, &a.Tool, &a.Method, &a.Path, &a.Session, &a.Caller, &a.User, &a.Model, &a.Backend}
}

// due tells whether the digest is worth an alert: the first, or one more.
func (d *digest) due() (window.IncidentState, bool) {
	if d.Told == 0 {
		return window.Opened, true
	}
	return window.Grown, d.Alert.Loops >= digestGrowth*d.Told
}

// alert is the digest as it is to be sent. With every growth it matters more, as
// a loop does.
func (d *digest) alert(state window.IncidentState, t int64) *Alert {
	d.Told = d.Alert.Loops
	d.Alert.Revision++
	d.Alert.State, d.Alert.Event, d.Alert.Time = state, digestEvent+string(state), window.Stamp(t)
	if state == window.Grown {
		d.Alert.Severity = d.Alert.Severity.Raised(1)
	}
	a := *d.Alert // nothing that it points to is changed
	return &a
}

const digestEvent = "digest."

// Digest tells whether an alert stands for many loops.
func (a *Alert) Digest() bool { return strings.HasPrefix(a.Event, digestEvent) }

// DigestHeadline says of a digest in one line what goes on, without text of the log.
func (a *Alert) DigestHeadline() string {
	loops := "loops"
	if a.Loops == 1 {
		loops = "loop"
	}
	switch a.State {
	case window.Grown:
		return fmt.Sprintf("Digest has grown to %d more %s", a.Loops, loops)
	case window.Closed:
		return fmt.Sprintf("Digest is over after %d more %s", a.Loops, loops)
	default:
		return "Many loops at once: the others are in this digest"
	}
}
