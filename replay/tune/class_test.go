package tune

import (
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// TestClassOfThree: a rule that does not count the first finds a loop in three.
func TestClassOfThree(t *testing.T) {
	for again, want := range map[bool]Class{false: Neither, true: Loop} {
		rule := &window.Rule{Identity: &fingerprint.Identity{Again: again}}
		for _, kind := range []window.Kind{window.Retry, window.Stuck} {
			if class, _ := (Labels{}).class(&Repeat{Rule: rule, Kind: kind, Requests: 3, top: 3}); class != want {
				t.Errorf("%s: class %d, want %d", kind, class, want)
			}
		}
	}
}
