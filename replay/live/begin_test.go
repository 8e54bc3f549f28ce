package live

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
)

// TestBegin: where a watch begins is settled by its first start, also where
// there is nothing to read yet: with the latest lines, what came while it was
// down is read.
func TestBegin(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		marks := []bool{} // whether there were any, by start
		run := func() int64 {
			return runFor(t, filepath.Join(dir, "state"), time.Minute, "loopgauge", Options{
				Feed: func(_ context.Context, have []ingest.Mark) (ingest.Feed, error) {
					marks = append(marks, have != nil)
					return ingest.Follow([]string{filepath.Join(dir, "*.log")}, ingest.Options{Latest: true}, have)
				},
			}).Account.Lines
		}
		if n := run(); n != 0 {
			t.Errorf("%d lines of nothing", n)
		}
		line := `{"time":"2026-11-21T10:00:00Z","id":"a","path":"/"}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, "app.log"), []byte(line+line), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if n := run(); n != 2 {
				t.Errorf("%d lines, want 2", n)
			}
		}
		if marks[0] || !marks[1] || !marks[2] {
			t.Errorf("marks: %v", marks)
		}
	})
}
