package monitor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestPrometheus lets the real Prometheus scrape a real watch, and evaluate the
// rules that we give to others.
func TestPrometheus(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Prometheus")
	}
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Fatal("there is no prometheus: run scripts/setup.sh prometheus, or go test -short")
	}
	dir := t.TempDir()
	const lines = 40
	judged := watch(t, dir, lines)

	rules, err := filepath.Abs("../../../deploy/prometheus/loopgauge.rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "prometheus.yaml")
	text := fmt.Sprintf(`global: {scrape_interval: 2s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs:
  - {job_name: loopgauge, static_configs: [{targets: [%q]}]}
`, rules, judged)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output := start(t, exec.CommandContext(t.Context(), program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "tsdb"),
		"--web.listen-address=127.0.0.1:0"))
	address := ""
	eventually(t, "Prometheus listens", func() bool {
		text, err := os.ReadFile(output)
		if m := regexp.MustCompile(`Listening on.* address=(\S+)`).FindSubmatch(text); m != nil {
			address = string(m[1])
		}
		return err == nil && address != ""
	})

	query := func(expr string) float64 {
		var answer struct {
			Data struct{ Result []struct{ Value [2]any } }
		}
		if !ask(t, address, "/api/v1/query?query="+url.QueryEscape(expr), &answer) || len(answer.Data.Result) != 1 {
			return -1
		}
		var v float64
		if _, err := fmt.Sscan(fmt.Sprint(answer.Data.Result[0].Value[1]), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	eventually(t, "the lines are judged in Prometheus", func() bool { return query(`loopgauge_lines_total{fate="judged"}`) == lines })
	f := func(expr string, want float64) {
		t.Helper()
		eventually(t, fmt.Sprintf("%s is %v", expr, want), func() bool { return query(expr) == want })
	}
	f(`up{job="loopgauge"}`, 1)
	f(`loopgauge_ready`, 1)
	f(`loopgauge_rule_fired_total{rule="stuck-step"}`, lines-2)
	f(`loopgauge_alerts_total{state="opened"}`, 1)
	f(`sum(loopgauge_stream_lag_bytes)`, 0)
	f(`count({__name__=~"loopgauge_.*", instance=""})`, -1) // every series is of an instance

	r, err := http.Get("http://" + judged + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	check := exec.CommandContext(t.Context(), "promtool", "check", "metrics")
	check.Stdin = r.Body
	if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, said)
	}

	var answer struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, State, LastError string }
			}
		}
	}
	// "absent" is pending until the first scrape.
	eventually(t, "every rule is evaluated, and has nothing to say of a watch that is well", func() bool {
		answer.Data.Groups = nil
		if !ask(t, address, "/api/v1/rules?type=alert", &answer) || len(answer.Data.Groups) == 0 {
			return false
		}
		for _, r := range answer.Data.Groups[0].Rules {
			if r.Health == "err" {
				t.Errorf("%s: %s", r.Name, r.LastError)
			}
			if r.Health == "unknown" || r.State != "inactive" {
				return false
			}
		}
		return len(answer.Data.Groups[0].Rules) > 0
	})
}

// watch runs until the test ends, and returns where it can be scraped.
func watch(t *testing.T, dir string, lines int) string {
	t.Helper()
	var log strings.Builder
	for i := range lines {
		fmt.Fprintf(&log, `{"time":%q,"id":"r%d","session":"s","model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"no"}],"tool_calls":[{"name":"f","arguments":"{}"}]}`+"\n",
			time.Now().Add(time.Duration(i-lines)*time.Second).UTC().Format(time.RFC3339), i)
	}
	file := filepath.Join(dir, "access.log")
	if err := os.WriteFile(file, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	store, err := live.OpenStore(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	quiet, status := slog.New(slog.DiscardHandler), &live.Status{}
	s, err := Start("0", status.Get, Options{Version: "test", Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- live.Run(ctx, live.Options{
			Feed: func(_ context.Context, marks []ingest.Mark) (ingest.Feed, error) {
				return ingest.Follow([]string{file}, ingest.Options{}, marks)
			},
			Store: store, Idle: 100 * time.Millisecond, Status: status,
			Job: live.Job{
				Plan: window.NewPlan(p.Rules, p.Exclude), Lateness: policy.DefaultLateness, Duplicates: p.Duplicates,
				Interval: 100 * time.Millisecond, Log: quiet,
			},
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, s.Close(), store.Close()); err != nil {
			t.Error(err)
		}
		if n := status.Get(); n.Frontier == fingerprint.NoTime || n.Frontier != n.Newest {
			t.Errorf("judged up to %d, newest is %d", n.Frontier, n.Newest)
		}
	})
	return s.Addr()
}

// start runs a program until the test ends. It returns the file of what the
// program says.
func start(t *testing.T, c *exec.Cmd) (output string) {
	t.Helper()
	output = filepath.Join(t.TempDir(), "output")
	said, err := os.Create(output)
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = said, said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the context of the test is over by now, and the program killed
		_ = c.Wait()
		_ = said.Close()
		if text, err := os.ReadFile(output); t.Failed() {
			t.Logf("it said %v\n%s", err, text)
		}
	})
	return output
}

// ask gets a document of Prometheus; false if it has none yet.
func ask(t *testing.T, address, path string, to any) bool {
	t.Helper()
	r, err := http.Get("http://" + address + path)
	if err != nil {
		return false // it has not started yet
	}
	defer r.Body.Close()
	if r.StatusCode == http.StatusServiceUnavailable {
		return false
	}
	if err := json.NewDecoder(r.Body).Decode(to); err != nil {
		t.Fatalf("%s: %d: %v", path, r.StatusCode, err)
	}
	return true
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Minute)
	for !is() {
		if time.Now().After(deadline) {
			t.Fatalf("it never came about that %s", what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
