package live

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestBegin: where a watch begins is settled by its first start, also where
// there is nothing to read yet: with the latest lines, what came while it was
// down is read.
func TestBegin(t *testing.T) {
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		marks := []bool{} // whether there were any, by start
		run := func(lifetime time.Duration) int64 {
			store, err := OpenStore(filepath.Join(dir, "state"))
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close() //nolint:errcheck // holds a lock, nothing else
			ctx, cancel := context.WithTimeout(t.Context(), lifetime)
			defer cancel()
			status := &Status{}
			err = Run(ctx, Options{
				Feed: func(_ context.Context, have []ingest.Mark) (ingest.Feed, error) {
					marks = append(marks, have != nil)
					return ingest.Follow([]string{filepath.Join(dir, "*.log")}, ingest.Options{Latest: true}, have)
				},
				Store: store, Plan: window.NewPlan(p.Rules, p.Exclude), Lateness: policy.DefaultLateness, Idle: DefaultIdle, Interval: DefaultInterval,
				Log: slog.New(slog.DiscardHandler), Status: status,
			})
			if err != nil {
				t.Fatal(err)
			}
			return status.Get().Account.Lines
		}
		if n := run(time.Minute); n != 0 {
			t.Errorf("%d lines of nothing", n)
		}
		line := `{"time":"2026-11-21T10:00:00Z","id":"a","path":"/"}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, "app.log"), []byte(line+line), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if n := run(time.Minute); n != 2 {
				t.Errorf("%d lines, want 2", n)
			}
		}
		if marks[0] || !marks[1] || !marks[2] {
			t.Errorf("marks: %v", marks)
		}
	})
}
