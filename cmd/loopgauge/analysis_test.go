package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// analysisLogs are agents of a year, with loops of seven sessions, and what
// gateways wrote of known traffic on one later day, with an outage.
var analysisLogs = []string{
	tau2Log,
	filepath.Join(fixtures, "formats/litellm/litellm_callback.jsonl.zst"),
	filepath.Join(fixtures, "formats/litellm/wide_custom_callback.jsonl.zst"),
}

// TestAnalysis asks a dataset what docs/analysis.md asks, of a replay, a watch
// and a tune, and wants answers that hold; and makes the tables of a lakehouse
// by the recipes there.
func TestAnalysis(t *testing.T) {
	python := pythonOf(t)
	t.Parallel()
	dir := t.TempDir()
	verdicts := loopgauge(t, "", append([]string{"replay", "--quiet", "--out", filepath.Join(dir, "out"), "--verdicts", "-"}, analysisLogs...)...)
	loopgauge(t, "", "tune", "--json", "--out", filepath.Join(dir, "tuned"), filepath.Join(fixtures, "tau2/agents.jsonl.zst"))
	watched(t, dir, strings.Count(verdicts, "\n"))
	teams(t, dir)

	document := absolute(t, "../../docs/analysis.md")
	got := analyze(t, python, document, dir)

	text := read(t, document)
	headings := regexp.MustCompile(`(?m)^### (\d+)\. (.*)$`).FindAllStringSubmatch(text, -1)
	if len(got.Answers) != len(headings) {
		t.Fatalf("%d questions, %d answers", len(headings), len(got.Answers))
	}
	for i, rows := range got.Answers {
		if headings[i][1] != strconv.Itoa(i+1) || len(rows) == 0 {
			t.Errorf("%s. %s: %d rows", headings[i][1], headings[i][2], len(rows))
		}
	}
	has := func(question int, want string) {
		t.Helper()
		if list := got.rows(question); !slices.Contains(list, want) {
			t.Errorf("%d. %s: no row\n%s\namong\n%.3000s", question, headings[question-1][2], want, strings.Join(list, "\n"))
		}
	}
	// By hand: fixtures/tau2 labels five sessions of gpt-oss as loops and two of
	// the fine-tuned gpt-4.1, the longest with 99 equal calls and results.
	has(1, "openai/gpt-oss-120b|27|5|18.5")
	has(1, "ft:gpt-4.1-2025-04-14:sierra:tau2-full-sft:BzrYdMNm|74|2|2.7")
	has(2, "47cfbe74-01b7-1c0c|openai/gpt-oss-120b|2025-11-26 01:24:48.472251+00|99|null|null|[last-messages, stuck-step, tool-call-result]")
	has(7, "openai/gpt-oss-120b|408|5|12.25")
	has(10, "ep-162321d880c54403|last-messages|A-outage|retry|2026-11-21 03:24:42.738056+00|10|7|7")
	has(11, "2026-11-21 03:24:00+00|96|10|6")
	has(12, "sess-134fccee-0568|[stuck-step]|[unknown]|3|1.61|gpt-4.1") // a loop, too short to tell
	has(13, "2025-11-24 00:00:00+00|27|5|18.5")
	has(14, "49|49|39|0") // ten went on when watch was stopped
	has(18, "[last-messages, stuck-step, tool-call-result]|12|373")
	has(19, "2025-11-26|202|null|null")
	has(21, "tool-call-result|540|1.3|28.8|97.0|100.0") // as a loop over the rows says, too
	// What loops went on to use is what the last line of the run says, also where
	// rules of two scopes see the same requests.
	if got, want := sumOf(t, got.Answers[18], 1), wasted(t, analysisLogs); got != want {
		t.Errorf("%d requests after a rule had fired, and the run says %d", got, want)
	}
	profiles := append([]string{"--profile", "loopgauge", "--profile", "fairvisor", "--profile", "aisg"}, analysisLogs...)
	ask := func(args []string) answered {
		other := t.TempDir()
		loopgauge(t, "", append([]string{"replay", "--quiet", "--out", filepath.Join(other, "out")}, args...)...)
		for _, name := range []string{"tuned", "live", "teams.csv"} {
			if err := os.Symlink(filepath.Join(dir, name), filepath.Join(other, name)); err != nil {
				t.Fatal(err)
			}
		}
		return analyze(t, python, document, other)
	}
	others := ask(profiles)
	if got, want := sumOf(t, others.Answers[18], 1), wasted(t, profiles); got != want {
		t.Errorf("with rules of two scopes %d requests after a rule had fired, and the run says %d", got, want)
	}
	if probe := "A-probe|[aisg]|[probe]|8|0.59|mock-1"; !slices.Contains(others.rows(12), probe) {
		t.Errorf("12: no row %s", probe)
	}
	// A count that goes on where an episode has ended is of one loop, once.
	paused := filepath.Join(t.TempDir(), "paused.jsonl")
	var calls strings.Builder
	for _, second := range []int{0, 1, 2, 3, 4, 1804, 1805} {
		fmt.Fprintf(&calls, `{"time":%d,"session":"paused","messages":[],"tool_calls":[{"name":"f","arguments":{}}]}`+"\n", 1795231479+second)
	}
	write(t, paused, calls.String())
	if got := ask([]string{"--profile", "roo-code", "--profile", "cline", paused}).rows(2); !slices.Equal(got, []string{"paused|null|2026-11-21 03:24:41+00|7|null|null|[cline-hard, cline-soft, roo-code]"}) {
		t.Errorf("2: of a count that goes on %q", got)
	}
	// The verdicts of the week and of a threshold are those of the run.
	fives := map[string]int{}
	for line := range strings.Lines(verdicts) {
		var v struct {
			Time  string
			Rule  string
			Count int
		}
		unmarshal(t, line, &v)
		if v.Count >= 5 && v.Time > "2026-11-15" {
			fives[v.Rule]++
		}
	}
	for _, row := range got.Answers[3] {
		if want := strconv.Itoa(fives[*row[0]]); *row[1] != want {
			t.Errorf("%s had %s requests of count 5, want %s", *row[0], *row[1], want)
		}
	}
	if len(got.Answers[3]) != len(fives) {
		t.Errorf("%d rules of %v", len(got.Answers[3]), fives)
	}
	if spent := sumOf(t, got.Answers[2], 1); spent != 5556 {
		t.Errorf("the teams made %d requests", spent)
	}
	for name, counts := range got.Tables {
		if c := counts["duckdb"]; c[1] == 0 || c[1] >= c[0] || c != counts["iceberg"] || c != counts["delta"] {
			t.Errorf("%s: all rows and those of the last day: %v", name, counts)
		}
	}
	if len(got.Tables) != 3 {
		t.Errorf("tables %v", got.Tables)
	}

	// The notebook runs, and shows its pictures.
	notebook := absolute(t, "../../docs/analysis.ipynb")
	program := absolute(t, "testdata/notebook.py")
	c := exec.CommandContext(t.Context(), python, program, notebook)
	c.Dir = dir
	var errs bytes.Buffer
	c.Stderr = &errs
	if out, err := c.Output(); err != nil || string(out) != "4\n" {
		t.Errorf("the notebook shows %s pictures: %v\n%s", out, err, errs.String())
	}
}

