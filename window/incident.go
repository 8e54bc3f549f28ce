package window

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Incident is one loop as a person sees it: the episodes that run at the same
// time in the same scope, whatever rules saw them. Alerts are sent of it.
type Incident struct {
	ID       string // that of the episode that fired first
	Revision int    // 1 when it opens, one more with every alert
	State    IncidentState
	Time     int64 // when it became so by event time, microseconds

	Rule        string // that fired first, and what it was
	Profile     string // that it was made from, empty if none
	Identity    string
	Counter     CounterSpec
	Threshold   int
	Cooldown    time.Duration
	Action      Action
	Fields      []string // of its scope, with their values
	Scope       []string
	Fingerprint string
	Calls       bool   // the rule looks at calls of tools
	Tool        string // that was called, then
	Text        string // of the call; empty unless asked for
	Method      string // and where the request went
	Path        string

	// Of the request that fired first; empty if not logged.
	Model, Caller, User, Session, Backend string

	Rules []string // all that fired, in that order
	Seen  []Seen   // what each of them saw

	// The kind of the repeat and why, as far as they are known: those of the
	// first rule that can tell.
	Kind     Kind
	Evidence string

	First    int64   // time of the oldest request counted
	Fired    int64   // time of the first firing
	Last     int64   // time of the last firing
	Requests int64   // the most that one rule counted
	After    int64   // requests after the first firing that fired too, by the rule that saw most
	Tokens   int64   // of those; -1 unknown
	Cost     float64 // USD of those; NaN unknown

	open  map[string]bool // by id: the episodes that are open
	grows int64           // so many requests are worth another alert
}

// IncidentState is what an alert says of its incident.
type IncidentState string

const (
	Opened IncidentState = "opened"
	Grown  IncidentState = "grown"  // ten times as many requests as at the last alert
	Closed IncidentState = "closed" // nothing fired for the quiet time
)

// Seen is what one rule saw of an incident.
type Seen struct {
	Rule     string
	Limit    int  // its threshold in force
	Count    int  // the highest; 0 if its gateway had not counted yet
	Kind     Kind // empty without evidence
	Evidence string
	// Quiet is the lowest threshold with which the rule would not have fired
	// so far; 0 is not known, where what the gateway does on tripping changes
	// later counts.
	Quiet int

	episode string // that Kind is of
	extent  Extent
}

// growth is by how much an incident must have grown to be worth an alert: a
// loop of ten thousand requests is told of four times.
const growth = 10

// Incidents puts episodes together into incidents. Give its methods to an
// engine's EngineOptions.
type Incidents struct {
	open   map[string]*Incident // by scope
	report func(*Incident)
}

// NewIncidents makes an Incidents that calls report for each alert that is to
// be sent. The Incident is valid during the call, what it points to for ever.
func NewIncidents(report func(*Incident)) *Incidents {
	return &Incidents{open: map[string]*Incident{}, report: report}
}

// incidentKey is the place of an episode.
func incidentKey(e *Episode) string { return PlaceOf(e.Rule, e.Scope, e.Fingerprint) }

// PlaceOf tells where a rule fires on a fingerprint, by the values of its scope: what
// does so at the same time in one place is one loop.
func PlaceOf(rule *Rule, scope []string, print fingerprint.Fingerprint) string {
	if len(rule.Scope.Fields) == 0 {
		return print.String()
	}
	return scopeText(rule.Scope.Fields, scope)
}

// scopeText joins a scope's fields and values. Conversation and session are told by
// the same field in the log; told apart, the same loop would alert twice. A NUL is
// where one ends, so that of a value is told from it by what follows: no field begins
// like that.
func scopeText(fields, values []string) (text string) {
	for i, f := range fields {
		if f == "conversation" {
			f = "session"
		}
		text += f + "\x00" + strings.ReplaceAll(values[i], "\x00", "\x00\x01") + "\x00"
	}
	return text
}

// Fired takes a firing in, as EngineOptions.Fired has it. One of which the
// gateway would only have taken note is no alert, but what has alerted goes on
// with it.
func (x *Incidents) Fired(e *Episode, f Firing) {
	action := f.Action
	key := incidentKey(e)
	in := x.open[key]
	if action == Allow {
		if in != nil && in.open[e.ID] {
			in.add(e, f)
		}
		return
	}
	if in == nil {
		r := e.Rule
		in = &Incident{
			ID: e.ID, Rule: r.Name, Profile: r.Profile, Calls: r.Identity.Sees&(fingerprint.SeesCalls|fingerprint.SeesResults) != 0, Identity: r.Identity.Name, Counter: r.Counter, Threshold: e.Limit, Cooldown: r.Cooldown, Action: action,
			Fields: r.Scope.Fields, Scope: e.Scope, Fingerprint: e.Fingerprint.String(), Tool: e.Tool, Text: e.Text, Method: e.Method, Path: e.Path,
			Model: e.Model, Caller: e.Caller, User: e.User, Session: e.Session, Backend: e.Backend,
			First: e.First, Fired: e.Last, Tokens: -1, Cost: math.NaN(), open: map[string]bool{},
		}
		in.Counter.Window = f.window
		x.open[key] = in
	}
	in.add(e, f)
	if in.Revision == 0 {
		x.alert(in, Opened, e.Last)
	} else if in.Requests >= in.grows {
		x.alert(in, Grown, e.Last)
	}
}

