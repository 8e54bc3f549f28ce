package window

import (
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// asked are the calls that a rule looks at and whose results are still to come:
// a response that issues a call is logged before what comes of it, which the
// next request in the conversation carries.
type asked struct {
	scopes *table[fingerprint.ScopeKey, askedScope]
	told   []*Facts // of the calls that the request at work tells of
}

// askedScope is what a conversation waits for. What more there is side by side is
// not waited for.
type askedScope struct {
	calls [fewPrints]askedCall
}

type askedCall struct {
	key   pairKey
	facts *Facts // of the key; nil is no call
	issuedCall
}

// waits tells whether there is a call, of a stretch that goes on.
func (c *askedCall) waits() bool { return c.facts != nil && !c.facts.over }

// issuedCall is a call among those that a response issues.
type issuedCall struct {
	tool  string
	place int // from 0
	of    int // how many calls there are, if others of the tool are among them; 0 if not
}

// askedTime is how long a result is waited for, microseconds.
const askedTime = 60 * minute

func newAsked(keys int) *asked {
	return &asked{scopes: newTable[fingerprint.ScopeKey, askedScope](askedTime, keys, nil)}
}

// issuedAs is the call of a fingerprint of an event, which is there.
func issuedAs(p *Prints, print *fingerprint.Fingerprint, last int) issuedCall {
	c := issuedCall{tool: p.Name(last), place: last}
	others := len(p.Fingerprints) > fewOrdinals
	for k := 0; k < len(p.Fingerprints) && !others; k++ {
		others = p.Fingerprints[k] != *print && p.Name(k) == c.tool
	}
	if others {
		c.of = len(p.Fingerprints)
	}
	return c
}

// came appends what came of the call, as the last turn has it: by the name of the
// tool the last, for clients may send all calls so far as one turn; all if the tool
// has no name. Calls of one tool side by side are told apart by their places; where
// these are not the same, nothing tells.
func (c *issuedCall) came(dst []uint64, p *Prints) []uint64 {
	list := p.Fingerprints
	if c.of > 0 {
		if len(list) == c.of && p.Name(c.place) == c.tool {
			dst = append(dst, printHash(&list[c.place]))
		}
		return dst
	}
	if c.tool == "" {
		for k := range list[:min(len(list), fewPrints)] {
			dst = append(dst, printHash(&list[k]))
		}
		return dst
	}
	for k := len(list) - 1; k >= max(0, len(list)-mostVariety); k-- {
		if p.Name(k) == c.tool {
			return append(dst, printHash(&list[k]))
		}
	}
	return dst
}

// hear gives the calls of a conversation what a request shows of them. One that
// has results of other tools alone is of another thread in the conversation, and
// the calls go on waiting. Where it does not show what came of which call, or
// the agent goes on without results, theirs will not come any more.
func (x *asked) hear(conversation fingerprint.ScopeKey, p *Prints) {
	s := x.scopes.find(conversation)
	if s == nil {
		return
	}
	waiting := false
	for i := range s.calls {
		c := &s.calls[i]
		if !c.waits() {
			continue
		}
		var room [fewPrints]uint64
		if shown := c.came(room[:0], p); len(shown) > 0 {
			c.facts.came(shown, c.of == 0 && p.calls(c.tool) > 1)
			x.told = append(x.told, c.facts)
		} else if len(p.Fingerprints) > 0 && !slices.Contains(p.Tools, c.tool) {
			waiting = true
			continue
		}
		*c = askedCall{}
	}
	if !waiting {
		x.scopes.remove(conversation)
	}
}

// wait has the result of a call awaited, in place of an older of the same key.
func (x *asked) wait(conversation fingerprint.ScopeKey, now int64, call askedCall) {
	s := x.scopes.touch(conversation, now)
	to := -1
	for i := range s.calls {
		c := &s.calls[i]
		if c.waits() && c.key == call.key {
			to = i
			break
		}
		if !c.waits() && to < 0 {
			to = i
		}
	}
	if to < 0 { // for the one that waits longest
		copy(s.calls[:], s.calls[1:])
		to = len(s.calls) - 1
	}
	s.calls[to] = call
}

// code codes the calls that wait; facts are those of a key.
func (x *asked) code(c *coder, facts func(pairKey) *Facts) {
	x.scopes.code(c, 16+fewPrints, c.scope, func(state *askedScope, _ int64) {
		for i := range state.calls {
			call := &state.calls[i]
			waits := call.waits()
			if c.Bool(&waits); !waits {
				continue
			}
			c.pair(&call.key)
			snapshot.Text(c.Codec, &call.tool)
			snapshot.Size(c.Codec, &call.place, math.MaxInt32)
			snapshot.Size(c.Codec, &call.of, math.MaxInt32)
			c.Check(call.of == 0 || call.place < call.of, "a call stands behind the last of its response")
			if c.Reads() {
				call.facts = facts(call.key)
			}
		}
	})
}
