package explain

import (
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

// TestSettingOfRepeat: what is in force for a repeat is what its override says,
// and the rest is the rule's.
func TestSettingOfRepeat(t *testing.T) {
	rule := &window.Rule{
		Counter: window.CounterSpec{Kind: "streak", Window: 10 * time.Minute}, Threshold: 4,
		Overrides: []window.Override{{Threshold: 40, Reason: "nightly"}, {Window: time.Minute}},
	}
	for as, want := range map[window.Choice]string{
		window.Plain: "4 in 10m streak", 0: "40 in 10m streak, by overrides[0] (nightly)", 1: "4 in 1m streak, by overrides[1]",
	} {
		if got := (&repeat{rule: rule, as: as}).setting(); got != want {
			t.Errorf("as %d the setting is %q, want %q", as, got, want)
		}
	}
}
