package replay

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/loopgauge/loopgauge/ingest"
)

// parallel parses blocks on several goroutines and hands the results out in
// the order in which each stream had them.
type parallel[T any] struct {
	tasks chan *task[T]
	ahead int
	stop  context.CancelFunc
	ctx   context.Context
	wg    sync.WaitGroup
}

type task[T any] struct {
	block *ingest.Block
	err   error // instead of a block: the stream's end
	done  chan T
}

// newParallel starts workers goroutines. Each makes its own parser, so that a
// parser can keep scratch memory.
func newParallel[T any](ctx context.Context, workers int, newParser func() func(*ingest.Block) T) *parallel[T] {
	ctx, stop := context.WithCancel(ctx)
	// Two blocks a worker keep it busy while the consumer judges; more would
	// only be memory.
	p := &parallel[T]{tasks: make(chan *task[T]), ahead: 2 * workers, stop: stop, ctx: ctx}
	for range workers {
		p.wg.Go(func() {
			parse := newParser()
			for t := range p.tasks {
				t.done <- parse(t.block)
				t.block.Release()
			}
		})
	}
	return p
}

// close ends all goroutines. Lanes must not be read any more.
func (p *parallel[T]) close(lanes []*lane[T]) {
	p.stop()
	for _, l := range lanes {
		<-l.ended
	}
	close(p.tasks)
	p.wg.Wait()
}

// lane is one stream's results, in order.
type lane[T any] struct {
	tasks chan *task[T]
	ended chan struct{}
}

// read starts reading a stream ahead, with room for so many blocks; many
// streams at once share the room that one alone would have.
func (p *parallel[T]) read(s ingest.Stream, streams int) *lane[T] {
	l := &lane[T]{tasks: make(chan *task[T], max(1, p.ahead/streams)), ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		for {
			block, err := s.Next()
			t := &task[T]{block: block, err: err, done: make(chan T, 1)}
			select {
			case l.tasks <- t:
			case <-p.ctx.Done():
				return
			}
			if err != nil {
				return
			}
			select {
			case p.tasks <- t:
			case <-p.ctx.Done():
				return
			}
		}
	}()
	return l
}

// next waits for the next result. The error is io.EOF at the stream's end,
// the context's if the run was cancelled, or says why the stream could not be
// read to its end.
func (l *lane[T]) next(ctx context.Context) (result T, err error) {
	select {
	case t := <-l.tasks:
		if t.err != nil {
			return result, t.err
		}
		select {
		case result = <-t.done:
			return result, nil
		case <-ctx.Done():
			return result, ctx.Err()
		}
	case <-ctx.Done():
		return result, ctx.Err()
	}
}

func ended(err error) bool { return errors.Is(err, io.EOF) }
