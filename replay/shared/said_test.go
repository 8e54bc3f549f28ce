package shared

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/sinks"
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
		outbox := sinks.NewOutbox(log)
		j := &judge{
			w: &watch{o: WatchOptions{Job: live.Job{Log: log, Interval: time.Hour}}}, outbox: outbox, router: sinks.NewRouter(outbox, sinks.Routes{}, nil), last: time.Now(), told: time.Now(),
			pipeline: replay.NewPipeline(replay.PipelineOptions{Plan: testPlan(t, rules), Since: fingerprint.NoTime, Until: fingerprint.NoTime}),
		}
		j.unjudged.Begin(j.pipeline.Account)
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
