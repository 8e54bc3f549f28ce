package tune

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/window"
)

// TestGridAgreesWithOutcomes: looking once at a repeat's counts says the same
// of each threshold as asking for it.
func TestGridAgreesWithOutcomes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 8
		r := &Report{Cells: make([]window.SweepCell, 3), Options: Options{Most: most}}
		counts := rows{cells: len(r.Cells)}
		var repeats []*Repeat
		for range rapid.IntRange(0, 5).Draw(t, "repeats") {
			k := &Repeat{Kind: rapid.SampledFrom(window.Kinds).Draw(t, "kind"), rows: &counts}
			for range rapid.IntRange(1, 6).Draw(t, "hits") {
				row := rapid.SliceOfN(rapid.Uint8Range(1, most+3), len(r.Cells), len(r.Cells)).Draw(t, "counts")
				k.hits = append(k.hits, Hit{row: counts.add(row)})
			}
			k.most = k.highest()
			k.Requests = int64(len(k.hits)) + 1 + rapid.Int64Range(0, 3).Draw(t, "rest")
			repeats = append(repeats, k)
		}
		grid := r.grid(&window.SweepTarget{}, repeats)
		for c := range r.Cells {
			for threshold := 2; threshold <= most; threshold++ {
				got, want := grid[c][threshold], r.outcome(repeats, c, threshold)
				if got != want {
					t.Fatalf("cell %d at %d: %+v, want %+v", c, threshold, got, want)
				}
			}
		}
	})
}

func TestInterval(t *testing.T) {
	f := func(part, whole int, low, high float64) {
		t.Helper()
		l, h := Interval(part, whole)
		if diff := max(l-low, low-l, h-high, high-h); diff > 0.0005 {
			t.Errorf("Interval(%d, %d) = %.4f, %.4f, want %.4f, %.4f", part, whole, l, h, low, high)
		}
	}
	// Wilson's interval at 95 %, as R's binom.confint(method = "wilson") has it.
	f(0, 0, 0, 1)
	f(7, 7, 0.6457, 1)
	f(0, 10, 0, 0.2775)
	f(5, 10, 0.2366, 0.7634)
	f(90, 100, 0.8256, 0.9448)
}
