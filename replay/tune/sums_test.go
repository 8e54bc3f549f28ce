package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestSummedUp: what is found does not depend on how many repeats are kept one
// by one. The bug was advice from the first tenth of a long log, and healthy
// conversations in the rest of it that had loops.
func TestSummedUp(t *testing.T) {
	agents := filepath.Join("..", "..", "fixtures", "tau2", "tau2_litellm.jsonl.zst")
	gateways, outage := filepath.Join(t.TempDir(), "gateway.jsonl"), filepath.Join(t.TempDir(), "outage.jsonl")
	for file, log := range map[string][]byte{gateways: gatewayLog(), outage: outageLog()} {
		if err := os.WriteFile(file, log, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	labels := Labels{"poller-3": true, "poller-4": false, "agent-7": false, "agent-8": true, "agent-9": true}
	cases := []struct {
		name, log, format string
		labels            Labels
		summed            int // at least
	}{
		{"agents", agents, "litellm", nil, 800},
		{"gateway", gateways, "loopgauge", nil, 8000},
		{"labels", gateways, "loopgauge", labels, 8000},
		{"outage", outage, "loopgauge", nil, 200},
	}
	if testing.Short() {
		cases = cases[2:] // those that read least and say most
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			all, some := tunedLog(t, c.log, c.format, c.labels, 0), tunedLog(t, c.log, c.format, c.labels, 40)
			if all.Summed() > 0 || some.Summed() < c.summed || len(some.Repeats) > 400 {
				t.Fatalf("%d of %d are summed up, and %d of %d", all.Summed(), len(all.Repeats), some.Summed(), len(some.Repeats)+some.Summed())
			}
			if diff := cmp.Diff(document(t, all), document(t, some)); diff != "" {
				t.Errorf("- all are kept, + few are\n%s", diff)
			}
			text, fewer := Summary{Report: all}.String(), Summary{Report: some}.String()
			if diff := cmp.Diff(strings.Split(text, "\n"), strings.Split(fewer, "\n")); diff != "" {
				t.Errorf("- all are kept, + few are\n%s", diff)
			}
		})
	}
}

// TestEndedAtOnce: what is kept does not depend on how many are looked at
// together. The bug was that a log and its events had other lists.
func TestEndedAtOnce(t *testing.T) {
	profile, err := policy.FromProfiles([]string{"loopgauge/last-messages"})
	if err != nil {
		t.Fatal(err)
	}
	plan := window.NewPlan(profile.Rules, nil)
	keptOf := func(atOnce int) (numbers []int, summed int) {
		c := newCollector(plan, []int{0}, 1, plan.NewWitness(0))
		s := newKeeper(c, &Options{Most: DefaultMost, MaxRepeats: 40, Labels: Labels{"loop": true}})
		for i := range 1000 {
			n := int64(2 + i*7%11)
			k := &Repeat{Rule: plan.Rules[0], Requests: n, number: i, facts: &window.Facts{Requests: n}, rows: c.rows}
			if i == 1 {
				k.Session = "loop"
			}
			c.over = append(c.over, k)
			if len(c.over) == atOnce {
				s.take(c.over)
				c.over = nil
			}
		}
		for _, k := range s.repeats() {
			numbers = append(numbers, k.number)
		}
		return numbers, s.sums.repeats
	}
	want, summed := keptOf(1)
	if len(want)+summed != 1000 || summed < 900 {
		t.Fatalf("%d kept, %d summed up", len(want), summed)
	}
	kept := []int{1, 3} // the loop, and of the longest the first, which is shown
	for last := 718; last < 1000; last += 11 {
		kept = append(kept, last) // and those that came last
	}
	if diff := cmp.Diff(kept, want); diff != "" {
		t.Errorf("other repeats are kept (-want +got)\n%s", diff)
	}
	for _, atOnce := range []int{16, 300, 1001} {
		numbers, n := keptOf(atOnce)
		if diff := cmp.Diff(want, numbers); diff != "" || n != summed {
			t.Errorf("%d at once: %d summed up, want %d\n%s", atOnce, n, summed, diff)
		}
	}
}

// document is what is said of a log, but for the lists of repeats.
func document(t *testing.T, r *Report) (d map[string]any) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteDocument(&b, "v0", r); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	delete(d, "repeats")
	delete(d, "episodes")
	delete(d["data"].(map[string]any), "repeats_dropped")
	return d
}

