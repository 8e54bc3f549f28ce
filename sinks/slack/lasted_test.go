package slack

import (
	"testing"

	"github.com/loopgauge/loopgauge/sinks"
)

// How long a loop went on is never nothing, and has no zeros to read over.
func TestLasted(t *testing.T) {
	for last, want := range map[string]string{
		"2026-05-04T10:00:00.412345Z": "412ms",
		"2026-05-04T10:00:31.6Z":      "32s",
		"2026-05-04T10:04:00Z":        "4m",
		"2026-05-04T11:00:00Z":        "1h",
	} {
		if got := lasted(&sinks.Alert{First: "2026-05-04T10:00:00Z", Last: last}); got != want {
			t.Errorf("until %s: %s, want %s", last, got, want)
		}
	}
}
