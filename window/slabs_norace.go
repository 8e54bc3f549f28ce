//go:build !race

package window

// poisoned is true under the race detector.
const poisoned = false
