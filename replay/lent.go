package replay

import (
	"cmp"
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// lent are the batches whose events somebody may look at. A batch is released
// when all that were put into the order have come out of it, and so many more
// have been shown that nobody looks back at the last of them.
type lent struct {
	hold    int64        // for how many more events one may be looked at
	waiting []*lentBatch // by the time of the last event that was put into the order
	out     []*lentBatch // of which all have come out, in that order
}

type lentBatch struct {
	slabs  *window.Slabs
	last   int64 // of its times
	before int64 // events shown when none of its own had been
	shown  int64 // when its last event had come out at the latest
}

// add lends a batch, of which last is the last time put into the order, when
// shown events have been shown.
func (l *lent) add(slabs *window.Slabs, last, shown int64) {
	at, _ := slices.BinarySearchFunc(l.waiting, last, func(b *lentBatch, last int64) int { return cmp.Compare(b.last, last) })
	l.waiting = slices.Insert(l.waiting, at, &lentBatch{slabs: slabs, last: last, before: shown})
}

// released takes back what nobody looks at when all before a time have come out
// of the order, and shown events have been shown.
func (l *lent) released(before, shown int64) {
	n := 0
	for ; n < len(l.waiting) && l.waiting[n].last < before; n++ {
		b := l.waiting[n]
		if b.before == shown { // none was shown: there may be no end of such, of times that nobody asks for
			b.slabs.Release()
			continue
		}
		b.shown = shown
		l.out = append(l.out, b)
	}
	l.waiting = slices.Delete(l.waiting, 0, n)
	for n = 0; n < len(l.out) && l.out[n].shown+l.hold <= shown; n++ {
		l.out[n].slabs.Release()
	}
	l.out = slices.Delete(l.out, 0, n)
}
