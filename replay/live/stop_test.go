package live

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/sinks"
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
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		sink := &counter{}
		for range 2 {
			f := &feed{partitions: [][]string{looping(12)}, commits: -1}
			runFor(t, filepath.Join(dir, "state"), leastInterval/2, "aisg", Options{ // before alerts are due
				Feed: f.open, Job: Job{Lateness: time.Second, Sinks: []sinks.Sink{sink}}, Idle: 10 * time.Millisecond,
			})
			if len(sink.got) != 1 {
				t.Errorf("sent %q, want one opening", sink.got)
			}
		}
	})
}
