package tune

import (
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// sweeping sweeps on a goroutine of its own, while the next events are read and
// judged: either takes about half of the time. It is given events in batches.
type sweeping struct {
	sweeps []*window.Sweep
	batch  []*window.Event      // that fills
	full   chan []*window.Event // with room for one
	swept  chan []*window.Event // to be filled again; closed at the end
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

// batches are as many as are in use: one that fills, one that waits and one that
// is swept. As many events as are in them may have come since one that is still
// looked at.
const batches = 3

func startSweeping(size int, sweeps ...*window.Sweep) *sweeping {
	s := &sweeping{sweeps: sweeps, full: make(chan []*window.Event, 1), swept: make(chan []*window.Event, batches)}
	for range batches {
		s.swept <- make([]*window.Event, 0, size)
	}
	s.batch = <-s.swept
	go s.run()
	return s
}

func (s *sweeping) run() {
	defer close(s.swept)
	for batch := range s.full {
		for _, sweep := range s.sweeps {
			sweep.Add(batch...)
		}
		s.swept <- batch[:0]
	}
}

func (s *sweeping) add(ev *window.Event) {
	if s.batch = append(s.batch, ev); len(s.batch) == cap(s.batch) {
		s.full <- s.batch
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
