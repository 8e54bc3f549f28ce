package main

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay/live/monitor"
)

// What is in deploy/ is held to the tools that its users have.

const (
	top    = "../.."
	deploy = top + "/deploy"
)

// must runs a program, or one of scripts/setup.sh's, and returns what it said.
func must(t *testing.T, part, program string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Fatalf("there is no %s: run scripts/setup.sh %s, or go test -short", program, part)
	}
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	return string(out)
}

func readDeploy(t *testing.T, name string) string {
	t.Helper()
	return read(t, filepath.Join(deploy, name))
}

func TestDeployedPolicy(t *testing.T) {
	t.Setenv("LOOPGAUGE_WEBHOOK_URL", "https://hooks.example/loops")
	file := filepath.Join(deploy, "policy.yaml")
	if out := loopgauge(t, "", "policy", "check", file); !strings.HasSuffix(out, ": ok, 3 rules\n") {
		t.Error(out)
	}
	if got, want := loopgauge(t, "", "policy", "fmt", file), readDeploy(t, "policy.yaml"); got != want {
		t.Errorf("it is not in the usual form:\n%s", got)
	}
}

// TestPrices: the example is a table of prices, for a policy to begin with.
func TestPrices(t *testing.T) {
	file := policyFile(t, "version: 1\nrules: [{name: r, profile: fairvisor}]\n"+readDeploy(t, "prices.yaml"))
	if out := loopgauge(t, "", "policy", "check", file); !strings.HasSuffix(out, ": ok, 1 rule\n") {
		t.Error(out)
	}
}

// TestBlindRule: Prometheus and watch call the same rules blind.
func TestBlindRule(t *testing.T) {
	var own []string
	for c := range fingerprint.Causes {
		if c := fingerprint.Cause(c); c != fingerprint.Computable && !c.Unlogged() {
			own = append(own, c.String())
		}
	}
	if want := `{cause!~"` + strings.Join(own, "|") + `"}`; !strings.Contains(readDeploy(t, "prometheus/loopgauge.rules.yaml"), "loopgauge_rule_not_computable_total"+want) {
		t.Errorf("no alert has %s", want)
	}
}

// wantFlags says whether a command line is one of watch: it is parsed, not run.
func wantFlags(t *testing.T, line string) {
	t.Helper()
	_, line, ok := strings.Cut(line, "loopgauge watch ")
	if !ok {
		t.Fatalf("no loopgauge watch in %q", line)
	}
	c := newWatchCommand(&ui{})
	if err := c.ParseFlags(strings.Fields(line)); err != nil {
		t.Errorf("watch %s: %v", line, err)
	}
	if err := c.Args(c, c.Flags().Args()); err != nil {
		t.Errorf("watch %s: %v", line, err)
	}
}

func TestServiceOfSystemd(t *testing.T) {
	unit := readDeploy(t, "loopgauge-watch.service")
	wantFlags(t, regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindString(unit))
	if testing.Short() {
		t.Skip("runs systemd-analyze")
	}
	file := filepath.Join(t.TempDir(), "loopgauge-watch.service")
	self, err := os.Executable() // verify wants a program that is there
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, strings.ReplaceAll(unit, "/usr/local/bin/loopgauge", self))
	if said := must(t, "deploy", "systemd-analyze", "verify", "--man=no", file); said != "" {
		t.Error(said)
	}
	// In tenths: what is left is the network, which it needs, and that it may
	// read logs.
	must(t, "deploy", "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=12", file)
}

// TestServiceAfterACrash: systemd tells a crash from a wrong policy, after which
// it does not start watch again.
func TestServiceAfterACrash(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := absolute(t, filepath.Join(fixtures, "formats/litellm/sessions.jsonl"))
	c := exec.CommandContext(t.Context(), self, "-test.run=^TestPanicText$")
	c.Dir = t.TempDir() // for the core, where limits allow one
	c.Env = append(os.Environ(), "LOOPGAUGE_TEST_CRASH="+log)
	for _, variable := range regexp.MustCompile(`(?m)^Environment=(.*)$`).FindAllStringSubmatch(readDeploy(t, "loopgauge-watch.service"), -1) {
		c.Env = append(c.Env, variable[1])
	}
	out, err := c.CombinedOutput()
	if !strings.Contains(string(out), "panic: provoked") || c.ProcessState.Exited() {
		t.Errorf("%v: no signal\n%s", err, out)
	}
}

