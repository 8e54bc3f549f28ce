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
			ev.Span.save(w, ev.Time)
		}
	}
	if has&excluded != 0 {
		w.Uvarint(uint64(ev.Exclude - 1))
		return
	}
	if has&hasChat != 0 {
		ev.Chat.save(w)
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
