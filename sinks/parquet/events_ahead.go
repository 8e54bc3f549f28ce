package parquet

import "github.com/loopgauge/loopgauge/window"

// eventsAhead makes events before they are asked for, on a goroutine of its own:
// that takes about as long as to judge them.
type eventsAhead struct {
	made chan eventBatch // closed behind the last
	free chan []*frame   // whose events nobody looks at any more; closed to end it

	batch eventBatch // that events are given out of
	given int        // of these

	held   []*frame // that have to stay what they are, with the oldest at place oldest
	oldest int
}

// eventBatch are some events, and what came in place of one more.
type eventBatch struct {
	frames []*frame
	err    error
}

// Events are handed over some at a time, so that this costs little beside them:
// while one batch is looked at another is made, and one waits. Readers of many
// partitions share the memory of one, but for so many events each.
const (
	eventsOfBatch = 1024
	eventBatches  = 3
	leastOfBatch  = 16
)

// makeAhead has events made, in frames or, where there are none yet, in new ones:
// so many, and what came in place of one more. atOnce are a batch, and as many as
// hold stay what they are.
func makeAhead(events func(in []*frame) (made int, err error), atOnce, hold int) *eventsAhead {
	a := &eventsAhead{made: make(chan eventBatch, eventBatches), free: make(chan []*frame, eventBatches), held: make([]*frame, hold)}
	for range eventBatches {
		a.free <- make([]*frame, atOnce)
	}
	go a.run(events)
	return a
}

func (a *eventsAhead) run(events func(in []*frame) (made int, err error)) {
	defer close(a.made)
	for frames := range a.free {
		n, err := events(frames)
		if a.made <- (eventBatch{frames[:n], err}); err != nil {
			return
		}
	}
}

// next is the next event, as [Reader.Next] has it.
func (a *eventsAhead) next(keep bool) (*window.Event, error) {
	if keep && a.given > 0 {
		a.keep(&a.batch.frames[a.given-1])
	}
	if a.given == len(a.batch.frames) && a.batch.err == nil {
		if a.given > 0 {
			a.free <- a.batch.frames
		}
		a.batch, a.given = <-a.made, 0
	}
	if a.given == len(a.batch.frames) {
		return nil, a.batch.err
	}
	a.given++
	return &a.batch.frames[a.given-1].event, nil
}

// keep keeps a frame, and puts in its place the one that was kept for longest, if
// that need not be any more.
func (a *eventsAhead) keep(f **frame) {
	if len(a.held) == 0 {
		return
	}
	*f, a.held[a.oldest] = a.held[a.oldest], *f
	if a.oldest++; a.oldest == len(a.held) { // a division would take longer than all else here
		a.oldest = 0
	}
}

// close returns when no event is being made any more.
func (a *eventsAhead) close() {
	close(a.free)
	for range a.made {
	}
}