func TestRulesOfPrometheus(t *testing.T) {
	t.Parallel()
	rules, known := readDeploy(t, "prometheus/loopgauge.rules.yaml"), names(monitor.Metrics, func(m monitor.Metric) string { return m.Name })
	for _, name := range regexp.MustCompile(`loopgauge_\w+`).FindAllString(rules, -1) {
		if !slices.Contains(known, name) {
			t.Errorf("there is no metric %s", name)
		}
	}
	innocent := regexp.MustCompile(`cause!~"(.*?)"`).FindStringSubmatch(rules)
	if innocent == nil {
		t.Fatal("no cause is innocent")
	}
	for cause := range strings.SplitSeq(innocent[1], "|") {
		if !slices.Contains(causes(), cause) {
			t.Errorf("%q is no cause; there are %v", cause, causes())
		}
	}
	tests := readDeploy(t, "prometheus/loopgauge.test.yaml") + readDeploy(t, "prometheus/loopgauge.week.test.yaml")
	for _, m := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(rules, -1) {
		if !strings.Contains(tests, "- alertname: "+m[1]+"\n") {
			t.Errorf("%s has no test in which it fires", m[1])
		}
	}
	if testing.Short() {
		t.Skip("runs promtool")
	}
	must(t, "prometheus", "promtool", "check", "rules", "--lint-fatal", filepath.Join(deploy, "prometheus/loopgauge.rules.yaml"))
	must(t, "prometheus", "promtool", "test", "rules", filepath.Join(deploy, "prometheus/loopgauge.test.yaml"), filepath.Join(deploy, "prometheus/loopgauge.week.test.yaml"))
}

// TestDashboard: everything that the dashboard asks for is there to be asked
// for, in queries that Prometheus understands.
func TestDashboard(t *testing.T) {
	type panel struct {
		ID      int
		Type    string
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ RefID, Expr string }

		FieldConfig struct {
			Defaults  struct{ Unit string }
			Overrides []struct {
				Matcher    struct{ ID, Options string }
				Properties []struct{ ID, Value string }
			}
		}
	}
	var board struct {
		Panels     []panel
		Templating struct {
			List []struct{ Name, Definition string }
		}
	}
	decoder := json.NewDecoder(strings.NewReader(readDeploy(t, "grafana/loopgauge.json")))
	if err := decoder.Decode(&board); err != nil || decoder.More() {
		t.Fatal(err)
	}
	known := names(monitor.Metrics, func(m monitor.Metric) string { return m.Name })
	check := func(expr string) {
		for _, name := range regexp.MustCompile(`loopgauge_\w+`).FindAllString(expr, -1) {
			i := slices.Index(known, name)
			if i < 0 {
				t.Errorf("there is no metric %s", name)
				continue
			}
			by := regexp.MustCompile(`by \(([^)]*)\) \((?:\w+\()?` + name + `\b`).FindStringSubmatch(expr)
			if by == nil {
				continue
			}
			for label := range strings.SplitSeq(by[1], ", ") {
				if !slices.Contains(monitor.Metrics[i].Labels, label) {
					t.Errorf("%s has no label %s", name, label)
				}
			}
		}
	}
	rules := "groups:\n  - name: dashboard\n    rules:\n"
	ids := map[int]bool{}
	for i, p := range board.Panels {
		if ids[p.ID] || p.Title == "" || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %d, %q: its id, title or place", p.ID, p.Title)
		}
		ids[p.ID] = true
		if (p.Type == "row") != (len(p.Targets) == 0) {
			t.Errorf("panel %q of type %s asks for %d things", p.Title, p.Type, len(p.Targets))
		}
		for _, other := range board.Panels[:i] {
			a, b := p.GridPos, other.GridPos
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("%q lies on %q", p.Title, other.Title)
			}
		}
		for _, target := range p.Targets {
			check(target.Expr)
			unit := p.FieldConfig.Defaults.Unit
			for _, o := range p.FieldConfig.Overrides {
				if o.Matcher.ID == "byFrameRefID" && o.Matcher.Options == target.RefID {
					unit = o.Properties[0].Value
				}
			}
			for suffix, want := range map[string]string{"_seconds{": "s", "_bytes{": "bytes"} {
				if strings.Contains(target.Expr, suffix) && unit != want {
					t.Errorf("%q shows %s as %s, want %s", p.Title, target.Expr, unit, want)
				}
			}
			expr := strings.NewReplacer("$__rate_interval", "5m", "$instance", "a").Replace(target.Expr)
			if strings.Contains(expr, "$") {
				t.Errorf("%s: nothing is known of a variable in it", target.Expr)
			}
			rules += fmt.Sprintf("      - {record: dashboard:panel%d, expr: %q, labels: {query: %q}}\n", p.ID, expr, expr)
		}
	}
	if len(board.Templating.List) == 0 || len(ids) < 10 {
		t.Error("there is hardly anything in it")
	}
	for _, v := range board.Templating.List {
		check(v.Definition)
	}
	if testing.Short() {
		t.Skip("runs promtool")
	}
	file := filepath.Join(t.TempDir(), "dashboard.rules.yaml")
	write(t, file, rules)
	must(t, "prometheus", "promtool", "check", "rules", file)
}

