package shared

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

func TestMain(m *testing.M) { kafkatest.Main(m) }

var (
	seed    = flag.Uint64("shared.seed", 0, "seed of TestShared; 0 is a new one, which a failure names")
	verbose = flag.Bool("shared.log", false, "show what the processes say")
)

// rules have scopes that put one request into several partitions.
const rules = `
version: 1
lateness: 10s
rules:
  - {name: result, profile: loopgauge/tool-call-result}
  - {name: step, profile: loopgauge/stuck-step}
  - {name: messages, profile: loopgauge/last-messages}
  - {name: aisg, profile: aisg}
  - {name: shipped, profile: tool-call-shipped}
  - {name: caller, identity: tool-call, scope: [caller], counter: {kind: sliding, window: 1m}, threshold: 3, action: warn}
  - {name: model, identity: tool-call, scope: [model, caller], counter: {kind: streak, window: 5m}, threshold: 3, action: reject, match: 'status == 200'}
exclude:
  - {name: probes, match: 'max_tokens == 1'}
`

const rawPartitions = 6

// session is longer than a machine stands still, and patience how long a test
// waits for what must come: nothing is wrong with a machine on which it takes
// minutes.
const (
	session  = time.Minute
	patience = 15 * time.Minute
)

// made are the records of raw partitions: sessions that loop now and then, out
// of order by less than the lateness, some beyond it, some twice.
func made(random *rand.Rand, n int) [][]string {
	split := make([][]string, rawPartitions)
	start := time.Date(2026, 11, 20, 23, 40, 0, 0, time.UTC)
	tools := make([]int, 20)
	for i := range n {
		late := 8000
		if random.IntN(200) == 0 {
			late = 40000
		}
		at := start.Add(time.Duration(i)*300*time.Millisecond - time.Duration(random.IntN(late))*time.Millisecond)
		session := random.IntN(len(tools))
		if random.IntN(4) == 0 {
			tools[session] = random.IntN(1000)
		}
		name := fmt.Sprintf(`"session":"s%d",`, session)
		if random.IntN(20) == 0 {
			name = ""
		}
		line := fmt.Sprintf(`{"time":%q,"id":"r%d",%s"caller":"team-%d","model":"m%d","status":%d,"max_tokens":%d,"tokens_in":%d,"tokens_out":7,"cost":0.01,"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{\"x\":%d}"}}]},{"role":"tool","content":"no"}],"tool_calls":[{"name":"f","arguments":"{\"x\":%d}"}]}`,
			at.Format("2006-01-02T15:04:05.000000Z"), i, name, session%3, session%2, 200+random.IntN(2), 1+random.IntN(10), 100+i%7, tools[session], tools[session])
		p := session % rawPartitions
		if random.IntN(4) == 0 {
			p = random.IntN(rawPartitions)
		}
		switch random.IntN(40) {
		case 0:
			split[p] = append(split[p], line, line)
		case 1:
			split[p] = append(split[p], "no JSON")
		case 2:
			split[p] = append(split[p], "")
		default:
			split[p] = append(split[p], line)
		}
	}
	// What comes far later, and is confirmed, closes every episode.
	for p := range split {
		for i := range 2 {
			split[p] = append(split[p], fmt.Sprintf(`{"time":"2026-11-21T12:00:0%dZ","id":"end-%d-%d"}`, i, p, i))
		}
	}
	return split
}

// said is what judging has said.
type said struct {
	mu       sync.Mutex
	verdicts map[string]bool
	alerts   map[string]string // by id and revision
	differ   []string
	repeats  int
	failing  *rand.Rand
	rows     map[string]int // of a dataset: how often they came
	report   replay.Report  // of it
}

func newSaid() *said {
	return &said{verdicts: map[string]bool{}, alerts: map[string]string{}, rows: map[string]int{}}
}

// An event with what every rule makes of it, wherever it is judged, a verdict
// and an episode as rows of a dataset.
func (s *said) addEvent(ev *window.Event) {
	if ev.Copy() {
		return
	}
	rules := ev.Rules
	if p := ev.Portion; p != nil && len(p.All) > 0 {
		rules = p.All
	}
	s.rows[fmt.Sprintf("event %v %s %v", ev.Position, ev.ID, rules)]++
}

func (s *said) addVerdict(v *window.Verdict) {
	if v.Repeats() {
		s.rows[fmt.Sprintf("verdict %v %s", v.Event.Position, sinks.AppendVerdict(nil, v))]++
	}
}

func (s *said) addEpisode(e *window.Episode) {
	s.rows[fmt.Sprintf("episode %s %d %d %d", e.ID, e.Requests, e.First, e.Last)]++
}

