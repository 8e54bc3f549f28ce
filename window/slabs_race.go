//go:build race

package window

// poisoned has slabs written over when they are released, in tests that run
// with the race detector.
const poisoned = true
