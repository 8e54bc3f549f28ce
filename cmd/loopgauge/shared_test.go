//go:build unix

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"

	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
	"github.com/loopgauge/loopgauge/sinks/parquet"
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
// the log says: each verdict, and no other; every row of a dataset, once; every
// alert, none with two contents under one id and revision.
func TestTortureShared(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a broker for a minute")
	}
	t.Parallel()
	python := pythonOf(t)
	ps := newProcesses(t)
	random := randomly(t, 3)
	broker := kafkatest.New(t, "")
	topic := broker.Topic(t, partitions)
	dir := t.TempDir()
	sink := newRecorder()
	defer sink.Close()
	policy := policyFile(t, fmt.Sprintf(sharedPolicy, sink.URL))
	raw, events := "kafka://"+broker.Address+"/"+topic, "kafka://"+broker.Address+"/"+topic+"-events"
	extract := func(idle string) *process {
		return ps.start("extract", "--policy", policy, "--idle", idle, "--partitions", "5", "--to", events, raw)
	}
	watch := func(i int) *process {
		return ps.start("watch", "--verbose", "--policy", policy, "--checkpoint", "300ms", "--verdicts", filepath.Join(dir, fmt.Sprintf("live-%d.jsonl", i)), "--out", filepath.Join(dir, "live"), events)
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
	// As long as there is more to come no partition may be taken for idle,
	// however slow the machine is: a replay waits for all.
	extracting := []*process{extract("1h")}
	waitTopic(t, broker, extracting[0], topic+"-events")
	watches := map[int]*process{1: watch(1)}
	crashes := 0
	silenced := func(i int) *process {
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
			watches[2], watches[3] = watch(2), watch(3)
			extracting = append(extracting, extract("1h"))
		case pieces / 4, pieces / 2:
			crashes++
			silenced(i).signal(syscall.SIGSTOP)
		case pieces/4 + silence, pieces/2 + silence:
			silenced(i - silence).signal(syscall.SIGCONT)
		case pieces * 3 / 4:
			watches[1].terminate()
			delete(watches, 1)
		}
		switch {
		case i > pieces/10 && i%40 == 13:
			crashes++
			watches[3].kill()
			watches[3] = watch(3)
		case i%40 == 27:
			crashes++
			extracting[0].kill()
			extracting[0] = extract("1h")
		}
		time.Sleep(150 * time.Millisecond)
	}
	for i, x := range extracting {
		x.terminate()
		extracting[i] = extract("4s")
	}

	replay := exec.Command(ps.binary, "replay", "--quiet", "--policy", policy, "--verdicts", filepath.Join(dir, "replay.jsonl"), "--out", filepath.Join(dir, "replay"), raw)
	if out, err := replay.CombinedOutput(); err != nil {
		t.Fatalf("replay: %v\n%s", err, out)
	}
	want := unique(t, filepath.Join(dir, "replay.jsonl"))
	got := func() []string { return unique(t, filepath.Join(dir, "live-*.jsonl")) }
	for deadline := time.Now().Add(patience); len(got()) < len(want) && time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		for _, p := range slices.Concat(extracting, slices.Collect(maps.Values(watches))) { // any order: one that has ended fails the test
			p.runs()
		}
	}
	time.Sleep(3 * time.Second) // for more than there should be, and for alerts
	for _, w := range watches {
		w.terminate()
	}
	// What has no verdict may come to be judged last, and what ends episodes
	// may be a mark behind it.
	for deadline := time.Now().Add(patience); !slices.Equal(come(ps, filepath.Join(dir, "live")), come(ps, filepath.Join(dir, "replay"))) && time.Now().Before(deadline); {
		w := watch(4)
		w.says("msg=judging")
		time.Sleep(3 * time.Second)
		w.terminate()
	}
	for _, x := range extracting {
		x.terminate()
	}
	if got := got(); !slices.Equal(want, got) {
		ps.fatalf("%s", ps.differences(want, got, split))
	}
	t.Logf("%d verdicts", len(want))
	sink.check(t, crashes)

	// The dataset, also when its files have been merged, is the one of replay,
	// and gives its verdicts.
	call := func(program string, args ...string) {
		t.Helper()
		out, err := exec.Command(program, args...).CombinedOutput()
		if err != nil {
			ps.fatalf("%s: %v\n%s", args[0], err, out)
		}
		if len(out) > 0 {
			t.Logf("%s", bytes.ReplaceAll(bytes.TrimSpace(out), []byte("\n"), []byte(", ")))
		}
	}
	for _, name := range []string{"live.jsonl", "compacted.jsonl"} {
		call(python, "testdata/duckdb_shared.py", filepath.Join(dir, "replay"), filepath.Join(dir, "live"))
		call(ps.binary, "replay", "--quiet", "--policy", policy, "--verdicts", filepath.Join(dir, name), filepath.Join(dir, "live"))
		ps.sameLines(filepath.Join(dir, "replay.jsonl"), filepath.Join(dir, name))
		call(ps.binary, "compact", filepath.Join(dir, "live"))
	}
}

// come is how many requests were judged for a dataset, and how many episodes
// have ended in it.
func come(ps *processes, dir string) []int64 {
	ps.t.Helper()
	r, err := parquet.Open(dir)
	if err != nil {
		ps.fatalf("%v", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "episodes", "date=*", "*.parquet"))
	if err != nil {
		ps.fatalf("%v", err)
	}
	var episodes int64
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			ps.fatalf("%v", err)
		}
		f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			ps.fatalf("%s: %v", name, err)
		}
		episodes += f.NumRows()
	}
	return []int64{r.Run.Judged, episodes}
}

// waitTopic waits until a process has created a topic.
func waitTopic(t *testing.T, b *kafkatest.Broker, p *process, topic string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		p.runs()
		if b.HasTopic(t, topic) {
			return
		}
	}
	p.of.fatalf("there is no topic %s", topic)
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
		text := read(t, file)
		for line := range strings.Lines(text) {
			if strings.HasSuffix(line, "\n") {
				all[line] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
