package monitor

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

var update = flag.Bool("update", false, "write testdata/metrics.txt anew")

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// running is a run with a value of its own in every field that is shown.
func running() live.Now {
	rules := []*window.Rule{{Name: "stuck-step"}, {Name: `a "quoted\" rule`}}
	account := func(i int, n int64) window.RuleAccount {
		a := window.RuleAccount{
			Rule: rules[i], Judged: 10 * n, Counted: 6 * n, NotMatched: n,
			Fired: 4 * n, Episodes: 2 * n, LiveKeys: 50 + i, DroppedKeys: 3 * n,
		}
		a.NotComputable[fingerprint.NoBody], a.NotComputable[fingerprint.NoToolCall] = n, 2*n
		return a
	}
	report := func(n int64) replay.Report {
		return replay.Report{
			Totals:  replay.Totals{Account: replay.Account{Lines: 36 * n, Judged: 10 * n, Blank: n, Malformed: 2 * n, Duplicate: 3 * n, Late: 4 * n, Excluded: 5 * n}},
			Rules:   []window.RuleAccount{account(0, n), account(1, 2*n)},
			Streams: []replay.StreamResult{{Bytes: 1000 * n}, {Bytes: 500 * n}},
		}
	}
	return live.Now{
		Report: report(7), Began: report(5), // so two are left
		Heartbeat: noon.Add(-time.Second), Ready: true,
		Lanes: []live.LaneStatus{
			{Name: "requests/0", Behind: 12, Lost: 1, Control: 2, Transactional: 3},
			{Name: "requests/1", Behind: -1, Idle: true, AtEnd: true, Lost: 10},
			{Name: "access.log", File: true, Behind: 4096},
			{Name: "access.log", File: true, Behind: 4}, // rotated away, still read
			{Name: "no\xffUTF-8.log", File: true, AtEnd: true},
		},
		Gone:       live.LaneStatus{Lost: 100, Control: 200, Transactional: 300},
		Unreadable: 4, Waiting: 8, Newest: noon.Add(-time.Minute).UnixMicro(), Frontier: noon.Add(-90 * time.Second).UnixMicro(),
		Incidents: 2, Alerts: map[window.IncidentState]int64{window.Opened: 9, window.Closed: 7},
		Loops:       map[live.LoopKind]int64{{Rule: "stuck-step", Kind: "stuck"}: 6, {Rule: `a "quoted\" rule`, Kind: "unknown"}: 1},
		Sinks:       []sinks.SinkStats{{Name: "log", Sent: 16}, {Name: "webhook hooks.example c0ffee00", Waiting: 3, Sent: 12, Failed: 5, Refused: 1, Dropped: 2}},
		Dropped:     17,
		Checkpoints: 41, CheckpointTime: noon.Add(-20 * time.Second), CheckpointTook: 250 * time.Millisecond, CheckpointBytes: 5000,
		Unsaved: noon.Add(-10 * time.Second),
	}
}

func collectorOf(n live.Now) *collector {
	c := newCollector(func() live.Now { return n }, "v1.2.3")
	c.clock, c.began = func() time.Time { return noon }, noon.Add(-time.Hour)
	return c
}

// exposition is what Prometheus would read.
func exposition(t *testing.T, c prometheus.Collector) string {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(c)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestMetrics compares all metrics with what they should be. The version of Go
// is not among them.
func TestMetrics(t *testing.T) {
	const golden = "testdata/metrics.txt"
	got := exposition(t, collectorOf(running()))
	_, version, _ := strings.Cut(got, `go_version="`)
	version, _, _ = strings.Cut(version, `"`)
	got = strings.Replace(got, version, "GO", 1)
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), -update writes it:\n%s", golden, diff)
	}
	for _, m := range Metrics {
		if !strings.Contains(got, "\n# TYPE "+m.Name+" "+string(m.Type)+"\n") {
			t.Errorf("%s is not among them: let running() have a value for it", m.Name)
		}
	}
}

