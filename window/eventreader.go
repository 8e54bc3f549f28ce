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
	known  []string // texts that came before

	pieces // the events of a block share their memory, and give it back together
}

// NewEventReader makes an EventReader for events of the plan.
func (p *Plan) NewEventReader() *EventReader { return &EventReader{plan: p, shape: p.shape()} }

// Reset begins a new block. Events read before keep their memory.
func (e *EventReader) Reset() {
	p := &e.pieces
	*e = EventReader{
		plan: e.plan, shape: e.shape, known: e.known[:0],
		pieces: pieces{fresh(p.prints), fresh(p.sums), fresh(p.scopes), fresh(p.texts), fresh(p.choices), fresh(p.tools)},
	}
}

// fresh makes an empty slab with room for an eighth more than the one before
// took, since blocks are alike but not the same.
func fresh[T any](before []T) []T { return make([]T, 0, len(before)+len(before)/8) }

// Read reads an event into ev, which shares no memory with the snapshot. What
// is wrong with it r.Err says.
func (e *EventReader) Read(r *snapshot.Reader, ev *Event) {
	e.read(r, ev)
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

func (e *EventReader) read(r *snapshot.Reader, ev *Event) {
	has := uint64(r.Int(eventBits - 1))
	*ev = Event{
		Time:  e.before.Time + r.Varint(),
		Start: fingerprint.NoTime, Status: fingerprint.Unknown, TokensIn: fingerprint.Unknown, TokensOut: fingerprint.Unknown,
		MaxTokens: fingerprint.Unknown, Cost: math.NaN(),
		Stream: tri(has, hasStream, streams), Cached: tri(has, hasCached, cached),
		Issued: has&issued != 0, Answered: has&answered != 0,
	}
	p, q := &ev.Position, &e.before.Position
	stream := int64(q.Stream) + r.Varint()
	if p.Stream = int32(stream); stream != int64(p.Stream) || stream < 0 {
		r.Failf("no stream has the number %d", stream)
	}
	p.Offset = q.Offset + r.Varint()
	p.Line = q.Line + r.Varint()
	p.Item = readInt32(r)
	e.before.Time, e.before.Position = ev.Time, ev.Position

	if has&hasPortion != 0 {
		ev.Portion = &Portion{Number: r.Varint(), Home: has&isHome != 0}
	}
	ev.ID = r.String()
	for _, text := range ev.texts() {
		*text = e.text(r)
	}
	for _, n := range ev.numbers() {
		if has&n.bit != 0 {
			*n.value = n.base + r.Varint()
		}
	}
	if has&hasStatus != 0 {
		ev.Status = int(r.Varint())
	}
	if has&hasCost != 0 {
		ev.Cost = r.Float64()
	}
	if has&hasResponse != 0 {
		ev.Response = r.Uint64()
	}
	if has&hasSpan != 0 {
		ev.Span = Span{Own: r.Uint64(), Around: r.Uint64(), Says: fingerprint.Says(r.Int(int(fingerprint.SaysAll))), Said: r.Uint64()}
		if ev.Span.Said != 0 {
			ev.Span.code(&coder{Codec: r.Codec()}, ev.Time)
		}
	}
	if has&excluded != 0 {
		ev.Exclude = 1 + r.Int(math.MaxInt32-1)
		return
	}

	if has&hasChat != 0 {
		ev.Chat = &Chat{}
		ev.Chat.code(r.Codec())
	}
	ev.Rules = e.readChoices(r, has&notPlain != 0)
	if has&hasAll != 0 && ev.Portion != nil {
		ev.Portion.All = e.readChoices(r, true)
	}
	from := len(e.prints)
	for range e.shape.identities {
		e.prints = append(e.prints, e.readPrints(r))
	}
	ev.Prints = e.prints[from:len(e.prints):len(e.prints)]
	from = len(e.scopes)
	for range e.shape.scopes {
		e.scopes = append(e.scopes, e.readScope(r))
	}
	ev.Scopes = e.scopes[from:len(e.scopes):len(e.scopes)]
}

// readChoices reads how each rule sees an event; written says that not all see
// it plainly.
func (e *EventReader) readChoices(r *snapshot.Reader, written bool) []Choice {
	from := len(e.choices)
	for range e.shape.rules {
		c := Plain
		if written {
			c = NotMatched + Choice(r.Int(math.MaxInt16))
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

func (e *EventReader) text(r *snapshot.Reader) string {
	switch n := r.Uvarint(); {
	case n == 0:
		return ""
	case n == 1:
		text := r.String()
		e.known = append(e.known, text)
		return text
	case n-2 < uint64(len(e.known)):
		return e.known[n-2]
	default:
		r.Failf("a text is said to have come before, and has not")
		return ""
	}
}

func (e *EventReader) readPrints(r *snapshot.Reader) (p Prints) {
	n := r.Count(5)
	if n == 0 {
		p.Cause = readCause(r, e.text(r))
	}
	from := len(e.sums)
	for range n {
		e.sums = append(e.sums, readFingerprint(r))
	}
	p.Fingerprints = e.sums[from:len(e.sums):len(e.sums)]
	if n > 0 && r.Bool() {
		from = len(e.tools)
		for range n {
			e.tools = append(e.tools, e.text(r))
		}
		p.Tools = e.tools[from:len(e.tools):len(e.tools)]
	}
	if n > 0 && r.Bool() {
		for range n {
			p.Texts = append(p.Texts, r.String())
		}
	}
	return p
}

func (e *EventReader) readScope(r *snapshot.Reader) (s Scope) {
	switch kind := r.Int(scopeFellBack); kind {
	case scopeUnwanted:
		return s
	case scopeLacking:
		s.Cause = readCause(r, e.text(r))
		return s
	case scopeFellBack:
		s.FellBack = true
	}
	copy(s.Key[:], r.Fixed(len(s.Key)))
	from := len(e.texts)
	for range r.Count(1) {
		e.texts = append(e.texts, e.text(r))
	}
	s.Values = e.texts[from:len(e.texts):len(e.texts)]
	return s
}
