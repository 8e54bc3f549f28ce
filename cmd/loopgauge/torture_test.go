package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

var (
	kills    = flag.Int("torture.kills", 5, "how often TestTorture kills watch")
	restarts = flag.Int("torture.restarts", 1, "how often TestTorture restarts the broker")
	seed     = flag.Uint64("torture.seed", 0, "seed of TestTorture; 0 is a new one, which a failure names")
)

// TestTorture: watch is killed, again and again, while a broker that goes down
// now and then is written to. What it leaves behind is what a replay of the
// topic makes of it: verdicts byte for byte, events and episodes row for row.
// Alerts arrive, none with two contents under one id and revision, and none
// again more often than there were crashes.
func TestTorture(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a broker for a minute")
	}
	t.Parallel()
	random := randomly(t, 1)
	torture(t, random, assign(random, made(random, 6000), endOfMade))
}

// TestTortureAgents is the same with real agents.
func TestTortureAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a broker for a minute")
	}
	t.Parallel()
	random := randomly(t, 2)
	torture(t, random, assign(random, agents(t), endOfAgents))
}

// randomly is chance, which -torture.seed repeats.
func randomly(t *testing.T, stream uint64) *rand.Rand {
	t.Helper()
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("-torture.seed=%d", s)
	return rand.New(rand.NewPCG(s, stream))
}

// partitions is over how many the records go.
const partitions = 6

