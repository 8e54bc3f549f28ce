package live

import (
	"bytes"
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
	write(t, file, `{"time":1800000000,"id":"a"}`+"\n")
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(10*time.Second, func() {
			if err := os.Truncate(file, 0); err != nil {
				t.Error(err)
			}
		})
		var said bytes.Buffer
		now := runFor(t, filepath.Join(dir, "state"), time.Minute, "loopgauge", Options{
			Feed: following(file, ingest.Options{Format: "loopgauge"}),
			Job:  Job{Log: slog.New(slog.NewTextHandler(&said, nil))},
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
