package window

import (
	"math"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// EventReader reads what an EventWriter wrote.
type EventReader struct {
	plan   *Plan // nil if there is no such plan any more
	shape  shape
	before Event
	texts  []string

	// Slabs: the events of a block share their memory, and give it back
	// together.
	prints  []Prints
	sums    []fingerprint.Fingerprint
	tools   []string
	scopes  []Scope
	values  []string
	choices []Choice
}

// NewEventReader makes an EventReader for events of the plan.
func (p *Plan) NewEventReader() *EventReader { return &EventReader{plan: p, shape: p.shape()} }

// Reset begins a new block. Events read before keep their memory.
func (e *EventReader) Reset() {
	*e = EventReader{
		plan: e.plan, shape: e.shape, texts: e.texts[:0],
		prints: fresh(e.prints), sums: fresh(e.sums), tools: fresh(e.tools), scopes: fresh(e.scopes), values: fresh(e.values), choices: fresh(e.choices),
	}
}

// fresh makes an empty slab with room for an eighth more than the one before
// took, since blocks are alike but not the same.
func fresh[T any](before []T) []T { return make([]T, 0, len(before)+len(before)/8) }

// Read reads an event into ev, which shares no memory with the snapshot. What
// is wrong with it r.Err says.
func (e *EventReader) Read(r *snapshot.Reader, ev *Event) {
	e.read(&loader{Reader: r}, ev)
	if e.plan != nil && !e.plan.fits(ev) {
		r.Failf("an event is of another plan")
	}
}

// fits tells that what the event names is there: its exclusion, or for each
// rule the override.
func (p *Plan) fits(ev *Event) bool {
	there := func(list []Choice) bool {
		for i, c := range list {
			if int(c) >= len(p.Rules[i].Overrides) {
				return false
			}
		}
		return true
	}
	if !there(ev.Rules) || ev.Portion != nil && !there(ev.Portion.All) {
		return false
	}
	return ev.Exclude <= len(p.Exclusions)
}

func (e *EventReader) read(l *loader, ev *Event) {
	has := uint64(l.Int(eventBits - 1))
	*ev = Event{
		Time:  e.before.Time + l.Varint(),
		Start: fingerprint.NoTime, Status: fingerprint.Unknown, TokensIn: fingerprint.Unknown, TokensOut: fingerprint.Unknown,
		MaxTokens: fingerprint.Unknown, Cost: math.NaN(),
		Stream: tri(has, hasStream, streams), Cached: tri(has, hasCached, cached),
		Issued: has&issued != 0, Answered: has&answered != 0,
	}
	p, q := &ev.Position, &e.before.Position
	stream := int64(q.Stream) + l.Varint()
	if p.Stream = int32(stream); stream != int64(p.Stream) || stream < 0 {
		l.Failf("no stream has the number %d", stream)
	}
	p.Offset = q.Offset + l.Varint()
	p.Line = q.Line + l.Varint()
	p.Item = l.int32()
	e.before.Time, e.before.Position = ev.Time, ev.Position

	if has&hasPortion != 0 {
		ev.Portion = &Portion{Number: l.Varint(), Home: has&isHome != 0}
	}
	ev.ID = l.String()
	for _, text := range ev.texts() {
		*text = e.text(l)
	}
	for _, n := range ev.numbers() {
		if has&n.bit != 0 {
			*n.value = n.base + l.Varint()
		}
	}
	if has&hasStatus != 0 {
		ev.Status = int(l.Varint())
	}
	if has&hasCost != 0 {
		ev.Cost = l.Float64()
	}
	if has&hasResponse != 0 {
		ev.Response = l.Uint64()
	}
	if has&hasSpan != 0 {
		ev.Span = Span{Own: l.Uint64(), Around: l.Uint64(), Says: fingerprint.Says(l.Int(int(fingerprint.SaysAll))), Said: l.Uint64()}
		if ev.Span.Said != 0 {
			ev.Span.load(l.Reader, ev.Time)
		}
	}
	if has&excluded != 0 {
		ev.Exclude = 1 + l.Int(math.MaxInt32-1)
		return
	}

	if has&hasChat != 0 {
		ev.Chat = loadChat(l.Reader)
	}
	ev.Rules = e.readChoices(l, has&notPlain != 0)
	if has&hasAll != 0 && ev.Portion != nil {
		ev.Portion.All = e.readChoices(l, true)
	}
	from := len(e.prints)
	for range e.shape.identities {
		e.prints = append(e.prints, e.readPrints(l))
	}
	ev.Prints = e.prints[from:len(e.prints):len(e.prints)]
	from = len(e.scopes)
	for range e.shape.scopes {
		e.scopes = append(e.scopes, e.readScope(l))
	}
	ev.Scopes = e.scopes[from:len(e.scopes):len(e.scopes)]
}

// readChoices reads how each rule sees an event; written says that not all see
// it plainly.
func (e *EventReader) readChoices(l *loader, written bool) []Choice {
	from := len(e.choices)
	for range e.shape.rules {
		c := Plain
		if written {
			c = NotMatched + Choice(l.Int(math.MaxInt16))
		}
		e.choices = append(e.choices, c)
	}
	return e.choices[from:len(e.choices):len(e.choices)]
}

func tri(has, logged, yes uint64) fingerprint.Tri {
	switch {
	case has&logged == 0:
		return fingerprint.NotLogged
	case has&yes == 0:
		return fingerprint.No
	}
	return fingerprint.Yes
}

func (e *EventReader) text(l *loader) string {
	switch n := l.Uvarint(); {
	case n == 0:
		return ""
	case n == 1:
		text := l.String()
		e.texts = append(e.texts, text)
		return text
	case n-2 < uint64(len(e.texts)):
		return e.texts[n-2]
	default:
		l.Failf("a text is said to have come before, and has not")
		return ""
	}
}

func (e *EventReader) cause(l *loader) fingerprint.Cause {
	text := e.text(l)
	c, ok := fingerprint.ParseCause(text)
	if !ok {
		l.Failf("%q is no reason for a request not to be computable", text)
	}
	return c
}

func (e *EventReader) readPrints(l *loader) (p Prints) {
	n := l.Count(5)
	if n == 0 {
		p.Cause = e.cause(l)
	}
	from := len(e.sums)
	for range n {
		e.sums = append(e.sums, l.fingerprint())
	}
	p.Fingerprints = e.sums[from:len(e.sums):len(e.sums)]
	if n > 0 && l.Bool() {
		from = len(e.tools)
		for range n {
			e.tools = append(e.tools, e.text(l))
		}
		p.Tools = e.tools[from:len(e.tools):len(e.tools)]
	}
	if n > 0 && l.Bool() {
		for range n {
			p.Texts = append(p.Texts, l.String())
		}
	}
	return p
}

func (e *EventReader) readScope(l *loader) (s Scope) {
	switch kind := l.Int(scopeFellBack); kind {
	case scopeUnwanted:
		return s
	case scopeLacking:
		s.Cause = e.cause(l)
		return s
	case scopeFellBack:
		s.FellBack = true
	}
	s.Key = l.scope()
	from := len(e.values)
	for range l.Count(1) {
		e.values = append(e.values, e.text(l))
	}
	s.Values = e.values[from:len(e.values):len(e.values)]
	return s
}
