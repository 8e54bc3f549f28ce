package tune

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

// TestReached: where a rule counts sessions together, those are flagged whose
// requests fire, and not the one that repeated first.
func TestReached(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.jsonl")
	var lines string
	for i, session := range []string{"a", "b", "a", "a", "c"} {
		lines += `{"time":"2026-11-01T00:00:0` + string(rune('0'+i)) + `Z","method":"GET","path":"/x","caller":"k","session":"` + session + `","messages":[]}` + "\n"
	}
	if err := os.WriteFile(log, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	r := tunedLog(t, log, "loopgauge", Labels{"a": true, "b": false}, defaultRepeats)
	a := Advice{
		Target:    slices.IndexFunc(r.Sweep, func(s window.SweepTarget) bool { return s.Rule.Name == "same-path" }),
		Cell:      slices.Index(r.Cells, window.SweepCell{Kind: "sliding", Window: time.Minute}),
		Threshold: 4, Found: true,
	}
	for session, want := range map[string]bool{"a": true, "b": false, "c": false} {
		if got := r.reached.flagged(&a, session); got != want {
			t.Errorf("%s flagged: %v", session, got)
		}
	}
	if a.Found = false; r.reached.flagged(&a, "a") {
		t.Error("flagged without advice")
	}
}
