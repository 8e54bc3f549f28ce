package window

import (
	"testing"

	"pgregory.net/rapid"
)

// TestLadderAgreesWithEachThreshold: a ladder knows what the times of all thresholds,
// kept one by one, tell.
func TestLadderAgreesWithEachThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const quiet = 10
		var l ladder
		now, fired := int64(0), map[int32]int64{}
		for range rapid.IntRange(1, 30).Draw(t, "hits") {
			now += rapid.Int64Range(0, quiet+1).Draw(t, "pause")
			n, want := rapid.Int32Range(2, 6).Draw(t, "count"), int32(0)
			for k := n; k >= 2; k-- {
				if last, ok := fired[k]; !ok || now-last > quiet {
					want = k
				}
				fired[k] = now
			}
			if got := l.fire(n, now, quiet); got != want {
				t.Fatalf("a count of %d at %d opens from %d on, want %d", n, now, got, want)
			}
		}
	})
}
