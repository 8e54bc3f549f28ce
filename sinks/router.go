package sinks

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/window"
)

// Routes say which sinks hear of which incidents.
type Routes struct {
	// Least is how much an incident must matter to a sink, by the sink's name.
	Least map[string]window.Severity
	// List is looked through in its order; the first route that matches says
	// to which sinks. What none matches goes to all.
	List []Route
}

// Route sends what it matches to sinks, by name.
type Route struct {
	Match func(*Alert) bool
	To    []string
}

// wants tells whether a sink is to hear of an alert.
func (r *Routes) wants(sink string, a *Alert) bool {
	if a.Severity.Less(r.Least[sink]) {
		return false
	}
	for _, route := range r.List {
		if route.Match(a) {
			return slices.Contains(route.To, sink)
		}
	}
	return true
}

// wouldWant tells whether the sink would hear of an alert that mattered more.
func (r *Routes) wouldWant(sink string, a *Alert) bool {
	return slices.ContainsFunc(window.Severities, func(more window.Severity) bool {
		return a.Severity.Less(more) && r.wants(sink, a.at(more))
	})
}

// Router makes alerts of incidents and puts them into an outbox, for the sinks
// that are to have them. A sink that was told of an incident is told of its
// growth and its end, whatever routes say then; its first alert of one is an
// opening. Each sink has a digest of its own.
//
// All times are event times, so the same log gives the same alerts at any
// speed, and a restart changes nothing.
type Router struct {
	outbox    *Outbox
	routes    Routes
	content   *Content
	receivers []*receiver
	gone      []string
}

// receiver is what a sink has been told.
type receiver struct {
	sink string
	open map[string]bool // incidents that it knows of
	storm
	// minor is that of loops which matter too little for it, one by one.
	minor storm
}

// NewRouter makes a Router for the sinks of an outbox. Content is what alerts
// say besides; nil is nothing.
func NewRouter(o *Outbox, routes Routes, content *Content) *Router {
	r := &Router{outbox: o, routes: routes, content: content}
	for _, name := range o.Names() {
		r.receivers = append(r.receivers, &receiver{sink: name, open: map[string]bool{}})
	}
	return r
}

// Take sends an alert of an incident to whom it concerns, and returns it.
func (r *Router) Take(in *window.Incident) *Alert {
	a := NewAlert(in, r.content)
	var to, first []string
	for _, c := range r.receivers {
		c.advance(in.Time, r.outbox)
		switch {
		case c.open[a.ID]:
			to = append(to, c.sink)
			if a.State == window.Closed {
				delete(c.open, a.ID)
			}
		case a.State == window.Closed:
		case !r.routes.wants(c.sink, a):
			r.pass(c, in, a)
		case c.room(in.Time):
			c.open[a.ID] = true
			first = append(first, c.sink)
		case r.wantedBefore(c.sink, in, a):
			// It is one of the digest, or was of an earlier one.
			c.matters(a)
		default:
			r.gather(c.sink, &c.storm, a, in.Time)
		}
	}
	r.outbox.Add(a, to...)
	r.outbox.Add(a.opening(), first...)
	return a
}

// opening is the alert as the first that a sink gets.
func (a *Alert) opening() *Alert {
	first := *a
	first.State, first.Event = window.Opened, strings.TrimSuffix(a.Event, string(a.State))+string(window.Opened)
	return &first
}

// at is the alert as if it mattered so much.
func (a *Alert) at(severity window.Severity) *Alert {
	as := *a
	as.Severity = severity
	return &as
}

// wantedBefore tells whether the sink would have wanted the alert before this
// one too.
func (r *Router) wantedBefore(sink string, in *window.Incident, a *Alert) bool {
	before := in.Before()
	return before != "" && r.routes.wants(sink, a.at(before))
}

// Advance says that the log has come to a time: digests may be over.
func (r *Router) Advance(t int64) {
	for _, c := range r.receivers {
		c.advance(t, r.outbox)
	}
}

// pass takes down a loop that a sink is not told of: many at once may matter
// enough to it.
func (r *Router) pass(c *receiver, in *window.Incident, a *Alert) {
	switch {
	case !r.routes.wouldWant(c.sink, a):
	case in.Before() != "":
		c.minor.matters(a)
	case !c.minor.room(in.Time):
		r.gather(c.sink, &c.minor, a, in.Time)
	}
}

