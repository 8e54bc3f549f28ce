package window

import (
	"cmp"
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Extent is how large a loop is as one rule saw it. Its episodes may be
// several: a loop of several steps has one for each, and so have calls side by
// side, all of which the same requests fire in.
type Extent struct {
	Requests int64 // counted when an episode fired first, and all that fired later
	After    Spent // by the requests after the first firing that fired too
	fired    bool
	over     []over // the last few, in the order in which they ended
}

// over is an episode of the loop that has ended. Without a window, or with a
// quiet time that is shorter, the next of the same fingerprint counts its
// requests once more.
type over struct {
	print          fingerprint.Fingerprint
	last, requests int64
}

// keptOver is as many as a counter of a scope's sequence may come back to.
const keptOver = MaxPeriod

// ExtentOf is that of a loop of which a rule saw some episodes.
func ExtentOf(episodes []*Episode) (x Extent) {
	order := slices.Clone(episodes)
	slices.SortStableFunc(order, func(a, b *Episode) int {
		return cmp.Or(cmp.Compare(a.Fired, b.Fired), cmp.Compare(b.own.first.Requests, a.own.first.Requests))
	})
	for _, e := range order {
		x.join(e)
		x.end(e)
	}
	return x
}

// join adds an episode that has not been added.
func (x *Extent) join(e *Episode) {
	part, again := e.own, int64(0)
	for _, o := range x.over {
		if o.print == e.Fingerprint && o.last >= e.First {
			again = max(again, o.requests)
		}
	}
	part.before -= min(part.before, again)
	x.add(part)
}

// end says that an episode is over.
func (x *Extent) end(e *Episode) {
	if len(x.over) == keptOver {
		x.over = slices.Delete(x.over, 0, 1)
	}
	x.over = append(x.over, over{e.Fingerprint, e.Last, e.Requests})
}

// Raise raises what is told of a loop, by the rule that saw most of it, to what
// this one saw: requests, those after the first firing, their tokens, -1 unknown,
// and their cost in USD, NaN unknown.
func (x *Extent) Raise(requests, after, tokens *int64, cost *float64) {
	*requests, *after = max(*requests, x.Requests), max(*after, x.After.Requests)
	if x.After.TokensKnown {
		*tokens = max(*tokens, x.After.Tokens)
	}
	if usd := x.After.Cost.Dollars(); x.After.CostKnown && !(*cost >= usd) {
		*cost = usd
	}
}

// add adds what an episode has of the loop, or what came to that. The one that
// fired first comes first.
func (x *Extent) add(s contribution) {
	x.Requests += s.before + s.fired
	if s.first.Requests+s.later.Requests == 0 {
		return
	}
	x.After.add(s.later)
	if x.fired {
		x.After.add(s.first)
	}
	x.fired = true
}

// contribution is what an episode has of its loop: requests that fired in another
// episode of the rule before are not in it, so that contributions add up.
type contribution struct {
	before int64 // requests that had been counted when it fired first
	fired  int64 // firings
	first  Spent // by the request that fired first
	later  Spent // by those that fired after
}

// contributionOf is what a firing adds: the first of an episode all that it counted,
// one that its request repeats nothing but a count.
func contributionOf(used Spent, counted int64, opened, again bool) contribution {
	switch {
	case opened:
		return contribution{before: counted - 1, fired: 1, first: used}
	case again:
		return contribution{fired: 1}
	}
	return contribution{fired: 1, later: used}
}

// whole is that of an episode that shares no request with another, as far as it
// is known.
func (ep *Episode) whole() contribution {
	fired := 1 + ep.After.Requests
	return contribution{before: ep.Requests - fired, fired: fired, first: Spent{Requests: 1}, later: ep.After}
}

func (s *contribution) add(o contribution) {
	s.before += o.before
	s.fired += o.fired
	s.first.add(o.first)
	s.later.add(o.later)
}

// Spent is what requests have cost, as far as the log says.
type Spent struct {
	Requests    int64
	Tokens      int64 // prompt and completion
	TokensKnown bool  // some of them carried tokens
	Cost        USD
	CostKnown   bool
}

// spentOf is what a request has cost.
func spentOf(ev *Event) Spent {
	tokens, known := ev.Tokens()
	return Spent{1, tokens, known, USD(0).Plus(ev.Cost), !math.IsNaN(ev.Cost)}
}

// Count adds what a request has cost.
func (s *Spent) Count(ev *Event) { s.add(spentOf(ev)) }

func (s *Spent) add(o Spent) {
	s.Requests += o.Requests
	s.Tokens += o.Tokens
	s.Cost = s.Cost.add(o.Cost)
	s.TokensKnown, s.CostKnown = s.TokensKnown || o.TokensKnown, s.CostKnown || o.CostKnown
}

func (x *Extent) code(c *snapshot.Codec) {
	c.Varint(&x.Requests)
	x.After.code(c)
	c.Bool(&x.fired)
}

func (x *Extent) codeOver(c *coder) {
	snapshot.List(c.Codec, &x.over, 3, func(o *over) {
		c.fingerprint(&o.print)
		c.Varint(&o.last)
		c.Varint(&o.requests)
	})
}

// code codes it as a version does: up to 8 there were no firings of what repeats in
// one request, which then stands before.
func (s *contribution) code(c *snapshot.Codec, version uint64) {
	counted := s.before + s.fired
	c.Varint(&counted)
	s.first.code(c)
	s.later.code(c)
	if version > 8 {
		c.Varint(&s.fired)
	} else {
		s.fired = s.first.Requests + s.later.Requests
	}
	s.before = counted - s.fired
}

func (s *Spent) code(c *snapshot.Codec) {
	c.Varint(&s.Requests)
	c.Varint(&s.Tokens)
	snapshot.Number(c, &s.Cost)
	c.Bool(&s.TokensKnown)
	c.Bool(&s.CostKnown)
}
