package live

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
)

// lane is one stream with what was read of it ahead.
type lane struct {
	stream ingest.Live
	index  int32
	items  chan item

	mark    ingest.Mark // behind all that was taken from items
	opened  bool        // the order knows its first time
	silence ingest.Silence
	idle    bool // and so it holds nothing back
	status  LaneStatus
}

// item is a chunk, and the batch that its block became.
type item struct {
	chunk ingest.Chunk
	batch chan *replay.Batch // nil without a block
	err   error
}

// ahead is how many chunks are read ahead for each core, and of each stream at
// least: one that is being parsed while another is fetched.
const ahead = 2

// read reads the stream into the lane's items until the context ends or the
// stream does. wake has room for one.
func (l *lane) read(ctx context.Context, pool *replay.Parallel[*replay.Batch], wake chan<- struct{}) {
	for {
		chunk, err := l.stream.Next(ctx)
		if ctx.Err() != nil {
			return
		}
		it := item{chunk: chunk, err: err}
		if err == nil && chunk.Block != nil {
			it.batch = make(chan *replay.Batch, 1)
		}
		select {
		case l.items <- it:
		case <-ctx.Done():
			return
		}
		select {
		case wake <- struct{}{}:
		default:
		}
		if err != nil || it.batch != nil && !pool.Submit(chunk.Block, it.batch) {
			return
		}
	}
}

// Tell says what a chunk tells of its stream besides what it holds.
func Tell(log *slog.Logger, stream string, c *ingest.Chunk) {
	switch {
	case c.Why == "":
	case c.Lost < 0: // nobody knows how many
		log.Error("records were lost", "stream", stream, "why", c.Why)
	case c.Lost > 0:
		log.Error("records were lost", "stream", stream, "records", c.Lost, "why", c.Why)
	default:
		log.Warn("source", "stream", stream, "what", c.Why)
	}
}

// accept hands new streams to the loop.
func (w *watch) accept(ctx context.Context) {
	for {
		streams, err := w.feed.Accept(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			w.failed <- err
			return
		}
		select {
		case w.accepted <- streams:
		case <-ctx.Done():
			return
		}
	}
}

// open begins to read streams.
func (w *watch) open(streams []ingest.Live, start func(*lane)) {
	// Few streams are read further ahead, so that all cores have work.
	room := ahead * max(1, runtime.GOMAXPROCS(0)/max(1, len(w.lanes)+len(streams)))
	for _, s := range streams {
		mark := s.Mark()
		l := &lane{stream: s, index: mark.Stream, items: make(chan item, room), mark: mark}
		if _, ok := w.restored[mark.Stream]; ok {
			l.opened = true
			delete(w.restored, mark.Stream)
			w.Pipeline.Order.Wake(mark.Stream) // it was not looked at since
		} else {
			w.Pipeline.Order.Open(mark.Stream, fingerprint.NoTime)
			w.unkept, w.Dirty = true, true
		}
		w.lanes = append(w.lanes, l)
		for int(l.index) >= len(w.streams) {
			w.streams = append(w.streams, replay.StreamResult{})
		}
		w.streams[l.index].Name = s.Name()
		w.log.Info("reading", "stream", s.Name(), "offset", mark.Offset)
		start(l)
	}
	if !w.ready {
		w.ready = true
		w.settle()
	}
}

// settle settles with the first streams where they begin, for good and so in a
// checkpoint at once, and which of those of the last checkpoint are not read.
func (w *watch) settle() {
	if !w.settled {
		w.settled, w.Dirty, w.Last = true, true, time.Time{}
	}
	for _, index := range slices.Sorted(maps.Keys(w.restored)) {
		mark := w.restored[index]
		w.log.Warn("not read: it is named no more; named again, it goes on where it was", "stream", mark.Name, "offset", mark.Offset)
		w.Pipeline.Order.Close(index)
	}
	if len(w.lanes) == 0 {
		w.log.Info("there is nothing to read yet: waiting for it")
	}
}

// pick is the lane to take from: the one that holds the others back if
// something of it is there, else any other, as long as there is room for what
// will have to wait. It is nil if there is none.
func (w *watch) pick() *lane {
	lagging, held := w.Pipeline.Order.Lagging()
	if held {
		for _, l := range w.lanes {
			if l.index == lagging && len(l.items) > 0 {
				return l
			}
		}
		if w.Pipeline.Order.Waiting() >= maxWaiting {
			return nil
		}
	}
	for i := range w.lanes {
		l := w.lanes[(w.turn+i)%len(w.lanes)]
		if len(l.items) > 0 {
			w.turn = (w.turn + i + 1) % len(w.lanes)
			return l
		}
	}
	return nil
}

// take judges the next item of a lane.
func (w *watch) take(ctx context.Context, l *lane) error {
	it := <-l.items
	if errors.Is(it.err, io.EOF) {
		w.log.Info("stream is at its end", "stream", l.stream.Name())
		w.lanes = slices.DeleteFunc(w.lanes, func(x *lane) bool { return x == l })
		w.turn = 0
		w.gone.Leave(l.status)
		w.Pipeline.Order.Close(l.index)
		w.Dirty = true
		return nil
	}
	if it.err != nil {
		return it.err
	}
	Tell(w.log, l.stream.Name(), &it.chunk)
	l.status.Add(&it.chunk)
	if it.batch != nil {
		var b *replay.Batch
		select {
		case b = <-it.batch:
		case <-ctx.Done():
			return ctx.Err()
		}
		if !l.opened && len(b.Events) > 0 {
			l.opened = true
			w.Pipeline.Order.Open(l.index, b.First())
		}
		w.Pipeline.Take(b)
		r := &w.streams[l.index]
		r.Lines += b.Tally.Lines
		r.Bytes += b.Bytes
		r.Format = it.chunk.Mark.Format
		l.idle = false
	}
	if it.chunk.Mark != l.mark {
		l.mark, w.Dirty = it.chunk.Mark, true
	}
	l.silence.Look(time.Now(), &it.chunk)
	if l.idle && !it.chunk.AtEnd { // its broker went away while it was silent
		l.idle = false
		w.Pipeline.Order.Wake(l.index)
	}
	return nil
}

// silence lets go of streams that have been at their end for long, as far as
// they could be looked at. It is all that a clock has to say about what is
// judged when.
func (w *watch) silence() {
	for _, l := range w.lanes {
		if l.idle || !l.silence.Lasts(w.o.Idle) || len(l.items) > 0 {
			continue
		}
		l.idle = true
		w.Dirty = true
		w.Pipeline.Order.Idle(l.index)
		w.log.Debug("stream is idle", "stream", l.stream.Name())
	}
}

func (w *watch) name(stream int32) string {
	return w.streams[stream].Name
}
