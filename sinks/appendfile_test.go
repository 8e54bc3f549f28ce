package sinks

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is cut back to what a checkpoint knows of it, and not touched where
// that cannot be.
func TestAppendFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verdicts")
	end := "" // of what was synced last
	f := func(length int64, write, want string) {
		t.Helper()
		a, err := OpenAppend(path, length, "")
		must(t, err)
		defer a.Close() //nolint:errcheck // it was synced
		if _, err := io.WriteString(a, write); err != nil {
			t.Fatal(err)
		}
		synced, err := a.Sync()
		if got, _ := os.ReadFile(path); err != nil || string(got) != want || synced != int64(len(want)) {
			t.Errorf("%q, %d long, %v; want %q", got, synced, err, want)
		}
		if end, err = a.End(); err != nil {
			t.Error(err)
		}
	}
	refused := func(path string, length int64, why string) {
		t.Helper()
		before, _ := os.ReadFile(path)
		if a, err := OpenAppend(path, length, end); err == nil {
			_ = a.Close()
			t.Errorf("%s is opened at %d", path, length)
		} else if !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %q", err, why)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%q has become %q", before, after)
		}
	}
	f(-1, "one\ntwo\n", "one\ntwo\n")
	f(4, "2\n", "one\n2\n") // what came after the checkpoint is written anew
	f(6, "", "one\n2\n")
	refused(path, 7, "has 6 bytes, the last checkpoint knows 7")
	refused(path, -1, "the state knows nothing of it")
	must(t, os.WriteFile(path, []byte("a log\nof somebody else\n"), 0o600))
	refused(path, 6, "is not the file that the last checkpoint knows")
	f(0, "", "")
	f(-1, "", "")
	refused(os.DevNull, -1, "is no file")
}