func (s *said) Name() string { return "recorder" }

func (s *said) Send(_ context.Context, a *sinks.Alert) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing != nil && s.failing.IntN(50) == 0 {
		return errors.New("not now")
	}
	key, text := fmt.Sprintf("%s %d", a.ID, a.Revision), string(a.Marshal())
	if before, ok := s.alerts[key]; ok {
		s.repeats++
		if before != text {
			s.differ = append(s.differ, before+"\n"+text)
		}
	}
	s.alerts[key] = text
	return nil
}

// missing says which alerts are to come yet of those that one process makes of
// incidents; nothing if all are there. Each partition has digests of its own,
// so which incidents are told one by one differs; what is told of them does
// not.
func (s *said) missing(t *testing.T, want *said) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	type alert struct {
		ID, State string
		Loops     int
	}
	parse := func(text string) (a alert) {
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	incidents := map[string]bool{}
	for _, text := range want.alerts {
		incidents[parse(text).ID] = true
	}
	over := map[string]bool{} // by id of what was told
	digested := 0
	for key, text := range s.alerts {
		a := parse(text)
		over[a.ID] = over[a.ID] || a.State == "closed"
		if strings.HasPrefix(a.ID, "dg-") {
			if a.State == "closed" {
				digested += a.Loops
			}
			continue
		}
		w := want.alerts[key]
		if a.State == "opened" { // it may be the first that was told, and not the first
			w = strings.NewReplacer(`"event":"loop.grown"`, `"event":"loop.opened"`, `"state":"grown"`, `"state":"opened"`).Replace(w)
		}
		if diff := cmp.Diff(w, text); diff != "" {
			t.Fatalf("alerts (-alone +shared):\n%s", diff)
		}
	}
	told := 0
	for id, over := range over {
		if !over {
			return id + " is not closed"
		}
		if incidents[id] {
			told++
		}
	}
	if told == 0 || told+digested < len(incidents) {
		return fmt.Sprintf("of %d incidents %d were told and %d are in digests", len(incidents), told, digested)
	}
	return ""
}

// alone is what one process says of the records.
func alone(t *testing.T, p *policy.Policy, split [][]string) *said {
	t.Helper()
	s := newSaid()
	incidents := window.NewIncidents(func(in *window.Incident) { _ = s.Send(t.Context(), sinks.NewAlert(in, nil)) })
	plan := window.NewPlan(p.Rules, p.Exclude)
	pipeline := replay.NewPipeline(replay.PipelineOptions{
		Plan: plan, Lateness: p.Lateness, Duplicates: p.Duplicates, Since: fingerprint.NoTime, Until: fingerprint.NoTime,
		Fired: incidents.Fired, Episode: func(e *window.Episode) error { incidents.Closed(e); s.addEpisode(e); return nil },
		Event: func(ev *window.Event) error { s.addEvent(ev); return nil },
		Verdict: func(v *window.Verdict) error {
			s.verdicts[string(sinks.AppendVerdict(nil, v))] = true
			s.addVerdict(v)
			return nil
		},
	})
	parse := replay.NewParser(plan, window.ExtractOptions{}, nil)
	for i, values := range split {
		block := ingest.NewBlock()
		block.Stream, block.Format = int32(i), formats.ByName("loopgauge")
		for k, v := range values {
			block.Data = append(block.Data, v...)
			block.Records = append(block.Records, ingest.Record{Offset: int64(k), End: len(block.Data)})
		}
		batch := parse(block)
		pipeline.Order.Open(int32(i), batch.First())
		pipeline.Take(batch)
	}
	for i := range split {
		pipeline.Order.Close(int32(i))
	}
	if err := errors.Join(pipeline.Release(), pipeline.Close(), pipeline.Check()); err != nil {
		t.Fatal(err)
	}
	if a := pipeline.Account; a.Late == 0 || a.Duplicate == 0 || a.Malformed == 0 || a.Excluded == 0 || len(s.alerts) < 20 {
		t.Fatalf("too tame: %v, %d alerts", a, len(s.alerts))
	}
	s.report = replay.Report{Totals: pipeline.Totals, Rules: pipeline.Accounts()}
	return s
}

// fleet runs processes over the topics of a test.
type fleet struct {
	t       *testing.T
	policy  *policy.Policy
	raw, to kafka.Config
	dir     string
	said    *said
	dataset Dataset // nil for none
	log     *slog.Logger
	status  map[string]*Status

	errors chan error
	stops  map[string]func()
}

