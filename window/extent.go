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
func contributionOf(used Spent, counted int64, opened, again bool) contribution {
	switch {
	case opened:
		return contribution{counted: counted, first: used}
	case again:
		return contribution{counted: 1}
	}
	return contribution{counted: 1, later: used}
}

// whole is that of an episode that shares no request with another, as far as it
// is known.
func (ep *Episode) whole() contribution {
	return contribution{counted: ep.Requests, first: Spent{Requests: 1}, later: ep.After}
}

func (s *contribution) add(o contribution) {
	s.counted += o.counted
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

func spentOf(ev *Event) Spent {
	u := usageOf(ev)
	return Spent{1, u.tokens, ev.TokensIn >= 0 || ev.TokensOut >= 0, u.cost, !math.IsNaN(ev.Cost)}
}

func (s *Spent) add(o Spent) {
	s.Requests += o.Requests
	s.Tokens += o.Tokens
	s.Cost = s.Cost.add(o.Cost)
	s.TokensKnown, s.CostKnown = s.TokensKnown || o.TokensKnown, s.CostKnown || o.CostKnown
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
	w.Varint(s.Tokens)
	w.Varint(int64(s.Cost))
	w.Bool(s.TokensKnown)
	w.Bool(s.CostKnown)
}

func (s *Spent) load(r *snapshot.Reader) {
	s.Requests, s.Tokens, s.Cost = r.Varint(), r.Varint(), USD(r.Varint())
	s.TokensKnown, s.CostKnown = r.Bool(), r.Bool()
}
