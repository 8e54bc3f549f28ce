package live

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
)

// TestBegin: where a watch begins is settled by its first start, also where
// there is nothing to read yet: with the latest lines, what came while it was
// down is read. So it is where that start was killed.
func TestBegin(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		marks := []bool{} // whether there were any, by start
		var said strings.Builder
		run := func(state string) int64 {
			said.Reset()
			return runFor(t, filepath.Join(dir, state), time.Minute, "loopgauge", Options{
				Job: Job{Log: slog.New(slog.NewTextHandler(&said, nil))},
				Feed: func(_ context.Context, have []ingest.Mark) (ingest.Feed, error) {
					marks = append(marks, have != nil)
					return ingest.Follow([]string{filepath.Join(dir, "*.log")}, ingest.Options{Latest: true}, have)
				},
			}).Account.Lines
		}
		time.AfterFunc(tick*3/2, func() {
			if err := os.CopyFS(filepath.Join(dir, "killed"), os.DirFS(filepath.Join(dir, "state"))); err != nil {
				t.Error(err)
			}
		})
		if n := run("state"); n != 0 {
			t.Errorf("%d lines of nothing", n)
		}
		if !strings.Contains(said.String(), "nothing to read yet") {
			t.Errorf("it does not say that it waits:\n%s", &said)
		}
		line := `{"time":"2026-11-21T10:00:00Z","id":"a","path":"/"}` + "\n"
		write(t, filepath.Join(dir, "app.log"), line+line)
		for _, state := range []string{"state", "state", "killed"} {
			if n := run(state); n != 2 {
				t.Errorf("%d lines, want 2", n)
			}
			if strings.Contains(said.String(), "nothing to read yet") {
				t.Errorf("it waits for what is there:\n%s", &said)
			}
		}
		if marks[0] || !marks[1] || !marks[2] || !marks[3] {
			t.Errorf("marks: %v", marks)
		}
	})
}

// TestFirstLines: a log that was empty at the first start is known soon after
// it is not: killed then, watch finds it under the name that two rotations have
// given it, and what lies between.
func TestFirstLines(t *testing.T) {
	dir := t.TempDir()
	name := func(n string) string { return filepath.Join(dir, n) }
	write := func(file, id string) {
		write(t, name(file), fmt.Sprintf(`{"time":"2026-11-21T10:00:00Z","id":%q,"path":"/"}`+"\n", id))
	}
	synctest.Test(t, func(t *testing.T) {
		run := func(state string) int64 {
			return runFor(t, name(state), time.Minute, "loopgauge", Options{
				Job:  Job{Interval: time.Hour},
				Feed: following(name("app.log"), ingest.Options{}),
			}).Account.Lines
		}
		go func() {
			time.Sleep(30 * time.Second)
			write("app.log", "a")
			time.Sleep(3 * time.Second)
			if err := os.CopyFS(name("killed"), os.DirFS(name("state"))); err != nil {
				t.Error(err)
			}
		}()
		run("state")
		if err := os.Rename(name("app.log"), name("app.log.2")); err != nil {
			t.Fatal(err)
		}
		write("app.log.1", "b")
		write("app.log", "c")
		if n := run("killed"); n != 3 {
			t.Errorf("%d lines, want 3", n)
		}
	})
}
