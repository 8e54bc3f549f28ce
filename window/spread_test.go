package window

import (
	"fmt"
	"testing"
)

// Keys that are numbered, as sessions may be and offsets are, go to all processes,
// however many these are.
func TestShare(t *testing.T) {
	for _, form := range []string{"%d", "session\x00run-%04d\x00", "session\x00run-%d-of-agent\x00"} {
		for _, n := range []int{2, 3, 5, 6, 7, 12, 30} {
			const keys = 3000
			got := make([]int, n)
			for i := range keys {
				got[share(fmt.Sprintf(form, i), n)]++
			}
			for to, k := range got {
				if k < keys/n/2 || k > keys/n*2 {
					t.Errorf("%q: %d of %d go to %d of %d", form, k, keys, to, n)
				}
			}
		}
	}
}
