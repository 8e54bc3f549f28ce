package replay

import (
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// TestLoopsOfHostileScopes: a client that writes what could join a scope's
// fields makes no loop part of another's.
func TestLoopsOfHostileScopes(t *testing.T) {
	scope, err := fingerprint.NewScope([]string{"session", "model"})
	if err != nil {
		t.Fatal(err)
	}
	rule := &window.Rule{Name: "r", Scope: scope}
	loops := Loops([]window.Episode{
		{ID: "1", Rule: rule, Scope: []string{"a\x00model b", "c"}, Last: 9},
		{ID: "2", Rule: rule, Scope: []string{"a", "b\x00model c"}, Last: 9},
	})
	if len(loops) != 2 {
		t.Errorf("%d loops, not 2", len(loops))
	}
}
