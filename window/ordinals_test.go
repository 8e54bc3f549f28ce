package window

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// A fingerprint is found where it is the first time and the last, however many there are, and
// of the request that is asked about.
func TestOrdinals(t *testing.T) {
	names := newNames(t)
	rapid.Check(t, func(rt *rapid.T) {
		var found ordinals
		for line := range int64(4) {
			ev := &Event{Position: fingerprint.Position{Line: line}, Prints: make([]Prints, 2)}
			n := rapid.SampledFrom([]int{1, fewOrdinals, fewOrdinals + 1, 3 * fewOrdinals}).Draw(rt, "fingerprints")
			for i := range ev.Prints {
				for range n {
					text := rapid.IntRange(0, n).Draw(rt, "text")
					ev.Prints[i].Fingerprints = append(ev.Prints[i].Fingerprints, names.print(strconv.Itoa(text)))
				}
			}
			for range 5 {
				i := rapid.IntRange(0, 1).Draw(rt, "identity")
				list := ev.Prints[i].Fingerprints
				print, want := list[rapid.IntRange(0, n-1).Draw(rt, "which")], ordinal{}
				want.first = slices.Index(list, print)
				for k, p := range list {
					if p == print {
						want.last = k
					}
				}
				if got := found.find(&print, ev, i); got != want {
					rt.Fatalf("of %d: %+v, want %+v", n, got, want)
				}
			}
		}
	})
}
