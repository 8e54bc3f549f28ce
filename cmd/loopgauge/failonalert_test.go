package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestFailOnLateAlert: the loop that would alert need not be among the first,
// which alone are listed.
func TestFailOnLateAlert(t *testing.T) {
	file := policyFile(t, `version: 1
lateness: 1s
rules:
  - {name: seen, identity: [path], scope: [session], counter: {kind: sliding, window: 1m}, threshold: 2, action: record}
  - {name: told, identity: [path], scope: [session], match: 'model == "odd"', counter: {kind: sliding, window: 1m}, threshold: 2, action: warn}
`)
	var log strings.Builder
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range maxListed + 100 {
		model := "even"
		if i == maxListed+50 {
			model = "odd"
		}
		for range 2 {
			at = at.Add(time.Second)
			fmt.Fprintf(&log, `{"time":%q,"session":"s%d","model":%q,"path":"/x"}`+"\n", at.Format(time.RFC3339), i, model)
		}
	}
	if code, out, errs := ran(t, log.String(), "replay", "--format", "loopgauge", "--policy", file, "--fail-on-alert", "-"); code != exitFindings {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}