// wasted is how many requests the last line of a run says came after a rule had
// fired.
func wasted(t *testing.T, args []string) int {
	t.Helper()
	out := loopgauge(t, "", append([]string{"replay"}, args...)...)
	said := regexp.MustCompile(`loops: ([0-9,]+) requests`).FindStringSubmatch(out)
	if said == nil {
		t.Fatalf("nothing is said in\n%s", out)
	}
	return number(t, strings.ReplaceAll(said[1], ",", ""))
}

// sumOf adds up a column of an answer.
func sumOf(t *testing.T, rows [][]*string, column int) (sum int) {
	t.Helper()
	for _, row := range rows {
		sum += number(t, *row[column])
	}
	return sum
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// answered is what testdata/analysis.py prints.
type answered struct {
	Answers [][][]*string
	Nights  [2]int
	Tables  map[string]map[string][2]int
}

// analyze asks the datasets in a folder what a document asks.
func analyze(t *testing.T, python, document, dir string) (got answered) {
	t.Helper()
	program := absolute(t, "testdata/analysis.py")
	c := exec.CommandContext(t.Context(), python, program, document)
	c.Dir = dir
	c.Env = append(os.Environ(), "TZ=America/New_York")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	unmarshal(t, string(out), &got)
	return got
}

// rows are the answers to a question, from 1, with bars between the cells.
func (a answered) rows(question int) (list []string) {
	for _, row := range a.Answers[question-1] {
		var cells []string
		for _, cell := range row {
			if cell == nil {
				cells = append(cells, "null")
			} else {
				cells = append(cells, *cell)
			}
		}
		list = append(list, strings.Join(cells, "|"))
	}
	return list
}

// TestAnalysisOfOddities asks the same of what the logs above have not: a
// session with two models, a loop of one caller in several sessions, requests
// without session and model, equal calls side by side, two rules that see one
// call, a loop of two steps, two loops of a caller at the same time without a session,
// and a limit of rate that was reached.
func TestAnalysisOfOddities(t *testing.T) {
	python := pythonOf(t)
	t.Parallel()
	dir := t.TempDir()
	start := time.Date(2026, 11, 20, 23, 59, 50, 0, time.UTC)
	var log strings.Builder
	add := func(second int, fields string) {
		fmt.Fprintf(&log, `{"time":%q,%s}`+"\n", start.Add(time.Duration(second)*time.Second).Format(time.RFC3339), fields)
	}
	const find = `"tool_calls":[{"name":"find","arguments":"{}"}]`
	for i := range 6 {
		add(3*i, `"caller":"id-a","session":"work","model":"big","messages":"`+strconv.Itoa(i)+`",`+find)
	}
	add(20, `"caller":"id-a","session":"work","model":"small","messages":"a title"`)
	for i := range 6 {
		add(100+i, `"caller":"id-b","session":"of-`+strconv.Itoa(i%3)+`","model":"big","messages":"same"`)
	}
	for i := range 6 {
		add(200+i, `"caller":"id-c","messages":"nobody"`)
	}
	for i := range 4 {
		add(300+i, `"caller":"id-d","messages":"near","status":429`)
	}
	for i := range 3 {
		add(400+i, `"caller":"id-e","session":"sides","model":"big","messages":"`+strconv.Itoa(i)+`",`+strings.Replace(find, "[", `[{"name":"find","arguments":"{}"},`, 1))
	}
	for i := range 12 {
		add(500+i, `"caller":"id-f","session":"steps","model":"big","tokens_in":`+strconv.Itoa(100+i)+`,"cost":0.01,"messages":"`+strconv.Itoa(i)+`",`+strings.Replace(find, "find", []string{"find", "open"}[i%2], 1))
	}
	for i := range 10 {
		add(600+i, `"caller":"id-g","messages":"`+[]string{"left", "right"}[i%2]+`"`)
	}
	for i := range 3 {
		add(700+i, `"caller":"id-g","messages":"close"`)
	}
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		write(t, name, text)
		return name
	}
	access := file("access.jsonl", log.String())
	policy := file("policy.yaml", `version: 1
rules:
  - {name: calls, identity: tool-call, scope: [session], counter: {kind: sliding, window: 1m}, threshold: 4}
  - {name: prompts, identity: prompt, scope: [caller], counter: {kind: sliding, window: 1m}, threshold: 5, match: caller != "id-g"}
  - {name: talks, identity: prompt, scope: [conversation], counter: {kind: sliding, window: 1m}, threshold: 4, match: caller == "id-g"}
  - {name: row, identity: tool-call, scope: [session], counter: {kind: streak, window: 1m}, threshold: 4}
`)
	for _, name := range []string{"out", "live"} {
		loopgauge(t, "", "replay", "--quiet", "--policy", policy, "--out", filepath.Join(dir, name), access)
	}
	// A watch without a loop in its first minute leaves a file without rows.
	loopgauge(t, "", "replay", "--quiet", "--policy", policy, "--out", filepath.Join(dir, "calm"), file("calm.jsonl", log.String()[:strings.Index(log.String(), "\n")+1]))
	if err := os.Rename(filepath.Join(dir, "calm/episodes/date=2026-11-20/episodes-0000.parquet"), filepath.Join(dir, "out/episodes/date=2026-11-20/calm.parquet")); err != nil {
		t.Fatal(err)
	}
	loopgauge(t, "", "tune", "--json", "--policy", policy, "--out", filepath.Join(dir, "tuned"), access)
	teams(t, dir)

	document := absolute(t, "../../docs/analysis.md")
	got := analyze(t, python, document, dir)
	for question, want := range map[int]string{
		1: "big|6|5|83.3",
		2: "steps|big|2026-11-21 00:08:16+00|12|545|0.05|[calls]\n" +
			"key-93e789fe6e44|null|2026-11-21 00:03:14+00|6|null|null|[prompts]\nof-1|big|2026-11-21 00:01:34+00|6|null|null|[prompts]\n" +
			"sides|big|2026-11-21 00:06:31+00|6|null|null|[calls, row]\nwork|big|2026-11-20 23:59:59+00|6|null|null|[calls, row]\n" +
			"conv-2c6089290481|null|2026-11-21 00:09:56+00|5|null|null|[talks]\nconv-e37b517f1a89|null|2026-11-21 00:09:57+00|5|null|null|[talks]",
		4:  "calls|7|3|3\nprompts|4|2|2\nrow|3|2|2\ntalks|2|0|1",
		6:  "find|calls|3|3|18\nfind|row|2|2|12\n(none)|prompts|2|1|12\nopen|calls|1|1|6\n(none)|talks|2|0|10",
		7:  "big|27|4|148.15\nnull|23|3|130.43\nsmall|1|0|0.0",
		8:  "0|6|12\n23|1|0", // fired a second before midnight, the rest came after
		11: "2026-11-21 00:04:00+00|4|4|0",
		13: "2026-11-16 00:00:00+00|6|7|83.3",
		15: "prompts|key-665db167d280|4|2026-11-21 00:04:53+00\nprompts|of-0|4|2026-11-21 00:01:33+00\ntalks|conv-f227a965b16c|3|2026-11-21 00:11:32+00",
		19: "2026-11-21|12|545|0.05",
	} {
		if rows := strings.Join(got.rows(question), "\n"); rows != want {
			t.Errorf("%d: got\n%s\nwant\n%s", question, rows, want)
		}
	}
	if n := got.Nights; n[0] == 0 || n[1] != n[0] {
		t.Errorf("of two nights %d verdicts, of which %d have a request", n[0], n[1])
	}
	if rows := got.rows(17); len(rows) != 5 || !strings.Contains(rows[0], "|2|false|") || !strings.Contains(rows[4], "|6|true|") {
		t.Errorf("17: %q", rows)
	}
}

