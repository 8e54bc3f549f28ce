package tune

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// TestRequestsOf: however conversations take turns, and whatever place they share,
// each has its requests.
func TestRequestsOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests, want := newRequestsOf(), map[conversation]uint32{}
		one := rapid.Custom(func(t *rapid.T) conversation {
			place, which := rapid.IntRange(0, 2).Draw(t, "place"), rapid.IntRange(1, 3).Draw(t, "which")
			return conversation(which<<busyBits|place)<<1 | 1
		})
		for range rapid.IntRange(0, 3*countedAtOnce).Draw(t, "requests") {
			c := one.Draw(t, "conversation")
			requests.add(c)
			want[c]++
		}
		if got := requests.counts(); !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}
