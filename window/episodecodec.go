package window

import (
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/window/snapshot"
)

// WriteEpisode writes an episode of one of the plan's rules, for readers with
// the same plan.
func (p *Plan) WriteEpisode(w *snapshot.Writer, ep *Episode) {
	w.Uvarint(uint64(slices.Index(p.Rules, ep.Rule)))
	w.Varint(ep.Last)
	ep.code(&coder{Codec: w.Codec()})
	w.String(string(ep.Kind))
	w.String(ep.Evidence)
}

// ReadEpisode reads what WriteEpisode wrote. What is wrong with it r.Err says.
func (p *Plan) ReadEpisode(r *snapshot.Reader) *Episode {
	ep := &Episode{Rule: p.Rules[r.Int(len(p.Rules)-1)], Last: r.Varint()}
	ep.code(&coder{Codec: r.Codec()})
	if r.Left() > 0 { // older versions wrote no kind
		ep.Kind, ep.Evidence = Kind(r.String()), r.String()
	}
	return ep
}

// code codes all of an episode but its rule and the time of its last firing.
func (ep *Episode) code(c *coder) {
	c.fingerprint(&ep.Fingerprint)
	snapshot.Text(c.Codec, &ep.ID)
	snapshot.Texts(c.Codec, &ep.Scope)
	c.Varint(&ep.First)
	c.Varint(&ep.Fired)
	c.count(&ep.Requests)
	c.count(&ep.After.Requests)
	snapshot.Number(c.Codec, &ep.MaxCount)
	c.Bool(&ep.After.TokensKnown)
	c.Varint(&ep.After.Tokens)
	c.Bool(&ep.After.CostKnown)
	snapshot.Number(c.Codec, &ep.After.Cost)
	before := math.MinInt
	snapshot.List(c.Codec, &ep.Statuses, 2, func(n *StatusCount) {
		snapshot.Number(c.Codec, &n.Status)
		c.count(&n.N)
		c.Check(n.Status > before, "the statuses of an episode are not in order")
		before = n.Status
	})
	for _, text := range ep.texts() {
		snapshot.Text(c.Codec, text)
	}
	snapshot.Size(c.Codec, &ep.Limit, math.MaxInt32)
	c.position(&ep.last)
}
