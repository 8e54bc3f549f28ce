//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

const topicPolicy = `version: 1
lateness: 2s
rules:
  - {name: same, profile: loopgauge/last-messages}
kafka: {start: earliest, session_timeout: 1m}
sinks:
  - webhook: {url: %s}
`

var listening = regexp.MustCompile(`msg=listening address=(\S+)`)

// TestWatchAway: a watch whose brokers are away answers who asks, as it waits.
func TestWatchAway(t *testing.T) {
	t.Parallel()
	ps := newProcesses(t)
	topic := "kafka://127.0.0.1:" + freePort(t) + "/t"
	for _, state := range [][]string{{"--state", t.TempDir()}, nil} { // of a topic of events
		w := ps.start(append([]string{"watch", "--listen", "0", topic}, state...)...)
		w.says("msg=listening")
		w.says("the brokers do not answer")
		for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/metrics": 200} {
			r, err := http.Get("http://" + listening.FindStringSubmatch(w.out.String())[1] + path)
			if err != nil {
				ps.fatalf("%v", err)
			}
			_ = r.Body.Close()
			if r.StatusCode != want {
				t.Errorf("%s: %d, want %d", path, r.StatusCode, want)
			}
		}
		w.terminate()
	}
}

// TestWatchTopics: a topic is watched alone, and as a topic of events beside
// others. The command that an alert prints works where it is pasted, and each
// process says on its pages how it stands.
func TestWatchTopics(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a broker")
	}
	t.Parallel()
	ps := newProcesses(t)
	broker := kafkatest.Start(t)
	topic := broker.Topic(t, 2)
	raw := "kafka://" + broker.Address + "/" + topic
	lines := loops(1000, time.Now().UTC().Add(-time.Hour).Truncate(time.Second))
	var split [2][]string
	for i, line := range lines {
		p := (i * i % sessions) % 2
		split[p] = append(split[p], line)
	}
	for p, values := range split {
		broker.Produce(t, topic, int32(p), values...)
	}
	dir := t.TempDir()
	policyTo := func(name, url string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		write(t, file, fmt.Sprintf(topicPolicy, url))
		return file
	}

	// Alone.
	sink := newRecorder()
	defer sink.Close()
	policy := policyTo("a policy.yaml", sink.URL)
	alone := ps.start("watch", "--idle", "1s", "--checkpoint", "300ms", "--policy", policy, "--state", filepath.Join(dir, "state"), "--listen", "0", raw)
	sink.waitFor(ps, alone, "opened")
	told := sink.first(t, "opened")
	if !strings.Contains(told.Explain, "'"+policy+"'") || !strings.HasSuffix(told.Explain, " "+raw) {
		t.Errorf("explain: %s", told.Explain)
	}
	shell := exec.Command("sh", "-c", told.Explain)
	shell.Dir, shell.Env = t.TempDir(), append(os.Environ(), "PATH="+filepath.Dir(ps.binary)+":"+os.Getenv("PATH"))
	out, err := shell.CombinedOutput()
	if err != nil {
		ps.fatalf("%s\n%v\n%s", told.Explain, err, out)
	}
	if text := string(out); !strings.Contains(text, told.Fingerprint) || !strings.Contains(text, topic+"/") {
		t.Errorf("%s\n%s", told.Explain, out)
	}
	t.Logf("%s\n%s", told.Explain, out)
	alone.terminate()

	// Shared by two, with a third that waits.
	sink = newRecorder()
	defer sink.Close()
	policy = policyTo("shared.yaml", sink.URL)
	events := raw + "-events"
	extract := ps.start("extract", "--policy", policy, "--idle", "1s", "--partitions", "2", "--to", events, raw)
	waitTopic(t, broker, extract, topic+"-events-checkpoints")
	var watches []*process
	for range 3 {
		watches = append(watches, ps.start("watch", "--policy", policy, "--checkpoint", "300ms", "--listen", "0", events))
	}
	page := func(w *process, path string) (int, string) {
		w.says("msg=listening")
		r, err := http.Get("http://" + listening.FindStringSubmatch(w.out.String())[1] + path)
		if err != nil {
			ps.fatalf("%v", err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			ps.fatalf("%v", err)
		}
		return r.StatusCode, string(body)
	}
	sum := func(series string) (sum float64) {
		for _, w := range watches {
			_, text := page(w, "/metrics")
			for line := range strings.Lines(text) {
				if rest, ok := strings.CutPrefix(line, series+" "); ok {
					var v float64
					if _, err := fmt.Sscan(rest, &v); err != nil {
						ps.fatalf("%q: %v", line, err)
					}
					sum += v
				}
			}
		}
		return sum
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		ready := 0
		for _, w := range watches {
			w.runs()
			health, _ := page(w, "/healthz")
			if code, _ := page(w, "/readyz"); code == http.StatusOK && health == http.StatusOK {
				ready++
			}
		}
		judged, streams := sum(`loopgauge_lines_total{fate="judged"}`), sum(`loopgauge_streams{state="active"}`)
		if ready == 3 && streams == 2 && judged >= float64(len(lines)) && sum(`loopgauge_requests_waiting`) == 0 {
			break
		}
		if time.Now().After(deadline) {
			ps.fatalf("%d are well and ready, of %d requests %v are judged, in %v partitions", ready, len(lines), judged, streams)
		}
	}
	if opened := sum(`loopgauge_alerts_total{state="opened"}`); opened < 1 {
		t.Errorf("%v alerts opened", opened)
	}
	for _, p := range append(watches, extract) {
		p.terminate()
	}
}

// told is what a test looks at of an alert.
type told struct{ State, Explain, Fingerprint string }

// first is an alert of this state that has arrived; empty if none has.
func (r *recorder) first(t *testing.T, state string) (a told) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, bodies := range r.bodies { // any order: one is as good as another
		unmarshal(t, bodies[0], &a)
		if a.State == state && a.Explain != "" {
			return a
		}
	}
	return told{}
}

// waitFor waits until an alert of this state has arrived.
func (r *recorder) waitFor(ps *processes, p *process, state string) {
	ps.t.Helper()
	for deadline := time.Now().Add(patience); r.first(ps.t, state).State == ""; time.Sleep(50 * time.Millisecond) {
		p.runs()
		if time.Now().After(deadline) {
			ps.fatalf("no alert was %s", state)
		}
	}
}
