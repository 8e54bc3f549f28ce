package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

const sharedPolicy = `version: 1
lateness: 10s
rules:
  - {name: result, profile: loopgauge/tool-call-result}
  - {name: step, profile: loopgauge/stuck-step}
  - {name: aisg, profile: aisg}
  - {name: caller, identity: tool-call, scope: [caller], counter: {kind: sliding, window: 1m}, threshold: 3, action: warn}
kafka: {start: earliest, session_timeout: 6s}
sinks:
  - webhook: {url: %s}
`

// TestTortureShared: processes that extract a log, and others that share the
// judging, are killed, stopped for longer than their session and continued, and
// come and go while the broker goes down. Together they say what a replay of
// the log says: each verdict, and no other; every alert, none with two contents
// under one id and revision.
func TestTortureShared(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a broker for a minute")
	}
	binary := filepath.Join(t.TempDir(), "loopgauge")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("-torture.seed=%d", s)
	random := rand.New(rand.NewPCG(s, 3))
	broker := kafkatest.New(t, "")
	topic := broker.Topic(t, partitions)
	dir := t.TempDir()
	sink := newRecorder()
	defer sink.Close()
	policy := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(policy, fmt.Appendf(nil, sharedPolicy, sink.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	raw, events := "kafka://"+broker.Address+"/"+topic, "kafka://"+broker.Address+"/"+topic+"-events"
	extract := []string{"extract", "--policy", policy, "--idle", "4s", "--partitions", "5", "--to", events, raw}
	watch := func(i int) []string {
		return []string{"watch", "--policy", policy, "--checkpoint", "300ms", "--verdicts", filepath.Join(dir, fmt.Sprintf("live-%d.jsonl", i)), events}
	}

	split := assign(random, made(random, 6000), endOfMade)
	pieces := 20 * max(*kills, 5)
	piece := func(i int) {
		for p, values := range split {
			if part := values[len(values)*i/pieces : len(values)*(i+1)/pieces]; len(part) > 0 {
				broker.Produce(t, topic, int32(p), part...)
			}
		}
	}
	piece(0)
	extracting := []*watching{start(t, binary, extract)}
	waitTopic(t, broker, extracting[0], topic+"-events")
	watches := map[int]*watching{1: start(t, binary, watch(1))}
	crashes := 0
	silenced := func(i int) *watching {
		if i < pieces/2 {
			return watches[2]
		}
		return extracting[1]
	}
	for i := 1; i < pieces; i++ {
		piece(i)
		if every := pieces / (*restarts + 1); i%every == 0 {
			broker.Kill9(t)
			time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond)
			broker.Restart(t)
		}
		// One, three, two of them; one that judges and one that extracts are
		// silent for longer than their session lasts.
		const silence = 47
		switch i {
		case pieces / 10:
			watches[2], watches[3] = start(t, binary, watch(2)), start(t, binary, watch(3))
			extracting = append(extracting, start(t, binary, extract))
		case pieces / 4, pieces / 2:
			crashes++
			sendSignal(t, silenced(i), syscall.SIGSTOP)
		case pieces/4 + silence, pieces/2 + silence:
			sendSignal(t, silenced(i-silence), syscall.SIGCONT)
		case pieces * 3 / 4:
			watches[1].terminate(t)
			delete(watches, 1)
		}
		switch {
		case i > pieces/10 && i%40 == 13:
			crashes++
			watches[3].kill(t)
			watches[3] = start(t, binary, watch(3))
		case i%40 == 27:
			crashes++
			extracting[0].kill(t)
			extracting[0] = start(t, binary, extract)
		}
		time.Sleep(150 * time.Millisecond)
	}

	replay := exec.Command(binary, "replay", "--quiet", "--policy", policy, "--verdicts", filepath.Join(dir, "replay.jsonl"), raw)
	if out, err := replay.CombinedOutput(); err != nil {
		t.Fatalf("replay: %v\n%s", err, out)
	}
	want := unique(t, filepath.Join(dir, "replay.jsonl"))
	var got []string
	for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if got = unique(t, filepath.Join(dir, "live-*.jsonl")); len(got) >= len(want) {
			break
		}
	}
	time.Sleep(3 * time.Second) // for more than there should be, and for alerts
	for _, w := range watches {
		w.terminate(t)
	}
	for _, w := range extracting {
		w.terminate(t)
	}
	got = unique(t, filepath.Join(dir, "live-*.jsonl"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%d verdicts replayed, %d shared (-replay +shared):\n%s", len(want), len(got), diff[:min(len(diff), 8000)])
	}
	t.Logf("%d verdicts", len(want))
	sink.check(t, crashes)
}

// waitTopic waits until a process has created a topic.
func waitTopic(t *testing.T, b *kafkatest.Broker, w *watching, topic string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		select {
		case err := <-w.done:
			t.Fatalf("ended by itself: %v\n%s", err, tail(w.out.String()))
		default:
		}
		if b.HasTopic(t, topic) {
			return
		}
	}
	t.Fatalf("there is no topic %s", topic)
}

func sendSignal(t *testing.T, w *watching, s syscall.Signal) {
	t.Helper()
	if err := w.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// unique are the lines of files, sorted, each once.
func unique(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasSuffix(line, "\n") {
				all[line] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
