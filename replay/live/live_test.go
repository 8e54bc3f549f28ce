package live

import (
	"bytes"
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
	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

var errKilled = errors.New("killed")

// feed serves partitions of records from marks on. It fails its commits after
// so many, which is how a process dies here: nothing that it has in memory is
// written any more.
type feed struct {
	partitions [][]string
	marks      []ingest.Mark
	commits    int // until it fails; negative is never
	accepted   int
}

// open has it go on from marks.
func (f *feed) open(_ context.Context, marks []ingest.Mark) (ingest.Feed, error) {
	f.marks = marks
	return f, nil
}

func (f *feed) Accept(ctx context.Context) ([]ingest.Live, error) {
	if f.accepted++; f.accepted > 1 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	streams := make([]ingest.Live, len(f.partitions))
	for i := range f.partitions {
		m := ingest.Mark{Stream: int32(i), Name: fmt.Sprintf("topic/%d", i)}
		for _, have := range f.marks {
			if have.Stream == m.Stream {
				m = have
			}
		}
		streams[i] = &partition{m, f.partitions[i], rand.New(rand.NewPCG(uint64(f.commits), uint64(i)))}
	}
	return streams, nil
}

func (f *feed) Commit(context.Context, []ingest.Mark) error {
	if f.commits == 0 {
		return errKilled
	}
	f.commits--
	return nil
}

func (f *feed) Close() error { return nil }

type partition struct {
	mark   ingest.Mark
	values []string
	random *rand.Rand
}

func (p *partition) Name() string      { return p.mark.Name }
func (p *partition) Mark() ingest.Mark { return p.mark }

func (p *partition) Next(ctx context.Context) (ingest.Chunk, error) {
	select {
	case <-ctx.Done():
		return ingest.Chunk{}, ctx.Err()
	case <-time.After(time.Duration(p.random.IntN(300)) * time.Microsecond):
	}
	values := p.values[p.mark.Offset:]
	if len(values) == 0 {
		return ingest.Chunk{Mark: p.mark, AtEnd: true}, nil
	}
	b := &ingest.Block{Stream: p.mark.Stream, Format: formats.ByName("loopgauge")}
	for _, v := range values[:1+p.random.IntN(min(len(values), 20))] {
		b.Data = append(b.Data, v...)
		b.Records = append(b.Records, ingest.Record{Offset: p.mark.Offset, End: len(b.Data)})
		p.mark.Offset++
	}
	p.mark.Format = "loopgauge"
	return ingest.Chunk{Block: b, Mark: p.mark}, nil
}

func verdictRow(event int64, v *window.Verdict) string {
	return fmt.Sprintf("verdict %d %s", event, sinks.AppendVerdict(nil, v))
}

// memory is a dataset that is never written.
type memory struct {
	parts  map[string]*part
	policy string
}

type part struct {
	m      *memory
	name   string
	seq    int64
	Rows   []string
	Report replay.Report
}

func (m *memory) Part(name string, first int64) (Part, error) {
	return &part{m: m, name: name, seq: first}, nil
}

func (m *memory) Policy() string { return m.policy }

func (m *memory) Empty() error {
	if len(m.parts) > 0 {
		return errors.New("there are rows that no checkpoint knows of")
	}
	return nil
}

func (m *memory) Follows(string, int64) error { return nil }

func (m *memory) Discard(name string) error {
	maps.DeleteFunc(m.parts, func(have string, _ *part) bool { return have >= name })
	return nil
}

func (p *part) AddEvent(ev *window.Event) error {
	p.Rows = append(p.Rows, row(p.seq, ev))
	p.seq++
	return nil
}

func (p *part) AddVerdict(v *window.Verdict, event int64) error {
	p.Rows = append(p.Rows, verdictRow(event, v))
	return nil
}

func (p *part) AddEpisode(e *window.Episode) error {
	p.Rows = append(p.Rows, episodeRow(e))
	return nil
}

func (p *part) Close(r replay.Report) error {
	p.Report = r
	p.m.parts[p.name] = p
	return nil
}

func (p *part) Abort() {}

// row shows all of an event but its line and offset, which mean other things
// in a topic than in a file, and its link, which is in no state.
func row(seq int64, ev *window.Event) string {
	c := *ev
	c.Link = window.Link{}
	c.Position = fingerprint.Position{Stream: c.Position.Stream}
	return fmt.Sprintf("event %d %+v", seq, c)
}

func episodeRow(e *window.Episode) string {
	type exported struct {
		window.Episode
		Rule, Fingerprint string
	}
	b, err := json.Marshal(exported{*e, e.Rule.Name, e.Fingerprint.String()})
	if err != nil {
		panic(err)
	}
	return "episode " + string(b)
}

// recorder is a sink that fails now and then.
type recorder struct {
	mu     sync.Mutex
	got    map[string]string // by id and revision
	differ []string
	n      int
	random *rand.Rand
}

func (r *recorder) Name() string { return "recorder" }

func (r *recorder) Send(_ context.Context, a *sinks.Alert) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.random.IntN(50) == 0 {
		return errors.New("not now")
	}
	r.n++
	key, text := fmt.Sprintf("%s %d", a.ID, a.Revision), string(a.Marshal())
	if before, ok := r.got[key]; ok && before != text {
		r.differ = append(r.differ, before+"\n"+text)
	}
	r.got[key] = text
	return nil
}

