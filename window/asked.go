package window

import "github.com/loopgauge/loopgauge/fingerprint"

// asked are the calls that a rule looks at and whose results are still to come:
// a response that issues a call is logged before what comes of it, which the
// next request in the conversation carries.
type asked struct {
	scopes *table[fingerprint.ScopeKey, askedScope]
}

// askedScope is what a conversation waits for. What more there is side by side is
// not waited for.
type askedScope struct {
	at    fingerprint.Position // of the request that was looked at last
	calls [fewPrints]askedCall
}

type askedCall struct {
	key   pairKey
	tool  string
	facts *Facts // of the key; nil is no call
}

// askedTime is how long a result is waited for, microseconds.
const askedTime = 60 * minute

func newAsked() *asked {
	return &asked{newTable[fingerprint.ScopeKey, askedScope](askedTime, 0, nil)}
}

// hear gives the calls of a conversation what a request shows of them, and tells
// whether one of f's was among them.
func (x *asked) hear(conversation fingerprint.ScopeKey, ev *Event, results int, f *Facts) (own bool) {
	s := x.scopes.find(conversation)
	if s == nil || s.at == ev.Position {
		return false
	}
	s.at = ev.Position
	for i := range s.calls {
		c := &s.calls[i]
		if c.facts == nil {
			continue
		}
		var room [fewPrints]uint64
		shown := came(room[:0], &ev.Prints[results], c.tool)
		if len(shown) == 0 {
			continue
		}
		c.facts.came(shown)
		own = own || c.facts == f
		*c = askedCall{}
	}
	return own
}

// wait has the result of a call awaited, in place of an older of the same key.
func (x *asked) wait(conversation fingerprint.ScopeKey, ev *Event, call askedCall) {
	s := x.scopes.touch(conversation, ev.Time)
	s.at = ev.Position
	to := -1
	for i := range s.calls {
		if s.calls[i].facts != nil && s.calls[i].key == call.key {
			to = i
			break
		}
		if s.calls[i].facts == nil && to < 0 {
			to = i
		}
	}
	if to < 0 { // for the one that waits longest
		copy(s.calls[:], s.calls[1:])
		to = len(s.calls) - 1
	}
	s.calls[to] = call
}

// save writes the calls whose keys are still there.
func (x *asked) save(s *saver, facts func(pairKey) *Facts) {
	x.scopes.save(s, func(e *tableEntry[fingerprint.ScopeKey, askedScope]) {
		s.scope(&e.key)
		s.position(e.state.at)
		for i := range e.state.calls {
			c := &e.state.calls[i]
			there := c.facts != nil && facts(c.key) == c.facts
			if s.Bool(there); there {
				s.pair(&c.key)
				s.String(c.tool)
			}
		}
	})
}

func (x *asked) load(l *loader, facts func(pairKey) *Facts) {
	x.scopes.load(l, 24, l.scope, func(state *askedScope, _ int64) {
		state.at = l.position()
		for i := range state.calls {
			if l.Bool() {
				key := l.pair()
				state.calls[i] = askedCall{key, l.String(), facts(key)}
			}
		}
	})
}
