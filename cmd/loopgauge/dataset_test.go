package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/window/policy"
)

// everything is a policy of all built-in rules: its dataset answers all that a
// log can be asked without a rule of one's own.
func everything(t *testing.T) string {
	t.Helper()
	text := "version: 1\nrules:\n  - {name: same-prompt, identity: prompt, scope: [], counter: {kind: sliding, window: 60s}, threshold: 6}\n"
	for _, p := range policy.Profiles() {
		if p.Name == "loopgauge" {
			for _, rule := range []string{"tool-call-result", "stuck-step", "last-messages"} {
				text += "  - {name: " + rule + ", profile: loopgauge/" + rule + "}\n"
			}
			continue
		}
		text += "  - {name: " + p.Name + ", profile: " + p.Name + "}\n"
	}
	return policyFile(t, text)
}

// changed has other counters, windows, thresholds, cooldowns and actions than
// everything, and fewer rules in another order.
const changed = `version: 1
rules:
  - {name: calls, profile: zelyx, counter: {kind: streak, window: 1h}, threshold: 2, overrides: [{match: session == "", threshold: 3, action: throttle}]}
  - {name: texts, profile: aisg, counter: {kind: refresh, window: 5m}, threshold: 2, cooldown: 1m, cooldown_counts: true, action: throttle}
  - {name: results, identity: tool-call-result, scope: [conversation], counter: {kind: cycle, window: 1h, period: 3}, threshold: 2, action: chance_then_break}
  - {name: per-session, identity: last-messages, scope: [session], counter: {kind: sliding, window: 1h, closed: true}, threshold: 3, blocked_counts: false, action: reject}
  - {name: some, identity: last-messages, scope: [conversation], counter: {kind: streak, window: 1h}, threshold: 2, match: 'status < 400 && model != ""', overrides: [{match: 'path.contains("chat") || session.endsWith("1")', threshold: 3, action: record}, {match: max_tokens == 1, enabled: false, until: 2030-01-01}]}
  - {name: all, identity: tool-call-python, scope: [], counter: {kind: fixed, window: 1h}, threshold: 3, reset_on_fire: true, quiet: 10s}
exclude:
  - {name: some, match: 'tokens_in > 100 && tokens_in % 3 == 0 || status == 401 || path.endsWith("models")'}
prices: {gpt-4.1: {input: 2.0, output: 8.0}}
`

// What a dataset is asked, its log would have answered in the same words.
func TestDatasetEqualsLog(t *testing.T) {
	for _, log := range []string{
		"tau2/agents.jsonl.zst", "formats/litellm/litellm_callback.jsonl.zst", "formats/nginx-json/nginx_json.log", "formats/combined/nginx_combined.log",
	} {
		t.Run(strings.ReplaceAll(log, "/", "_"), func(t *testing.T) {
			log := filepath.Join(fixtures, log)
			dir := filepath.Join(t.TempDir(), "dataset")
			all, other := everything(t), policyFile(t, changed)
			loopgauge(t, "", "replay", "--quiet", "--policy", all, "--out", dir, log)
			first, last := times(t, log)
			same := func(args ...string) {
				t.Helper()
				want, got := loopgauge(t, "", append(args, log)...), loopgauge(t, "", append(args, dir)...)
				if want == "" && !slices.Contains(args, "--verdicts") {
					t.Fatalf("%s says nothing", strings.Join(args, " "))
				}
				if want != got {
					t.Errorf("%s differs (- log, + dataset):\n%.2000s", strings.Join(args, " "), cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
				}
			}
			for _, rules := range [][]string{{"--policy", all}, {"--policy", other}, {"--profile", "fairvisor", "--profile", "zelyx"}, {}} {
				with := func(args ...string) []string { return append(args, rules...) }
				same(with("replay", "--quiet", "--verdicts", "-")...)
				same(with("replay", "--json")...)
				same(with("replay")...)
				same(with("tune", "--json")...)
				same(with("tune")...)
			}
			same("replay", "--json", "--since", first, "--until", last)
			same("tune", "--json", "--window", "7s,1h", "--threshold", "3..9", "--since", first)
			same("replay", "--json", "--against", other)
			same("tune", "--json", "--against", other)
			same("replay", "--json", "--lateness", "10m")

			// A dataset made of it is the same once more.
			again := filepath.Join(t.TempDir(), "again")
			loopgauge(t, "", "replay", "--quiet", "--policy", all, "--out", again, dir)
			if want, got := loopgauge(t, "", "replay", "--json", dir), loopgauge(t, "", "replay", "--json", again); want != got {
				t.Errorf("the dataset of a dataset differs:\n%.2000s", cmp.Diff(want, got))
			}
		})
	}
}

// times are a time in the first and one in the last third of a log's verdicts.
func times(t *testing.T, log string) (first, last string) {
	t.Helper()
	lines := strings.Split(loopgauge(t, "", "replay", "--quiet", "--profile", "fairvisor", "--verdicts", "-", log), "\n")
	at := func(line string) string { return line[len(`{"time":"`):][:len("2026-11-21T10:00:00.000000Z")] }
	return at(lines[len(lines)/3]), at(lines[len(lines)*2/3])
}

// Hostile input: what reads the damaged file must say so, and not fall over.
func TestDamagedDataset(t *testing.T) {
	log := filepath.Join(fixtures, "formats/litellm/litellm_callback.jsonl.zst")
	dir := filepath.Join(t.TempDir(), "dataset")
	loopgauge(t, "", "replay", "--quiet", "--out", dir, log)
	files, err := filepath.Glob(filepath.Join(dir, "events", "*", "*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	replays := func() (int, string) {
		var out, errs bytes.Buffer
		code := run(t.Context(), newUI(strings.NewReader(""), &out, &errs), []string{"replay", "--json", dir})
		return code, errs.String()
	}
	_, whole := replays()
	if whole != "" {
		t.Fatal(whole)
	}
	for _, file := range []string{files[0], filepath.Join(dir, "run", "run.parquet")} {
		sound, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		refused := func(what string, text []byte) {
			t.Helper()
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if code, said := replays(); code != exitFailed || !strings.Contains(said, filepath.Base(file)) && !strings.Contains(said, dir) || !strings.Contains(said, "replay --out") || strings.Contains(said, "goroutine") {
				t.Errorf("%s: %s: exit code %d: %s", filepath.Base(file), what, code, said)
			}
		}
		refused("empty", nil)
		refused("cut", sound[:len(sound)/2])
		refused("its head alone", sound[:4])
		refused("no Parquet", bytes.Repeat([]byte("PAR1 "), 100))
		if err := os.WriteFile(file, sound, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if code, said := replays(); code != exitFailed || !strings.Contains(said, "a file in events is missing") {
		t.Errorf("without a day: exit code %d: %s", code, said)
	}
}
