package replay

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestRemedies wants a way out of every cause, and nothing missing where there is
// nothing to repeat.
func TestRemedies(t *testing.T) {
	for c := range fingerprint.Cause(fingerprint.Causes) {
		remedy := Remedy(c)
		if (remedy == "") != (c == fingerprint.Computable) || strings.HasPrefix(remedy, "nothing is missing") != c.NothingToRepeat() {
			t.Errorf("%q: remedy %q", c, remedy)
		}
	}
}
