package tune

import (
	"testing"

	"github.com/loopgauge/loopgauge/window"
)

// Settings are shown up to the first that nothing reaches.
func TestLast(t *testing.T) {
	f := func(least, want int, requests ...int64) {
		t.Helper()
		r := &Report{Options: Options{Least: least, Most: 6}}
		if got := r.last(&window.Swept{Requests: requests}); got != want {
			t.Errorf("from %d: %d, want %d", least, got, want)
		}
	}
	f(2, 4, 9, 9, 9, 5, 0, 0, 0)
	f(3, 4, 9, 9, 9, 5, 0, 0, 0)
	f(2, 2, 9, 9, 0, 0, 0, 0, 0)
	f(2, 5, 9, 9, 9, 5, 4, 0, 0)
	f(2, 6, 9, 9, 9, 5, 4, 3, 0)
	f(2, 6, 9, 9, 9, 5, 4, 3, 2)
}
