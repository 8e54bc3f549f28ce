package window

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// results are what came of the calls of a key, turn by turn. A turn may hold
// the results of other calls too; what it has in common with the turns before
// is what tells.
type results struct {
	turns   int64    // that showed results
	changes int64    // of those, that showed none of the turn before
	run     int64    // turns at the end that showed the same
	longest int64    // such run
	blank   int64    // requests that end with something else
	loose   int64    // that do not show what their results are of
	held    []uint64 // what all turns of the run showed, as hashes
}

// see takes in what a request shows, or why it shows nothing.
func (r *results) see(shown []uint64, cause fingerprint.Cause) {
	switch {
	case len(shown) > 0:
		r.add(shown)
	case cause == fingerprint.LossyContent, cause == fingerprint.DroppedAttributes, cause == fingerprint.HistoryElsewhere:
		r.loose++
	case cause == fingerprint.Computable, cause == fingerprint.NoToolTurn:
		r.blank++
	}
}

// hear is add of a result that may stand among others of its tool: one that came
// before may be that of another call, or of one before. A turn of all calls so far has
// equal ones once, and does not say which of them is the last.
func (r *results) hear(shown []uint64, among bool) {
	if among && slices.Contains(r.held, shown[0]) {
		r.loose++
		return
	}
	r.add(shown)
}

func (r *results) add(shown []uint64) {
	r.turns++
	r.run++
	if kept := slices.DeleteFunc(r.held, func(h uint64) bool { return !slices.Contains(shown, h) }); len(kept) > 0 {
		r.held = kept
	} else {
		if r.turns > 1 {
			r.changes++
		}
		r.run, r.held = 1, append(kept, shown...)
	}
	r.longest = max(r.longest, r.run)
}

// progress tells that the results keep changing: one that changed once may have
// come of something else.
func (r *results) progress() bool { return r.changes > 1 || r.changes > 0 && r.changes == r.turns-1 }
