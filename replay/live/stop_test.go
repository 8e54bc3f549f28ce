package live

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// counter is a sink that remembers what it got.
type counter struct{ got []string }

func (*counter) Name() string { return "counter" }

func (c *counter) Send(_ context.Context, a *sinks.Alert) error {
	c.got = append(c.got, fmt.Sprintf("%s.%d", a.ID, a.Revision))
	return nil
}

// TestStop: an alert that leaves while a watch ends in order does not leave
// again when it goes on. Only a crash may repeat one.
func TestStop(t *testing.T) {
	p, err := policy.FromProfiles([]string{"aisg"})
	if err != nil {
		t.Fatal(err)
	}
	var requests []string
	for i := range 12 {
		requests = append(requests, fmt.Sprintf(`{"time":%d,"id":"%d","model":"m","caller":"c","messages":[{"role":"user","content":"go"}]}`, 1_800_000_000+i, i))
	}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		sink := &counter{}
		for range 2 {
			store, err := OpenStore(filepath.Join(dir, "state"))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), leastInterval/2) // before alerts are due
			err = Run(ctx, Options{
				Feed: func(_ context.Context, marks []ingest.Mark) (ingest.Feed, error) {
					return &feed{partitions: [][]string{requests}, marks: marks, commits: -1}, nil
				},
				Store: store, Plan: window.NewPlan(p.Rules, p.Exclude), Lateness: time.Second, Idle: 10 * time.Millisecond, Interval: DefaultInterval,
				Sinks: []sinks.Sink{sink}, Log: slog.New(slog.DiscardHandler), Status: &Status{},
			})
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if len(sink.got) != 1 {
			t.Errorf("sent %q, want one opening", sink.got)
		}
	})
}
