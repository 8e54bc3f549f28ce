package window

import (
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestSpareStaysSmall: slabs that one huge line has made are not kept.
func TestSpareStaysSmall(t *testing.T) {
	spare := NewSpare()
	f := func(events, prints, kept int) {
		t.Helper()
		s := spare.take()
		s.Events, s.sums = append(s.Events, make([]Event, events)...), append(s.sums, make([]fingerprint.Fingerprint, prints)...)
		if s.Release(); len(spare) != kept {
			t.Errorf("%d events and %d fingerprints: %d slabs are kept, want %d", events, prints, len(spare), kept)
		}
	}
	f(0, 2*mostPrints, 0)
	f(2*mostEvents, 0, 0)
	f(10_000, 50_000, 1)
	f(2*mostEvents, 2*mostPrints, 0) // in those that were kept
}
