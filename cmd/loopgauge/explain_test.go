package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/replay"
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
	log, err := filepath.Abs("../../fixtures/tau2/agents.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	said := func(want int, args ...string) (out, errs string) {
		t.Helper()
		var o, e strings.Builder
		if code := run(t.Context(), newUI(strings.NewReader(""), &o, &e), args); code != want {
			t.Fatalf("%q ended with %d, not %d: %s", args, code, want, e.String())
		}
		return o.String(), e.String()
	}
	text, _ := said(exitDone, "tune", "--json", log)
	var found tune.Document
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatal(err)
	}
	advised, loops := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "loops")
	if err := os.WriteFile(advised, []byte(*found.Policy), 0o600); err != nil {
		t.Fatal(err)
	}
	said(exitDone, "replay", "--policy", advised, "--out", loops, log)
	fires := map[string]bool{}
	for _, e := range found.Episodes {
		fires[e.ID] = true
		for _, from := range []string{log, loops} {
			text, _ := said(exitDone, "explain", "--json", "--policy", advised, e.ID, from)
			var x replay.Explanation
			if err := json.Unmarshal([]byte(text), &x); err != nil {
				t.Fatal(err)
			}
			if x.Asked != e.ID || x.Episode.Rule != e.Rule || x.Episode.Fingerprint != e.Fingerprint || x.Episode.First != e.First || x.Episode.Fired != e.Fired {
				t.Errorf("%s, an episode of %s from %s that fired at %s, is explained as %+v", e.ID, e.Rule, e.First, e.Fired, x.Episode)
			}
		}
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
