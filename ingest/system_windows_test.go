package ingest

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// mkfifo makes none: on Windows no pipe lies among files.
func mkfifo(*testing.T, string) {}

// limit would let the process have no more than n files open.
func limit(t *testing.T, _ uint64) (undo func()) {
	t.Helper()
	t.Skip("Windows limits no process's files")
	return nil
}

// touch sets when a file was changed, wherever it lies by now.
func touch(f *os.File, at time.Time) error {
	time := windows.NsecToFiletime(at.UnixNano())
	return windows.SetFileTime(windows.Handle(f.Fd()), nil, &time, &time)
}