// TestDockerfile lints the Dockerfile and runs its build on what .dockerignore
// lets through. There is no container in it.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(readDeploy(t, "Dockerfile"), "\\\n", "")
	wantFlags(t, strings.ReplaceAll(regexp.MustCompile(`# .*loopgauge watch .*`).FindString(text), "#", ""))
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, filepath.Join(top, "go.mod")))
	if !strings.Contains(text, "golang:"+version[1]+"-") {
		t.Errorf("go.mod asks for Go %s, the Dockerfile builds with another", version[1])
	}
	if testing.Short() {
		t.Skip("runs hadolint and go build")
	}
	if said := must(t, "deploy", filepath.Join(top, ".cache/deploy/bin/hadolint"), filepath.Join(deploy, "Dockerfile")); said != "" {
		t.Error(said)
	}

	context, out := t.TempDir(), t.TempDir()
	copyContext(t, context)
	run := regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0 .*)$`).FindStringSubmatch(text)
	if run == nil {
		t.Fatal("it builds nothing")
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(run[1], "/out/", out+"/"))
	c.Dir, c.Env = context, append(os.Environ(), "VERSION=v1.2.3", "TARGETOS=linux", "TARGETARCH=amd64")
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	program := filepath.Join(out, "loopgauge")
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("it is linked dynamically: there is nothing to link with in the image")
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if got := must(t, "", program, "--version"); got != "loopgauge version v1.2.3\n" {
		t.Error(got)
	}
}

// copyContext copies what .dockerignore lets through. It knows the forms that
// ours has: nothing but named folders and files, less patterns of names.
func copyContext(t *testing.T, to string) {
	t.Helper()
	ignore := read(t, filepath.Join(top, ".dockerignore"))
	var roots, without []string
	everything := false
	for line := range strings.Lines(ignore) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "!"); ok {
			roots = append(roots, name)
		} else if name, ok := strings.CutPrefix(line, "**/"); ok {
			without = append(without, name)
		} else if line == "*" {
			everything = true
		} else if line != "" && !strings.HasPrefix(line, "#") {
			t.Fatalf(".dockerignore: the test does not know the form of %q", line)
		}
	}
	if !everything {
		t.Fatal(".dockerignore does not begin with nothing")
	}
	for _, name := range roots {
		err := filepath.WalkDir(filepath.Join(top, name), func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(top, file)
			if err != nil {
				return err
			}
			for _, pattern := range without {
				if match, err := filepath.Match(pattern, d.Name()); err != nil || match {
					if d.IsDir() {
						return fs.SkipDir
					}
					return err
				}
			}
			if d.IsDir() {
				return os.MkdirAll(filepath.Join(to, name), 0o755)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(to, name), text, 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestMetricsDocument ties the table of metrics to the code.
func TestMetricsDocument(t *testing.T) {
	var known [][]string
	for _, m := range monitor.Metrics {
		known = append(known, []string{m.Name, string(m.Type), strings.Join(m.Labels, ", "), strings.TrimSuffix(m.Help, ".")})
	}
	documented := docTable(t, "watch.md", "### Metrics", "metric")
	for i := range max(len(known), len(documented)) {
		switch {
		case i >= len(documented):
			t.Errorf("not documented: | %s |", strings.Join(known[i], " | "))
		case i >= len(known):
			t.Errorf("documented, but not there: %v", documented[i])
		case !slices.Equal(known[i], documented[i]):
			t.Errorf("%q\nis documented as\n%q", known[i], documented[i])
		}
	}
}
