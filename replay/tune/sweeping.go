package tune

import (
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// sweeping sweeps on a goroutine of its own, while the next events are read and
// judged: either takes about half of the time. It is given in batches what is
// to be looked at of the events.
type sweeping struct {
	sweeps []*window.Sweep
	size   int         // events of a batch
	batch  *batch      // that fills
	full   chan *batch // with room for those that wait
	swept  chan *batch // to be filled again; closed at the end

	keepers []*keeper // of what the sweeps find
}

// batch is what there is to look at of some events.
type batch struct {
	events int
	looks  [][]window.Look // by sweep
	ended  [][]*Repeat     // likewise: for who keeps them
	freed  [][]*Repeat     // likewise: memory that comes back
}

// A batch makes what it costs to hand it over, and to wake a goroutine for it,
// little beside what its events cost. Those of a dataset come quickly; those of
// a log do not, and with each a block waits.
const (
	logBatch     = 64
	datasetBatch = 512
)

func batchSize(o *replay.Options) int {
	if o.Kept != nil {
		return datasetBatch
	}
	return logBatch
}

// batches are as many as are in use: one that fills, one that is swept, and those
// that wait, so that neither side soon waits for the other. As many events as are
// in them may have come since one that is still looked at.
const batches = 8

func startSweeping(size int, keepers []*keeper, sweeps ...*window.Sweep) *sweeping {
	s := &sweeping{sweeps: sweeps, size: size, full: make(chan *batch, batches-2), swept: make(chan *batch, batches), keepers: keepers}
	for range batches {
		s.swept <- &batch{looks: make([][]window.Look, len(sweeps)), ended: make([][]*Repeat, len(sweeps)), freed: make([][]*Repeat, len(sweeps))}
	}
	s.batch = <-s.swept
	go s.run()
	return s
}

func (s *sweeping) run() {
	defer close(s.swept)
	for b := range s.full {
		for i, sweep := range s.sweeps {
			c := s.keepers[i].collector
			c.freed = append(c.freed, b.freed[i]...)
			sweep.Count(b.looks[i])
			b.looks[i], b.ended[i] = b.looks[i][:0], c.ended()
		}
		b.events = 0
		s.swept <- b
	}
}

// next is a batch to be filled, false if none is to come. What has ended in it is
// taken in here, where events are read. Batches go round in turn, so that it is
// at the same event in every run.
func (s *sweeping) next() (b *batch, more bool) {
	if b, more = <-s.swept; !more {
		return nil, false
	}
	for i, keeper := range s.keepers {
		b.freed[i] = keeper.take(b.ended[i])
	}
	return b, true
}

func (s *sweeping) add(ev *window.Event) {
	b := s.batch
	for i, sweep := range s.sweeps {
		b.looks[i] = sweep.Look(b.looks[i], ev)
	}
	if b.events++; b.events == s.size {
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
