package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window/policy"
)

// everything is a policy of all built-in rules: its dataset answers all that a
// log can be asked without a rule of one's own.
func everything() string {
	_, text, _ := strings.Cut(string(tune.Rules), "\nversion: 1\n")
	for _, p := range policy.Profiles() {
		if !p.Compared() {
			continue
		}
		if p.Name == "loopgauge" {
			for _, rule := range []string{"tool-call-result", "stuck-step", "last-exchange", "last-messages"} {
				text += "  - {name: " + rule + ", profile: loopgauge/" + rule + "}\n"
			}
			continue
		}
		text += "  - {name: " + p.Name + ", profile: " + p.Name + "}\n"
	}
	return text
}

// changed has other counters, windows, thresholds, cooldowns and actions than
// everything, and fewer rules in another order.
const changed = `version: 1
rules:
  - {name: calls, profile: zelyx, counter: {kind: streak, window: 1h}, threshold: 2, overrides: [{match: session == "", threshold: 3, action: throttle}]}
  - {name: texts, profile: aisg, counter: {kind: refresh, window: 5m}, threshold: 2, cooldown: 1m, cooldown_counts: true, action: throttle}
  - {name: results, identity: tool-call-result, scope: [conversation], counter: {kind: cycle, window: 1h, period: 3}, threshold: 2, action: chance_then_break}
  - {name: per-session, identity: last-messages, mask: [call_ids], scope: [session], counter: {kind: sliding, window: 1h, closed: true}, threshold: 3, blocked_counts: false, action: reject}
  - {name: some, identity: last-messages, mask: [call_ids], scope: [conversation], counter: {kind: streak, window: 1h}, threshold: 2, match: 'status < 400 && model != ""', overrides: [{match: 'path.contains("chat") || session.endsWith("1")', threshold: 3, action: record}, {match: max_tokens == 1, enabled: false, until: 2030-01-01}]}
  - {name: all, identity: tool-call-python, scope: [], counter: {kind: fixed, window: 1h}, threshold: 3, reset_on_fire: true, quiet: 10s}
exclude:
  - {name: some, match: 'tokens_in > 100 && tokens_in % 3 == 0 || status == 401 || path.endsWith("models")'}
prices: {gpt-4.1: {input: 2.0, output: 8.0}}
`

// linked are the numbers that a dataset has from the run that wrote it, and the
// masks and why a rule does not look at a request, of which it knows nothing.
var linked = regexp.MustCompile(`"answers(_unlogged)?": [0-9]+|"masks": \[[^]]*\]|(?m:^  masks .*\n)|"not_matched",\s+"why": "[^"]*"`)

// sameFrom returns a function that runs a command over logs, and over the
// dataset that was made of them, and wants the same said.
func sameFrom(t *testing.T, dir string, logs ...string) func(args ...string) {
	t.Helper()
	return func(args ...string) {
		t.Helper()
		said := func(of ...string) string {
			return linked.ReplaceAllString(loopgauge(t, "", append(slices.Clone(args), of...)...), "")
		}
		want, got := said(logs...), said(dir)
		if want == "" && !slices.Contains(args, "--verdicts") {
			t.Fatalf("%s says nothing", strings.Join(args, " "))
		}
		if want != got {
			t.Errorf("%s differs (- log, + dataset):\n%.2000s", strings.Join(args, " "), cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		}
	}
}

// What a dataset is asked, its logs would have answered in the same words.
func TestDatasetEqualsLog(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{
		{"tau2/agents.jsonl.zst"},
		{"formats/litellm/litellm_callback.jsonl.zst"},
		{"formats/combined/nginx_combined.log"},
		{"formats/nginx-json/nginx_json.log", "formats/litellm/litellm_callback.jsonl.zst"},
	} {
		t.Run(filepath.Base(names[0]), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && (raced || len(names) == 1) {
				t.Skip("not with -short")
			}
			var logs []string
			for _, name := range names {
				logs = append(logs, filepath.Join(fixtures, name))
			}
			dir := filepath.Join(t.TempDir(), "dataset")
			all, other := policyFile(t, "version: 1\n"+everything()), policyFile(t, changed)
			loopgauge(t, "", append([]string{"replay", "--quiet", "--policy", all, "--out", dir}, logs...)...)
			first, last := times(t, logs[0])
			same := sameFrom(t, dir, logs...)
			for _, rules := range [][]string{{"--policy", all}, {"--policy", other}, {"--profile", "fairvisor", "--profile", "zelyx"}, {}} {
				with := func(args ...string) []string { return append(args, rules...) }
				same(with("replay", "--quiet", "--verdicts", "-")...)
				same(with("replay", "--json")...)
				same(with("replay")...)
				same(with("tune", "--json")...)
				same(with("tune")...)
				var found replay.Document
				unmarshal(t, loopgauge(t, "", append(with("replay", "--json"), logs...)...), &found)
				for _, rule := range found.Rules {
					// The first episode of each rule.
					if i := slices.IndexFunc(found.Episodes, func(e replay.DocumentEpisode) bool { return e.Rule == rule.Name }); i >= 0 {
						same(append([]string{"explain", found.Episodes[i].ID}, rules...)...)
						same(append([]string{"explain", found.Episodes[i].ID, "--json"}, rules...)...)
					}
				}
				for _, line := range []int{1, 22, 80} {
					same(with("explain", "--json", fmt.Sprint(logs[0], ":", line))...)
				}
			}
			same("replay", "--json", "--since", first, "--until", last)
			same("tune", "--json", "--window", "7s,1h", "--threshold", "3..9", "--since", first)
			same("replay", "--json", "--against", other)
			same("tune", "--json", "--against", other)
			same("replay", "--json", "--lateness", "10m")

			// A dataset made of it is the same once more.
			again := filepath.Join(t.TempDir(), "again")
			loopgauge(t, "", "replay", "--quiet", "--policy", all, "--out", again, dir)
			sameFrom(t, again, dir)("replay", "--json")
		})
	}
}

