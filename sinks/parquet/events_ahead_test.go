package parquet

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"github.com/loopgauge/loopgauge/window"
)

// Events come in their order, those that are kept stay what they are, what ends
// them is said each time, and nothing runs after close, wherever that finds the
// maker. Memory is not made for each.
func TestEventsAhead(t *testing.T) {
	const events, hold = 5 * eventsOfBatch / 2, 40
	for _, read := range []int{0, 1, eventsOfBatch, eventsOfBatch + 1, events, events + 2} {
		for every := range 4 { // is kept of so many; of 0 none
			synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
				frames, n := 0, int64(0)
				a := makeAhead(func(in []*frame) (int, error) {
					for i := range in {
						if n == events {
							return i, io.EOF
						}
						if in[i] == nil {
							in[i] = &frame{}
							frames++
						}
						in[i].event.Time = n
						n++
					}
					return len(in), nil
				}, eventsOfBatch, hold)
				var kept []*window.Event
				var times []int64
				keep := false
				for i := range int64(read) {
					ev, err := a.next(keep)
					if i >= events {
						if !errors.Is(err, io.EOF) {
							t.Errorf("%v behind the last", err)
						}
						continue
					}
					if err != nil || ev.Time != i {
						t.Fatalf("event %d is %v, %v", i, ev, err)
					}
					for j := max(len(kept)-hold, 0); j < len(kept); j++ {
						if kept[j].Time != times[j] {
							t.Fatalf("event %d is %d, %d further", times[j], kept[j].Time, len(kept)-j)
						}
					}
					if keep = every > 0 && i%int64(every) == 0; keep {
						kept, times = append(kept, ev), append(times, i)
					}
				}
				a.close()
				if most := eventBatches*eventsOfBatch + hold; frames > most {
					t.Errorf("%d frames, more than %d", frames, most)
				}
			})
		}
	}
}
