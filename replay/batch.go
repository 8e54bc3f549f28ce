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
		return b
	}
}
