package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

// TestKafkaSink: a topic that is watched becomes one of verdicts and one of
// alerts, which hold what replay says of the same log, before and after a
// restart, which repeats nothing.
func TestKafkaSink(t *testing.T) {
	t.Parallel()
	b := kafkatest.Start(t)
	dir := t.TempDir()
	lines := loops(3000, time.Now().UTC().Add(-5*time.Hour).Truncate(time.Second))
	log, alerts, verdicts := b.Topic(t, 1), b.Topic(t, 3), b.Topic(t, 3)
	file, policy := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "policy.yaml")
	write(t, file, strings.Join(lines, "\n")+"\n")
	write(t, policy, fmt.Sprintf(`version: 1
lateness: 1s
rules: [{name: same, identity: prompt, scope: [session], counter: {kind: sliding, window: 10m}, threshold: 3}]
kafka: {start: earliest, group: %s}
sinks: [{kafka: {alerts: "kafka://%s/%s", verdicts: "kafka://%[2]s/%[4]s"}}]
`, log, b.Address, alerts, verdicts))
	list := func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
	wantVerdicts := list(loopgauge(t, "", "replay", "--quiet", "--policy", policy, "--verdicts", "-", file))
	type alert struct {
		ID, State string
		Revision  int
		Scope     json.RawMessage
	}
	name := func(text string) (string, alert) {
		var a alert
		unmarshal(t, text, &a)
		return fmt.Sprint(a.ID, " ", a.Revision, " ", a.State), a
	}
	wantAlerts := map[string]bool{}
	var opened []string
	for _, text := range list(loopgauge(t, "", "replay", "--quiet", "--policy", policy, "--emit", "--dry-run", file)) {
		key, a := name(text)
		wantAlerts[key] = true
		if a.State == "opened" {
			opened = append(opened, key)
		}
	}

	// watch runs until so many verdicts are there, and what else there must be;
	// the last line of the log waits for the lateness.
	watch := func(n int, more func() bool) {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var out, errs said
		done := make(chan int)
		go func() {
			done <- run(ctx, newUI(strings.NewReader(""), &out, &errs), []string{"watch", "--policy", policy, "--state", filepath.Join(dir, "state"), "--idle", "300ms", "kafka://" + b.Address + "/" + log})
		}()
		deadline := time.Now().Add(patience)
		for len(b.Records(t, verdicts)) < n || !more() {
			select {
			case code := <-done:
				t.Fatalf("watch ended with %d:\n%s", code, errs.String())
			case <-time.After(50 * time.Millisecond):
			}
			if time.Now().After(deadline) {
				t.Fatalf("of %d verdicts there are %d, of %d alerts that open %d:\n%s", n, len(b.Records(t, verdicts)), len(opened), len(b.Records(t, alerts)), errs.String())
			}
		}
		stop()
		if code := <-done; code != exitDone {
			t.Fatalf("watch ended with %d:\n%s", code, errs.String())
		}
	}
	b.Produce(t, log, 0, lines[:2000]...)
	// told are the alerts that are there, by how often: what is slow to arrive is
	// written again.
	told := func() map[string]int {
		t.Helper()
		told, texts := map[string]int{}, map[string]string{}
		for _, r := range b.Records(t, alerts) {
			key, a := name(string(r.Value))
			if !wantAlerts[key] || string(r.Key) != string(a.Scope) || told[key] > 0 && texts[key] != string(r.Value) {
				t.Fatalf("of %s there is %s: %s", r.Key, key, r.Value)
			}
			told[key]++
			texts[key] = string(r.Value)
		}
		return told
	}
	all := func() bool {
		told := told()
		return !slices.ContainsFunc(opened, func(key string) bool { return told[key] == 0 })
	}
	watch(2000, all)
	before, judged := told(), len(b.Records(t, verdicts))
	b.Produce(t, log, 0, lines[2000:]...)
	watch(3000, all)
	again := 0
	for key, n := range told() {
		if before[key] > 0 && n > before[key] {
			again++
		}
	}
	// One may have been on its way when watch was ended.
	if again > 1 || len(told()) < 4 {
		t.Errorf("of %d alerts %d came again after the restart", len(told()), again)
	}

	var got []string
	for _, r := range b.Records(t, verdicts) {
		got = append(got, string(r.Value))
	}
	if n := len(got) - judged; n >= 2000 {
		t.Errorf("%d verdicts came after the restart, of 1000 requests", n)
	}
	slices.Sort(got)
	got = slices.Compact(got)
	slices.Sort(wantVerdicts)
	if !slices.Equal(got, wantVerdicts) {
		t.Errorf("%d verdicts, replay has %d", len(got), len(wantVerdicts))
	}
}
