package window

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestWaitingPopsInOrder: whatever comes and goes, the top is the one that all
// others go after, also among many of one time.
func TestWaitingPopsInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var w waiting
		var want []*Event
		times := rapid.Int64Range(1, 1000).Draw(rt, "times")
		for i := range rapid.IntRange(1, 400).Draw(rt, "steps") {
			if len(want) > 0 && rapid.IntRange(0, 3).Draw(rt, "pop") == 0 {
				if got := w.pop(); got != want[0] {
					rt.Fatalf("popped %v, want %v", placeOf(got), placeOf(want[0]))
				}
				want = want[1:]
				continue
			}
			ev := &Event{Time: rapid.Int64Range(0, times).Draw(rt, "time")}
			ev.Position.Offset = int64(i)
			w.push(ev)
			at := slices.IndexFunc(want, ev.Before)
			if at < 0 {
				at = len(want)
			}
			want = slices.Insert(want, at, ev)
			if !slices.Equal(w.sorted(), want) {
				rt.Fatal("the events that wait are not those that came, in order")
			}
		}
		for _, ev := range want {
			if got := w.pop(); got != ev {
				rt.Fatalf("popped %v, want %v", placeOf(got), placeOf(ev))
			}
		}
		if len(w) > 0 {
			rt.Fatalf("%d wait still", len(w))
		}
	})
}
