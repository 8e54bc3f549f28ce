package live

import (
	"context"
	"log/slog"

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