func newFleet(t *testing.T, b *kafkatest.Broker, p *policy.Policy) *fleet {
	t.Helper()
	base := kafka.Config{Brokers: []string{b.Address}, Start: kafka.Start{Earliest: true}, SessionTimeout: session, Heartbeat: 200 * time.Millisecond}
	f := &fleet{t: t, policy: p, raw: base, to: base, dir: t.TempDir(), said: newSaid(), status: map[string]*Status{}, errors: make(chan error, 100), stops: map[string]func(){}}
	f.raw.Topic = b.Topic(t, rawPartitions)
	f.to.Topic = f.raw.Topic + "-events"
	f.raw.Group, f.to.Group = f.raw.Topic+"-extract", f.raw.Topic+"-watch"
	f.log = slog.New(slog.NewTextHandler(io.Discard, nil))
	if *verbose {
		f.log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	t.Cleanup(func() {
		for name := range f.stops {
			f.stop(name)
		}
		select {
		case err := <-f.errors:
			t.Error(err)
		default:
		}
	})
	return f
}

func (f *fleet) run(name string, run func(context.Context, *slog.Logger) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := run(ctx, f.log.With("process", name)); err != nil {
			f.errors <- fmt.Errorf("%s: %w", name, err)
		}
	}()
	f.stops[name] = func() {
		cancel()
		<-done
	}
}

func (f *fleet) stop(name string) {
	f.stops[name]()
	delete(f.stops, name)
}

// extract runs an extract that takes a partition for idle after a time. As long
// as there is more to come none may be, however slow the machine is.
func (f *fleet) extract(name string, idle time.Duration) {
	f.run(name, func(ctx context.Context, log *slog.Logger) error {
		_, err := Extract(ctx, ExtractOptions{
			From: f.raw, To: f.to, Partitions: 5, Plan: window.NewPlan(f.policy.Rules, f.policy.Exclude), Lateness: f.policy.Lateness, Idle: idle, Log: log,
		})
		return err
	})
}

func (f *fleet) watch(name string) {
	status := &Status{}
	f.status[name] = status
	f.run(name, func(ctx context.Context, log *slog.Logger) error {
		return Watch(ctx, WatchOptions{
			From: f.to, Dataset: f.dataset, Status: status,
			Job: live.Job{
				Plan: window.NewPlan(f.policy.Rules, f.policy.Exclude), Lateness: f.policy.Lateness, Duplicates: f.policy.Duplicates,
				PartInterval: 500 * time.Millisecond, Interval: 200 * time.Millisecond, Sinks: []sinks.Sink{f.said}, Verdicts: filepath.Join(f.dir, name+".jsonl"), Log: log,
			},
		})
	})
}

// read collects the verdicts of all processes.
func (f *fleet) read() map[string]bool {
	f.t.Helper()
	files, err := filepath.Glob(filepath.Join(f.dir, "*.jsonl"))
	if err != nil {
		f.t.Fatal(err)
	}
	all := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			all[line] = true
		}
	}
	return all
}

// same waits until all is said that one process says, and nothing else.
func (f *fleet) same(want *said) {
	f.t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) && (f.said.missing(f.t, want) != "" || len(f.read()) < len(want.verdicts)) {
		select {
		case err := <-f.errors:
			f.t.Fatal(err)
		case <-time.After(100 * time.Millisecond):
		}
	}
	sorted := func(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
	if diff := cmp.Diff(sorted(want.verdicts), sorted(f.read())); diff != "" {
		f.t.Fatalf("verdicts (-alone +shared):\n%s", diff[:min(len(diff), 4000)])
	}
	if missing := f.said.missing(f.t, want); missing != "" {
		f.t.Fatalf("alerts: %s", missing)
	}
	f.said.mu.Lock()
	defer f.said.mu.Unlock()
	if len(f.said.differ) > 0 {
		f.t.Fatalf("alerts of one id and revision that differ:\n%s", strings.Join(f.said.differ, "\n"))
	}
	f.t.Logf("%d verdicts, %d alerts, %d repeats", len(want.verdicts), len(want.alerts), f.said.repeats)
}

