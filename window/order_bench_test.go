package window

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// BenchmarkOrder takes in events that are written when they end, after up to five
// seconds, of a log with so many that wait.
func BenchmarkOrder(b *testing.B) {
	const lateness = 10 * time.Second
	for _, waiting := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 2))
			o := NewOrder(lateness)
			o.Open(0, fingerprint.NoTime)
			events := make([]Event, 4*waiting)
			released := 0
			for i := 0; b.Loop(); i++ {
				ev := &events[i%len(events)]
				ev.Time = int64(i)*lateness.Microseconds()/int64(waiting) - random.Int64N(lateness.Microseconds()/2)
				ev.Position.Offset = int64(i)
				o.Push(ev)
				for o.Pop() != nil {
					released++
				}
			}
			b.ReportMetric(float64(o.Waiting()), "waiting")
			b.ReportMetric(float64(released)/float64(b.N), "released/event")
		})
	}
}
