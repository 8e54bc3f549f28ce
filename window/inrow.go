package window

import "encoding/binary"

// Round is how the same comes round: so often in a row, if the period is one,
// or so often in rounds of as many as the period.
type Round struct{ N, Period int }

// inRow counts how often the same comes in a row, or comes round: streaks are
// cycles of one step. A rule that counts all sessions together sees those of
// others between, which say nothing of the one that repeats itself: where the
// log has a session, it counts within that.
type inRow struct {
	cycle    *cycle
	sessions bool
	own      Hit // the one at work
}

func newInRow(rule *Rule, spec CounterSpec, keys int) inRow {
	return inRow{cycle: newCycle(spec, keys).(*cycle), sessions: !rule.bySession()}
}

// count counts a hit by an event.
func (x *inRow) count(ev *Event, h *Hit) Round {
	if !x.sessions || ev.Session == "" {
		return x.cycle.round(h)
	}
	x.own = *h
	first := x.own.Scope[:8]
	binary.LittleEndian.PutUint64(first, binary.LittleEndian.Uint64(first)^textHash(ev.Session))
	return x.cycle.round(&x.own)
}
