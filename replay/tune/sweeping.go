package tune

import (
	"slices"

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
	full   chan *batch // with room for all
	swept  chan *batch // to be filled again; closed at the end

	collectors []*collector
	summed     chan struct{} // to go on, behind a crowded batch
}

// batch is what there is to look at of some events.
type batch struct {
	events  int
	looks   [][]window.Look // by sweep
	crowded bool            // behind it there is something to sum up
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

func startSweeping(size int, collectors []*collector, sweeps ...*window.Sweep) *sweeping {
	s := &sweeping{
		sweeps: sweeps, size: size, full: make(chan *batch, batches), swept: make(chan *batch, batches),
		collectors: collectors, summed: make(chan struct{}),
	}
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
		crowded := slices.ContainsFunc(s.collectors, (*collector).crowded)
		b.events, b.crowded = 0, crowded
		if s.swept <- b; crowded {
			<-s.summed
		}
	}
}

// next is a batch to be filled, false if none is to come. What is to be summed up
// is summed up here, where the events are read: it takes what the witness has
// seen, who is not at work now, and has always seen the same by then.
func (s *sweeping) next() (b *batch, more bool) {
	if b, more = <-s.swept; more && b.crowded {
		for _, c := range s.collectors {
			c.sumUp()
		}
		s.summed <- struct{}{}
	}
	return b, more
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
