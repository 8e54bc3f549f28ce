package window

import (
	"encoding/binary"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Round is how the same comes round: so often in a row, if the period is one,
// or so often in rounds of as many as the period.
type Round struct{ N, Period int }

// rounds count how often the same comes in a row, or comes round: streaks are
// cycles of one step, of each of the senders that a rule counts together.
type rounds struct {
	cycle   *cycle
	senders senders
}

func newRounds(x senders, spec CounterSpec, keys int) *rounds {
	return &rounds{cycle: newCycle(spec, keys).(*cycle), senders: x}
}

// count counts a hit by an event.
func (x *rounds) count(ev *Event, scope fingerprint.ScopeKey, print printKey) Round {
	return x.cycle.round(x.own(ev, scope), print, ev.Time)
}

// own is the key of a sender in a scope. It is the same in every process,
// as a checkpoint holds it.
func (x *rounds) own(ev *Event, scope fingerprint.ScopeKey) fingerprint.ScopeKey {
	if of := x.senders.of(ev); of != "" {
		first := scope[:8]
		binary.LittleEndian.PutUint64(first, binary.LittleEndian.Uint64(first)^textHash(of))
	}
	return scope
}
