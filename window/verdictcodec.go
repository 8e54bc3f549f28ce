package window

import (
	"slices"

	"github.com/loopgauge/loopgauge/window/snapshot"
)

// WriteVerdict writes a verdict of the plan's engine, without its event and
// threshold.
func (p *Plan) WriteVerdict(w *snapshot.Writer, v *Verdict) {
	s := &saver{Writer: w}
	s.Uvarint(uint64(slices.Index(p.Rules, v.Rule)))
	s.fingerprint(&v.Fingerprint)
	s.Varint(int64(v.Count))
	s.Bool(v.Fired)
	s.String(string(v.Action))
	s.String(string(v.Reason))
	s.Varint(v.RetryAfter)
	s.Varint(v.DelayMS)
	s.String(v.Episode)
}

// ReadVerdict reads what WriteVerdict wrote of a verdict on ev. What is wrong
// with it r.Err says.
func (p *Plan) ReadVerdict(r *snapshot.Reader, ev *Event) *Verdict {
	l := &loader{Reader: r}
	rule := l.Int(len(p.Rules) - 1)
	return &Verdict{
		Event: ev, Rule: p.Rules[rule], Scope: &ev.Scopes[p.ScopeOf(rule)], Fingerprint: l.fingerprint(),
		Count: int(l.Varint()), Fired: l.Bool(), Action: Action(l.String()), Reason: Reason(l.String()),
		RetryAfter: l.Varint(), DelayMS: l.Varint(), Episode: l.String(),
	}
}
