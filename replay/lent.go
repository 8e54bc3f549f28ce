package replay

import (
	"container/heap"
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// lent are the batches whose events somebody may look at. A batch is released
// when all that were put into the order have come out of it, and so many more
// have been shown that nobody looks back at the last of them.
type lent struct {
	hold    int64        // for how many more events one may be looked at
	waiting lentBatches  // by the time of the last event that was put into the order
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
	heap.Push(&l.waiting, &lentBatch{slabs: slabs, last: last, before: shown})
}

// released takes back what nobody looks at when all before a time have come out
// of the order, and shown events have been shown.
func (l *lent) released(before, shown int64) {
	for len(l.waiting) > 0 && l.waiting[0].last < before {
		b := heap.Pop(&l.waiting).(*lentBatch)
		if b.before == shown { // none was shown: there may be no end of such, of times that nobody asks for
			b.slabs.Release()
			continue
		}
		b.shown = shown
		l.out = append(l.out, b)
	}
	n := 0
	for ; n < len(l.out) && l.out[n].shown+l.hold <= shown; n++ {
		l.out[n].slabs.Release()
	}
	l.out = slices.Delete(l.out, 0, n)
}

// lentBatches has the batch on top whose events come out first.
type lentBatches []*lentBatch

func (h lentBatches) Len() int           { return len(h) }
func (h lentBatches) Less(i, j int) bool { return h[i].last < h[j].last }
func (h lentBatches) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *lentBatches) Push(x any)        { *h = append(*h, x.(*lentBatch)) }
func (h *lentBatches) Pop() any {
	last := len(*h) - 1
	b := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return b
}
