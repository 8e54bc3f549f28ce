package live

import (
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Memory is what a checkpoint holds of judging, whoever reads the log.
type Memory struct {
	Plan      *window.Plan
	Extract   window.ExtractOptions
	Pipeline  *replay.Pipeline
	Incidents *window.Incidents
	Router    *sinks.Router
}

// Code writes it, or reads it where nothing has been judged; excluded, if not nil,
// codes what there is to say of exclusions.
func (m *Memory) Code(c *snapshot.Codec, excluded func()) (restored *window.Restored) {
	p := m.Pipeline
	c.Section("totals", func() {
		for _, n := range p.Account.Fields() {
			c.Varint(n)
		}
		c.Varint(&p.First)
		c.Varint(&p.Last)
		if excluded != nil {
			excluded()
		}
	})
	c.Section("judging", func() {
		state := &window.State{Plan: m.Plan, Extract: m.Extract, Order: p.Order, Duplicates: p.Seen, Engine: p.Engine}
		if !c.Reads() {
			state.Save(c.To)
			return
		}
		var err error
		restored, err = state.Load(c.From)
		c.From.Fail(err)
	})
	c.Section("incidents", func() { m.Incidents.Code(c) })
	c.Section("outbox", func() {
		if c.Reads() {
			c.From.Fail(m.Router.Load(c.From.Blob()))
		} else {
			c.To.Blob(m.Router.Save())
		}
	})
	return restored
}
