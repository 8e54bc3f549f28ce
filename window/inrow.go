package window

import (
	"encoding/binary"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Round is how the same comes round: so often in a row, if the period is one,
// or so often in rounds of as many as the period.
type Round struct{ N, Period int }

// inRow counts how often the same comes in a row, or comes round: streaks are
// cycles of one step, of each of those that the rule counts together.
type inRow struct {
	cycle  *cycle
	within within
}

func newInRow(x within, spec CounterSpec, keys int) *inRow {
	return &inRow{cycle: newCycle(spec, keys).(*cycle), within: x}
}

// count counts a hit by an event.
func (x *inRow) count(ev *Event, scope fingerprint.ScopeKey, print printKey) Round {
	return x.cycle.round(x.own(ev, scope), print, ev.Time)
}

// own is the key of who is counted within a scope. It is the same in every process,
// as a checkpoint holds it.
func (x *inRow) own(ev *Event, scope fingerprint.ScopeKey) fingerprint.ScopeKey {
	if of := x.within.of(ev); of != "" {
		first := scope[:8]
		binary.LittleEndian.PutUint64(first, binary.LittleEndian.Uint64(first)^textHash(of))
	}
	return scope
}
