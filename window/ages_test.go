package window

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Times that were put are counted like added ones, and let go like them.
func TestAgesPut(t *testing.T) {
	maxAges := []int64{10, 30, 31, 200}
	rapid.Check(t, func(rt *rapid.T) {
		var added, put ages
		want, got := make([]int32, len(maxAges)), make([]int32, len(maxAges))
		now, most := int64(0), 0
		for range rapid.IntRange(1, 2000).Draw(rt, "times") {
			now += rapid.SampledFrom([]int64{0, 0, 1, 1, 5, 25, 300}).Draw(rt, "step")
			added.add(now, maxAges, want)
			most = max(most, int(want[len(want)-1]))
			if rapid.IntRange(0, 30).Draw(rt, "kind") > 0 {
				put.put(now, maxAges)
				continue
			}
			put.add(now, maxAges, got)
			if !slices.Equal(got, want) {
				rt.Fatalf("at %d: %v, not %v", now, got, want)
			}
		}
		if cap(put.times) > 8*(most+16) {
			rt.Fatalf("room for %d times, at most %d inside the longest window", cap(put.times), most)
		}
	})
}