// An episode that a dataset says when it fired is explained as by its log: of requests
// of that time by the one that fired, by other thresholds that are in force, and where
// its episodes are gone or damaged.
func TestEpisodeOfDataset(t *testing.T) {
	t.Parallel()
	log, dir := filepath.Join(t.TempDir(), "a.jsonl"), filepath.Join(t.TempDir(), "data")
	var lines string
	for i, status := range []int{200, 200, 500, 200, 500, 500} {
		lines += fmt.Sprintf(`{"time":"2026-11-21T10:00:0%dZ","id":"r%d","session":"s","path":"/p","status":%d}`+"\n", (i+1)/2, i, status)
	}
	write(t, log, lines)
	ruled := func(threshold int) string {
		return policyFile(t, fmt.Sprintf("version: 1\nrules:\n  - {name: same, identity: [path], scope: [session], counter: {kind: sliding, window: 1m}, threshold: 9, overrides: [{match: status == 500, threshold: %d}]}\n", threshold))
	}
	policy := ruled(3)
	loopgauge(t, "", "replay", "--quiet", "--policy", policy, "--out", dir, log)
	var found replay.Document
	unmarshal(t, loopgauge(t, "", "replay", "--json", "--policy", policy, log), &found)
	id := found.Episodes[0].ID
	if out := loopgauge(t, "", "explain", id, "--json", "--policy", policy, log); !strings.Contains(out, `"override": "overrides[0]`) {
		t.Fatalf("it does not fire by the override:\n%s", out)
	}
	same := sameFrom(t, dir, log)
	explained := func(policy string) { t.Helper(); same("explain", id, "--json", "--policy", policy) }
	explained(policy)
	explained(ruled(2))
	if code, _, errs := ran(t, "", "explain", id, "--policy", ruled(5), dir); code != exitFailed || !strings.Contains(errs, "no episode is "+id) {
		t.Errorf("by a threshold of 5: exit code %d\n%s", code, errs)
	}
	file, err := filepath.Glob(filepath.Join(dir, "episodes", "*", "*.parquet"))
	if err != nil || len(file) != 1 {
		t.Fatal(file, err)
	}
	write(t, file[0], "PAR1")
	explained(policy)
	if err := os.RemoveAll(filepath.Join(dir, "episodes")); err != nil {
		t.Fatal(err)
	}
	explained(policy)
}

// A dataset knows which requests were answered of a log that has neither status
// nor tokens: tune took the loop in it for one of which nobody knows how it went.
func TestDatasetOfAnswersAlone(t *testing.T) {
	t.Parallel()
	file, dir := filepath.Join(t.TempDir(), "a.jsonl"), filepath.Join(t.TempDir(), "data")
	write(t, file, unevenly(8, func(int) string { return question + `,"tool_calls":[]` }))
	loopgauge(t, "", "replay", "--quiet", "--policy", policyFile(t, "version: 1\n"+everything()), "--out", dir, file)
	sameFrom(t, dir, file)("tune", "--json")
}

