package window

import (
	"hash/fnv"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Span is where the request of an event stands in a trace, in hashes of its kind
// and the ids.
type Span struct {
	Own, Around uint64 // 0 if there is none
	Says        fingerprint.Says
	Said        uint64 // fingerprint.Span.Said of a span with a beginning and an end
	Writing
}

// Writing says which library wrote a span, in a hash, and of what time. It is zero if
// Said is.
type Writing struct {
	Library    uint64
	Start, End int64
}

func spanOf(r *fingerprint.Request) (sp Span) {
	of := &r.Span
	if len(of.ID) == 0 {
		return sp
	}
	sp = Span{Own: spanHash(of, of.ID), Around: spanHash(of, of.Around), Says: of.Says}
	if of.Said != 0 && r.Time != fingerprint.NoTime && r.End != fingerprint.NoTime {
		sp.Said, sp.Writing = of.Said, Writing{textHash(string(of.Library)), r.Time, r.End}
	}
	return sp
}

// beside tells whether two libraries wrote a call each where it stood: one has the
// time of the other in its own.
func (w Writing) beside(o Writing) bool {
	return w.Library != o.Library && (w.Start <= o.Start && o.End <= w.End || o.Start <= w.Start && w.End <= o.End)
}

func spanHash(of *fingerprint.Span, id []byte) uint64 {
	if len(id) == 0 {
		return 0
	}
	h := fnv.New64a()
	h.Write(of.Trace)
	if of.Embeds {
		h.Write([]byte{'e'})
	}
	h.Write([]byte{' '})
	h.Write(id)
	return h.Sum64()
}

// Pairs tells whether two spans may be one call: one is directly inside the other, or
// beside it.
func (sp Span) Pairs(other Span) bool {
	return sp.Own != 0 && sp.Own == other.Around || other.Own != 0 && other.Own == sp.Around ||
		sp.Said != 0 && sp.Said == other.Said && sp.beside(other.Writing)
}

// pairs finds the calls that two libraries wrote: that of the provider, and one that
// wraps it. Of two requests, one directly inside the other, the later is a duplicate,
// unless it has more of what was said. Of several inside one, as a retry makes them,
// each counts. Where none is inside the other, what was said and when tells them.
type pairs struct {
	spans *table[uint64, counted]
	twins *table[uint64, Writing] // by Span.Said: the last request that counted, zero if it has a twin
}

func newPairs(horizon int64) pairs {
	return pairs{newTable[uint64, counted](horizon, 0, nil), newTable[uint64, Writing](horizon, 0, nil)}
}

// counted says which requests of a span came, and counted: the span's own, and those
// inside it. Each is 1 + Span.Says, or 0 if none came.
type counted struct{ own, inside fingerprint.Says }

// seen reports whether another request has told of the call of this one. Again says
// that the span itself has.
func (p pairs) seen(sp Span, again bool, now int64) bool {
	var around counted
	if sp.Around != 0 {
		around = *p.spans.touch(sp.Around, now)
	}
	own, says := p.spans.touch(sp.Own, now), 1+sp.Says
	switch {
	case again:
		says = max(own.own, own.inside)
	case own.inside >= says:
		says, again = own.inside, true
	case around.own >= says:
		own.own, around.own, again = around.own, 0, true // the next one inside is a call of its own
	default:
		own.own = says
	}
	if sp.Around != 0 {
		around.inside = max(around.inside, says)
		*p.spans.touch(sp.Around, now) = around
	}
	if again || sp.Said == 0 {
		return again
	}
	twin := p.twins.touch(sp.Said, now)
	if twin.Library != 0 && twin.beside(sp.Writing) {
		*twin = Writing{}
		return true
	}
	*twin = sp.Writing
	return false
}

func (p pairs) code(c *coder) {
	p.spans.code(c, 11, c.Uint64, func(of *counted, _ int64) {
		b := [...]byte{byte(of.own), byte(of.inside)}
		if c.Fixed(b[:]); c.Reads() {
			*of = counted{fingerprint.Says(b[0]), fingerprint.Says(b[1])}
		}
	})
	p.twins.code(c, 19, c.Uint64, func(w *Writing, touched int64) { w.code(c, touched) })
}

func (w *Writing) code(c *coder, near int64) {
	c.Uint64(&w.Library)
	c.near(&w.Start, near)
	c.near(&w.End, near)
}
