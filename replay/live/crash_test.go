package live

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// world is all that a watch writes to.
type world struct {
	dir string // copy of that of the state and of the file of verdicts
	memory
	alerts map[string]int // how often each came
	topic  map[string]int // the same of verdicts
}

func (w *world) clone(dir string) *world {
	return &world{dir, memory{parts: maps.Clone(w.parts)}, maps.Clone(w.alerts), maps.Clone(w.topic)}
}

// rows are those of the dataset. Each has its number; in which order events and
// verdicts stand is for the checkpoints to say.
func (w *world) rows() (rows []string) {
	for _, p := range w.parts {
		rows = append(rows, p.Rows...)
	}
	slices.Sort(rows)
	return rows
}

// mortal is a watch's surroundings that leave a world as it is behind each step of
// a checkpoint, as if the watch had been killed there.
type mortal struct {
	*world
	feed
	t     *testing.T
	home  string // directory of the state and of the file of verdicts
	mu    sync.Mutex
	added []string            // verdicts on their way to the topic
	left  map[string][]*world // by step; nil in a run that nobody kills
	n     int
}

func (m *mortal) died(behind string) {
	if m.left == nil {
		return
	}
	m.n++
	w := m.clone(filepath.Join(m.t.TempDir(), fmt.Sprint(m.n)))
	if err := os.CopyFS(w.dir, os.DirFS(m.home)); err != nil {
		m.t.Error(err)
	}
	if kept := checkpointsIn(m.t, w.dir); behind == damaged && len(kept) == 2 {
		if err := os.Truncate(slices.Max(kept), 100); err != nil {
			m.t.Error(err)
		}
	}
	m.left[behind] = append(m.left[behind], w)
}

// damaged is a crash behind publish that took the last checkpoint along.
const damaged = "publish, and the checkpoint is damaged"

func checkpointsIn(t *testing.T, home string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(home, "state", prefix+"*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (m *mortal) Add(v *window.Verdict) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.added = append(m.added, string(sinks.AppendVerdict(nil, v))); len(m.added) == 5 {
		m.died("judged")
	}
}

func (m *mortal) Settle(context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.died("syncFiles")
	for _, v := range m.added {
		m.topic[v]++
	}
	m.added = nil
	m.died("Settle")
}

func (m *mortal) Run(ctx context.Context) { <-ctx.Done() }
func (m *mortal) Dropped() int64          { return 0 }

func (m *mortal) Part(name string, first int64) (Part, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.died("Store.Write")
	return m.memory.Part(name, first)
}

// Follows is memory's, and looks.
func (m *mortal) Follows(name string, first int64) error {
	events := int64(0)
	for have, p := range m.parts {
		for _, row := range p.Rows {
			if have < name && strings.HasPrefix(row, "event ") {
				events++
			}
		}
	}
	if events != first {
		return fmt.Errorf("ends behind event %d, and not %d", events, first)
	}
	return nil
}

func (m *mortal) Commit(context.Context, []ingest.Mark) error {
	m.mu.Lock()
	m.died("publish")
	m.died(damaged)
	m.mu.Unlock()
	time.Sleep(leastInterval * 4 / 5) // in which there is more to judge
	return nil
}

func (m *mortal) Name() string { return "mortal" }

func (m *mortal) Send(_ context.Context, a *sinks.Alert) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.died("feed.Commit")
	if !bytes.Contains(read(m.t, slices.Max(checkpointsIn(m.t, m.home))), []byte(a.ID)) {
		m.t.Errorf("alert %s leaves, and no checkpoint holds it", a.ID)
	}
	m.alerts[fmt.Sprintf("%s %d %s", a.ID, a.Revision, a.State)]++
	m.died("Outbox")
	return nil
}

func (m *mortal) Accept(ctx context.Context) ([]ingest.Live, error) {
	streams, err := m.feed.Accept(ctx)
	for i, s := range streams {
		streams[i] = &slowly{s}
	}
	return streams, err
}

// slowly is a stream that takes its time.
type slowly struct{ ingest.Live }

func (s *slowly) Next(ctx context.Context) (ingest.Chunk, error) {
	if err := sleep(ctx, 700*time.Millisecond); err != nil {
		return ingest.Chunk{}, err
	}
	return s.Live.Next(ctx)
}

// TestCrash: a crash behind any step of a checkpoint loses nothing, and repeats
// what its table says.
func TestCrash(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	state, verdicts := filepath.Join(home, "state"), filepath.Join(home, "verdicts")
	var records []string // one loop after the other
	for i, r := range looping(64) {
		records = append(records, strings.Replace(r, `"c"`, fmt.Sprintf(`"c%d"`, i/16), 1))
	}
	synctest.Test(t, func(t *testing.T) {
		run := func(w *world, left map[string][]*world) (lines string) {
			m := &mortal{world: w, feed: feed{partitions: [][]string{records}}, t: t, home: home, left: left}
			if err := os.RemoveAll(home); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(home, os.DirFS(w.dir)); err != nil {
				t.Fatal(err)
			}
			runFor(t, state, 15*time.Second, "aisg", Options{
				Feed: func(_ context.Context, marks []ingest.Mark) (ingest.Feed, error) {
					m.marks = marks
					return m, nil
				},
				Dataset: m, Idle: 10 * time.Millisecond,
				Job: Job{
					Lateness: time.Second, Interval: time.Second, PartInterval: 2 * time.Second, AllVerdicts: true,
					Sinks: []sinks.Sink{m}, Topic: m, Verdicts: verdicts,
				},
			})
			return string(read(t, verdicts))
		}
		whole := &world{t.TempDir(), memory{parts: map[string]*part{}}, map[string]int{}, map[string]int{}}
		left := map[string][]*world{}
		lines := run(whole, left)
		again := map[string][]*world{} // from a start that has a part to put in its place
		run(left["Store.Write"][0].clone(left["Store.Write"][0].dir), again)
		f := func(behind string, alerts, verdicts int) {
			t.Helper()
			most := func(got, want map[string]int) (most int) {
				if !maps.EqualFunc(got, want, func(int, int) bool { return true }) {
					t.Errorf("behind %s: %d came, want %d", behind, len(got), len(want))
				}
				return slices.Max(slices.Collect(maps.Values(got)))
			}
			mostAlerts, mostVerdicts := 0, 0
			var some []*world
			for i := 0; i < len(left[behind]); i += max(1, len(left[behind])/4) {
				some = append(some, left[behind][i])
			}
			some = append(some, again[behind][:min(1, len(again[behind]))]...)
			for i, w := range some {
				if got := run(w, nil); got != lines {
					t.Errorf("behind %s, %d: verdicts are\n%swant\n%s", behind, i, got, lines)
				}
				if got, want := w.rows(), whole.rows(); !slices.Equal(got, want) {
					t.Errorf("behind %s, %d: %d rows, want %d", behind, i, len(got), len(want))
				}
				mostAlerts, mostVerdicts = max(mostAlerts, most(w.alerts, whole.alerts)), max(mostVerdicts, most(w.topic, whole.topic))
			}
			if len(some) == 0 || mostAlerts != alerts || mostVerdicts != verdicts {
				t.Errorf("%d crashes behind %s: alerts came up to %d times, want %d, verdicts in the topic %d, want %d", len(some), behind, mostAlerts, alerts, mostVerdicts, verdicts)
			}
		}
		f("judged", 2, 1)
		f("syncFiles", 2, 1)
		f("Settle", 2, 2)
		f("Store.Write", 1, 1)
		f("publish", 1, 1)
		f(damaged, 2, 2)
		f("feed.Commit", 1, 1)
		f("Outbox", 2, 1)
	})
}
