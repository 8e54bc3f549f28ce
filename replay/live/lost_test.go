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
	"github.com/loopgauge/loopgauge/ingest/formats"
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
			Feed: following(file, ingest.Options{Format: formats.ByName("loopgauge")}),
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

// TestTell: how many records were lost is said where it is known.
func TestTell(t *testing.T) {
	f := func(lost int64, why, want string) {
		t.Helper()
		var said bytes.Buffer
		Tell(slog.New(slog.NewTextHandler(&said, nil)), "t/4", &ingest.Chunk{Lost: lost, Why: why})
		if text := said.String(); want == "" && text != "" || !strings.HasSuffix(strings.TrimSpace(text), want) {
			t.Errorf("%d lost, %q: %s", lost, why, text)
		}
	}
	f(0, "", "")
	f(0, "reset", "level=WARN msg=source stream=t/4 what=reset")
	f(-1, "truncated", `level=ERROR msg="records were lost" stream=t/4 why=truncated`)
	f(7, "deleted", `level=ERROR msg="records were lost" stream=t/4 records=7 why=deleted`)
}
