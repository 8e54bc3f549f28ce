package window

import "encoding/binary"

// Round is how the same comes round: so often in a row, if the period is one,
// or so often in rounds of as many as the period.
type Round struct{ N, Period int }

// inRow counts how often the same comes in a row, or comes round: streaks are
// cycles of one step, of each of those that the rule counts together.
type inRow struct {
	cycle  *cycle
	within within
	own    Hit // the one at work
}

func newInRow(x within, spec CounterSpec, keys int) *inRow {
	return &inRow{cycle: newCycle(spec, keys).(*cycle), within: x}
}

// count counts a hit by an event. Its key is the same in every process, as a
// checkpoint holds it.
func (x *inRow) count(ev *Event, h *Hit) Round {
	of := x.within.of(ev)
	if of == "" {
		return x.cycle.round(h)
	}
	x.own = *h
	first := x.own.Scope[:8]
	binary.LittleEndian.PutUint64(first, binary.LittleEndian.Uint64(first)^textHash(of))
	return x.cycle.round(&x.own)
}
