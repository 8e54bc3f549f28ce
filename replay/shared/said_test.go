package shared

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay/live"
)

// tells is a stream that tells something and brings nothing.
type tells struct {
	ingest.Live
	chunk ingest.Chunk
}

func (tells) Name() string { return "t/0" }

func (s tells) Next(context.Context) (ingest.Chunk, error) { return s.chunk, nil }

// TestLost: records are called lost where some are, not where the brokers are
// away.
func TestLost(t *testing.T) {
	f := func(lost int64, want string) {
		t.Helper()
		said := &spoken{}
		log := slog.New(slog.NewTextHandler(said, nil))
		job := live.Job{Plan: testPlan(t, rules), Log: log, Interval: time.Hour}
		j := &judge{Judging: live.NewJudging(&job, nil, false, nil, nil), w: &watch{o: WatchOptions{Job: job}}, told: time.Now()}
		j.Last = time.Now()
		j.unjudged.Begin(j.Pipeline.Account)
		if err := j.step(t.Context(), tells{chunk: ingest.Chunk{Lost: lost, Why: "as it is"}}); err != nil {
			t.Fatal(err)
		}
		if got := said.lines("as it is"); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("said %q, want %q", got, want)
		}
	}
	f(0, "level=WARN msg=source")
	f(3, `level=ERROR msg="records were lost"`)
}