// lines makes records of sessions that loop now and then, in partitions, each
// out of order by less than the lateness.
func lines(t *rapid.T) (partitions [][]string) {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	partitions = make([][]string, rapid.IntRange(1, 4).Draw(t, "partitions"))
	start := time.Date(2026, 11, 20, 23, 50, 0, 0, time.UTC) // over midnight
	n := rapid.IntRange(1, 400).Draw(t, "records")
	last := start
	for i := range n {
		at := start.Add(time.Duration(i) * 2 * time.Second)
		last = at
		jitter := at.Add(-time.Duration(random.IntN(9)) * time.Second)
		session, tool := random.IntN(4), 0
		if random.IntN(3) == 0 {
			tool = random.IntN(3)
		}
		p := session % len(partitions)
		if random.IntN(5) == 0 {
			p = random.IntN(len(partitions))
		}
		id := i
		if random.IntN(20) == 0 {
			id = i / 2
		}
		v := fmt.Sprintf(`{"time":%q,"id":"r%d","session":"s%d","model":"m","status":200,"tokens_in":10,"cost":0.01,"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{\"x\":%d}"}}]},{"role":"tool","content":"no"}],"tool_calls":[{"name":"f","arguments":"{\"x\":%d}"}]}`,
			jitter.Format("2006-01-02T15:04:05.000000Z"), id, session, tool, tool)
		if random.IntN(30) == 0 {
			v = "no JSON"
		}
		partitions[p] = append(partitions[p], v)
	}
	// What comes much later closes every episode.
	for p := range partitions {
		partitions[p] = append(partitions[p], fmt.Sprintf(`{"time":%q,"id":"end%d"}`, last.Add(2*time.Hour).Format(time.RFC3339), p))
	}
	return partitions
}

