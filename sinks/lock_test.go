package sinks

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLock: one locks a file alone, or several together; what stands in it can be read
// all the same.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f := func(held, asked How, want error) {
		t.Helper()
		first, err := Lock(path, held, true)
		must(t, err)
		must(t, first.Truncate(0))
		if _, err := first.WriteString("id\n"); err != nil {
			t.Fatal(err)
		}
		second, err := Lock(path, asked, false)
		if !errors.Is(err, want) {
			t.Errorf("%d beside %d: %v, want %v", asked, held, err, want)
		}
		if err == nil {
			must(t, second.Close())
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "id\n" {
			t.Errorf("the file has %q: %v", text, err)
		}
		must(t, first.Close())
		free, err := Lock(path, asked, false)
		must(t, err)
		must(t, free.Close())
	}
	f(Exclusive, Exclusive, ErrLocked)
	f(Exclusive, Shared, ErrLocked)
	f(Shared, Exclusive, ErrLocked)
	f(Shared, Shared, nil)
}
