package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/explain"
	"github.com/loopgauge/loopgauge/replay/tune"
)

// TestExplainTakesIDsOfTune: every episode of tune's document can be explained
// by its id with the policy that tune advised, from the log and from a dataset
// of it, and of a repeat that this does not fire on explain says where it is.
func TestExplainTakesIDsOfTune(t *testing.T) {
	if raced {
		t.Skip("reads a log for each of its episodes")
	}
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(fixtures, "tau2/agents.jsonl.zst")
	said := func(want int, args ...string) (out, errs string) {
		t.Helper()
		code, out, errs := ran(t, "", args...)
		if code != want {
			t.Fatalf("%q ended with %d, not %d: %s", args, code, want, errs)
		}
		return out, errs
	}
	text, _ := said(exitDone, "tune", "--json", log)
	var found tune.Document
	unmarshal(t, text, &found)
	advised, loops := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "loops")
	write(t, advised, *found.Policy)
	said(exitDone, "replay", "--policy", advised, "--out", loops, log)
	fires := map[string]bool{}
	for _, e := range found.Episodes {
		fires[e.ID] = true
		for _, from := range []string{log, loops} {
			text, _ := said(exitDone, "explain", "--json", "--policy", advised, e.ID, from)
			var x explain.Explanation
			unmarshal(t, text, &x)
			if x.Asked != e.ID || x.Episode.Rule != e.Rule || x.Episode.Fingerprint != e.Fingerprint || x.Episode.First != e.First || x.Episode.Fired != e.Fired {
				t.Errorf("%s, an episode of %s from %s that fired at %s, is explained as %+v", e.ID, e.Rule, e.First, e.Fired, x.Episode)
			}
		}
	}
	if _, errs := said(exitUsage, "replay", loops); !strings.Contains(errs, "rule stuck-step: "+loops+" does not have identity stuck-step\n") || !strings.Contains(errs, "\ngive the policy that it was written with, which its run has, or ") {
		t.Errorf("by rules that the dataset does not answer: %s", errs)
	}
	if _, errs := said(exitFailed, "explain", "--policy", advised, "ep-0000000000000000", loops); !strings.Contains(errs, "\ndid replay have the same --policy or ") || strings.Contains(errs, "same logs") {
		t.Errorf("of an episode that the dataset does not have: %s", errs)
	}
	if len(fires) < 3 {
		t.Errorf("only %d episodes found", len(fires))
	}
	calm := 0
	for _, k := range found.Repeats {
		if k.Rule != "tool-call-result" || fires[k.ID] {
			continue
		}
		calm++
		if _, errs := said(exitFailed, "explain", "--policy", advised, k.ID, log); !strings.Contains(errs, "the rule tool-call-result does not fire on it") || !strings.Contains(errs, "loopgauge explain "+log+":") {
			t.Errorf("of %s explain says %s", k.ID, errs)
		}
		break
	}
	if calm == 0 {
		t.Error("every repeat is a loop")
	}
}

// What a URL escapes need not be UTF-8; JSON is.
func TestExplainWritesUTF8(t *testing.T) {
	t.Parallel()
	log := `{"time":1,"id":"a","path":"/\ud800","query":"n=%e2%82&o=%ff"}` + "\n"
	got := loopgauge(t, log, "explain", "--identity", "fairvisor", "--show-text", "-")
	if !utf8.ValidString(got) || !strings.Contains(got, `"canonical":"|/\ud800|n=`+"\uFFFD|o=\uFFFD"+`"`) {
		t.Errorf("%q", got)
	}
}

// Of several logs the directory that all lie in is left out of the table, and a
// place gives way to what became of the request, which is read to its end.
func TestExplainTellsLogsApart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "var", "log", "a-gateway-with-a-long-name")
	request := func(at int) string {
		return fmt.Sprintf(`{"time":%d,"path":"/","query":"","method":"POST"}`+"\n", 1764120000+at)
	}
	write(t, filepath.Join(dir, "app.log"), request(3)+request(4))
	write(t, filepath.Join(dir, "app.log.1"), request(1)+request(2))
	write(t, filepath.Join(dir, "rotated/app.log.2"), request(0))
	policy := policyFile(t, "version: 1\nrules: [{name: r, identity: [path], scope: [], counter: {kind: sliding, window: 60s}, threshold: 3, cooldown: 30s, action: reject}]\n")
	got := loopgauge(t, "", "explain", "--policy", policy, filepath.Join(dir, "app.log")+":2", dir)
	for _, want := range []string{"\n    …/app.log.2:1  2025", "\n    app.log.1:1 ", "\n    app.log:2 ", "fired reject (cooldown)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for line := range strings.Lines(got) {
		if utf8.RuneCountInString(line) > 81 && !strings.Contains(line, dir) {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

// Each call of a request is told the episode that replay has it in, also where
// calls are counted together. The bug was that all had that of the last.
func TestExplainTellsEpisodesOfCallsApart(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log.jsonl")
	text := ""
	for i := range 3 {
		text += fmt.Sprintf(`{"time":%d,"session":"s","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"a","arguments":"{}"}},{"id":"b","function":{"name":"b","arguments":"{}"}}]}]}`+"\n", 1764120000+i)
	}
	write(t, log, text)
	policy := policyFile(t, "version: 1\nrules: [{name: r, identity: tool-call, scope: [session], counter: {kind: cycle, window: 60s}, threshold: 2, action: warn}]\n")
	var answer explain.Explanation
	unmarshal(t, loopgauge(t, "", "explain", "--json", "--policy", policy, log+":3"), &answer)
	var found replay.Document
	unmarshal(t, loopgauge(t, "", "replay", "--json", "--policy", policy, log), &found)
	want := map[string]string{}
	for _, e := range found.Episodes {
		want[e.Fingerprint] = e.ID
	}
	prints := answer.Rules[0].Fingerprints
	if len(want) != 2 || len(prints) != 2 {
		t.Fatalf("%d episodes of %d calls", len(want), len(prints))
	}
	for _, p := range prints {
		if p.Episode == nil {
			t.Errorf("%s is in no episode, not in %s", p.Fingerprint, want[p.Fingerprint])
		} else if *p.Episode != want[p.Fingerprint] {
			t.Errorf("%s is in episode %s, not in %s", p.Fingerprint, *p.Episode, want[p.Fingerprint])
		}
	}
}
