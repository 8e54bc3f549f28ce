package live

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
)

// TestNoRoom: why no checkpoint can be written is said once, though the last one
// is tried as well.
func TestNoRoom(t *testing.T) {
	dir := t.TempDir()
	state, file := filepath.Join(dir, "state"), filepath.Join(dir, "app.log")
	if err := os.WriteFile(file, []byte(`{"time":1800000000,"id":"a"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		_, err := tryFor(t, state, time.Minute, "loopgauge", Options{
			Feed: func(_ context.Context, marks []ingest.Mark) (ingest.Feed, error) {
				if err := os.RemoveAll(state); err != nil {
					t.Error(err)
				}
				return ingest.Follow([]string{file}, ingest.Options{Format: "loopgauge"}, marks)
			},
		})
		if err == nil || strings.Count(err.Error(), "no such file") != 1 {
			t.Errorf("said %v", err)
		}
	})
}
