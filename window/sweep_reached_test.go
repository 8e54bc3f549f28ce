package window

import (
	"slices"
	"testing"
)

// TestReachedCountsAll: those for whom there is no place any more are counted, too.
func TestReachedCountsAll(t *testing.T) {
	const keys = 1
	r := newReached(4, 2, keys)
	for who := range uint64(3 * reachedForKey * keys) {
		r.saw(who, []uint8{2, 3})
	}
	r.saw(0, []uint8{4, 1}) // it had to go, and is another
	cells := []Swept{{Callers: make([]int64, 5)}, {Callers: make([]int64, 5)}}
	r.by(cells, func(s *Swept) []int64 { return s.Callers })
	for i, want := range [][]int64{{0, 0, 13, 1, 1}, {0, 0, 12, 12, 0}} {
		if !slices.Equal(cells[i].Callers, want) {
			t.Errorf("%v of cell %d, want %v", cells[i].Callers, i, want)
		}
	}
}
