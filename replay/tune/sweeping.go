package tune

import "github.com/loopgauge/loopgauge/window"

// sweeping sweeps on a goroutine of its own, while the next events are read and
// judged: either takes about half of the time. It is given events in batches.
type sweeping struct {
	sweeps []*window.Sweep
	batch  []*window.Event      // that fills
	full   chan []*window.Event // with room for one
	swept  chan []*window.Event // to be filled again; closed at the end
}

// batchSize makes what it costs to hand a batch over, and to wake a goroutine
// for it, little beside what its events cost.
const batchSize = 512

// held is how many events may have come since one that is still looked at: of
// a batch that fills, one that waits and one that is swept.
const held = batches * batchSize

const batches = 3

func startSweeping(sweeps ...*window.Sweep) *sweeping {
	s := &sweeping{sweeps: sweeps, full: make(chan []*window.Event, 1), swept: make(chan []*window.Event, batches)}
	for range batches {
		s.swept <- make([]*window.Event, 0, batchSize)
	}
	s.batch = <-s.swept
	go s.run()
	return s
}

func (s *sweeping) run() {
	defer close(s.swept)
	for batch := range s.full {
		for _, ev := range batch {
			for _, sweep := range s.sweeps {
				sweep.Add(ev)
			}
		}
		s.swept <- batch[:0]
	}
}

func (s *sweeping) add(ev *window.Event) {
	if s.batch = append(s.batch, ev); len(s.batch) == batchSize {
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
