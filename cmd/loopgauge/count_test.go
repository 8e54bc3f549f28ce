package main

import (
	"strings"
	"testing"
)

// TestCountLongRows: a row may be as long as the texts of a request, whatever the
// rows beside it are.
func TestCountLongRows(t *testing.T) {
	policy := policyFile(t, "version: 1\nrules:\n  - {name: r, identity: tool-call, scope: [session], counter: {kind: streak, window: 1m}, threshold: 3}\n")
	count := func(session string) string {
		var rows strings.Builder
		for _, time := range []string{"1000000\t0\t0", "2000000\t0\t1", "3000000\t0\t2", "4000000\t0\t3"} {
			print := strings.Repeat("0", 31) + "1"
			rows.WriteString("72\t" + print + "\t" + print + "\t" + time + "\t0\t\t200\t1\t2\t0.5\t" + session + "\t\t\t\t\t\t\t\t73657373696F6E:61\n")
			session = "61"
		}
		return loopgauge(t, rows.String(), "count", "--policy", policy, "--by", "fingerprint")
	}
	short, long := count("61"), count(strings.Repeat("61", 3<<20))
	if !strings.Contains(short, `"hits":4}`) || short != long {
		t.Errorf("of short rows\n%s\nof a long one among them\n%.2000s", short, long)
	}
}

// TestCountRefusesWhatUsersSay: rows do not tell for which sessions a rule was
// switched off.
func TestCountRefusesWhatUsersSay(t *testing.T) {
	policy := policyFile(t, "version: 1\nrules:\n  - {name: r, profile: tool-call-shipped, chat_overrides: true}\n")
	code, out, errs := ran(t, "", "count", "--policy", policy, "--by", "scope")
	if code != exitUsage || !strings.Contains(errs, "rule r: events do not have what users say") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
}
