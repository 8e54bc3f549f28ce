package tune

import "github.com/loopgauge/loopgauge/window"

// sweeping sweeps on a goroutine of its own, while the next events are read and
// judged: either takes about half of the time. It is given events in batches.
type sweeping struct {
	sweeps []*window.Sweep
	batch  []*window.Event
	full   chan []*window.Event // with room for one
	done   chan struct{}
}

// batchSize makes what a batch costs little beside what its events cost.
const batchSize = 64

// held is how many events may have come since one that is still looked at: of
// a batch that fills, one that waits and one that is swept.
const held = 3 * batchSize

func startSweeping(sweeps ...*window.Sweep) *sweeping {
	s := &sweeping{sweeps: sweeps, full: make(chan []*window.Event, 1), done: make(chan struct{})}
	go s.run()
	return s
}

func (s *sweeping) run() {
	defer close(s.done)
	for batch := range s.full {
		for _, ev := range batch {
			for _, sweep := range s.sweeps {
				sweep.Add(ev)
			}
		}
	}
}

func (s *sweeping) add(ev *window.Event) {
	if s.batch == nil {
		s.batch = make([]*window.Event, 0, batchSize)
	}
	if s.batch = append(s.batch, ev); len(s.batch) == batchSize {
		s.full <- s.batch
		s.batch = nil
	}
}

// end waits until all events are swept.
func (s *sweeping) end() {
	s.full <- s.batch
	close(s.full)
	<-s.done
}
