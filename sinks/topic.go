package sinks

import (
	"context"

	"github.com/loopgauge/loopgauge/window"
)

// VerdictTopic takes every verdict, for whoever reads on. Any goroutine may
// call it.
type VerdictTopic interface {
	// Add takes a verdict in, and never waits.
	Add(*window.Verdict)
	// Settle waits until what was added is there for good, as far as anybody
	// takes it.
	Settle(context.Context)
	// Run hands on what was added, until the context ends.
	Run(context.Context)
	// Dropped is how many verdicts were given up.
	Dropped() int64
}
