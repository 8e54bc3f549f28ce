package shared

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

// spoken is what processes say, which may be read while they do.
type spoken struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *spoken) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

// lines are those that hold a text.
func (s *spoken) lines(text string) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range strings.Lines(s.text.String()) {
		if strings.Contains(line, text) {
			list = append(list, line)
		}
	}
	return list
}

// TestUnjudged: lines that cannot be judged are told of by whoever leaves them
// out: extract, and what comes when others are ahead, watch.
func TestUnjudged(t *testing.T) {
	b := kafkatest.Start(t)
	f := newFleet(t, b, testPolicy(t, callRule))
	said := &spoken{}
	f.log = slog.New(slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelDebug}))
	line := func(second int) string {
		return fmt.Sprintf(`{"time":%d,"session":"s","tool_calls":[{"name":"f","arguments":"{}"}]}`, 1_800_000_000+second)
	}
	await := func(what string, there func() bool) {
		t.Helper()
		for deadline := time.Now().Add(patience); !there(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s did not come", what)
			}
		}
	}
	judged := func(n int64) func() bool {
		return func() bool { return f.status["watch"].Get().Account.Judged == n }
	}
	b.Produce(t, f.raw.Topic, 0, line(0), "no JSON")
	b.Produce(t, f.raw.Topic, 1, line(0))
	f.extract("extract", 500*time.Millisecond)
	f.watch("watch")
	await("the first two requests", judged(2))
	b.Produce(t, f.raw.Topic, 0, line(100), line(200))
	await("two more", judged(4))
	b.Produce(t, f.raw.Topic, 1, line(50))
	await("the late one", func() bool { return len(said.lines("silent for too long")) > 0 })
	f.stop("watch")
	f.stop("extract")

	want := func(process, what string) {
		t.Helper()
		var told []string
		for _, line := range said.lines("lines are not judged") {
			if strings.Contains(line, "process="+process) {
				told = append(told, line)
			}
		}
		if len(told) != 1 || !strings.Contains(told[0], what) {
			t.Errorf("want %s to tell once of %s, not %q", process, what, told)
		}
	}
	want("extract", "of=6 malformed=1 late=0 stream="+f.raw.Topic+"/0 line=1")
	want("watch", `of=5 malformed=0 late=1 stream="partition 1 of the raw topic" line=1 why="late: its stream was silent for too long"`)
}