func TestMetricsFollowConventions(t *testing.T) {
	f := func(n live.Now) {
		t.Helper()
		problems, err := testutil.CollectAndLint(collectorOf(n))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
	f(running())
	f(live.Now{})
	for _, m := range Metrics {
		if !strings.HasPrefix(m.Name, "loopgauge_") || !strings.HasSuffix(m.Help, ".") {
			t.Errorf("%s %q: names begin with loopgauge_, help texts are sentences", m.Name, m.Help)
		}
	}
}

// TestCountersBeginAtZero: a run that goes on from a checkpoint counts from
// there, and says nothing of event times before its loop has come round.
func TestCountersBeginAtZero(t *testing.T) {
	n := running()
	n = live.Now{Report: n.Began, Began: n.Began}
	got := exposition(t, collectorOf(n))
	for line := range strings.Lines(got) {
		if strings.HasPrefix(line, "loopgauge_rule_live_keys") || strings.HasPrefix(line, "loopgauge_build_info") || strings.HasPrefix(line, "#") {
			continue
		}
		if fields := strings.Fields(line); fields[len(fields)-1] != "0" {
			t.Error(line)
		}
	}
	if strings.Contains(got, "timestamp") || strings.Contains(got, "event_delay") {
		t.Errorf("times that nobody has told:\n%s", got)
	}
}

func TestEventDelay(t *testing.T) {
	f := func(want float64, change func(*live.Now)) {
		t.Helper()
		n := running()
		change(&n)
		got := math.NaN()
		for line := range strings.Lines(exposition(t, collectorOf(n))) {
			if text, ok := strings.CutPrefix(line, "loopgauge_event_delay_seconds "); ok {
				if _, err := fmt.Sscan(text, &got); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("delay %v, want %v", got, want)
		}
	}
	atEnd := func(n *live.Now) {
		for i := range n.Lanes {
			n.Lanes[i].AtEnd = true
		}
	}
	f(90, func(*live.Now) {})
	f(90, atEnd) // something waits
	f(90, func(n *live.Now) { n.Waiting = 0 })
	f(0, func(n *live.Now) { n.Waiting = 0; atEnd(n) })
	f(0, func(n *live.Now) { n.Frontier = noon.Add(time.Hour).UnixMicro() }) // a clock that is ahead
	// Brokers that went away before anything came were told of by the log alone.
	f(3600, func(n *live.Now) { n.Frontier = fingerprint.NoTime })
	f(0, func(n *live.Now) { n.Frontier, n.Waiting = fingerprint.NoTime, 0; atEnd(n) })
	f(math.NaN(), func(n *live.Now) { n.Frontier, n.Ready = fingerprint.NoTime, false })
	f(math.NaN(), func(n *live.Now) { n.Heartbeat, n.Ready = time.Time{}, false })
}

func TestStreamsAreBounded(t *testing.T) {
	var n live.Now
	for i := range maxStreams + 50 {
		n.Lanes = append(n.Lanes, live.LaneStatus{Name: fmt.Sprint("topic/", i), Behind: 2})
	}
	c := collectorOf(n)
	if got, want := testutil.CollectAndCount(c, "loopgauge_stream_lag_records"), maxStreams+1; got != want {
		t.Errorf("%d series, want %d", got, want)
	}
	if got := exposition(t, c); !strings.Contains(got, "\n"+`loopgauge_stream_lag_records{stream="(others)"} 100`+"\n") {
		t.Error("the others are not added up")
	}
}

func TestPages(t *testing.T) {
	n, now := running(), noon
	var log bytes.Buffer
	o := Options{Version: "v1.2.3", Log: slog.New(slog.NewTextHandler(&log, nil))}
	h := handler(func() live.Now { return n }, o, func() time.Time { return now })
	ask := func(method, path string) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w.Code, w.Body.String()
	}
	f := func(path string, code int, body string) {
		t.Helper()
		if c, got := ask(http.MethodGet, path); c != code || got != body {
			t.Errorf("%s: %d %q, want %d %q", path, c, got, code, body)
		}
	}
	f("/healthz", 200, "ok\n")
	f("/readyz", 200, "ok\n")
	n.Checkpoints = 0
	f("/readyz", 503, "no checkpoint is written yet\n")
	n.Ready = false
	f("/readyz", 503, "the source is not being read yet\n")
	n.Heartbeat = time.Time{}
	now = noon.Add(time.Hour)
	f("/healthz", 200, "ok\n") // it waits for its source
	now = noon.Add(62 * time.Second)
	n.Heartbeat = noon.Add(40 * time.Second)
	f("/healthz", 200, "ok\n")
	now = noon.Add(2 * time.Minute)
	f("/healthz", 503, "the loop has stood still for 1m20s\n")

	f("/", 200, `loopgauge v1.2.3

/metrics       for Prometheus
/healthz       200 while the loop moves, else 503: restart it
/readyz        200 when everything is being read and kept, else 503
`)
	if code, got := ask(http.MethodGet, "/metrics"); code != 200 || !strings.Contains(got, "\nloopgauge_alerts_waiting{sink=\"log\"} 0\n") ||
		!strings.Contains(got, "\ngo_goroutines ") || !strings.Contains(got, "\nprocess_cpu_seconds_total ") {
		t.Errorf("/metrics: %d\n%s", code, got)
	}
	g := func(method, path string, want int) {
		t.Helper()
		if code, body := ask(method, path); code != want {
			t.Errorf("%s %s: %d, want %d\n%s", method, path, code, want, body)
		}
	}
	g(http.MethodHead, "/healthz", 503)
	g(http.MethodPost, "/metrics", 405)
	g(http.MethodGet, "/debug/pprof/", 404)
	g(http.MethodGet, "/elsewhere", 404)
	o.Pprof = true
	h = handler(func() live.Now { return n }, o, func() time.Time { return now })
	g(http.MethodGet, "/debug/pprof/", 200)
	g(http.MethodGet, "/debug/pprof/heap", 200)
	g(http.MethodGet, "/debug/pprof/cmdline", 200)
	g(http.MethodPost, "/debug/pprof/symbol", 200)
	if log.Len() > 0 {
		t.Errorf("it had to say: %s", log.String())
	}
}

func TestAddress(t *testing.T) {
	f := func(addr, want string) {
		t.Helper()
		if got, err := Address(addr); got != want || err != nil {
			t.Errorf("%s is %s, want %s: %v", addr, got, want, err)
		}
	}
	f("9469", "127.0.0.1:9469")
	f(":9469", "127.0.0.1:9469")
	f("0", "127.0.0.1:0")
	f("0.0.0.0:9469", "0.0.0.0:9469")
	f("[::1]:9469", "[::1]:9469")
	f("[::]:9469", "[::]:9469")
	f("localhost:9469", "localhost:9469")
	f("127.0.0.1:65535", "127.0.0.1:65535")
	for _, bad := range []string{"", ":", "99999", "-1", "localhost", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:http", "[::1", "::1"} {
		if got, err := Address(bad); err == nil || !strings.Contains(err.Error(), "HOST:PORT, such as 127.0.0.1:9469") {
			t.Errorf("%q is %q: %v", bad, got, err)
		}
	}
}

func TestServer(t *testing.T) {
	o := Options{Log: slog.New(slog.DiscardHandler)}
	now := func() live.Now { return running() }
	s, err := Start("0", now, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(s.Addr(), now, o); err == nil || !strings.Contains(err.Error(), s.Addr()) {
		t.Errorf("a second server on the same port: %v", err)
	}
	if s, err := Start("", now, o); err == nil {
		t.Errorf("no address is listened on as %s; %v", s.Addr(), s.Close())
	}
	client := &http.Client{Transport: &http.Transport{}} // connections that are open when the server ends
	r, err := client.Get("http://" + s.Addr() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || string(body) != "ok\n" {
		t.Errorf("%q, %v", body, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if r, err := client.Get("http://" + s.Addr() + "/readyz"); err == nil {
		r.Body.Close()
		t.Error("it is served still")
	}
}