// add takes a firing in, and with the first of an episode those that were no
// alert.
func (in *Incident) add(e *Episode, f Firing) {
	seen := in.saw(e)
	in.First, in.Last = min(in.First, e.First), max(in.Last, e.Last)
	if in.open[e.ID] {
		seen.extent.add(f.added)
	} else {
		in.open[e.ID] = true
		seen.extent.join(e)
	}
	seen.extent.Raise(&in.Requests, &in.After, &in.Tokens, &in.Cost)
}

// whole is the extent, of any rule that fired, as far as the incident tells it.
func (in *Incident) whole() Extent {
	after := Spent{in.After, max(in.Tokens, 0), in.Tokens >= 0, USD(0).Plus(in.Cost), !math.IsNaN(in.Cost)}
	return Extent{Requests: in.Requests, After: after, fired: true}
}

// saw takes in what an episode's rule has seen, but for its extent.
func (in *Incident) saw(e *Episode) (s *Seen) {
	i := slices.Index(in.Rules, e.Rule.Name)
	if i < 0 {
		i = len(in.Rules)
		in.Rules = append(in.Rules, e.Rule.Name)
		in.Seen = append(in.Seen, Seen{Rule: e.Rule.Name, Limit: e.Limit})
	}
	s = &in.Seen[i]
	s.Count = max(s.Count, e.MaxCount)
	if !e.Rule.ChangesCounts() {
		s.Quiet = s.Count + 1
	}
	if e.Kind != "" && (s.Kind == "" || s.Kind == Unknown || s.episode == e.ID) {
		s.Kind, s.Evidence, s.episode = e.Kind, e.Evidence, e.ID
	}
	in.Kind, in.Evidence = in.Seen[0].Kind, in.Seen[0].Evidence
	for _, other := range in.Seen {
		if other.Kind != "" && other.Kind != Unknown {
			in.Kind, in.Evidence = other.Kind, other.Evidence
			break
		}
	}
	return s
}

// Closed takes the end of an episode in: it has been quiet for its quiet time.
func (x *Incidents) Closed(e *Episode) {
	key := incidentKey(e)
	in := x.open[key]
	if in == nil || !in.open[e.ID] {
		return
	}
	delete(in.open, e.ID)
	in.saw(e).extent.end(e)
	if len(in.open) == 0 {
		delete(x.open, key)
		x.alert(in, Closed, e.Last+e.Rule.quiet().Microseconds())
	}
}

func (x *Incidents) alert(in *Incident, state IncidentState, t int64) {
	in.Revision++
	in.State, in.Time = state, t
	in.grows = in.Requests * growth
	x.report(in)
}

// Open is how many incidents are open.
func (x *Incidents) Open() int { return len(x.open) }

// Code writes the open incidents, or reads them where there are none.
func (x *Incidents) Code(c *snapshot.Codec) {
	keys := slices.Sorted(maps.Keys(x.open)) // any order: sorted
	snapshot.List(c, &keys, 1, func(key *string) {
		if snapshot.Text(c, key); c.Reads() {
			x.open[*key] = &Incident{}
		}
		x.open[*key].code(c)
	})
	for _, key := range keys { // apart: older states are without
		in := x.open[key]
		for i := range in.Seen {
			if c.More() {
				in.Seen[i].extent.code(c)
			} else {
				in.Seen[i].extent = in.whole()
			}
		}
	}
	for _, key := range keys {
		for i := range x.open[key].Seen {
			if c.More() {
				x.open[key].Seen[i].extent.codeOver(&coder{Codec: c})
			}
		}
	}
}

func (in *Incident) code(c *snapshot.Codec) {
	for _, s := range []*string{&in.ID, &in.Rule, &in.Profile, &in.Identity, &in.Counter.Kind, (*string)(&in.Action), &in.Fingerprint, &in.Tool, &in.Text, &in.Method, &in.Path, &in.Model, &in.Caller, &in.User, &in.Session, &in.Backend, (*string)(&in.Kind), &in.Evidence} {
		snapshot.Text(c, s)
	}
	snapshot.Number(c, &in.Revision)
	snapshot.Number(c, &in.Counter.Window)
	snapshot.Number(c, &in.Threshold)
	snapshot.Number(c, &in.Cooldown)
	for _, n := range []*int64{&in.First, &in.Fired, &in.Last, &in.Requests, &in.After, &in.Tokens, &in.grows} {
		c.Varint(n)
	}
	c.Float64(&in.Cost)
	c.Bool(&in.Calls)
	open := slices.Sorted(maps.Keys(in.open)) // any order: sorted
	for _, list := range []*[]string{&in.Fields, &in.Scope, &in.Rules, &open} {
		snapshot.Texts(c, list)
	}
	if c.Reads() {
		in.open = make(map[string]bool, len(open))
		for _, id := range open {
			in.open[id] = true
		}
	}
	snapshot.List(c, &in.Seen, 7, func(s *Seen) {
		for _, text := range []*string{&s.Rule, (*string)(&s.Kind), &s.Evidence, &s.episode} {
			snapshot.Text(c, text)
		}
		for _, n := range []*int{&s.Limit, &s.Count, &s.Quiet} {
			snapshot.Number(c, n)
		}
	})
	c.Check(len(in.Seen) == len(in.Rules), "an incident of %d rules was seen by %d", len(in.Rules), len(in.Seen))
}
