package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

const (
	dayTick = 5 * time.Second // between the chunks of a stream
	// dayLoops are the sessions of a burst, which begins every hour and is
	// dayRepeats equal calls each.
	dayLoops, dayRepeats = 20, 8
	// dayRotation is how long a file lasts.
	dayRotation = 20 * time.Minute
)

// perTick is how many sessions begin on a stream in a tick, by the hour: the
// night and the late evening are idle.
func perTick(hour int) int {
	switch {
	case hour < 2, hour >= 6 && hour < 9, hour >= 18 && hour < 21:
		return 4
	case hour >= 9 && hour < 18:
		return 8
	}
	return 0
}

// day is a feed of two partitions that last and of files that are rotated away,
// one after the other. It makes up what they hold.
type day struct {
	start time.Time
	first bool
	next  int32
}

// Accept returns the partitions and the first file, then one file after the
// other.
func (d *day) Accept(ctx context.Context) ([]ingest.Live, error) {
	if !d.first {
		d.first, d.next = true, 3
		return []ingest.Live{d.stream(0, 0), d.stream(1, 0), d.stream(2, dayRotation)}, nil
	}
	if err := sleep(ctx, dayRotation-time.Since(d.start)%dayRotation); err != nil {
		return nil, err
	}
	d.next++
	return []ingest.Live{d.stream(d.next-1, dayRotation)}, nil
}

func (d *day) stream(index int32, life time.Duration) *dayStream {
	s := &dayStream{mark: ingest.Mark{Stream: index, Name: fmt.Sprintf("day/%d", index)}, day: d, tick: int(time.Since(d.start) / dayTick)}
	if life > 0 {
		s.end = time.Now().Add(life)
	}
	return s
}

func (d *day) Commit(context.Context, []ingest.Mark) error { return nil }
func (d *day) Close() error                                { return nil }

// sleep waits in the time of the bubble.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

type dayStream struct {
	mark ingest.Mark
	day  *day
	tick int       // the next one
	end  time.Time // zero if it lasts
}

func (s *dayStream) Name() string      { return s.mark.Name }
func (s *dayStream) Mark() ingest.Mark { return s.mark }

func (s *dayStream) Next(ctx context.Context) (ingest.Chunk, error) {
	now := s.day.start.Add(time.Duration(s.tick) * dayTick)
	if err := sleep(ctx, time.Until(now)); err != nil {
		return ingest.Chunk{}, err
	}
	if !s.end.IsZero() && !now.Before(s.end) {
		return ingest.Chunk{}, io.EOF
	}
	b := &ingest.Block{Stream: s.mark.Stream, Format: formats.ByName("loopgauge")}
	add := func(session string, call int) {
		b.Data = fmt.Appendf(b.Data, `{"time":%q,"id":"%s-%d","session":%q,"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{\"x\":%d}"}}]},{"role":"tool","content":"no"}],"tool_calls":[{"name":"f","arguments":"{\"x\":%d}"}]}`,
			now.UTC().Format(time.RFC3339), session, s.tick, session, call, call)
		b.Records = append(b.Records, ingest.Record{Offset: s.mark.Offset, End: len(b.Data)})
		s.mark.Offset++
	}
	// Each session makes a call when it begins, and another later.
	const later = 4
	for _, tick := range []int{s.tick, s.tick - later} {
		for i := range perTick(s.hour(tick)) {
			add(fmt.Sprintf("s%d-%d-%d", s.mark.Stream, tick, i), s.tick)
		}
	}
	const hour = int(time.Hour / dayTick)
	if at := s.tick % hour; at < dayRepeats && perTick(s.hour(s.tick)) > 0 && s.mark.Stream == 0 {
		for i := range dayLoops {
			add(fmt.Sprintf("loop%d-%d", s.tick/hour, i), 0)
		}
	}
	if s.tick%(hour/12) == 0 { // something is always there
		add(fmt.Sprintf("probe%d-%d", s.mark.Stream, s.tick), s.tick)
	}
	s.tick++
	if len(b.Records) == 0 {
		return ingest.Chunk{Mark: s.mark, AtEnd: true}, nil
	}
	s.mark.Format = "loopgauge"
	return ingest.Chunk{Block: b, Mark: s.mark, AtEnd: true}, nil
}

func (s *dayStream) hour(tick int) int { return int(time.Duration(tick) * dayTick / time.Hour) }

// moody is a sink that is down for an hour.
type moody struct {
	mu      sync.Mutex
	start   time.Time
	got     map[string]bool // ids and revisions
	byState map[window.IncidentState]int64
	refused int
}

func (m *moody) Name() string { return "moody" }

func (m *moody) Send(_ context.Context, a *sinks.Alert) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if since := time.Since(m.start); since >= 10*time.Hour && since < 11*time.Hour {
		m.refused++
		return errors.New("down")
	}
	if key := fmt.Sprintf("%s %d", a.ID, a.Revision); !m.got[key] {
		m.got[key] = true
		m.byState[a.State]++
	}
	return nil
}

// counted is a dataset of which only the numbers are kept.
type counted struct{ parts, events, episodes int64 }

func (c *counted) Part(string, int64) (Part, error) { return &countedPart{to: c}, nil }
func (c *counted) Policy() string                   { return "" }
func (c *counted) Empty() error                     { return nil }
func (c *counted) Follows(string, int64) error      { return nil }
func (c *counted) Discard(string) error             { return nil }