// A dataset that was written without conversations has sessions, and so what
// labels say of them: tune found none of them in it.
func TestLabelsOfDataset(t *testing.T) {
	t.Parallel()
	const policy = "version: 1\nrules:\n  - {name: calls, identity: tool-call-result, scope: [session], counter: {kind: streak, window: 10m}, threshold: 4}\n"
	log := filepath.Join(fixtures, "formats/litellm/litellm_callback.jsonl.zst")
	dir, labels := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "labels.jsonl")
	write(t, labels, `{"session":"A-stuck-b49d","loop":true}`+"\n"+`{"session":"A-healthy-b211","loop":false}`)
	flags := []string{"--policy", policyFile(t, policy), "--labels", labels}
	loopgauge(t, "", "replay", "--quiet", "--policy", flags[1], "--out", dir, log)
	want, got := tuneJSON(t, append(flags, log)...), tuneJSON(t, append(flags, dir)...)
	if got.Data.Conversations == 0 || want.Labels.TruePositive != 1 || want.Labels.TrueNegative != 1 {
		t.Errorf("%d conversations; of the log %+v", got.Data.Conversations, want.Labels)
	}
	if diff := cmp.Diff(want.Labels, got.Labels); diff != "" {
		t.Error(diff)
	}
}

// A log that lacks requests is told, by a dataset that was made of it too.
func TestLackingLog(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	lost := rand.New(rand.NewPCG(1, 2))
	for step := range 12 {
		for agent := range 60 {
			if lost.IntN(5) < 2 {
				continue
			}
			messages := `{"role":"user","content":"begin"}`
			for k := range step {
				messages += fmt.Sprintf(`,{"role":"assistant","tool_calls":[{"id":"call-%d","function":{"name":"look","arguments":"{\"at\":%d}"}}]},{"role":"tool","tool_call_id":"call-%d","content":"%d"}`, k, k, k, k)
			}
			fmt.Fprintf(&log, `{"time":%d,"session":"s%d","status":200,"messages":[%s],"tool_calls":[{"id":"call-%d","name":"look","arguments":"{\"at\":%d}"}]}`+"\n", 1_790_000_000+100*step+agent, agent, messages, step, step)
		}
	}
	file, dir := filepath.Join(t.TempDir(), "a.jsonl"), filepath.Join(t.TempDir(), "data")
	write(t, file, log.String())
	loopgauge(t, "", "extract", "--quiet", "--out", dir, file)
	sameFrom(t, dir, file)("replay")
	for _, command := range []string{"replay", "tune"} {
		said := strings.Join(strings.Fields(loopgauge(t, "", command, dir)), " ")
		if !regexp.MustCompile(`requests or responses are missing from the log: (3[5-9]|4[0-5]) % of the results of calls `).MatchString(said) {
			t.Errorf("%s does not say that two in five requests are missing:\n%s", command, said)
		}
	}
	if d := tuneJSON(t, dir).Data; d.Answers < 100 || d.AnswersUnlogged == 0 || d.Answers != tuneJSON(t, file).Data.Answers {
		t.Errorf("%d calls are answered, %d of them not logged", d.Answers, d.AnswersUnlogged)
	}
}

