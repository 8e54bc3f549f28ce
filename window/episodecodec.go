package window

import (
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/window/snapshot"
)

// WriteEpisode writes an episode of one of the plan's rules, for readers with
// the same plan.
func (p *Plan) WriteEpisode(w *snapshot.Writer, ep *Episode) {
	s := &saver{Writer: w}
	s.Uvarint(uint64(slices.Index(p.Rules, ep.Rule)))
	s.Varint(ep.Last)
	s.episode(ep)
	s.String(string(ep.Kind))
	s.String(ep.Evidence)
}

// ReadEpisode reads what WriteEpisode wrote. What is wrong with it r.Err says.
func (p *Plan) ReadEpisode(r *snapshot.Reader) *Episode {
	l := &loader{Reader: r}
	rule, last := l.Int(len(p.Rules)-1), l.Varint()
	ep := l.episode()
	ep.Rule, ep.Last = p.Rules[rule], last
	if l.Left() > 0 { // older versions wrote no kind
		ep.Kind, ep.Evidence = Kind(l.String()), l.String()
	}
	return &ep
}

// episode writes all of an episode but its rule and the time of its last
// firing.
func (s *saver) episode(ep *Episode) {
	s.fingerprint(&ep.Fingerprint)
	s.String(ep.ID)
	s.Uvarint(uint64(len(ep.Scope)))
	for _, v := range ep.Scope {
		s.String(v)
	}
	s.Varint(ep.First)
	s.Varint(ep.Fired)
	s.Uvarint(uint64(ep.Requests))
	s.Uvarint(uint64(ep.After.Requests))
	s.Varint(int64(ep.MaxCount))
	s.Bool(ep.After.TokensKnown)
	s.Varint(ep.After.Tokens)
	s.Bool(ep.After.CostKnown)
	s.Varint(int64(ep.After.Cost))
	s.Uvarint(uint64(len(ep.Statuses)))
	for _, n := range ep.Statuses {
		s.Varint(int64(n.Status))
		s.Uvarint(uint64(n.N))
	}
	for _, text := range ep.texts() {
		s.String(*text)
	}
	s.Uvarint(uint64(ep.Limit))
	s.position(ep.last)
}

func (l *loader) episode() (ep Episode) {
	ep.Fingerprint = l.fingerprint()
	ep.ID = l.String()
	ep.Scope = make([]string, l.Count(1))
	for i := range ep.Scope {
		ep.Scope[i] = l.String()
	}
	ep.First = l.Varint()
	ep.Fired = l.Varint()
	ep.Requests = l.int64()
	ep.After.Requests = l.int64()
	ep.MaxCount = int(l.Varint())
	ep.After.TokensKnown = l.Bool()
	ep.After.Tokens = l.Varint()
	ep.After.CostKnown = l.Bool()
	ep.After.Cost = USD(l.Varint())
	ep.Statuses = make([]StatusCount, l.Count(2))
	for i := range ep.Statuses {
		ep.Statuses[i] = StatusCount{int(l.Varint()), l.int64()}
		if i > 0 && ep.Statuses[i].Status <= ep.Statuses[i-1].Status {
			l.Failf("the statuses of an episode are not in order")
		}
	}
	for _, text := range ep.texts() {
		*text = l.String()
	}
	ep.Limit = l.Int(math.MaxInt32)
	ep.last = l.position()
	return ep
}
