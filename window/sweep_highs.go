package window

import (
	"encoding/binary"
	"hash/maphash"
)

// highs are the highest counts that the hits of a scope have had of late in a
// session and for a caller, which no [reached] was told of yet: the next hit is mostly
// of the same. A scope of many sessions has several, a power of two; none before its
// first hit.
type highs []high

type high struct {
	session, caller string
	counts          []uint8 // by cell; empty if there is none
}

// maxHighs is how many a scope has at most, and maxMoreHighs how many all scopes of
// a target have besides one each, those included that are gone and whose memory waits
// for another.
const (
	maxHighs     = 64
	maxMoreHighs = 1 << 12
)

// of is where that of a session stands, or that of another.
func (h highs) of(session string) *high {
	var end [8]byte // in which ids differ most
	copy(end[:], session[max(len(session)-len(end), 0):])
	hash := binary.LittleEndian.Uint64(end[:]) * 0x9e3779b97f4a7c15
	return &h[hash>>32&uint64(len(h)-1)]
}

// reach notes how high the hit at work counts in its scope, session and caller.
func (t *sweepTarget) reach(ev *Event) {
	scope := t.scope
	if len(scope.highs) == 0 {
		scope.highs = append(scope.highs, high{})
	}
	h := scope.highs.of(ev.Session)
	for len(h.counts) > 0 && h.session != ev.Session && len(scope.highs) < maxHighs && t.moreHighs+len(scope.highs) <= maxMoreHighs {
		t.moreHighs += len(scope.highs)
		scope.highs = scope.highs.doubled()
		h = scope.highs.of(ev.Session)
	}
	if len(h.counts) > 0 && h.session == ev.Session && h.caller == ev.Caller {
		Raise(h.counts, t.shown)
		return
	}
	t.tell(scope, h)
	h.session, h.caller, h.counts = ev.Session, ev.Caller, append(h.counts[:0], t.shown...)
}

// doubled are the same with room for twice as many.
func (h highs) doubled() highs {
	twice := make(highs, 2*len(h))
	for i := range h {
		if len(h[i].counts) > 0 {
			*twice.of(h[i].session) = h[i]
		}
	}
	return twice
}

// tellAll tells of the highs of a scope. There is room for others then.
func (t *sweepTarget) tellAll(scope *seenScope) {
	if scope.trail == nil {
		return
	}
	for i := range scope.highs {
		h := &scope.highs[i]
		t.tell(scope, h)
		h.counts = h.counts[:0]
	}
}

func (t *sweepTarget) tell(scope *seenScope, h *high) {
	if len(h.counts) == 0 {
		return
	}
	t.reached[inScopes].saw(binary.LittleEndian.Uint64(scope.key[:]), h.counts)
	if h.session != "" {
		t.reached[inSessions].saw(maphash.String(reachedSeed, h.session), h.counts)
	}
	if h.caller != "" {
		t.reached[inCallers].saw(maphash.String(reachedSeed, h.caller), h.counts)
	}
}
