package window

import (
	"fmt"
	"math"
	"slices"
)

// steadyPace is the most that pauses may differ for a clock to be behind them,
// as standard deviation over mean, and leastPauses how many it takes to tell, or
// fewPauses where they are long.
const (
	steadyPace  = 0.05
	leastPauses = 5
	fewPauses   = 3
)

// A clock may miss a beat, or have a late one: of the latest pauses, at most
// keptPauses, one in lateBeats is left aside if the others differ by no more than
// half of steadyPace. A model that answers almost as fast each time is taken for a
// clock less often by that than by all pauses.
const (
	keptPauses = 24
	lateBeats  = 8
)

// pause adds a pause of so many seconds.
func (f *Facts) pause(seconds float64) {
	f.latest[f.pauses%keptPauses] = float32(seconds)
	f.pauses++
	f.pauseSum += seconds
	f.pauseSquares += seconds * seconds
}

// pausesKept are those that are known one by one, in no order.
func (f *Facts) pausesKept() []float32 { return f.latest[:max(0, min(f.pauses, keptPauses))] }

// beat is the pause of the clock behind the requests, in seconds; 0 if there is
// none, or there are fewer than fewPauses. It is late if some were left aside.
func (f *Facts) beat() (seconds float64, late bool) {
	if f.pauses < fewPauses {
		return 0, false
	}
	if spread(f.meanPause(), f.pauseSquares/float64(f.pauses)) < steadyPace {
		return f.meanPause(), false
	}
	pauses := f.latest // a copy, to be sorted
	kept := pauses[:len(f.pausesKept())]
	aside := len(kept) / lateBeats
	if aside == 0 {
		return 0, false
	}
	slices.Sort(kept)
	for from := range aside + 1 {
		var sum, squares float64
		beats := kept[from : len(kept)-aside+from]
		for _, p := range beats {
			sum += float64(p)
			squares += float64(p) * float64(p)
		}
		n := float64(len(beats))
		if spread(sum/n, squares/n) < steadyPace/2 {
			return sum / n, true
		}
	}
	return 0, false
}

// spread is the standard deviation over the mean, of the mean and that of the
// squares.
func spread(mean, squares float64) float64 { return math.Sqrt(max(squares-mean*mean, 0)) / mean }

// meanPause is in seconds.
func (f *Facts) meanPause() float64 { return f.pauseSum / float64(f.pauses) }

// pace is the mean pause in words; empty before the second request.
func (f *Facts) pace() string {
	if f.pauses == 0 {
		return ""
	}
	return every(f.meanPause())
}

func every(seconds float64) string {
	if seconds >= 1000 { // where %g would have an exponent
		return fmt.Sprintf(", every %.0f s", seconds)
	}
	return fmt.Sprintf(", every %.3g s", seconds)
}
