package formats

import (
	"bytes"
	"cmp"
	"hash/crc32"
	"iter"
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// join finds the session of each call on the spans around it, and the calls
// that two instrumentations wrote, each a span: the provider's own library and
// the one that wraps it.
func (p *otel) join() {
	p.byID = p.byID[:0]
	reached := int64(math.MaxInt64) // back to here all is in the record
	for i := range p.spans {
		p.byID = append(p.byID, int32(i))
		if end := p.spans[i].end; end != fingerprint.NoTime {
			reached = min(reached, end)
		}
	}
	slices.SortFunc(p.byID, func(a, b int32) int { return bytes.Compare(p.spans[a].id, p.spans[b].id) })
	p.attachRaw()
	for i := range p.spans {
		sp := &p.spans[i]
		if !sp.isRequest() {
			continue
		}
		inCalls := sp.isCall // nothing but calls lies between
		for around := range p.around(sp) {
			if around.first == nil || sp.start < around.first.start {
				around.first = sp
			}
			if around.guessed && around != sp && sp.isCall && !sp.part {
				around.part = true // the call is in it
			}
			if inCalls = inCalls && around.isCall && around != sp; inCalls {
				p.same(around, sp)
			}
		}
	}
	p.inherit(reached)
	p.copies()
	p.siblings()
	p.twins()
	p.neighbours()
}

// attachRaw gives each call what LiteLLM kept of it. Where no span around is a
// call, since that of the server had ended before LiteLLM knew what to say of it,
// the raw one is, and the server says what was asked for.
func (p *otel) attachRaw() {
	for i := range p.spans {
		sp := &p.spans[i]
		if !sp.isRaw {
			continue
		}
		sp.isCall, sp.raw = false, sp
		for around := range p.around(sp) {
			if sp.isCall = around.isRaw || !around.isCall; !sp.isCall {
				around.raw = sp
				break
			}
			if around.serves && sp.server == nil {
				sp.server = around
			}
		}
	}
}

// inherit gives each request the session and the user of the nearest spans around
// it that are whole.
func (p *otel) inherit(reached int64) {
	for i := range p.spans {
		sp := &p.spans[i]
		if !sp.isRequest() || sp.part {
			continue
		}
		for around := range p.around(sp) {
			if around.part || around.isWhole(reached) {
				sp.session = first(sp.session, around.session)
				sp.user = first(sp.user, around.user)
			}
		}
	}
}

// isWhole tells that no call inside a span was exported before it, without its
// session: between its start and what the record has there is no time for one
// as long as the first that is there.
func (sp *otelSpan) isWhole(reached int64) bool {
	if sp.start == fingerprint.NoTime || sp.first.start == fingerprint.NoTime || sp.first.end == fingerprint.NoTime {
		return true
	}
	return min(sp.first.start, reached)-sp.start <= sp.first.end-sp.first.start
}

// maxAround is how many spans around a call are looked at.
const maxAround = 32

// around are the spans around one in this record, from the inside.
func (p *otel) around(sp *otelSpan) iter.Seq[*otelSpan] {
	return func(yield func(*otelSpan) bool) {
		for range maxAround {
			if sp = p.find(sp.parent, sp.trace); sp == nil || !yield(sp) {
				return
			}
		}
	}
}

// same notes that two spans, one inside the other, are one call: the one that has
// more of what was said, else the inner, of which a retry makes several. Where
// nothing was said it is the outer. Embeddings that a call looks something up by are
// a call of their own.
func (p *otel) same(outer, inner *otelSpan) {
	switch {
	case inner.part, inner.embeds != outer.embeds:
	case inner.content > noContent && inner.content >= outer.content:
		outer.part = true
		inner.fill(&outer.whose)
	case !outer.part: // whose parts they are may be a circle
		inner.part = true
		outer.fill(&inner.whose)
	}
}

// pick gives such of the calls that are no part of another, in an order; good until
// the next time.
func (p *otel) pick(such func(*otelSpan) bool, order func(a, b *otelSpan) int) []*otelSpan {
	p.picked = p.picked[:0]
	for i := range p.spans {
		if sp := &p.spans[i]; sp.isCall && !sp.part && such(sp) {
			p.picked = append(p.picked, sp)
		}
	}
	slices.SortStableFunc(p.picked, order)
	return p.picked
}

// copies finds the calls that were exported twice under different ids, as LiteLLM
// does with streams and with what failed: each in a trace of its own, they began
// at the same moment and say the same.
func (p *otel) copies() {
	calls := p.pick(func(sp *otelSpan) bool {
		return len(sp.parent) == 0 && sp.start != fingerprint.NoTime && sp.logs == nil
	}, func(a, b *otelSpan) int {
		return cmp.Or(cmp.Compare(a.start, b.start), bytes.Compare(a.attributes, b.attributes))
	})
	for k := 1; k < len(calls); k++ {
		a, b := calls[k-1], calls[k]
		b.part = a.start == b.start && !bytes.Equal(a.trace, b.trace) && bytes.Equal(a.attributes, b.attributes)
	}
}

// siblings finds the calls that stand beside each other twice: with the same
// response, one of them without what was said. They may be in two traces, where
// a stream was opened before it was read.
func (p *otel) siblings() {
	calls := p.pick(func(sp *otelSpan) bool { return len(sp.responseID) > 0 && sp.logs == nil },
		func(a, b *otelSpan) int { return bytes.Compare(a.responseID, b.responseID) })
	for k := 1; k < len(calls); k++ {
		a, b := calls[k-1], calls[k]
		if !bytes.Equal(a.responseID, b.responseID) || a.content == b.content {
			continue
		}
		// A cached answer repeats the response, but then in another place, and later.
		beside := bytes.Equal(a.parent, b.parent) && bytes.Equal(a.trace, b.trace)
		if beside || a.content > b.content && b.within(a) || b.content > a.content && a.within(b) {
			p.same(a, b)
		}
	}
}

// twins finds the calls that two of OpenInference's instrumentations wrote, each
// where it stood: that of LangChain is not around that of the OpenAI library,
// nor has it the response's id. But one has the time of the other in its own,
// and the same messages.
func (p *otel) twins() {
	calls := p.pick(func(sp *otelSpan) bool { return sp.said != 0 },
		func(a, b *otelSpan) int { return cmp.Or(cmp.Compare(a.said, b.said), cmp.Compare(a.start, b.start)) })
	for k, inner := range calls {
		for _, outer := range calls[max(0, k-maxAround):k] {
			if outer.said == inner.said && !bytes.Equal(outer.library, inner.library) && inner.within(outer) {
				inner.part = true
				inner.said, outer.said, outer.asked = 0, 0, nil // a call has one twin
				break
			}
		}
	}
}

// neighbours finds the calls that two libraries wrote and that nothing but their place
// and time tells: for one model inside one span, one within the time of the other, as
// OpenLLMetry's of LangChain and of the Responses API. In traces of their own they have
// both failed, and one says nothing: Anthropic's library, beside an instrumentation that
// is not around it.
func (p *otel) neighbours() {
	calls := p.pick(func(sp *otelSpan) bool { return len(sp.asked) > 0 && sp.logs == nil }, func(a, b *otelSpan) int {
		return cmp.Or(bytes.Compare(a.parent, b.parent), cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	for k, inner := range calls {
		for _, outer := range calls[max(0, k-maxAround):k] {
			if !outer.part && inner.isBeside(outer) && inner.within(outer) {
				p.same(outer, inner)
				inner.asked = nil // it is around no other
				break
			}
		}
	}
}

// isBeside tells the span of another library beside one, for the same model. Where both
// have messages of OpenInference's, these have told already.
func (sp *otelSpan) isBeside(other *otelSpan) bool {
	if sp.said != 0 && other.said != 0 {
		return false
	}
	if bytes.Equal(sp.library, other.library) || !bytes.Equal(sp.asked, other.asked) || !bytes.Equal(sp.parent, other.parent) || len(sp.responseID) > 0 && len(other.responseID) > 0 {
		return false
	}
	if len(sp.parent) > 0 {
		return bytes.Equal(sp.trace, other.trace)
	}
	return sp.failed && other.failed && (sp.content == noContent) != (other.content == noContent) && bytes.Equal(sp.service, other.service)
}

// saidSum is a part of the sum over the messages of a span: that of one, and of
// where it stands among them.
func saidSum(key []byte, message rawjson.Value) uint64 {
	return uint64(crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, message))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// within tells whether all of a span lies in the time of another.
func (sp *otelSpan) within(outer *otelSpan) bool {
	return outer.start != fingerprint.NoTime && outer.start <= sp.start && sp.end != fingerprint.NoTime && sp.end <= outer.end
}

// find is the span with the id in this record, or nil.
func (p *otel) find(id, trace []byte) *otelSpan {
	if len(id) == 0 {
		return nil
	}
	k, ok := slices.BinarySearchFunc(p.byID, id, func(i int32, id []byte) int { return bytes.Compare(p.spans[i].id, id) })
	if !ok {
		return nil
	}
	if sp := &p.spans[p.byID[k]]; bytes.Equal(sp.trace, trace) {
		return sp
	}
	return nil
}
