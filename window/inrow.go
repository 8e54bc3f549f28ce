package window

import "encoding/binary"

// inRow counts how often the same comes in a row, or comes round: streaks are
// cycles of one step. A rule that counts all sessions together sees those of
// others between, which say nothing of the one that repeats itself: where the
// log has a session, it counts within that.
type inRow struct {
	cycle    Counter
	sessions bool
	own      Hit // the one at work
}

func newInRow(rule *Rule, spec CounterSpec, keys int) inRow {
	return inRow{cycle: newCycle(spec, keys), sessions: !rule.bySession()}
}

// count counts a hit by an event.
func (x *inRow) count(ev *Event, h *Hit) int {
	if !x.sessions || ev.Session == "" {
		return x.cycle.Count(h).N
	}
	x.own = *h
	first := x.own.Scope[:8]
	binary.LittleEndian.PutUint64(first, binary.LittleEndian.Uint64(first)^textHash(ev.Session))
	return x.cycle.Count(&x.own).N
}
