package main

import (
	"testing"

	"github.com/loopgauge/loopgauge/ingest"
)

// TestExplainCommand: what an alert says to type has all that an episode's id
// depends on.
func TestExplainCommand(t *testing.T) {
	c := explainCommand{args: []string{"a b.jsonl"}}
	c.rules.policy, c.logs.format, c.logs.maxLine, c.key, c.hashIDs = "policy.yaml", "kong", ingest.DefaultMaxLine, "key", true
	for flag, value := range map[interface{ Set(string) error }]string{&c.logs.since: "2026-11-21", &c.logs.until: "2026-11-22", &c.lateness: "1m"} {
		if err := flag.Set(value); err != nil {
			t.Fatal(err)
		}
	}
	want := "loopgauge explain ep-1 --policy policy.yaml --format kong --since 2026-11-21T00:00:00Z --until 2026-11-22T00:00:00Z --lateness 1m --fingerprint-key key --hash-ids 'a b.jsonl'"
	if got := c.of("ep-1"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
