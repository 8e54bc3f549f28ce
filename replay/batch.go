package replay

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
)

// Batch is what became of one block.
type Batch struct {
	Events  []window.Event
	Tally   ingest.Tally
	Skipped []ingest.Skip
	Bytes   int64
}

// NewParser makes the part of the loop that runs on all cores: a block's lines
// become events. One goroutine uses it at a time.
func NewParser(plan *window.Plan, o window.ExtractOptions) func(*ingest.Block) *Batch {
	reader := ingest.NewReader(plan.Reads | o.Reads())
	extractor := plan.NewExtractor(o)
	perBlock := 16 // events a block, as the last block had them
	return func(block *ingest.Block) *Batch {
		b := &Batch{Events: make([]window.Event, 0, perBlock+perBlock/8), Bytes: int64(len(block.Data))}
		extractor.NewBlock()
		b.Tally = reader.Read(block, func(req *fingerprint.Request) {
			b.Events = append(b.Events, window.Event{})
			extractor.Event(req, &b.Events[len(b.Events)-1])
		}, func(s ingest.Skip) {
			b.Skipped = append(b.Skipped, s)
		})
		perBlock = len(b.Events)
		return b
	}
}
