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
}

// batch is what there is to look at of some events.
type batch struct {
	events int
	looks  [][]window.Look // by sweep
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

func startSweeping(size int, sweeps ...*window.Sweep) *sweeping {
	s := &sweeping{sweeps: sweeps, size: size, full: make(chan *batch, batches-2), swept: make(chan *batch, batches)}
	for range batches {
		s.swept <- &batch{looks: make([][]window.Look, len(sweeps))}
	}
	s.batch = <-s.swept
	go s.run()
	return s
}

func (s *sweeping) run() {
	defer close(s.swept)
	for b := range s.full {
		for i, sweep := range s.sweeps {
			sweep.Count(b.looks[i])
			b.looks[i] = b.looks[i][:0]
		}
		b.events = 0
		s.swept <- b
	}
}

func (s *sweeping) add(ev *window.Event) {
	b := s.batch
	for i, sweep := range s.sweeps {
		b.looks[i] = sweep.Look(b.looks[i], ev)
	}
	if b.events++; b.events == s.size {
		s.full <- b
		s.batch = <-s.swept
	}
}

// end waits until all events are swept.
func (s *sweeping) end() {
	s.full <- s.batch
	close(s.full)
	for range s.swept { // until it is closed
	}
}