// gather takes a loop into the digest of a storm, and tells the sink of it if
// that is worth it.
func (r *Router) gather(sink string, s *storm, a *Alert, t int64) {
	if s.Digest == nil {
		s.Digest = newDigest(sink, a, t)
	}
	d := s.Digest
	d.add(a, t)
	s.matters(a)
	state, due := d.due()
	if !due {
		return
	}
	alert := d.alert(state, t)
	if d.Quiet {
		if d.Quiet = !r.routes.wants(sink, a.at(alert.Severity)); d.Quiet {
			return
		}
		alert = alert.opening()
	}
	r.outbox.Add(alert, sink)
}

func (c *receiver) advance(t int64, o *Outbox) {
	for _, s := range []*storm{&c.storm, &c.minor} {
		if a := s.over(t); a != nil {
			o.Add(a, c.sink)
		}
	}
}

// End says that the log is over, and all digests with it.
func (r *Router) End() {
	r.Advance(math.MaxInt64)
}

// savedRouter is a router with its outbox as a checkpoint holds it.
type savedRouter struct {
	Outbox    savedOutbox              `json:"outbox"`
	Receivers map[string]savedReceiver `json:"receivers,omitempty"`
}

type savedReceiver struct {
	Open []string `json:"open,omitempty"`
	storm
	Minor storm `json:"minor,omitzero"`
}

// Save is all that waits, and what every sink has been told, for a checkpoint.
func (r *Router) Save() []byte {
	saved := savedRouter{Outbox: r.outbox.save(), Receivers: map[string]savedReceiver{}}
	for _, c := range r.receivers {
		saved.Receivers[c.sink] = savedReceiver{slices.Sorted(maps.Keys(c.open)), c.storm, c.minor}
	}
	b, err := json.Marshal(saved)
	if err != nil {
		panic(err) // see Alert.Marshal
	}
	return b
}

// Gone are the sinks that what was loaded knows and that are no more: what they
// were told is forgotten with the next Save.
func (r *Router) Gone() []string { return r.gone }

// Load puts back what Save has saved, and lets it leave: a checkpoint holds
// it.
func (r *Router) Load(b []byte) error {
	var saved savedRouter
	if err := json.Unmarshal(b, &saved); err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	for name := range saved.Receivers { // any order: sorted
		if !r.here(name) {
			r.gone = append(r.gone, name)
		}
	}
	slices.Sort(r.gone)
	for _, c := range r.receivers {
		s := saved.Receivers[c.sink]
		c.storm, c.minor = s.storm, s.Minor
		for _, id := range s.Open {
			c.open[id] = true
		}
	}
	for i := range saved.Outbox.Waiting {
		r.inherit(&saved.Outbox.Waiting[i], saved.Receivers)
	}
	r.outbox.load(saved.Outbox)
	return nil
}

// here tells whether there is a sink of this name now.
func (r *Router) here(name string) bool {
	return slices.ContainsFunc(r.receivers, func(c *receiver) bool { return c.sink == name })
}

// inherit gives what waited for a sink that is no more to new ones that want
// it: a sink whose address was mended is another one. Without any it goes to
// all that want it, unless it waits for one of them.
func (r *Router) inherit(e *savedEntry, before map[string]savedReceiver) {
	if !slices.ContainsFunc(e.To, func(name string) bool { return !r.here(name) }) {
		return
	}
	var heirs, fresh []*receiver
	for _, c := range r.receivers {
		if c.open[e.Alert.ID] || r.routes.wants(c.sink, e.Alert) {
			heirs = append(heirs, c)
			if _, old := before[c.sink]; !old {
				fresh = append(fresh, c)
			}
		}
	}
	switch {
	case len(fresh) > 0:
		heirs = fresh
	case slices.ContainsFunc(e.To, r.here):
		return
	}
	for _, c := range heirs {
		e.To = append(e.To, c.sink)
		switch {
		case e.Alert.State == window.Closed:
			delete(c.open, e.Alert.ID)
		case !e.Alert.Digest():
			c.open[e.Alert.ID] = true
		}
	}
}
