package window

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestThreeDigits(t *testing.T) {
	f := func(micros int64, digits uint64, rounded int64) {
		t.Helper()
		if got := threeDigits(micros); got != digits || delayOf(got) != rounded {
			t.Errorf("%d is written %d, which is %d; want %d, %d", micros, got, delayOf(got), digits, rounded)
		}
	}
	f(0, 0, 0)
	f(7, 7, 7)
	f(999, 999, 999)
	f(1000, 1100, 1000)
	f(1014, 1101, 1010)
	f(1015, 1102, 1020)
	f(9999, 1999, 9990)
	f(10_000, 2100, 10_000)
	f(1_234_567, 4123, 1_230_000)
	f(1<<62, 16461, 4_610_000_000_000_000_000)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Range(0, 1<<62).Draw(t, "a"), rapid.Int64Range(0, 1<<62).Draw(t, "b")
		if x, y := threeDigits(a), threeDigits(b); (a < b && x > y) || (a > b && x < y) {
			t.Errorf("%d and %d are written %d and %d", a, b, x, y)
		}
		if off := math.Abs(float64(delayOf(threeDigits(a)))-float64(a)) / math.Max(float64(a), 1); off > 0.01 {
			t.Errorf("%d is off by %g", a, off)
		}
	})
}

// However many delays come between two sums, each is counted once.
func TestDelaysSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, different := range []int{1, 100, 2 * leastFresh} {
		var d delays
		want := map[uint64]int64{}
		for range 5*leastFresh + 7 {
			delay, column := r.IntN(different)%1000, r.IntN(different)/1000
			d.add(int64(delay), column, 2, 9)
			want[delayed{uint16(delay), 2, 9, uint16(column)}.packed()]++
		}
		d.sum()
		got := map[uint64]int64{}
		for _, sum := range d.sums {
			got[sum.packed] += sum.n
		}
		if !maps.Equal(got, want) || len(d.sums) != len(want) {
			t.Errorf("of %d different delays, %d are kept as %d", different, len(want), len(d.sums))
		}
		if !slices.IsSortedFunc(d.sums, func(a, b delaySum) int { return int(int64(a.packed) - int64(b.packed)) }) {
			t.Error("the sums are out of order")
		}
	}
}
