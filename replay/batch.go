package replay

import (
	"math"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
)

// Batch is what became of one block, with the events that it holds until
// Release.
type Batch struct {
	*window.Slabs
	Tally   ingest.Tally
	Skipped []ingest.Skip
	Bytes   int64

	follows bool  // lines count from the end of the batch before
	lines   int64 // up to the end of this one
}

// number gives lines that count from the end of the batch before their numbers in
// the stream. before is how many came before, and those of the batch are added.
func (b *Batch) number(before *int64) {
	if !b.follows {
		return
	}
	for i := range b.Events {
		b.Events[i].Position.Line += *before
	}
	for i := range b.Skipped {
		b.Skipped[i].Line += *before
	}
	*before += b.lines
}

// firstLines is how many requests a stream's first time is told from, as it is
// for files that end.
const firstLines = 100

// First is the smallest time among the first requests, in microseconds, of
// which there must be one.
func (b *Batch) First() int64 {
	first := int64(math.MaxInt64)
	for i := range b.Events[:min(len(b.Events), firstLines)] {
		ev := &b.Events[i]
		first = min(first, ev.Time)
		if ev.Start != fingerprint.NoTime {
			first = min(first, ev.Start)
		}
	}
	return first
}

// NewParser makes the part of the loop that runs on all cores: a block's lines
// become events, in memory that is spare. One goroutine uses it at a time.
func NewParser(plan *window.Plan, o window.ExtractOptions, spare window.Spare) func(*ingest.Block) *Batch {
	reader := ingest.NewReader(plan.Reads | o.Reads())
	extractor := plan.NewExtractor(o)
	return func(block *ingest.Block) *Batch {
		extractor.NewBlock(spare)
		b := &Batch{Bytes: int64(len(block.Data))}
		b.Tally = reader.Read(block, extractor.Add, func(s ingest.Skip) {
			b.Skipped = append(b.Skipped, s)
		})
		b.Slabs = extractor.Block()
		b.follows, b.lines = block.Follows, block.Line-1+block.Lines
		return b
	}
}
