package replay

import (
	"encoding/binary"
	"math/bits"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// twice counts requests that are the one before again, as far as the rules look at
// them, at the very time of it: the log, or a part of it, was written twice, and has
// no ids by which that would count once.
type twice struct {
	requests, again int64
	fine            int64 // whose time is finer than whole seconds, in which sharing it means nothing

	// Of the request before.
	time int64
	mark uint64
}

func (t *twice) note(ev *window.Event) {
	t.requests++
	mark := markOf(ev)
	if !window.WholeSecond(ev.Time) {
		t.fine++
		if mark != 0 && mark == t.mark && ev.Time == t.time {
			t.again++
		}
	}
	t.time, t.mark = ev.Time, mark
}

// markOf is the same for requests that are the same to all rules, and all but surely
// another for others; 0 where no rule could look.
func markOf(ev *window.Event) (mark uint64) {
	for i := range ev.Prints {
		for k := range ev.Prints[i].Fingerprints {
			mark = bits.RotateLeft64(mark, 7) ^ uint64(binary.LittleEndian.Uint32(ev.Prints[i].Fingerprints[k].Bytes()))
		}
	}
	if mark == 0 {
		return 0
	}
	for i := range ev.Scopes {
		mark = bits.RotateLeft64(mark, 7) ^ binary.LittleEndian.Uint64(ev.Scopes[i].Key[:])
	}
	return mark
}

// String says what there is to do where most requests were written twice; empty
// where they were not. Of several logs one may be of whole seconds; where that is nearly
// all there is, the others are not worth a word.
func (t *twice) String() string {
	if t.fine < fewRequests || 3*t.again < t.fine || 20*t.again < t.requests {
		return ""
	}
	return term.Percent(t.again, t.requests) + " of the requests are the one before again, at the very time of it: the log seems to be written twice, and counts are too high: give one copy, or have it name the ids of requests: what shares an id counts once"
}