// offline is what a replay of the same partitions as files makes of them.
func offline(t *rapid.T, dir string, p *policy.Policy, partitions [][]string) (verdicts string, rows []string, account replay.Account) {
	o := replay.Options{PipelineOptions: replay.PipelineOptions{
		Plan: window.NewPlan(p.Rules, p.Exclude).WithEvidence(), Lateness: p.Lateness, Duplicates: p.Duplicates,
		Since: fingerprint.NoTime, Until: fingerprint.NoTime,
	}}
	for i, values := range partitions {
		file := filepath.Join(dir, fmt.Sprintf("%d.jsonl", i))
		write(t, file, strings.Join(values, "\n"))
		sources, err := ingest.Find([]string{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		streams, failed := ingest.OpenAll(sources, int32(i), ingest.Options{Format: formats.ByName("loopgauge")})
		if len(failed) > 0 {
			t.Fatal(failed)
		}
		o.Streams = append(o.Streams, streams...)
	}
	var out bytes.Buffer
	w := sinks.NewVerdictWriter(&out, "")
	var said []string
	o.Verdict = func(v *window.Verdict) error {
		said = append(said, verdictRow(int64(len(rows)-1), v))
		return w.Write(v)
	}
	o.Event = func(ev *window.Event) error {
		rows = append(rows, row(int64(len(rows)), ev))
		return nil
	}
	var episodes []string
	o.Episode = func(e *window.Episode) error {
		episodes = append(episodes, episodeRow(e))
		return nil
	}
	r, err := replay.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String(), slices.Concat(rows, said, episodes), r.Account
}

// TestLiveIsReplay: a watch that dies again and again, and now and then finds
// its newest checkpoint damaged, says what a replay says, once.
func TestLiveIsReplay(t *testing.T) {
	refresh = 0
	if testing.Short() {
		if err := flag.Set("rapid.checks", "15"); err != nil {
			t.Fatal(err)
		}
	}
	p, err := policy.FromProfiles([]string{"loopgauge", "aisg", "tool-call-shipped"})
	if err != nil {
		t.Fatal(err)
	}
	p.Lateness = policy.DefaultLateness
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "live") //nolint:usetesting // one for each check
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // what stays behind is the test's own
		partitions := lines(t)
		verdicts, rows, account := offline(t, dir, p, partitions)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 0))

		data := &memory{parts: map[string]*part{}}
		alerts := &recorder{got: map[string]string{}, random: random}
		crashes, damage := rapid.IntRange(0, 6).Draw(t, "crashes"), rapid.Bool().Draw(t, "damage")
		for ; ; crashes-- {
			commits := -1
			if crashes > 0 {
				commits = random.IntN(6)
			}
			status := &Status{}
			done := once(t, dir, p, &feed{partitions: partitions, commits: commits}, data, alerts, status, account.Lines)
			if done {
				if got := status.Get().Account; got != account {
					t.Fatalf("account:\ngot  %v\nwant %v", got, account)
				}
				break
			}
			if damage && random.IntN(3) == 0 {
				damageNewest(t, filepath.Join(dir, "state"))
			}
		}
		got := read(t, filepath.Join(dir, "verdicts.jsonl"))
		if diff := cmp.Diff(strings.Split(verdicts, "\n"), strings.Split(string(got), "\n")); diff != "" {
			t.Fatalf("verdicts (-replay +live):\n%s", diff)
		}
		var gotRows, gotVerdicts, gotEpisodes []string
		for _, name := range slices.Sorted(maps.Keys(data.parts)) {
			for _, r := range data.parts[name].Rows {
				switch word, _, _ := strings.Cut(r, " "); word {
				case "event":
					gotRows = append(gotRows, r)
				case "verdict":
					gotVerdicts = append(gotVerdicts, r)
				default:
					gotEpisodes = append(gotEpisodes, r)
				}
			}
		}
		if diff := cmp.Diff(rows, slices.Concat(gotRows, gotVerdicts, gotEpisodes)); diff != "" {
			t.Fatalf("rows (-replay +live):\n%s", diff)
		}
		if len(alerts.differ) > 0 {
			t.Fatalf("alerts of one id and revision that differ:\n%s", strings.Join(alerts.differ, "\n"))
		}
		opened, closed := 0, 0
		for key, text := range alerts.got {
			if strings.HasSuffix(key, " 1") {
				opened++
			}
			if strings.Contains(text, `"state":"closed"`) {
				closed++
			}
		}
		if opened != closed || opened == 0 && strings.Contains(verdicts, `"fired":true,"action":"warn"`) {
			t.Fatalf("%d alerts opened, %d closed", opened, closed)
		}
	})
}

// once runs a watch until it has judged all lines, and reports whether it did.
func once(t *rapid.T, dir string, p *policy.Policy, f *feed, data *memory, alerts *recorder, status *Status, all int64) bool {
	store := openStore(t, filepath.Join(dir, "state"))
	defer store.Close() //nolint:errcheck // holds a lock, nothing else
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			time.Sleep(time.Millisecond)
			if n := status.Get(); n.Account.Lines == all && n.Waiting == 0 && n.Ready && !slices.ContainsFunc(n.Sinks, func(s sinks.SinkStats) bool { return s.Waiting > 0 }) {
				cancel()
			}
		}
	}()
	err := Run(ctx, Options{
		Feed: f.open, Store: store, Idle: 5 * time.Millisecond, Dataset: data, Status: status,
		Job: Job{
			Plan: window.NewPlan(p.Rules, p.Exclude).WithEvidence(), Lateness: p.Lateness, Duplicates: p.Duplicates,
			Interval: time.Millisecond, PartInterval: 3 * time.Millisecond, Sinks: []sinks.Sink{alerts},
			Verdicts: filepath.Join(dir, "verdicts.jsonl"), AllVerdicts: true, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		},
	})
	if errors.Is(err, errKilled) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

// damageNewest flips a byte of the newest checkpoint, if there is one before
// it.
func damageNewest(t *rapid.T, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "checkpoint-*.state"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 2 {
		return
	}
	newest := slices.Max(files)
	b := read(t, newest)
	b[len(b)/2] ^= 1
	write(t, newest, b)
}
