package window

import (
	"slices"

	"github.com/loopgauge/loopgauge/window/snapshot"
)

// WriteVerdict writes a verdict of the plan's engine, without its event and
// threshold.
func (p *Plan) WriteVerdict(w *snapshot.Writer, v *Verdict) {
	w.Uvarint(uint64(slices.Index(p.Rules, v.Rule)))
	v.code(&coder{Codec: w.Codec()})
}

// ReadVerdict reads what WriteVerdict wrote of a verdict on ev. What is wrong
// with it r.Err says.
func (p *Plan) ReadVerdict(r *snapshot.Reader, ev *Event) *Verdict {
	rule := r.Int(len(p.Rules) - 1)
	v := &Verdict{Event: ev, Rule: p.Rules[rule], Scope: &ev.Scopes[p.ScopeOf(rule)]}
	v.code(&coder{Codec: r.Codec()})
	return v
}

func (v *Verdict) code(c *coder) {
	c.fingerprint(&v.Fingerprint)
	snapshot.Number(c.Codec, &v.Count)
	c.Bool(&v.Fired)
	snapshot.Text(c.Codec, &v.Action)
	snapshot.Text(c.Codec, &v.Reason)
	c.Varint(&v.RetryAfter)
	c.Varint(&v.DelayMS)
	snapshot.Text(c.Codec, &v.Episode)
}
