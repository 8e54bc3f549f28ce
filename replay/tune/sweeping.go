package tune

import (
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// sweeping counts on a goroutine of its own, while what it has found before is
// noted, and the next events are read and judged: either takes about half of the
// time. It is given in batches what is to be looked at of the events.
type sweeping struct {
	sweeps  []*window.Sweep
	size    int         // events of a batch
	batch   *batch      // that fills
	full    chan *batch // with room for those that wait
	counted chan *batch // likewise; closed at the end

	keepers []*keeper // of what the sweeps find
}

// batch is what there is to look at of some events, and what became of it.
type batch struct {
	events int
	prints int               // of them that are looked at
	looks  [][]window.Look   // by sweep
	found  []window.Findings // likewise
}

// batching is how many events go to a batch, which makes what it costs to hand one
// over, and to wake a goroutine for it, little beside what they cost; and how many
// batches there are: one that fills, one that is counted, and those that wait, so
// that neither side soon waits for the other. As many events as are in them may
// have come since one that is still looked at. Those of a dataset come quickly;
// those of a log do not, and with each a block waits.
func batching(o *replay.Options) (size, batches int) {
	if o.Kept != nil {
		return 1024, 16
	}
	return 64, 4
}

// mostPrints bounds what may be found in a batch, whose memory stays: events have a
// few fingerprints each, but one with thousands of calls has as many for each rule
// that looks at calls.
const mostPrints = 1 << 16

func startSweeping(size, batches int, keepers []*keeper, sweeps ...*window.Sweep) *sweeping {
	s := &sweeping{sweeps: sweeps, size: size, keepers: keepers, full: make(chan *batch, batches), counted: make(chan *batch, batches)}
	for range batches {
		s.counted <- &batch{looks: make([][]window.Look, len(sweeps)), found: make([]window.Findings, len(sweeps))}
	}
	s.batch, _ = s.next()
	go s.count()
	return s
}

func (s *sweeping) count() {
	defer close(s.counted)
	for b := range s.full {
		for i, sweep := range s.sweeps {
			sweep.Count(b.looks[i], &b.found[i])
		}
		s.counted <- b
	}
}

// next is a batch to be filled, false if none is to come. What was found in it is
// noted here. Batches go round in turn, so that it is at the same event in every
// run.
func (s *sweeping) next() (b *batch, more bool) {
	if b, more = <-s.counted; !more {
		return nil, false
	}
	for i, keeper := range s.keepers {
		keeper.note(b.found[i].List)
		b.found[i].Reset()
		b.looks[i] = b.looks[i][:0]
	}
	b.events, b.prints = 0, 0
	return b, true
}

func (s *sweeping) add(ev *window.Event) {
	b := s.batch
	for i, sweep := range s.sweeps {
		n := len(b.looks[i])
		b.looks[i] = sweep.Look(b.looks[i], ev)
		for k := range b.looks[i][n:] {
			b.prints += b.looks[i][n+k].Prints()
		}
	}
	if b.events++; b.events == s.size || b.prints >= mostPrints {
		s.full <- b
		s.batch, _ = s.next()
	}
}

// end waits until all events are swept.
func (s *sweeping) end() {
	s.full <- s.batch
	close(s.full)
	for more := true; more; {
		_, more = s.next()
	}
}
