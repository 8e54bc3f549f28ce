package tune

import (
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// What a setting looks for is said of each counter that is swept, and of no
// identity for which there are no words.
func TestLooksFor(t *testing.T) {
	r := &Report{}
	for _, kind := range window.SweepKinds {
		r.Cells = append(r.Cells, window.SweepCell{Kind: kind, Window: 10 * time.Minute})
	}
	reads := fingerprint.ReadsQuery
	f := func(identity string, cell int, want string) {
		t.Helper()
		a := &Advice{Rule: &window.Rule{Identity: &fingerprint.Identity{Name: identity, Reads: reads}}, Cell: cell, Threshold: 4}
		if got := r.LooksFor(a); got != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
	same := "looks for the same call of a tool with the same result, 4 times "
	f("tool-call-result", 0, same+"within 10m")
	f("tool-call-result", 1, same+"within 10m of the first")
	f("tool-call-result", 2, same+"with no pause of 10m")
	f("tool-call-result", 3, same+"in a row within 10m")
	f("tool-call-result", 4, same+"in a row or in rounds within 10m")
	f("fairvisor", 1, "looks for requests of the same method, path, query and limit keys, 4 times within 10m of the first")
	reads |= fingerprint.ReadsBody
	f("fairvisor", 1, "looks for requests of the same method, path, query, body and limit keys, 4 times within 10m of the first")
	f("request", 0, "")
}
