package window

import (
	"cmp"
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Extent is how large a loop is as one rule saw it. Its episodes may be
// several: a loop of several steps has one for each, and so have calls side by
// side, all of which the same requests fire in.
type Extent struct {
	Requests int64 // counted when an episode fired first, and all that fired later
	After    Spent // by the requests after the first firing that fired too
	fired    bool
}

// ExtentOf is that of a loop of which a rule saw some episodes.
func ExtentOf(episodes []*Episode) (x Extent) {
	order := slices.Clone(episodes)
	slices.SortStableFunc(order, func(a, b *Episode) int {
		return cmp.Or(cmp.Compare(a.Fired, b.Fired), cmp.Compare(b.own.first.Requests, a.own.first.Requests))
	})
	for _, e := range order {
		x.add(e.own)
	}
	return x
}

// add adds what an episode has of the loop. The one that fired first comes
// first.
func (x *Extent) add(s contribution) {
	x.Requests += s.counted
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
	counted int64 // requests: when it fired first, and all that fired later
	first   Spent // by the request that fired first
	later   Spent // by those that fired after
}

// contributionOf is what a firing adds: the first of an episode all that it counted,
// one that its request repeats nothing but a count.
func contributionOf(ev *Event, counted int64, opened, again bool) contribution {
	switch {
	case opened:
		return contribution{counted: counted, first: spentOf(ev)}
	case again:
		return contribution{counted: 1}
	}
	return contribution{counted: 1, later: spentOf(ev)}
}

// whole is that of an episode that shares no request with another, as far as it
// is known.
func (ep *Episode) whole() contribution {
	later := Spent{ep.After, ep.TokensAfter, ep.CostAfter, ep.TokensKnown, ep.CostKnown}
	return contribution{counted: ep.Requests, first: spent(1, -1, math.NaN()), later: later}
}

func (s *contribution) add(o contribution) {
	s.counted += o.counted
	s.first.add(o.first)
	s.later.add(o.later)
}

// Spent is what requests have cost, as far as the log says.
type Spent struct {
	Requests               int64
	tokens                 int64
	cost                   USD
	tokensKnown, costKnown bool
}

// spent is of so many requests the tokens, -1 if they are not known, and the cost
// in USD, NaN if it is not known.
func spent(requests, tokens int64, cost float64) Spent {
	return Spent{requests, max(tokens, 0), USD(0).Plus(cost), tokens >= 0, !math.IsNaN(cost)}
}

func spentOf(ev *Event) Spent {
	s := spent(1, -1, ev.Cost)
	s.tokens, s.tokensKnown = max(ev.TokensIn, 0)+max(ev.TokensOut, 0), ev.TokensIn >= 0 || ev.TokensOut >= 0
	return s
}

func (s *Spent) add(o Spent) {
	s.Requests += o.Requests
	s.tokens += o.tokens
	s.cost = s.cost.Plus(o.cost.Dollars()) // which stops at the most there can be
	s.tokensKnown, s.costKnown = s.tokensKnown || o.tokensKnown, s.costKnown || o.costKnown
}

// Tokens are prompt and completion tokens; -1 if none are known.
func (s *Spent) Tokens() int64 {
	if !s.tokensKnown {
		return -1
	}
	return s.tokens
}

// Cost is in USD; NaN if it is not known.
func (s *Spent) Cost() float64 {
	if !s.costKnown {
		return math.NaN()
	}
	return s.cost.Dollars()
}

func (x *Extent) save(w *snapshot.Writer) {
	w.Varint(x.Requests)
	x.After.save(w)
	w.Bool(x.fired)
}

func (x *Extent) load(r *snapshot.Reader) {
	x.Requests = r.Varint()
	x.After.load(r)
	x.fired = r.Bool()
}

func (s *contribution) save(w *snapshot.Writer) {
	w.Varint(s.counted)
	s.first.save(w)
	s.later.save(w)
}

func (s *contribution) load(r *snapshot.Reader) {
	s.counted = r.Varint()
	s.first.load(r)
	s.later.load(r)
}

func (s *Spent) save(w *snapshot.Writer) {
	w.Varint(s.Requests)
	w.Varint(s.tokens)
	w.Varint(int64(s.cost))
	w.Bool(s.tokensKnown)
	w.Bool(s.costKnown)
}

func (s *Spent) load(r *snapshot.Reader) {
	s.Requests, s.tokens, s.cost = r.Varint(), r.Varint(), USD(r.Varint())
	s.tokensKnown, s.costKnown = r.Bool(), r.Bool()
}
