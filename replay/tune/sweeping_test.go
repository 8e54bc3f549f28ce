package tune

import (
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestBatchOfWideEvents: a batch of few events that have many calls each is handed
// over before it has as many events as others, for what is found in it is kept.
func TestBatchOfWideEvents(t *testing.T) {
	p, err := policy.FromProfiles([]string{"tool-call"})
	if err != nil {
		t.Fatal(err)
	}
	sweep := window.NewSweep(window.NewPlan(p.Rules, nil), []int{0}, window.SweepOptions{Windows: []time.Duration{time.Minute}, Most: 5, MaxKeys: 10})
	s := startSweeping(64, 2, nil, sweep)
	wide := &window.Event{
		Rules:  []window.Choice{window.Plain},
		Prints: []window.Prints{{Fingerprints: make([]fingerprint.Fingerprint, mostPrints/2)}},
		Scopes: make([]window.Scope, 1),
	}
	for i, want := range []int{1, 0} {
		if s.add(wide); s.batch.events != want {
			t.Errorf("after %d events with %d calls %d are in the batch, want %d", i+1, mostPrints/2, s.batch.events, want)
		}
	}
	s.end()
}
