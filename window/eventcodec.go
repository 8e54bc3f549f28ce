package window

import (
	"math"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// EventWriter writes events in few bytes, for readers with the same plan. An
// event is written as what differs from the one before, and a text that came
// before as its number, so a block of events must be read from its start.
type EventWriter struct {
	before Event // its time and position
	texts  map[string]uint64
}

// shape is how many of each an event of a plan has.
type shape struct{ identities, scopes, rules int }

func (p *Plan) shape() shape { return shape{len(p.Identities), len(p.Scopes), len(p.Rules)} }

// What an event has, as bits of its first number.
const (
	hasStart = 1 << iota
	hasStatus
	hasTokensIn
	hasTokensOut
	hasCost
	hasMaxTokens
	hasStream // its value is in the next bit
	streams
	hasCached
	cached
	excluded // by what is all that is left to say
	notPlain // some rule does not see it as it is
	hasChat
	hasPortion
	isHome
	hasAll
	issued
	answered
	hasResponse
	hasSpan
	eventBits // all of them are below
)

// NewEventWriter makes an EventWriter for events of the plan.
func (*Plan) NewEventWriter() *EventWriter { return &EventWriter{texts: map[string]uint64{}} }

// Reset begins a new block: the next event is written without those before.
func (e *EventWriter) Reset() {
	e.before = Event{}
	clear(e.texts)
}

// Write writes an event.
func (e *EventWriter) Write(w *snapshot.Writer, ev *Event) {
	has := bitsOf(ev)
	w.Uvarint(has)
	p, q := &ev.Position, &e.before.Position
	w.Varint(ev.Time - e.before.Time)
	w.Varint(int64(p.Stream) - int64(q.Stream))
	w.Varint(p.Offset - q.Offset)
	w.Varint(p.Line - q.Line)
	w.Varint(int64(p.Item))
	e.before.Time, e.before.Position = ev.Time, ev.Position

	if has&hasPortion != 0 {
		w.Varint(ev.Portion.Number)
	}
	w.String(ev.ID)
	for _, text := range ev.texts() {
		e.text(w, *text)
	}
	for _, n := range ev.numbers() {
		if has&n.bit != 0 {
			w.Varint(*n.value - n.base)
		}
	}
	if has&hasStatus != 0 {
		w.Varint(int64(ev.Status))
	}
	if has&hasCost != 0 {
		w.Float64(ev.Cost)
	}
	if has&hasResponse != 0 {
		w.Uint64(ev.Response)
	}
	if has&hasSpan != 0 {
		w.Uint64(ev.Span.Own)
		w.Uint64(ev.Span.Around)
		w.Uvarint(uint64(ev.Span.Says))
		if w.Uint64(ev.Span.Said); ev.Span.Said != 0 {
			ev.Span.code(&coder{Codec: w.Codec()}, ev.Time)
		}
	}
	if has&excluded != 0 {
		w.Uvarint(uint64(ev.Exclude - 1))
		return
	}
	if has&hasChat != 0 {
		ev.Chat.code(w.Codec())
	}
	if has&notPlain != 0 {
		choices(w, ev.Rules)
	}
	if has&hasAll != 0 {
		choices(w, ev.Portion.All)
	}
	for i := range ev.Prints {
		e.prints(w, &ev.Prints[i])
	}
	for i := range ev.Scopes {
		e.scope(w, &ev.Scopes[i])
	}
}

func choices(w *snapshot.Writer, list []Choice) {
	for _, c := range list {
		w.Uvarint(uint64(c - NotMatched))
	}
}

func bitsOf(ev *Event) (has uint64) {
	set := func(bit uint64, is bool) {
		if is {
			has |= bit
		}
	}
	set(hasStatus, ev.Status != fingerprint.Unknown)
	set(hasCost, !math.IsNaN(ev.Cost))
	set(hasResponse, ev.Response != 0)
	set(hasSpan, ev.Span.Own != 0)
	set(hasStream, ev.Stream != fingerprint.NotLogged)
	set(streams, ev.Stream == fingerprint.Yes)
	set(hasCached, ev.Cached != fingerprint.NotLogged)
	set(cached, ev.Cached == fingerprint.Yes)
	set(excluded, ev.Exclude > 0)
	set(issued, ev.Issued)
	set(answered, ev.Answered)
	set(hasChat, ev.Exclude == 0 && ev.Chat != nil)
	if p := ev.Portion; p != nil {
		has |= hasPortion
		set(isHome, p.Home)
		set(hasAll, ev.Exclude == 0 && len(p.All) > 0)
	}
	for _, n := range ev.numbers() {
		set(n.bit, *n.value != n.none)
	}
	for _, c := range ev.Rules {
		set(notPlain, ev.Exclude == 0 && c != Plain)
	}
	return has
}

// eventNumber is a number that an event may not have.
type eventNumber struct {
	bit   uint64
	value *int64
	none  int64 // the value if it has none
	base  int64 // what it is near to
}

func (ev *Event) numbers() [4]eventNumber {
	return [...]eventNumber{
		{hasStart, &ev.Start, fingerprint.NoTime, ev.Time},
		{hasTokensIn, &ev.TokensIn, fingerprint.Unknown, 0},
		{hasTokensOut, &ev.TokensOut, fingerprint.Unknown, 0},
		{hasMaxTokens, &ev.MaxTokens, fingerprint.Unknown, 0},
	}
}

// texts are those that come again and again.
func (ev *Event) texts() [7]*string {
	return [...]*string{&ev.Method, &ev.Path, &ev.Caller, &ev.User, &ev.Session, &ev.Model, &ev.Backend}
}

// text writes a text: 0 is the empty one, 1 one that follows, others came
// before.
func (e *EventWriter) text(w *snapshot.Writer, text string) {
	if text == "" {
		w.Uvarint(0)
		return
	}
	if n, ok := e.texts[text]; ok {
		w.Uvarint(n)
		return
	}
	e.texts[text] = uint64(len(e.texts)) + 2
	w.Uvarint(1)
	w.String(text)
}

// prints writes how many there are and then those, or none and why.
func (e *EventWriter) prints(w *snapshot.Writer, p *Prints) {
	w.Uvarint(uint64(len(p.Fingerprints)))
	if len(p.Fingerprints) == 0 {
		e.text(w, p.Cause.String())
	}
	for i := range p.Fingerprints {
		w.Blob(p.Fingerprints[i].Bytes())
	}
	if len(p.Fingerprints) > 0 {
		w.Bool(len(p.Tools) > 0)
		for _, tool := range p.Tools {
			e.text(w, tool)
		}
		w.Bool(len(p.Texts) > 0)
		for _, text := range p.Texts {
			w.String(text)
		}
	}
}

// The kinds of scopes: no rule that looked at the request needed it, it is not
// computable, it is, and it is a conversation told by its beginning.
const (
	scopeUnwanted = iota
	scopeLacking
	scopeThere
	scopeFellBack
)

func (e *EventWriter) scope(w *snapshot.Writer, s *Scope) {
	switch {
	case s.Cause != fingerprint.Computable:
		w.Uvarint(scopeLacking)
		e.text(w, s.Cause.String())
		return
	case s.Key == fingerprint.ScopeKey{} && len(s.Values) == 0:
		w.Uvarint(scopeUnwanted)
		return
	case s.FellBack:
		w.Uvarint(scopeFellBack)
	default:
		w.Uvarint(scopeThere)
	}
	w.Fixed(s.Key[:])
	w.Uvarint(uint64(len(s.Values)))
	for _, v := range s.Values {
		e.text(w, v)
	}
}
