package live

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
)

// TestLostOfFile: of a file that was truncated nobody knows how many records
// were lost. It counts as a loss, and no number is said.
func TestLostOfFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "app.log")
	if err := os.WriteFile(file, []byte(`{"time":1800000000,"id":"a"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(10*time.Second, func() {
			if err := os.Truncate(file, 0); err != nil {
				t.Error(err)
			}
		})
		var said bytes.Buffer
		now := runFor(t, filepath.Join(dir, "state"), time.Minute, "loopgauge", Options{
			Feed: func(_ context.Context, marks []ingest.Mark) (ingest.Feed, error) {
				return ingest.Follow([]string{file}, ingest.Options{Format: "loopgauge"}, marks)
			},
			Job: Job{Log: slog.New(slog.NewTextHandler(&said, nil))},
		})
		lost := now.Gone.Lost
		for _, l := range now.Lanes {
			lost += l.Lost
		}
		if lost != 1 {
			t.Errorf("%d losses", lost)
		}
		if text := said.String(); !strings.Contains(text, `msg="records were lost" stream=`) || strings.Contains(text, "records=-1") {
			t.Error(text)
		}
	})
}