// A log as bad as can be: several files that overlap, out of order, with ids
// that come twice, lines that are late, no requests, without session, without
// messages; and a policy with all that a policy can say.
func TestMessyDatasetEqualsLog(t *testing.T) {
	t.Parallel()
	const head = "version: 1\nlateness: 2s\nduplicates: 30s\nevent_time: start\nprices: {a: {input: 1.5, output: 10}}\n"
	rules := func(threshold int, window, kind string) string {
		return fmt.Sprintf(`rules:
  - {name: texts, identity: last-messages, mask: [call_ids], scope: [conversation], counter: {kind: %[3]s, window: %[2]s}, threshold: %[1]d}
  - {name: fair, profile: fairvisor, threshold: %[1]d, scope: [user]}
  - {name: fair-keys, identity: fairvisor, limit_keys: ["header:x"], scope: ["attr:header:x"], counter: {kind: refresh, window: %[2]s}, threshold: %[1]d, match: size(attributes) > 0}
  - {name: team, identity: [model, "attr:header:x"], scope: ["attr:header:x", model], counter: {kind: cycle, window: %[2]s}, threshold: %[1]d, match: caller != "k0", overrides: [{match: query.contains("3"), enabled: false}, {match: user == "u1", threshold: %[1]d, action: throttle}, {enabled: false, until: 2023-11-14T22:14:00Z}]}
`, threshold, window, kind)
	}
	seeds := uint64(6)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 7))
		dir := t.TempDir()
		var logs []string
		for file := range 3 {
			var b strings.Builder
			at := 1_700_000_000.0
			for n := range 150 {
				at += random.ExpFloat64() / 2
				switch random.IntN(30) {
				case 0:
					b.WriteString("\n")
					continue
				case 1:
					b.WriteString("no line\n")
					continue
				}
				start := at - random.Float64()*3
				if random.IntN(20) == 0 {
					start -= 20
				}
				fmt.Fprintf(&b, `{"time":%.6f,"end":%.6f`, math.Floor(start*2)/2, at)
				maybe := func(odds int, format string, args ...any) {
					if random.IntN(10) < odds {
						fmt.Fprintf(&b, format, args...)
					}
				}
				maybe(8, `,"id":"%d-%d"`, file%2, n-random.IntN(3))
				maybe(7, `,"method":"POST","path":"/v1/%d","query":"a=%d"`, random.IntN(2), random.IntN(4))
				maybe(9, `,"caller":"k%d"`, random.IntN(2))
				maybe(7, `,"user":"u%d"`, random.IntN(2))
				maybe(6, `,"session":"s\u00e9%d"`, random.IntN(3))
				maybe(9, `,"model":"%c"`, 'a'+rune(random.IntN(2)))
				maybe(8, `,"status":%d`, []int{200, 429, 500}[random.IntN(3)])
				maybe(8, `,"messages":[{"role":"user","content":"text %d"}]`, random.IntN(2))
				maybe(5, `,"tokens_in":%d,"tokens_out":7`, random.IntN(90))
				maybe(3, `,"cost":0.%d`, random.IntN(90))
				maybe(3, `,"max_tokens":1`)
				maybe(5, `,"attributes":{"header:x":"t%d"}`, random.IntN(2))
				b.WriteString("}\n")
			}
			log := filepath.Join(dir, fmt.Sprintf("%d.jsonl", file))
			write(t, log, b.String())
			logs = append(logs, log)
		}
		const exclude = "exclude: [{name: probes, match: 'max_tokens == 1 && attributes.size() > 0'}]\n"
		written := policyFile(t, head+exclude+everything()+strings.TrimPrefix(rules(3, "20s", "sliding"), "rules:\n"))
		dataset := filepath.Join(dir, "dataset")
		loopgauge(t, "", append([]string{"replay", "--quiet", "--policy", written, "--out", dataset}, logs...)...)
		same := sameFrom(t, dataset, logs...)
		doc := loopgauge(t, "", "replay", "--json", "--policy", written, dataset)
		for _, word := range []string{"blank", "malformed", "duplicate", "late", "excluded", "fell_back", "fired", "episodes"} {
			if !regexp.MustCompile(`"` + word + `": [1-9]`).MatchString(doc) {
				t.Errorf("seed %d: there is no %s: the test shows little\n%.1500s", seed, word, doc)
			}
		}
		for _, p := range []string{
			written,
			policyFile(t, head+exclude+rules(2, "50s", "streak")),
			policyFile(t, head+"exclude: [{name: probes, match: 'max_tokens == 1 && attributes.size() > 0'}, {name: more, match: status == 429 && user != \"u0\"}]\n"+rules(2, "5s", "fixed")),
		} {
			same("replay", "--quiet", "--verdicts", "-", "--policy", p)
			same("replay", "--json", "--policy", p)
			same("replay", "--json", "--policy", p, "--since", "2023-11-14T22:13:35Z", "--until", "2023-11-14T22:14:10Z")
			same("tune", "--json", "--policy", p, "--since", "2023-11-14T22:13:35Z")
		}

		// A dataset without prices, with duplicates and with nothing excluded
		// leaves these to the policy that asks.
		bare := policyFile(t, "version: 1\nlateness: 2s\nduplicates: 0s\nevent_time: start\n"+rules(3, "20s", "sliding"))
		dataset = filepath.Join(dir, "bare")
		loopgauge(t, "", append([]string{"replay", "--quiet", "--policy", bare, "--out", dataset}, logs...)...)
		p := policyFile(t, head+"exclude: [{name: late, match: 'time > timestamp(\"2023-11-14T22:14:00Z\") || status == 500'}]\n"+rules(2, "30s", "streak"))
		sameFrom(t, dataset, logs...)("replay", "--json", "--policy", p)
	}
}

