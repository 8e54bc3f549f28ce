package replay

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// conversations tell whether they have more than one request, and whether the
// log holds all of it. Looked at are all requests of some of them: of those
// whose key ends in zeros, in more zeros the more there are.
type conversations struct {
	scope       int // of the plan's
	mask        uint64
	talks       map[uint64]*talk
	first, last int64 // event times of those
	formats     []int // by stream: which of the log's formats it has, from 0; nil where that is not known

	issued, answered, missing calls
}

// talk is a conversation that is counted.
type talk struct {
	requests int64
	fellBack bool   // told by how it begins
	linked   bool   // a response of it is there with the result of its call, in a request
	link     uint64 // whose response makes this call
	untold   bool   // of some request the log does not say what the response called
	formats  uint64 // by bits: those that tell of it

	begins, size uint32 // of the latest request's link
	grown        int64  // requests whose one message is that of the request before, and longer
}

// mostConversations is how many conversations are counted.
const mostConversations = 1 << 12

// Nearly every request is a conversation of its own where nineteen in twenty
// are, of so many at least.
const fewRequests = 100

// What there is to do then, by whether sessions are named.
const (
	scattered = "nearly every request is a conversation of its own, in which nothing can repeat: if agents go on longer, "
	bySession = scattered + "say in a policy where their session stands, or session: [none] (docs/policy.md)"
	byBegin   = scattered + "something new stands in each system prompt or first user message, by which conversations without a session are told apart: have clients name a session, or say in a policy where one stands (docs/policy.md)"
)

func newConversations(p *window.Plan) *conversations {
	_, own := p.Own()
	for _, field := range []string{"conversation", "session"} {
		if i := slices.IndexFunc(p.Scopes[:own], func(s *fingerprint.Scope) bool { return slices.Contains(s.Fields, field) }); i >= 0 {
			return &conversations{scope: i, talks: map[uint64]*talk{}, first: fingerprint.NoTime}
		}
	}
	return nil
}

func (c *conversations) note(ev *window.Event, links *Links) {
	scope := &ev.Scopes[c.scope]
	key := binary.BigEndian.Uint64(scope.Key[8:])
	if key&c.mask != 0 || scope.Cause != fingerprint.Computable {
		return
	}
	if c.first == fingerprint.NoTime {
		c.first = ev.Time
	}
	c.last = ev.Time
	t := c.talks[key]
	if t == nil {
		t = &talk{fellBack: scope.FellBack}
		c.talks[key] = t
	}
	links.note(ev.Link, key, t, c)
	t.requests++
	if c.formats != nil {
		t.formats |= 1 << (c.formats[ev.Position.Stream] & 63)
	}
	begins, size := ev.Link.Begins, ev.Link.Size
	if begins != 0 && begins == t.begins && size > t.size {
		t.grown++
	}
	t.begins, t.size = begins, size
	for len(c.talks) > mostConversations {
		c.mask = c.mask<<1 | 1
		for key := range c.talks {
			if key&c.mask != 0 {
				delete(c.talks, key)
			}
		}
	}
}

// Scattered says what there is to do where nearly every request is a
// conversation of its own, over so long at least; "" where it is not so.
func (p *Pipeline) Scattered(over time.Duration) string {
	c := p.conversations
	if c == nil || c.last-c.first < over.Microseconds() {
		return ""
	}
	var all, alone, fellBack int64
	for _, t := range c.talks {
		all += t.requests
		if t.requests == 1 {
			alone++
			if t.fellBack {
				fellBack++
			}
		}
	}
	switch {
	case all < fewRequests || 20*alone < 19*all:
		return ""
	case 2*fellBack > alone:
		return byBegin
	}
	return bySession
}

// leastGrown is how often a message grew at least that tells what was said before:
// as often as the longest of any prompts seldom do.
const leastGrown = 5

// retells says that the messages of nearly all requests are one that grows.
func (t *talk) retells() bool { return t.grown >= leastGrown && 5*t.grown >= 4*(t.requests-1) }

// Retold says that one in twenty requests or more, and one in five conversations
// that are as long, are of agents that seem to tell the model all that was said
// before in one user message, over so long at least; "" where it is not so.
func (p *Pipeline) Retold(over time.Duration) string {
	c := p.conversations
	if c == nil || c.last-c.first < over.Microseconds() {
		return ""
	}
	var all, retold int64     // requests
	var retelling, like int64 // conversations, and those that are as long
	for _, t := range c.talks {
		all += t.requests
		if t.requests > leastGrown && t.begins != 0 {
			like++
		}
		if t.retells() {
			retold += t.requests
			retelling++
		}
	}
	if retold == 0 || 20*retold < all || 5*retelling < like { // fewer grow by chance
		return ""
	}
	return term.Percent(retold, all) + " of requests carry one user message that grows and nothing that the model said: if it holds all that was done before, no rule on messages sees such an agent repeat itself; tool-call does where responses with calls of tools are logged (docs/policy.md)"
}

// tellFormats tells the formats of streams apart, if they have several.
func (c *conversations) tellFormats(streams []StreamResult) {
	number := map[string]int{}
	for i := range streams {
		n, ok := number[streams[i].Format]
		if !ok {
			n = len(number)
			number[streams[i].Format] = n
		}
		c.formats = append(c.formats, n)
	}
	if len(number) < 2 {
		c.formats = nil
	}
}

// Chained says that one in twenty requests or more is of a conversation that logs
// of several formats tell of, as gateways behind each other do; "" where it is not so.
func (p *Pipeline) Chained() string {
	c := p.conversations
	if c == nil || c.formats == nil {
		return ""
	}
	var all, twice int64
	for _, t := range c.talks {
		if all += t.requests; bits.OnesCount64(t.formats) > 1 {
			twice += t.requests
		}
	}
	if twice == 0 || 20*twice < all {
		return ""
	}
	return term.Percent(twice, all) + " of requests are of conversations that logs of several formats tell of: what passed two gateways counts twice, so give the log of one"
}
