package kafka

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/loopgauge/loopgauge/ingest"
	engine "github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

const (
	dayTick = 30 * time.Second // between what is produced
	// dayLoops are the sessions that repeat a call dayRepeats times, from the
	// beginning of every hour on.
	dayLoops, dayRepeats = 3, 8
	// The brokers are away once, and once the topic grows.
	growsAt, awayFrom, awayTo = 2 * time.Hour, 9 * time.Hour, 9*time.Hour + 20*time.Minute
)

// producer writes a day of traffic to the topic.
type producer struct {
	client   *kgo.Client
	start    time.Time
	produced int64
	bytes    int64
}

// run returns at the end of the day, and calls at once a tick.
func (p *producer) run(t *testing.T, f *fake, at func(since time.Duration)) {
	t.Helper()
	partitions := 3
	for tick := range int(24 * time.Hour / dayTick) {
		since := time.Duration(tick) * dayTick
		now := p.start.Add(since)
		time.Sleep(time.Until(now))
		at(since)
		if away := since >= awayFrom && since < awayTo; f.away.Load() != away {
			f.away.Store(away)
		}
		if since == growsAt {
			f.grow(t, 5)
			p.client.ForceMetadataRefresh()
			time.Sleep(dayTick / 2)
			partitions = 5
		}
		var records []*kgo.Record
		add := func(session string, call int) {
			value := fmt.Appendf(nil, `{"time":%q,"id":"%s-%d","session":%q,"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{\"x\":%d}"}}]},{"role":"tool","content":"no"}],"tool_calls":[{"name":"f","arguments":"{\"x\":%d}"}]}`,
				now.UTC().Format(time.RFC3339), session, tick, session, call, call)
			records = append(records, &kgo.Record{Topic: "t", Value: value, Partition: int32(len(records) % partitions)})
			p.bytes += int64(len(value))
		}
		for i := range 5 {
			add(fmt.Sprintf("s%d-%d", tick/4, i), tick)
		}
		if tick%int(time.Hour/dayTick) < dayRepeats {
			for i := range dayLoops {
				add(fmt.Sprintf("loop%d-%d", tick/int(time.Hour/dayTick), i), 0)
			}
		}
		// The producer is nearer to the brokers than we are.
		must(t, p.client.ProduceSync(t.Context(), records...).FirstErr())
		p.produced += int64(len(records))
	}
}

// grow gives the topic more partitions.
func (f *fake) grow(t *testing.T, partitions int32) {
	t.Helper()
	client := f.client(t)
	defer client.Close()
	topic := kmsg.NewCreatePartitionsRequestTopic()
	topic.Topic, topic.Count = "t", partitions
	request := kmsg.NewPtrCreatePartitionsRequest()
	request.Topics = append(request.Topics, topic)
	response, err := request.RequestWith(t.Context(), client)
	if err != nil || response.Topics[0].ErrorCode != 0 {
		t.Fatal(response, err)
	}
}

// TestDay: watch reads a topic for a day, as the member of a group, from
// brokers that go and come back and partitions that become more. It judges
// every record once, finds every loop, and leaves no goroutine, key or memory
// behind.
func TestDay(t *testing.T) {
	if testing.Short() {
		t.Skip("a day takes its time")
	}
	p, err := policy.FromProfiles([]string{"loopgauge"})
	must(t, err)
	dir := filepath.Join(t.TempDir(), "state")
	// That all goroutines end is synctest's to say.
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 3)
		client := f.client(t)
		defer client.Close()
		store, err := engine.OpenStore(dir)
		must(t, err)
		defer store.Close() //nolint:errcheck // holds a lock, nothing else
		c := f.config()
		c.Group, c.State, c.Wait = "g", "day", true
		status := &engine.Status{}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		traffic := &producer{client: client, start: time.Now()}
		go func() {
			ended <- engine.Run(ctx, engine.Options{
				Feed:  func(ctx context.Context, marks []ingest.Mark) (ingest.Feed, error) { return Open(ctx, c, marks) },
				Store: store, Idle: engine.DefaultIdle, Status: status,
				Job: engine.Job{
					Plan: window.NewPlan(p.Rules, p.Exclude), Lateness: policy.DefaultLateness, Duplicates: p.Duplicates, MaxKeys: 1_000_000,
					Interval: 5 * time.Minute, Log: slog.New(slog.DiscardHandler),
				},
			})
		}()
		type health struct {
			keys, checkpoint, goroutines int
			heap                         int64
		}
		examine := func() (h health) {
			n := status.Get()
			for _, r := range n.Rules {
				h.keys += r.LiveKeys
			}
			h.checkpoint, h.goroutines = n.CheckpointBytes, runtime.NumGoroutine()
			// Requests under way have theirs, and one that has ended counts until it
			// got the time to go: the least of some seconds are those that stay.
			for range 20 { // of dayTick
				time.Sleep(time.Second)
				synctest.Wait()
				h.goroutines = min(h.goroutines, runtime.NumGoroutine())
			}
			runtime.GC()
			runtime.GC() // the first leaves what is in pools
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			h.heap = int64(m.HeapAlloc) - traffic.bytes // what the brokers keep, at least
			return h
		}
		var early, late health
		traffic.run(t, f, func(since time.Duration) {
			switch since { // half an hour behind the loops of the hour
			case 8*time.Hour + 30*time.Minute:
				early = examine()
			case 23*time.Hour + 30*time.Minute:
				late = examine()
			}
		})
		time.Sleep(10 * time.Minute)
		cancel()
		must(t, <-ended)
		synctest.Wait()
		n := status.Get()
		if a := n.Account; a.Lines != traffic.produced || a.Judged != a.Lines {
			t.Errorf("%+v of %d records", a, traffic.produced)
		}
		if len(n.Streams) != 5 {
			t.Errorf("%d partitions", len(n.Streams))
		}
		if want := int64(24 * dayLoops); n.Alerts[window.Opened] != want || n.Alerts[window.Closed] != want {
			t.Errorf("alerts %v, want %d of each", n.Alerts, want)
		}
		check := func(ok bool, what string) {
			t.Helper()
			if !ok {
				t.Errorf("%s: early %+v, late %+v", what, early, late)
			}
		}
		check(early.keys > 0 && late.keys <= 2*early.keys, "keys")
		check(late.checkpoint <= early.checkpoint*3/2, "checkpoint")
		// Of connections some come and go.
		check(late.goroutines < early.goroutines+20, "goroutines")
		// What the brokers keep beside the records is some 300 bytes a record; they
		// are asked a quarter of a million times between the two.
		check(late.heap < early.heap+8<<20, "heap")
	})
}
