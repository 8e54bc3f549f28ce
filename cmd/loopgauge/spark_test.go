package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/parted"
)

var sparkMaster = flag.String("spark.master", "local[2]", "where TestSpark runs its jobs; local-cluster[2,1,2048] has processes of their own")

// sparkRules have counters of every kind, and what feeds back.
const sparkRules = `version: 1
lateness: 10s
exclude: [{name: probes, match: 'model == "probe"'}]
rules:
  - {name: "runs\tof calls", identity: tool-call, scope: [session], counter: {kind: streak, window: 10m}, threshold: 4, overrides: [{match: 'model == "b"', threshold: 3}]}
  - {name: cycles, identity: tool-call, scope: [session], counter: {kind: cycle, window: 10m}, threshold: 3}
  - {name: cooled, identity: tool-call, scope: [session, model], counter: {kind: sliding, window: 1m}, threshold: 3, cooldown: 30s, cooldown_counts: false, action: reject}
  - {name: since, identity: tool-call, scope: [caller], counter: {kind: fixed, window: 5m}, threshold: 4, reset_on_fire: true, match: status < 400}
  - {name: shipped, profile: tool-call-shipped}
`

// sparkWindows are few: tripping is simulated for each.
const sparkWindows = "10s,1m,10m"

// TestSpark: what Spark makes of logs, on 3 and on 4, is what one process makes
// of them: every count of tune, every episode of replay. 30 % of the requests
// are of one session.
func TestSpark(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs Spark for a minute")
	}
	dir := t.TempDir()
	binary := newProcesses(t).binary
	policy := policyFile(t, sparkRules)
	logs := sparkLogs(t, dir, 60_000)

	var tuned struct {
		Sweep []struct {
			Rule          string  `json:"rule"`
			Kind          string  `json:"kind"`
			WindowSeconds float64 `json:"window_s"`
			Threshold     int     `json:"threshold"`
			Requests      int64   `json:"requests"`
			Episodes      int64   `json:"episodes"`
			Stopped       *int64  `json:"stopped"`
		} `json:"sweep"`
	}
	unmarshal(t, loopgauge(t, "", append([]string{"tune", "--json", "--window", sparkWindows, "--threshold", "2..12", "--policy", policy}, logs...)...), &tuned)
	var replayed replay.Document
	unmarshal(t, loopgauge(t, "", append([]string{"replay", "--json", "--policy", policy}, logs...)...), &replayed)
	want := map[string]parted.Setting{}
	for _, s := range tuned.Sweep {
		if s.Requests > 0 {
			want[fmt.Sprintf("%s %s %v %d", s.Rule, s.Kind, s.WindowSeconds, s.Threshold)] = parted.Setting{
				Counter: s.Kind, WindowSeconds: s.WindowSeconds, Threshold: s.Threshold, Hits: s.Requests, Episodes: s.Episodes, Stopped: s.Stopped,
			}
		}
	}
	if len(want) < 300 || len(replayed.Episodes) < 100 {
		t.Fatalf("%d settings, %d episodes: the logs hold too little", len(want), len(replayed.Episodes))
	}
	slices.SortFunc(replayed.Episodes, byID)

	for _, spark := range []string{"spark3", "spark4"} {
		t.Run(spark, func(t *testing.T) {
			t.Parallel()
			submit := absolute(t, filepath.Join("../..", ".cache", spark, "bin", "spark-submit"))
			if _, err := os.Stat(submit); err != nil {
				t.Fatalf("%v: scripts/setup.sh spark installs it", err)
			}
			events, counts := filepath.Join(dir, spark, "of ${user.name} [a]{b}", "20261120", "events"), filepath.Join(dir, spark, "counts") // a day looks like the number of a log
			job := func(args ...string) (string, error) {
				c := exec.CommandContext(t.Context(), submit, append([]string{
					"--master", *sparkMaster, "--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=5", "--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.driver.bindAddress=127.0.0.1",
					"--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", // little data: compile little
					"--files", binary + "," + policy, "../../deploy/spark/loopgauge_job.py",
				}, args...)...)
				c.Env = append(os.Environ(), "PYSPARK_PYTHON="+filepath.Join(filepath.Dir(submit), "python"), "SPARK_LOCAL_IP=127.0.0.1", "SPARK_LOCAL_DIRS="+dir, "JDK_JAVA_OPTIONS=-Djava.io.tmpdir="+dir)
				out, err := c.CombinedOutput()
				return string(out), err
			}
			run := func(args ...string) {
				t.Helper()
				if out, err := job(args...); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			if out, err := job("count", "--events", events, "--counts", counts); err == nil || !strings.Contains(out, events+": no events here: name the directory") || strings.Contains(out, "Traceback") {
				t.Errorf("%v\n%s", err, out)
			}
			run(append([]string{"extract", "--policy", "policy.yaml", "--events", events}, logs...)...)
			for name, refused := range sparkRefused(t, binary, policy, filepath.Join(dir, spark), events, logs) {
				if out, err := job(refused...); err == nil || !strings.Contains(out, name) || strings.Contains(out, "Traceback") {
					t.Errorf("not refused with %q: %v\n%s", name, err, out)
				}
			}
			run("count", "--policy", "policy.yaml", "--flags=--most 12 --window "+sparkWindows, "--events", events, "--counts", counts)
			var got parted.Document
			unmarshal(t, loopgauge(t, "", "merge", "--json", counts), &got)

			settings := map[string]parted.Setting{}
			for _, rule := range got.Rules {
				for _, s := range rule.Settings {
					settings[fmt.Sprintf("%s %s %v %d", rule.Name, s.Counter, s.WindowSeconds, s.Threshold)] = s
				}
			}
			if diff := cmp.Diff(want, settings); diff != "" {
				t.Errorf("settings: - tune, + Spark\n%.3000s", diff)
			}
			slices.SortFunc(got.Episodes, byID)
			if diff := cmp.Diff(replayed.Episodes, got.Episodes); diff != "" {
				t.Errorf("episodes: - replay, + Spark\n%.3000s", diff)
			}
		})
	}
}