// tunedLog is a log tuned with so many repeats kept one by one.
func tunedLog(t *testing.T, log, format string, labels Labels, repeats int) *Report {
	t.Helper()
	sources, err := ingest.Find([]string{log}, nil)
	if err != nil {
		t.Fatal(err)
	}
	streams, failed := ingest.OpenAll(sources, 0, ingest.Options{Format: formats.ByName(format)})
	if len(failed) > 0 {
		t.Fatal(failed)
	}
	own, err := policy.Parse("test", []byte(`
version: 1
rules:
  - {name: same-path, identity: [method, path], scope: [caller], counter: {kind: sliding, window: 1m}, threshold: 60}
`))
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := policy.FromProfiles([]string{"loopgauge", "tool-call", "tool-call-shipped", "aisg", "zelyx"})
	if err != nil {
		t.Fatal(err)
	}
	var compared []Gateway
	for _, name := range []string{"loopgauge", "aisg", "zelyx"} {
		g, err := policy.FromProfiles([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		compared = append(compared, Gateway{Name: name, Reading: "recommended", Rules: g.Rules})
	}
	r, err := Run(t.Context(), Options{
		Run:   replay.Options{Streams: streams, PipelineOptions: replay.PipelineOptions{Lateness: 10 * time.Second, Since: fingerprint.NoTime, Until: fingerprint.NoTime, MaxKeys: 1 << 18}},
		Rules: append(own.Rules, profiles.Rules...), Gateways: compared, Windows: DefaultWindows, Least: 2, Most: DefaultMost, MaxKeys: 1 << 18, MaxWrong: 0.05,
		Labels: labels, MaxRepeats: repeats,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// gatewayLog is two days of a gateway with all that repeats on purpose, some
// that does not, and errors that others share or do not. It is quiet at the
// border of the time that settings are chosen on, which sums blur.
func gatewayLog() []byte {
	var b bytes.Buffer
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	line := func(second int, format string, args ...any) {
		at := start.Add(time.Duration(second)*time.Second + time.Duration(second%7)*time.Millisecond)
		fmt.Fprintf(&b, `{"time":%q,`+format+"}\n", append([]any{at.Format("2006-01-02T15:04:05.000Z")}, args...)...)
	}
	for minute := range 2 * 24 * 60 {
		if minute > 1900 && minute < 2130 {
			continue
		}
		who := minute % 23
		for k := range 3 + minute%4 {
			second := minute*60 + 5*k
			line(second, `"method":"GET","path":"/jobs/%d","caller":"poller-%d","session":"poller-%d","status":200`, who%5, who, who)
			if minute%3 == 0 {
				line(second, `"method":"POST","path":"/v1/chat","caller":"team-%d","session":"agent-%d","status":%d,"tokens_in":40,"tokens_out":%d,"messages":[{"role":"user","content":"again %d"}]`,
					who%4, minute/31, []int{200, 200, 400, 503}[minute/60%4], 5*(k%2), minute)
			}
			if minute%7 == 0 {
				line(second+1, `"method":"POST","path":"/v1/chat","caller":"probe","max_tokens":1,"status":200,"messages":[{"role":"user","content":"hi"}]`)
				line(second+1, `"method":"GET","path":"/healthz","caller":"kubelet-%d","status":200`, who)
			}
		}
	}
	return b.Bytes()
}

// outageLog is one of stretches that end where equal requests begin, all at once.
// Those of one caller had errors, and that others had them, too, comes late.
func outageLog() []byte {
	var b bytes.Buffer
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	line := func(at time.Duration, caller, status int, says string) {
		fmt.Fprintf(&b, `{"time":%q,"method":"POST","path":"/v1/chat","model":"m","caller":"c%d","status":%d,"messages":[{"role":"user","content":%q}]}`+"\n",
			start.Add(at).Format("2006-01-02T15:04:05.000Z"), caller, status, says)
	}
	const callers = 300
	for _, r := range []struct {
		second int
		says   string
	}{{0, "a"}, {20, "b"}, {40, "a"}, {190, "c"}, {340, "c"}, {361, "c"}, {362, "c"}} {
		at, says := time.Duration(r.second)*time.Second, r.says
		for caller := range callers {
			status := 200
			if says == "c" && caller == callers/3 {
				status = 503
			}
			line(at+time.Duration(caller+1)*time.Millisecond, caller, status, says)
		}
	}
	for i := range 1000 {
		line(363*time.Second+time.Duration(1+i)*time.Millisecond, callers+1+i, 200, "else")
	}
	for caller := range 2 {
		line(470*time.Second, caller, 503, "else")
	}
	for i := range 1000 {
		line(9*time.Hour+time.Duration(1+i)*time.Millisecond, 0, 200, "at last")
	}
	return b.Bytes()
}

// TestSlots: which repeats are before a time does not depend on which are summed
// up first.
func TestSlots(t *testing.T) {
	const hour = 3600_000_000
	begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	for _, hours := range [][]int64{{0, 1, 60, 99}, {99, 60, 1, 0}, {60, 0, 99, 1}} {
		s := newSums()
		for _, h := range hours {
			s.add(&Repeat{Rule: anyRule, First: begin + h*hour, Requests: 2, facts: &window.Facts{Requests: 2}}, nil, 2, 1)
		}
		before := 0
		for a, sum := range s.tallies {
			if s.before(a.slot, begin+50*hour) {
				before += sum.repeats
			}
		}
		if before != 2 || len(s.tallies) < 3 {
			t.Errorf("%v: %d of %d before, in %d slots", hours, before, s.repeats, len(s.tallies))
		}
	}
}

// TestCaughtBySetting: of sums, too, a setting catches what its own rule counts
// as high.
func TestCaughtBySetting(t *testing.T) {
	s := newSums()
	for target, highest := range []uint8{5, 3} {
		s.add(&Repeat{Rule: anyRule, Target: target, Session: "a", Kind: window.Stuck, Requests: 9, most: []uint8{highest}, top: highest, facts: &window.Facts{Requests: 9}}, nil, 9, 1)
	}
	for threshold, want := range map[int][]int{3: {1, 1}, 5: {1, 0}, 6: {0, 0}} {
		for target := range want {
			n := 0
			for range s.caught(&Advice{Target: target, Threshold: threshold}) {
				n++
			}
			if n != want[target] {
				t.Errorf("rule %d at %d catches in %d sessions, want %d", target, threshold, n, want[target])
			}
		}
	}
}
