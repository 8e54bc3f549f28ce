package parquet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPublishWhereSomethingIs: an empty directory is as good as none, as replay
// takes it; one that holds something else is refused before the log is read.
func TestPublishWhereSomethingIs(t *testing.T) {
	empty, other := t.TempDir(), t.TempDir()
	staging, err := Staging(empty)
	must(t, err)
	save(t, filepath.Join(staging, "made"), nil)
	if there, err := Publish(staging, empty); there || err != nil {
		t.Errorf("there %t, %v", there, err)
	}
	if _, err := os.Stat(filepath.Join(empty, "made")); err != nil {
		t.Error(err)
	}
	save(t, filepath.Join(other, "access.log"), nil)
	if _, err := Staging(other); err == nil || !strings.Contains(err.Error(), "holds no dataset") {
		t.Errorf("a directory with a log: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(t.TempDir(), link))
	t.Chdir(t.TempDir())
	for _, dir := range []string{link, "."} {
		if _, err := Staging(dir); err == nil || !strings.Contains(err.Error(), "name a directory in it") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// TestPublishAgain: the same dataset made once more finds itself there.
func TestPublishAgain(t *testing.T) {
	p := plan(t)
	dir := filepath.Join(t.TempDir(), "out")
	for _, again := range []bool{false, true} {
		staging, err := Staging(dir)
		must(t, err)
		keep(t, staging, p, extracted(p, 3))
		if there, err := Publish(staging, dir); there != again || err != nil {
			t.Errorf("there %t, want %t: %v", there, again, err)
		}
	}
}