// made are records of twenty sessions that loop now and then, out of order by
// less than the lateness, some of them twice.
func made(random *rand.Rand, n int) (lines []string) {
	start := time.Date(2026, 11, 20, 23, 40, 0, 0, time.UTC) // over midnight
	tools := make([]int, 20)
	for i := range n {
		at := start.Add(time.Duration(i)*300*time.Millisecond - time.Duration(random.IntN(8000))*time.Millisecond)
		session := random.IntN(len(tools))
		if random.IntN(4) == 0 {
			tools[session] = random.IntN(1000)
		}
		line := fmt.Sprintf(`{"time":%q,"id":"r%d","session":"s%d","caller":"team-%d","model":"m%d","status":200,"tokens_in":%d,"tokens_out":7,"cost":0.01,"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{\"x\":%d}"}}]},{"role":"tool","content":"no"}],"tool_calls":[{"name":"f","arguments":"{\"x\":%d}"}]}`,
			at.Format("2006-01-02T15:04:05.000000Z"), i, session, session%3, session%2, 100+i%7, tools[session], tools[session])
		switch random.IntN(40) {
		case 0:
			lines = append(lines, line, line)
		case 1:
			lines = append(lines, "no JSON")
		case 2:
			lines = append(lines, "")
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

// agents are the records of real agents.
func agents(t *testing.T) (lines []string) {
	t.Helper()
	f, err := os.Open("../../fixtures/tau2/agents.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	scanner := bufio.NewScanner(z)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines
}

const torturePolicy = `version: 1
rules:
  - {name: result, profile: loopgauge/tool-call-result}
  - {name: step, profile: loopgauge/stuck-step}
  - {name: messages, profile: loopgauge/last-messages}
  - {name: aisg, profile: aisg}
  - {name: tracker, profile: tool-call-shipped}
sinks:
  - webhook: {url: %q}
`

func torture(t *testing.T, random *rand.Rand, split [][]string) {
	t.Helper()
	pythonOf(t) // is wanted at the end, and missing now
	ps := newProcesses(t)
	broker := kafkatest.New(t, "")
	dir := t.TempDir()
	topic := broker.Topic(t, partitions)
	sink := newRecorder()
	defer sink.Close()
	policy := policyFile(t, fmt.Sprintf(torturePolicy, sink.URL))

	// What is written, piece by piece, for as long as there are faults.
	var wg sync.WaitGroup
	const pieces = 100
	pause := time.Duration(*kills+4**restarts) * time.Second / pieces
	stop := make(chan struct{})
	defer wg.Wait()
	defer close(stop)
	wg.Go(func() {
		for i := range pieces {
			for p, values := range split {
				if piece := values[len(values)*i/pieces : len(values)*(i+1)/pieces]; len(piece) > 0 {
					broker.Produce(t, topic, int32(p), piece...)
				}
			}
			select {
			case <-time.After(pause):
			case <-stop:
				return
			}
		}
	})
	written := make(chan struct{})
	go func() {
		wg.Wait()
		close(written)
	}()

	// As long as there is more to come no partition may be taken for idle,
	// however slow the machine is: a replay waits for all.
	args := []string{
		"watch", "--idle", "1h", "--policy", policy, "--state", filepath.Join(dir, "state"), "--verdicts", filepath.Join(dir, "live.jsonl"), "--out", filepath.Join(dir, "live"),
		"--checkpoint", "100ms", "kafka://" + broker.Address + "/" + topic,
	}
	crashes := 0
	for down := 0; crashes < *kills; crashes++ {
		w := ps.start(args...)
		time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
		if down < *restarts && random.IntN(*kills-crashes) < *restarts-down {
			down++
			broker.Kill9(t)
			time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond)
			broker.Restart(t)
		}
		w.kill()
	}
	<-written
	// A stream is idle when it was read to its end, and when all are everything
	// has been judged.
	w := ps.start(append(args, "--idle", "4s", "--verbose")...)
	for deadline := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		w.runs()
		idle := map[string]bool{}
		for _, line := range idleLine.FindAllString(w.out.String(), -1) {
			idle[line] = true
		}
		if len(idle) == partitions {
			break
		}
		if time.Now().After(deadline) {
			ps.fatalf("%d of %d streams were read to their end: %v", len(idle), partitions, slices.Sorted(maps.Keys(idle)))
		}
	}
	w.terminate()

	replay := exec.Command(ps.binary, "replay", "--quiet", "--policy", policy, "--lateness", "10s", "--verdicts", filepath.Join(dir, "replay.jsonl"), "--out", filepath.Join(dir, "replay"), "kafka://"+broker.Address+"/"+topic)
	if out, err := replay.CombinedOutput(); err != nil {
		t.Fatalf("replay: %v\n%s", err, out)
	}
	ps.sameLines(filepath.Join(dir, "replay.jsonl"), filepath.Join(dir, "live.jsonl"))
	out, err := exec.Command(pythonOf(t), "testdata/duckdb_same.py", filepath.Join(dir, "replay"), filepath.Join(dir, "live")).CombinedOutput()
	if err != nil {
		ps.fatalf("%v\n%s", err, out)
	}
	t.Logf("rows: %s", bytes.ReplaceAll(bytes.TrimSpace(out), []byte("\n"), []byte(", ")))
	sink.check(t, crashes)
}

// What comes far later than all else, in the format of made and of agents, by
// its id.
const (
	endOfMade   = `{"time":"2026-11-21T12:00:00Z","id":%q}`
	endOfAgents = `{"id": %q, "call_type": "acompletion", "model": "none", "startTime": 1795262400.0, "endTime": 1795262400.0, "messages": []}`
)

// assign puts records into partitions, those of a session mostly into one, and
// ends of a format behind them.
func assign(random *rand.Rand, lines []string, end string) [][]string {
	split := make([][]string, partitions)
	for i, line := range lines {
		p := random.IntN(partitions)
		if _, rest, ok := strings.Cut(line, `"session":"s`); ok && i%5 > 0 {
			p = int(rest[0]) % partitions
		}
		split[p] = append(split[p], line)
	}
	// Two confirm each other. They let go of all before, and close every episode.
	for p := range split {
		for i := range 2 {
			split[p] = append(split[p], fmt.Sprintf(end, fmt.Sprintf("end-%d-%d", p, i)))
		}
	}
	return split
}

// idleLine is what watch says of an idle stream with --verbose.
var idleLine = regexp.MustCompile(`msg="stream is idle" stream=\S+`)

func (ps *processes) sameLines(want, got string) {
	t := ps.t
	t.Helper()
	a, b := read(t, want), read(t, got)
	if a == b {
		return
	}
	wanted, gotten := strings.Split(a, "\n"), strings.Split(b, "\n")
	i := 0
	for i < min(len(wanted), len(gotten))-1 && wanted[i] == gotten[i] {
		i++
	}
	ps.fatalf("line %d replayed and live:\n%.500s\n%.500s\n%d lines replayed, %d live", i+1, wanted[i], gotten[i], len(wanted)-1, len(gotten)-1)
}

// recorder is a receiver of alerts that is busy now and then.
type recorder struct {
	*httptest.Server
	mu     sync.Mutex
	bodies map[string][]string // by id and revision
}

func newRecorder() *recorder {
	r := &recorder{bodies: map[string][]string{}}
	n := 0
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		if n++; err != nil || n%17 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		key := req.Header.Get("Idempotency-Key")
		r.bodies[key] = append(r.bodies[key], string(body))
	}))
	return r
}

// check holds what arrived to what may arrive.
func (r *recorder) check(t *testing.T, crashes int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	repeats := 0
	states := map[string]int{}
	for key, bodies := range r.bodies {
		repeats += len(bodies) - 1
		// A crash repeats what was sent after the last checkpoint that was read.
		if len(bodies)-1 > crashes {
			t.Errorf("%s arrived %d times, with %d crashes", key, len(bodies), crashes)
		}
		for _, b := range bodies[1:] {
			if b != bodies[0] {
				t.Errorf("%s has two contents:\n%s\n%s", key, bodies[0], b)
			}
		}
		var a struct{ State string }
		if err := json.Unmarshal([]byte(bodies[0]), &a); err != nil {
			t.Error(err)
		}
		states[a.State]++
	}
	t.Logf("%d crashes, alerts %v, %d repeats", crashes, states, repeats)
	if states["opened"] == 0 {
		t.Error("no alert arrived")
	}
}