// times are a time in the first and one in the last third of a log's verdicts.
func times(t *testing.T, log string) (first, last string) {
	t.Helper()
	lines := strings.Split(loopgauge(t, "", "replay", "--quiet", "--profile", "fairvisor", "--verdicts", "-", log), "\n")
	at := func(line string) string { return line[len(`{"time":"`):][:len("2026-11-21T10:00:00.000000Z")] }
	return at(lines[len(lines)/3]), at(lines[len(lines)*2/3])
}

// TestPipe: what reads logs twice refuses a pipe at once, and telling logs from datasets takes
// nothing out of one, which is what <(zstdcat LOG) of a shell is.
func TestPipe(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("no /dev/fd here")
	}
	for _, args := range [][]string{{"explain", "ep-0123456789abcdef"}, {"replay", "--against", "policy.yaml"}} {
		if code, _, errs := ran(t, "", append(args, path)...); code != exitUsage || !strings.Contains(errs, path+" cannot be") {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
	}
	go func() {
		defer w.Close()
		fmt.Fprintln(w, `{"time": 1700000000, "messages": []}`)
	}()
	var d struct{ Data struct{ Judged int } }
	if unmarshal(t, loopgauge(t, "", "replay", "--json", "--format", "loopgauge", path), &d); d.Data.Judged != 1 {
		t.Errorf("%d requests of 1", d.Data.Judged)
	}
}