// watched watches the logs until it has said as many verdicts as replay did.
func watched(t *testing.T, dir string, lines int) {
	t.Helper()
	live := filepath.Join(dir, "live.jsonl")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, errs said
	ended := make(chan int, 1)
	go func() {
		args := []string{"watch", "--state", filepath.Join(dir, "state"), "--out", filepath.Join(dir, "live"), "--verdicts", live, "--idle", "1s", "--checkpoint", "1s", "--log-format", "json"}
		ended <- run(ctx, newUI(strings.NewReader(""), &out, &errs), append(args, analysisLogs...))
	}()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		text, _ := os.ReadFile(live)
		if n := bytes.Count(text, []byte("\n")); n >= lines {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("%d verdicts of %d\n%s", n, lines, errs.String())
		}
		select {
		case code := <-ended:
			t.Fatalf("watch ended with %d\n%s", code, errs.String())
		default:
		}
	}
	stop()
	if code := <-ended; code != exitDone {
		t.Fatalf("watch ended with %d\n%s", code, errs.String())
	}
}

// teams shares the callers of the logs among two teams.
func teams(t *testing.T, dir string) {
	t.Helper()
	var table strings.Builder
	table.WriteString("caller,team\n")
	for i, caller := range callers(t, dir) {
		fmt.Fprintf(&table, "%s,%s\n", caller, []string{"search", "support"}[i%2])
	}
	write(t, filepath.Join(dir, "teams.csv"), table.String())
}

// callers are those of the dataset in out.
func callers(t *testing.T, dir string) (list []string) {
	t.Helper()
	const program = "import sys, json, duckdb\nprint(json.dumps([c for c, in duckdb.sql(f\"SELECT DISTINCT caller FROM read_parquet('{sys.argv[1]}/out/events/*/*.parquet') WHERE caller IS NOT NULL ORDER BY 1\").fetchall()]))"
	out, err := exec.CommandContext(t.Context(), pythonOf(t), "-c", program, dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	unmarshal(t, out, &list)
	return list
}
