package window

import (
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// EventWriter writes events in few bytes, for readers with the same plan. An
// event is written as what differs from the one before, and a text that came
// before as its number, so a block of events must be read from its start.
type EventWriter struct{ eventCoder }

// EventReader reads what an EventWriter wrote.
type EventReader struct {
	plan *Plan
	eventCoder
}

// eventCoder codes the events of a block.
type eventCoder struct {
	shape   shape
	before  place
	numbers map[string]uint64 // where it writes: those of texts that came before
	known   []string          // where it reads: these texts

	pieces // the events of a block share their memory, and give it back together
}

// shape is how many of each an event of a plan has.
type shape struct{ identities, scopes, rules int }

func (p *Plan) shape() shape { return shape{len(p.Identities), len(p.Scopes), len(p.Rules)} }

// NewEventWriter makes an EventWriter for events of the plan.
func (*Plan) NewEventWriter() *EventWriter {
	return &EventWriter{eventCoder{numbers: map[string]uint64{}}}
}

// NewEventReader makes an EventReader for events of the plan.
func (p *Plan) NewEventReader() *EventReader { return &EventReader{p, eventCoder{shape: p.shape()}} }

// Reset begins a new block: the next event is written without those before, and
// those read before keep their memory.
func (e *eventCoder) Reset() {
	clear(e.numbers)
	p := &e.pieces
	*e = eventCoder{
		shape: e.shape, numbers: e.numbers, known: e.known[:0],
		pieces: pieces{fresh(p.prints), fresh(p.sums), fresh(p.scopes), fresh(p.texts), fresh(p.choices), fresh(p.tools)},
	}
}

// fresh makes an empty slab with room for an eighth more than the one before
// took, since blocks are alike but not the same.
func fresh[T any](before []T) []T { return make([]T, 0, len(before)+len(before)/8) }

// taken are the next n of a slab, behind which nothing has been written.
func taken[T any](slab *[]T, n int) []T {
	from := len(*slab)
	*slab = slices.Grow(*slab, n)[:from+n]
	return (*slab)[from:len(*slab):len(*slab)]
}

// Write writes an event.
func (e *EventWriter) Write(w *snapshot.Writer, ev *Event) { e.code(&coder{Codec: w.Codec()}, ev) }

// Read reads an event into ev, which shares no memory with the snapshot. What
// is wrong with it r.Err says.
func (e *EventReader) Read(r *snapshot.Reader, ev *Event) {
	if e.code(&coder{Codec: r.Codec()}, ev); !e.plan.fits(ev) {
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

// code writes an event, or reads it into ev.
func (e *eventCoder) code(c *coder, ev *Event) {
	has := 0
	if !c.Reads() {
		has = bitsOf(ev)
	}
	if snapshot.Size(c.Codec, &has, eventBits-1); c.Reads() {
		*ev = Event{
			Start: fingerprint.NoTime, Status: fingerprint.Unknown, TokensIn: fingerprint.Unknown, TokensOut: fingerprint.Unknown,
			MaxTokens: fingerprint.Unknown, Cost: math.NaN(),
			Stream: tri(has, hasStream, streams), Cached: tri(has, hasCached, cached),
			Issued: has&issued != 0, Answered: has&answered != 0,
		}
	}
	c.near(&ev.Time, e.before.time)
	p, q := &ev.Position, &e.before.position
	stream := int64(p.Stream)
	if c.near(&stream, int64(q.Stream)); c.Reads() {
		p.Stream = int32(stream)
		c.Check(stream == int64(p.Stream) && stream >= 0, "no stream has the number %d", stream)
	}
	c.near(&p.Offset, q.Offset)
	c.near(&p.Line, q.Line)
	c.int32(&p.Item)
	e.before = placeOf(ev)

	if has&hasPortion != 0 {
		if c.Reads() {
			ev.Portion = &Portion{Home: has&isHome != 0}
		}
		c.Varint(&ev.Portion.Number)
	}
	snapshot.Text(c.Codec, &ev.ID)
	for _, text := range ev.texts() {
		e.text(c, text)
	}
	for _, n := range ev.numbers() {
		if has&n.bit != 0 {
			c.near(n.value, n.base)
		}
	}
	if has&hasStatus != 0 {
		snapshot.Number(c.Codec, &ev.Status)
	}
	if has&hasCost != 0 {
		c.Float64(&ev.Cost)
	}
	if has&hasResponse != 0 {
		c.Uint64(&ev.Response)
	}
	if sp := &ev.Span; has&hasSpan != 0 {
		c.Uint64(&sp.Own)
		c.Uint64(&sp.Around)
		snapshot.Size(c.Codec, &sp.Says, int(fingerprint.SaysAll))
		if c.Uint64(&sp.Said); sp.Said != 0 {
			sp.code(c, ev.Time)
		}
	}
	if has&excluded != 0 {
		by := ev.Exclude - 1
		if snapshot.Size(c.Codec, &by, math.MaxInt32-1); c.Reads() {
			ev.Exclude = 1 + by
		}
		return
	}
	if has&hasChat != 0 {
		if c.Reads() {
			ev.Chat = &Chat{}
		}
		ev.Chat.code(c.Codec)
	}
	e.choose(c, &ev.Rules, has&notPlain != 0)
	if has&hasAll != 0 && ev.Portion != nil {
		e.choose(c, &ev.Portion.All, true)
	}
	if c.Reads() {
		ev.Prints, ev.Scopes = taken(&e.prints, e.shape.identities), taken(&e.scopes, e.shape.scopes)
	}
	for i := range ev.Prints {
		e.print(c, &ev.Prints[i])
	}
	for i := range ev.Scopes {
		e.scope(c, &ev.Scopes[i])
	}
}

func tri(has, logged, yes int) fingerprint.Tri {
	switch {
	case has&logged == 0:
		return fingerprint.NotLogged
	case has&yes == 0:
		return fingerprint.No
	}
	return fingerprint.Yes
}

// choose codes how each rule sees an event; written says that not all see it
// plainly.
func (e *eventCoder) choose(c *coder, list *[]Choice, written bool) {
	if c.Reads() {
		*list = taken(&e.choices, e.shape.rules)
	}
	for i := range *list {
		switch choice := &(*list)[i]; {
		case !written && c.Reads():
			*choice = Plain
		case written:
			n := int(*choice - NotMatched)
			if snapshot.Size(c.Codec, &n, math.MaxInt16); c.Reads() {
				*choice = NotMatched + Choice(n)
			}
		}
	}
}

func bitsOf(ev *Event) (has int) {
	set := func(bit int, is bool) {
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
	bit   int
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

// text codes a text: 0 is the empty one, 1 one that follows, others came
// before.
func (e *eventCoder) text(c *coder, text *string) {
	if !c.Reads() {
		e.writeText(c.To, *text)
		return
	}
	switch n := c.From.Uvarint(); {
	case n == 0:
	case n == 1:
		*text = c.From.String()
		e.known = append(e.known, *text)
	case n-2 < uint64(len(e.known)):
		*text = e.known[n-2]
	default:
		c.From.Failf("a text is said to have come before, and has not")
	}
}

func (e *eventCoder) writeText(w *snapshot.Writer, text string) {
	if text == "" {
		w.Uvarint(0)
		return
	}
	if n, came := e.numbers[text]; came {
		w.Uvarint(n)
		return
	}
	e.numbers[text] = uint64(len(e.numbers)) + 2
	w.Uvarint(1)
	w.String(text)
}

// cause codes why there is nothing, by its name.
func (e *eventCoder) cause(c *coder, cause *fingerprint.Cause) {
	name := ""
	if !c.Reads() {
		name = cause.String()
	}
	if e.text(c, &name); c.Reads() {
		*cause = readCause(c.From, name)
	}
}

// print codes how many there are and then those, or none and why.
func (e *eventCoder) print(c *coder, p *Prints) {
	n := c.Items(len(p.Fingerprints), 5)
	if c.Reads() {
		p.Fingerprints = taken(&e.sums, n)
	}
	if n == 0 {
		e.cause(c, &p.Cause)
		return
	}
	for i := range p.Fingerprints {
		c.fingerprint(&p.Fingerprints[i])
	}
	some := len(p.Tools) > 0
	if c.Bool(&some); some && c.Reads() {
		p.Tools = taken(&e.tools, n)
	}
	for i := range p.Tools {
		e.text(c, &p.Tools[i])
	}
	some = len(p.Texts) > 0
	if c.Bool(&some); some && c.Reads() {
		p.Texts = make([]string, n)
	}
	for i := range p.Texts {
		snapshot.Text(c.Codec, &p.Texts[i])
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

func (e *eventCoder) scope(c *coder, s *Scope) {
	kind := scopeThere
	switch {
	case s.Cause != fingerprint.Computable:
		kind = scopeLacking
	case s.Key == fingerprint.ScopeKey{} && len(s.Values) == 0:
		kind = scopeUnwanted
	case s.FellBack:
		kind = scopeFellBack
	}
	switch snapshot.Size(c.Codec, &kind, scopeFellBack); kind {
	case scopeUnwanted:
		return
	case scopeLacking:
		e.cause(c, &s.Cause)
		return
	}
	c.scope(&s.Key)
	if n := c.Items(len(s.Values), 1); c.Reads() {
		s.FellBack, s.Values = kind == scopeFellBack, taken(&e.texts, n)
	}
	for i := range s.Values {
		e.text(c, &s.Values[i])
	}
}
