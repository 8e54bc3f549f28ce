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
}

func spanOf(sp *fingerprint.Span) Span {
	if len(sp.ID) == 0 {
		return Span{}
	}
	return Span{Own: spanHash(sp, sp.ID), Around: spanHash(sp, sp.Around), Says: sp.Says}
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

// Touches tells whether one of two spans is directly inside the other.
func (sp Span) Touches(other Span) bool {
	return sp.Own != 0 && sp.Own == other.Around || other.Own != 0 && other.Own == sp.Around
}

// pairs finds the calls that two libraries wrote: that of the provider, and one that
// wraps it. Of two requests, one directly inside the other, the later is a duplicate,
// unless it has more of what was said. Of several inside one, as a retry makes them,
// each counts.
type pairs struct{ spans *table[uint64, counted] }

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
	return again
}

func (p pairs) save(s *saver) {
	p.spans.save(s, func(e *tableEntry[uint64, counted]) {
		s.Uint64(e.key)
		s.Fixed([]byte{byte(e.state.own), byte(e.state.inside)})
	})
}

func (p pairs) load(l *loader) {
	p.spans.load(l, 11, l.Uint64, func(c *counted, _ int64) {
		if b := l.Fixed(2); b != nil {
			*c = counted{fingerprint.Says(b[0]), fingerprint.Says(b[1])}
		}
	})
}
