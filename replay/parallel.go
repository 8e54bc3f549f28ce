package replay

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"

	"github.com/loopgauge/loopgauge/ingest"
)

// Parallel parses blocks on several goroutines.
type Parallel[T any] struct {
	tasks chan task[T]
	ahead int
	stop  context.CancelFunc
	ctx   context.Context

	parsing sync.WaitGroup
	reading sync.WaitGroup // of lanes
}

type task[T any] struct {
	block *ingest.Block
	done  chan<- T // closed instead if the block could not be read
}

// NewParallel starts workers goroutines, until the context ends or Close is
// called. Each makes its own parser, so that a parser can keep scratch memory.
func NewParallel[T any](ctx context.Context, workers int, newParser func() func(*ingest.Block) T) *Parallel[T] {
	ctx, stop := context.WithCancel(ctx)
	// Two blocks a worker keep it busy while the consumer judges; more would
	// only be memory.
	p := &Parallel[T]{tasks: make(chan task[T]), ahead: 2 * workers, stop: stop, ctx: ctx}
	for range workers {
		p.parsing.Go(func() {
			parse := newParser()
			for t := range p.tasks {
				if t.block.Fetch() {
					t.done <- parse(t.block)
				} else {
					close(t.done)
				}
				t.block.Release()
			}
		})
	}
	return p
}

// Submit hands a block to be parsed, and released, to the first goroutine that
// is free. The result goes to done, which must have room for it. It returns
// false if Close was called first.
func (p *Parallel[T]) Submit(block *ingest.Block, done chan<- T) bool {
	select {
	case p.tasks <- task[T]{block, done}:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// Close ends all goroutines, those of lanes too. No Submit may be under way or
// follow, and lanes must not be read any more.
func (p *Parallel[T]) Close() {
	p.stop()
	p.reading.Wait()
	close(p.tasks)
	p.parsing.Wait()
}

// lane is one stream's results, in the order in which the stream had them.
type lane[T any] struct {
	items  chan laneItem[T]
	failed error // why a result is missing: those behind it are not given
}

type laneItem[T any] struct {
	block *ingest.Block
	done  chan T
	err   error // instead of a block: the stream's end
}

// read starts reading a stream ahead, with room for so many blocks; many
// streams at once share the room that one alone would have.
func (p *Parallel[T]) read(s ingest.Stream, streams int) *lane[T] {
	l := &lane[T]{items: make(chan laneItem[T], max(1, p.ahead/streams))}
	p.reading.Go(func() {
		for {
			block, err := s.Next()
			item := laneItem[T]{block: block, done: make(chan T, 1), err: err}
			select {
			case l.items <- item:
			case <-p.ctx.Done():
				if err == nil {
					block.Release()
				}
				return
			}
			if err != nil {
				return
			}
			if !p.Submit(block, item.done) {
				block.Release()
				return
			}
		}
	})
	return l
}

// next waits for the next result. The error is io.EOF at the stream's end,
// the context's if the run was cancelled, or says why the stream could not be
// read to its end.
func (l *lane[T]) next(ctx context.Context) (result T, err error) {
	for {
		select {
		case item := <-l.items:
			switch {
			case item.err != nil && l.failed != nil:
				return result, l.failed
			case item.err != nil:
				return result, item.err
			}
			select {
			case result, there := <-item.done:
				switch {
				case !there && l.failed == nil:
					l.failed = item.block.Err()
				case l.failed == nil: // what stands behind a gap has no numbers
					return result, nil
				}
			case <-ctx.Done():
				return result, ctx.Err()
			}
		case <-ctx.Done():
			return result, ctx.Err()
		}
	}
}

// Blocks parses the blocks of streams, one stream after the other, hands over what
// becomes of each, and closes the streams. The error is that of take, or why the
// first stream that could not be read to its end was not.
func Blocks[T any](ctx context.Context, streams []ingest.Stream, newParser func() func(*ingest.Block) T, take func(T) error) error {
	pool := NewParallel(ctx, runtime.GOMAXPROCS(0), newParser)
	defer func() {
		pool.Close()
		ingest.CloseAll(streams)
	}()
	var broken error
	for _, s := range streams {
		l := pool.read(s, 1)
		for {
			out, err := l.next(ctx)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				if !errors.Is(err, io.EOF) && broken == nil {
					broken = err
				}
				break
			}
			if err := take(out); err != nil {
				return err
			}
		}
	}
	return broken
}