// Hostile input: what reads the damaged file must say so, and not fall over.
func TestDamagedDataset(t *testing.T) {
	t.Parallel()
	log := filepath.Join(fixtures, "formats/litellm/litellm_callback.jsonl.zst")
	dir := filepath.Join(t.TempDir(), "dataset")
	loopgauge(t, "", "replay", "--quiet", "--out", dir, log)
	files, err := filepath.Glob(filepath.Join(dir, "events", "*", "*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	if _, _, errs := ran(t, "", "replay", "--json", dir); errs != "" {
		t.Fatal(errs)
	}
	for _, file := range []string{files[0], filepath.Join(dir, "run", "run.parquet")} {
		sound := read(t, file)
		refused := func(what, text string) {
			t.Helper()
			write(t, file, text)
			if code, _, said := ran(t, "", "replay", "--json", dir); code != exitFailed || !strings.Contains(said, filepath.Base(file)) && !strings.Contains(said, dir) || !strings.Contains(said, "replay --out") || strings.Contains(said, "goroutine") {
				t.Errorf("%s: %s: exit code %d: %s", filepath.Base(file), what, code, said)
			}
		}
		refused("empty", "")
		refused("cut", sound[:len(sound)/2])
		refused("its head alone", sound[:4])
		refused("no Parquet", strings.Repeat("PAR1 ", 100))
		write(t, file, sound)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if code, _, said := ran(t, "", "replay", "--json", dir); code != exitFailed || !strings.Contains(said, "a file in events is missing") {
		t.Errorf("without a day: exit code %d: %s", code, said)
	}
}

// TestTuneOfChatRules: tune leaves out a dataset's own rule if sessions change
// it, since what users say is in no dataset.
func TestTuneOfChatRules(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	file := policyFile(t, "version: 1\nrules: [{name: a, profile: tool-call, chat_overrides: true}]\n")
	loopgauge(t, "", "replay", "--quiet", "--policy", file, "--out", dir, filepath.Join(fixtures, "tau2/agents.jsonl.zst"))
	var d tune.Document
	unmarshal(t, loopgauge(t, "", "tune", "--quiet", "--json", dir), &d)
	var rules []string
	for _, a := range d.Advice {
		rules = append(rules, a.Rule)
	}
	if !slices.Equal(rules, []string{"tool-call"}) {
		t.Errorf("tune of a dataset of chat rules looks at %v", rules)
	}
}

// What tune writes is read like what replay writes, and its sweep is that of the
// document: DuckDB reads it back.
func TestTunedDataset(t *testing.T) {
	t.Parallel()
	log := filepath.Join(fixtures, "tau2/agents.jsonl.zst")
	dir := filepath.Join(t.TempDir(), "tuned")
	want := loopgauge(t, "", "tune", "--json", "--out", dir, log)
	same := sameFrom(t, dir, log)
	same("replay", "--quiet", "--verdicts", "-")
	same("replay", "--quiet", "--verdicts", "-", "--profile", "tool-call-shipped", "--profile", "aisg-article")
	same("tune", "--json")

	// What a gateway ships otherwise than documented is found in a dataset too:
	// with bodies one of Fairvisor's was lost.
	bodies := filepath.Join(fixtures, "formats/nginx-json/nginx_default_escape.log")
	kept := filepath.Join(t.TempDir(), "kept")
	if text := loopgauge(t, "", "tune", "--json", "--out", kept, bodies); !strings.Contains(text, `"of": "body"`) {
		t.Error("the log with bodies shows no difference in bodies")
	}
	sameFrom(t, kept, bodies)("tune", "--json")

	if testing.Short() {
		return
	}
	var d tune.Document
	unmarshal(t, want, &d)
	const program = `
import sys, json, duckdb
q = duckdb.sql(f"select * from read_parquet('{sys.argv[1]}/sweep/*.parquet')")
print(json.dumps([dict(zip(q.columns, row)) for row in q.fetchall()]))`
	out, err := exec.CommandContext(t.Context(), pythonOf(t), "-c", program, dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		tune.DocumentCell
		Counter              string
		Identity             string
		Scope                []string
		Advised, Recommended bool
	}
	unmarshal(t, out, &rows)
	if len(rows) != len(d.Sweep) {
		t.Fatalf("%d rows for %d cells", len(rows), len(d.Sweep))
	}
	advice := map[string]tune.DocumentAdvice{}
	for _, a := range d.Advice {
		advice[a.Rule] = a
	}
	advised := 0
	for i, row := range rows {
		row.Kind = row.Counter
		if diff := cmp.Diff(d.Sweep[i], row.DocumentCell); diff != "" {
			t.Fatalf("row %d: - document, + DuckDB\n%s", i, diff)
		}
		a := advice[row.Rule]
		is := a.Kind != nil && *a.Kind == row.Kind && *a.WindowSeconds == row.WindowSeconds && *a.Threshold == row.Threshold
		if is {
			advised++
		}
		if row.Identity != a.Identity || !slices.Equal(row.Scope, a.Scope) || row.Advised != is || row.Recommended != (is && a.Recommended) {
			t.Errorf("row %d is %+v, the advice %+v", i, row, a)
		}
	}
	if advised == 0 {
		t.Error("nothing is advised: the test shows little")
	}
}

// TestEpisodesHaveKinds: what is written of an episode says what kind of repeat it
// is. A dataset has not all that takes, so what is made of one does not.
func TestEpisodesHaveKinds(t *testing.T) {
	t.Parallel()
	log := filepath.Join(fixtures, "formats/litellm/litellm_callback.jsonl.zst")
	kinds := func(args ...string) map[string]string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "data")
		loopgauge(t, "", append(args, "--quiet", "--out", dir)...)
		files, err := filepath.Glob(filepath.Join(dir, "episodes/*/*.parquet"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		found := map[string]string{}
		for _, file := range files {
			rows, err := parquet.ReadFile[struct {
				Rule     string  `parquet:"rule"`
				Session  *string `parquet:"session,optional"`
				Kind     *string `parquet:"kind,optional"`
				Evidence *string `parquet:"evidence,optional"`
			}](file)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				if r.Rule == "last-messages" && r.Kind != nil {
					found[*r.Session] = *r.Kind + ": " + *r.Evidence
				}
			}
		}
		return found
	}
	want := kinds("replay", log)
	for session, is := range map[string]string{
		"A-retry":  "stuck: the same last messages 12 times, answered each time",
		"A-outage": "retry: 9 of 9 answered with an error; no other callers had the same 429, 408, 499 or 5xx then",
	} {
		if want[session] != is {
			t.Errorf("%s is %q, want %q", session, want[session], is)
		}
	}
	if got := kinds("tune", log); !cmp.Equal(got, want) {
		t.Errorf("tune (- is what replay writes):\n%s", cmp.Diff(want, got))
	}
	dir := filepath.Join(t.TempDir(), "data")
	loopgauge(t, "", "replay", "--quiet", "--out", dir, log)
	if got := kinds("replay", dir); len(got) > 0 {
		t.Errorf("of a dataset: %v", got)
	}
}
