package ingest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestFileWindows: who writes a log rotates it while it is read, a renamed file is known
// again, and a pattern is a name of nothing.
func TestFileWindows(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "app.log", []byte("a\n"))
	_, id, err := statFile(path)
	must(t, err)
	file, err := openAs(path, id)
	must(t, err)
	defer file.Close()
	must(t, os.Rename(path, path+".1"))
	write(t, dir, "app.log", []byte("b\n"))
	if _, renamed, err := statFile(path + ".1"); err != nil || renamed != id {
		t.Errorf("the renamed file is %s, was %s: %v", renamed, id, err)
	}
	if _, err := openAs(path, id); !errors.Is(err, errMoved) {
		t.Errorf("what has its name now: %v", err)
	}
	must(t, os.Remove(path+".1"))
	if info, _, err := statFile(dir); err != nil || !info.IsDir() {
		t.Errorf("a directory: %v %v", info, err)
	}
	for _, name := range []string{"gone.log", "*.log", `gone\app.log`} {
		if _, _, err := statFile(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) || unreachable(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