// TestShared: one, three, then two processes that judge, and as many that
// extract, say what one alone does.
func TestShared(t *testing.T) {
	b := kafkatest.Start(t)
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("-shared.seed=%d", s)
	random := rand.New(rand.NewPCG(s, 0))
	p := testPolicy(t, rules)
	split := made(random, 4000)
	want := alone(t, p, split)
	f := newFleet(t, b, p)
	f.said.failing = rand.New(rand.NewPCG(s, 1))
	data := newUnion(t)
	f.dataset = data

	f.extract("extract-1", time.Hour)
	steps := []func(){
		func() { f.watch("watch-1") },
		func() { f.watch("watch-2"); f.watch("watch-3"); f.extract("extract-2", time.Hour) },
		func() { f.stop("extract-1") },
		func() { f.stop("watch-1") },
		func() { f.extract("extract-3", time.Hour) },
	}
	const pieces = 50
	for i := range pieces {
		for p, values := range split {
			if piece := values[len(values)*i/pieces : len(values)*(i+1)/pieces]; len(piece) > 0 {
				b.Produce(t, f.raw.Topic, int32(p), piece...)
			}
		}
		if i%10 == 0 {
			steps[i/10]()
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, name := range []string{"extract-2", "extract-3"} {
		f.stop(name)
		f.extract(name, 2*time.Second)
	}
	f.same(want)

	// The rows are those of one, each once; what has no verdict may come last.
	for _, name := range []string{"watch-2", "watch-3"} {
		f.stop(name)
	}
	for deadline := time.Now().Add(patience); len(data.all().rows) < len(want.rows) && time.Now().Before(deadline); {
		f.watch("watch-4")
		time.Sleep(time.Second)
		f.stop("watch-4")
	}
	if diff := cmp.Diff(want.rows, data.all().rows); diff != "" {
		t.Fatalf("rows (-alone +shared):\n%s", diff[:min(len(diff), 4000)])
	}
	counts := func(r *replay.Report) (list []string) {
		list = append(list, fmt.Sprintf("judged %d, duplicate %d, excluded %v", r.Account.Judged, r.Account.Duplicate, r.Account.Excluded))
		for _, a := range r.Rules {
			list = append(list, fmt.Sprintf("%s judged %d, counted %d, not matched %d, fired %d, episodes %d", a.Rule.Name, a.Judged, a.Counted, a.NotMatched, a.Fired, a.Episodes))
		}
		return list
	}
	if diff := cmp.Diff(counts(&want.report), counts(&data.all().report)); diff != "" {
		t.Errorf("the account (-alone +shared):\n%s", diff)
	}
	t.Logf("%d rows in %d parts", len(want.rows), data.parts)

	// Nobody may go on with something else.
	refused := func(dataset Dataset, want string) {
		t.Helper()
		f.dataset = dataset
		f.watch("refused")
		select {
		case err := <-f.errors:
			if _, ok := errors.AsType[*sinks.Mismatch](err); !ok || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "the same --out") {
				t.Errorf("%v, want %q", err, want)
			}
		case <-time.After(patience):
			t.Errorf("never refused: %q", want)
		}
		f.stop("refused")
	}
	refused(nil, "this watch has no --out")
	refused(newUnion(t), "goes into another dataset")
}

// union is a dataset that all partitions share.
type union struct {
	dir   string
	mu    sync.Mutex
	of    map[int]*said // by partition
	last  map[int]int64 // part of each
	parts int
}

func newUnion(t *testing.T) *union {
	t.Helper()
	return &union{dir: t.TempDir(), of: map[int]*said{}, last: map[int]int64{}}
}

// all adds the partitions up.
func (d *union) all() *said {
	d.mu.Lock()
	defer d.mu.Unlock()
	sum := newSaid()
	for _, s := range d.of { // any order: they are added up
		for row, n := range s.rows { // any order: likewise
			sum.rows[row] += n
		}
		sum.report.Account, sum.report.Rules = plus(&sum.report, &s.report)
	}
	return sum
}

func (d *union) ID() string    { return d.dir }
func (d *union) Spool() string { return filepath.Join(d.dir, "spool") }

func (d *union) Holds(partition int) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last[partition] > 0, nil
}

func (d *union) Part(partition int, number, _ int64) (live.Part, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if number <= d.last[partition] {
		return nil, nil
	}
	return &unionPart{d, newSaid(), partition, number}, nil
}

// unionPart is a part of one partition.
type unionPart struct {
	d         *union
	said      *said
	partition int
	number    int64
}

func (p *unionPart) AddEvent(ev *window.Event) error             { p.said.addEvent(ev); return nil }
func (p *unionPart) AddVerdict(v *window.Verdict, _ int64) error { p.said.addVerdict(v); return nil }

func (p *unionPart) AddEpisode(e *window.Episode) error { p.said.addEpisode(e); return nil }
func (p *unionPart) Abort()                             {}

func (p *unionPart) Close(r replay.Report) error {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	if p.number != p.d.last[p.partition]+1 {
		return nil // another process was quicker
	}
	p.d.last[p.partition] = p.number
	p.d.parts++
	if p.d.of[p.partition] == nil {
		p.d.of[p.partition] = newSaid()
	}
	s := p.d.of[p.partition]
	s.report = r
	for row, n := range p.said.rows { // any order: they are added up
		s.rows[row] += n
	}
	return nil
}