type countedPart struct {
	to               *counted
	events, episodes int64
}

func (p *countedPart) AddEvent(*window.Event) error            { p.events++; return nil }
func (p *countedPart) AddVerdict(*window.Verdict, int64) error { return nil }
func (p *countedPart) AddEpisode(*window.Episode) error        { p.episodes++; return nil }
func (p *countedPart) Abort()                                  {}
func (p *countedPart) Close(replay.Report) error {
	p.to.parts++
	p.to.events += p.events
	p.to.episodes += p.episodes
	return nil
}

// health is what must not grow.
type health struct {
	keys, waiting, files int
	checkpoint           int
	heap, disk           int64
	goroutines           int
}

// goroutines are how many there are. One that has ended counts until it got the
// time to go, so the least of many looks is told.
func goroutines() int {
	least := runtime.NumGoroutine()
	for range 10_000 {
		runtime.Gosched()
		least = min(least, runtime.NumGoroutine())
	}
	return least
}

func examine(t *testing.T, dir string, n Now) (h health) {
	t.Helper()
	for _, r := range n.Rules {
		h.keys += r.LiveKeys
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			h.files++
			h.disk += info.Size()
		}
	}
	h.waiting, h.checkpoint, h.goroutines = n.Waiting, n.CheckpointBytes, goroutines()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.heap = int64(m.HeapAlloc)
	return h
}

// TestDay: a day of traffic that comes and goes leaves nothing behind: no
// goroutine, no key, no memory, no file, and no alert unsent.
func TestDay(t *testing.T) {
	if testing.Short() {
		t.Skip("a day takes its time")
	}
	defer func(before time.Duration) { refresh = before }(refresh)
	refresh = time.Second
	p, err := policy.FromProfiles([]string{"loopgauge", "aisg", "tool-call-shipped"})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "state")
	// That all goroutines end is synctest's to say.
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t, dir)
		defer store.Close() //nolint:errcheck // holds a lock, nothing else
		status := &Status{}
		start := time.Now()
		sink := &moody{start: start, got: map[string]bool{}, byState: map[window.IncidentState]int64{}}
		data := &counted{}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- Run(ctx, Options{
				Feed:  func(context.Context, []ingest.Mark) (ingest.Feed, error) { return &day{start: start}, nil },
				Store: store, Idle: DefaultIdle, Dataset: data, Status: status,
				Job: Job{
					Plan: window.NewPlan(p.Rules, p.Exclude), Lateness: policy.DefaultLateness, Duplicates: p.Duplicates, MaxKeys: 1_000_000,
					Interval: 5 * time.Minute, PartInterval: 10 * time.Minute, Sinks: []sinks.Sink{sink}, Log: slog.New(slog.DiscardHandler),
				},
			})
		}()
		at := func(hour int) health {
			time.Sleep(time.Until(start.Add(time.Duration(hour)*time.Hour - time.Minute)))
			return examine(t, dir, status.Get())
		}
		night, noon, evening := at(6), at(14), at(24)
		time.Sleep(time.Minute)
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		n := status.Get()
		check := func(ok bool, what string) {
			t.Helper()
			if !ok {
				t.Errorf("%s: night %+v, noon %+v, evening %+v", what, night, noon, evening)
			}
		}
		check(noon.keys > 1000 && noon.keys < 50_000, "keys at work")
		check(night.keys < 100 && evening.keys < 100, "keys after silence")
		check(noon.waiting < 1000 && night.waiting == 0 && evening.waiting == 0, "requests held back")
		check(max(night.files, noon.files, evening.files) <= 6, "files of the state")
		check(noon.disk < 16<<20 && night.disk < 64<<10 && evening.disk < 64<<10, "size of the state")
		check(evening.heap < night.heap+night.heap/2+2<<20, "heap")
		check(evening.goroutines == night.goroutines && noon.goroutines == night.goroutines, "goroutines")

		if a := n.Account; a.Lines < 400_000 || a.Judged != a.Lines || data.events != a.Judged {
			t.Errorf("%+v, %d events in the dataset", a, data.events)
		}
		// Of a file that is gone its name and its counts stay, for the run's
		// report: some 30 bytes of a checkpoint.
		if most := 3 + int(24*time.Hour/dayRotation); len(n.Streams) > most || len(n.Lanes) != 3 || evening.checkpoint > night.checkpoint+64*most {
			t.Errorf("%d streams, %d read, checkpoint of %d bytes", len(n.Streams), len(n.Lanes), evening.checkpoint)
		}
		loops := int64(17 * dayLoops) // in as many hours something happens
		want := map[window.IncidentState]int64{"opened": loops, "closed": loops}
		// Those of an hour open within a minute: of five it is told, of the rest
		// in a digest, which grows.
		told := map[window.IncidentState]int64{"opened": 17 * 6, "grown": 17, "closed": 17 * 6}
		if !maps.Equal(n.Alerts, want) || !maps.Equal(sink.byState, told) {
			t.Errorf("alerts %v, delivered %v, want %v and %v", n.Alerts, sink.byState, want, told)
		}
		if sink.refused == 0 {
			t.Error("the sink was never down")
		}
	})
}