// sparkRefused are the jobs that are refused, by what they say, since some of the
// events would be missing or of others.
func sparkRefused(t *testing.T, binary, policy, dir, events string, logs []string) map[string][]string {
	t.Helper()
	extract := func(events string, more ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), binary, append([]string{"extract", "--quiet", "--out", events}, more...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	mixed, stopped, nothing := filepath.Join(dir, "mixed"), filepath.Join(dir, "stopped"), filepath.Join(dir, "nothing")
	extract(filepath.Join(mixed, "00000000"), "--policy", policy, logs[0])
	extract(filepath.Join(mixed, "00000001"), logs[1])
	extract(filepath.Join(stopped, "00000000"), "--policy", policy, logs[0])
	write(t, filepath.Join(stopped, "_under_way"), "")
	extract(filepath.Join(nothing, "00000000"), "--policy", policy, logs[len(logs)-1])
	counts := filepath.Join(dir, "refused")
	return map[string][]string{
		"events by more than one policy":  {"count", "--policy", "policy.yaml", "--events", mixed, "--counts", counts},
		"not all logs are there":          {"count", "--policy", "policy.yaml", "--events", stopped, "--counts", counts},
		"Hadoop would write it elsewhere": {"count", "--policy", "policy.yaml", "--events", events, "--counts", counts + "${user.name}"},
		"no request to count":             {"count", "--policy", "policy.yaml", "--events", nothing, "--counts", counts},
		"is of a log that is not named":   {"extract", "--policy", "policy.yaml", "--events", events, logs[0]},
	}
}

// TestSparkMissingLog: a log that the driver sees and an executor does not is not
// taken for an empty one.
func TestSparkMissingLog(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Spark's Python")
	}
	dir := t.TempDir()
	python := absolute(t, "../../.cache/spark4/bin/python")
	c := exec.CommandContext(t.Context(), python, "-Bc", `import loopgauge_job; print(loopgauge_job.each("echo "))`)
	c.Dir = "../../deploy/spark"
	loop, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	empty, missing := filepath.Join(dir, "empty"), filepath.Join(dir, "missing")
	write(t, empty, "")
	c = exec.CommandContext(t.Context(), "sh", "-c", string(loop))
	c.Stdin = strings.NewReader("00000000\t" + empty + "\n00000001\t" + missing + "\n")
	if out, err := c.Output(); err != nil || string(out) != "00000001 "+missing+"\n" {
		t.Errorf("%v: %q", err, out)
	}
}

func byID(a, b replay.DocumentEpisode) int {
	return strings.Compare(a.ID, b.ID)
}

// sparkLogs writes logs of agents that call tools, some of them again and
// again, with names that are hard to carry. One is empty, and one has nothing
// that counts.
func sparkLogs(t *testing.T, dir string, requests int) (logs []string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 9))
	type agent struct {
		left int // of its run
		call int
	}
	agents := make([]agent, 2000)
	const files = 3
	var writers [files]*bufio.Writer
	for i := range writers {
		name := filepath.Join(dir, fmt.Sprintf("gateway %d's ${user.name}.jsonl", i))
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		writers[i] = bufio.NewWriter(f)
		logs = append(logs, name)
	}
	for i, text := range []string{"", `{"time":"2026-11-20T22:00:00Z","model":"probe"}` + "\n"} {
		name := filepath.Join(dir, fmt.Sprintf("nothing %d.jsonl", i))
		write(t, name, text)
		logs = append(logs, name)
	}
	now := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	for i := range requests {
		if random.IntN(3) > 0 { // the others share their time with the one before
			now = now.Add(time.Duration(random.IntN(300)) * time.Millisecond)
		}
		n := random.IntN(len(agents))
		if random.IntN(10) < 3 {
			n = 0
		}
		a := &agents[n]
		if a.left == 0 {
			a.left = 1
			if random.IntN(20) == 0 {
				a.left = 2 + random.IntN(12)
			}
			a.call = random.IntN(400)
		}
		a.left--
		line := map[string]any{
			"time": now.Format(time.RFC3339Nano), "id": fmt.Sprintf("r%d", i), "session": fmt.Sprintf("s\t%d \\N ü\n", n), "caller": fmt.Sprintf("team-%d", n%40),
			"model": []string{"a", "b", ""}[n%3], "status": []int{200, 200, 429}[random.IntN(3)], "tokens_in": random.IntN(500), "cost": float64(random.IntN(1000)) / 7e4,
			"tool_calls": []map[string]any{{"name": "search", "arguments": map[string]int{"q": a.call + n%7}}},
		}
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		to := random.IntN(files)
		if i < files { // each log begins behind the one that is named before it
			to = i
		}
		if _, err := writers[to].Write(append(text, '\n')); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range writers {
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	return logs
}
