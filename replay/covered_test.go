package replay

import (
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// A pause longer than a day counts as one: of what the log does not show nobody
// can say that no loop was in it.
func TestCovered(t *testing.T) {
	f := func(days float64, wantAt float64, hours ...int64) {
		t.Helper()
		totals := Totals{First: fingerprint.NoTime, Last: fingerprint.NoTime}
		for _, h := range hours {
			totals.judgedAt(h * day / 24)
		}
		if got, at := totals.Days(), float64(totals.At(0.5))/float64(day); got != days || at != wantAt {
			t.Errorf("requests at hours %v: %g days, half of them up to day %g; want %g and %g", hours, got, at, days, wantAt)
		}
	}
	f(0, 1, 24)
	f(1, 0.5, 0, 24)
	f(2, 1, 0, 24, 48)
	f(1, 0.5, 0, 240)
	f(3, 1.5, 0, 24, 2400, 2424) // within the pause
	f(4, 2, 0, 24, 48, 2400, 2424)
	f(4, 101, 0, 2400, 2424, 2448, 2472)
	f(4, 101, 0, 2400, 7200, 9600, 9624)
}
