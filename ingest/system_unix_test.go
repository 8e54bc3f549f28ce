//go:build unix

package ingest

import (
	"os"
	"syscall"
	"testing"
	"time"
)

func mkfifo(t *testing.T, path string) {
	t.Helper()
	must(t, syscall.Mkfifo(path, 0o666))
}

// limit lets the process have no more than n files open until it is undone.
func limit(t *testing.T, n uint64) (undo func()) {
	t.Helper()
	var before syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	less := before
	setLimit(&less.Cur, n)
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &less))
	undo = func() { must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)) }
	t.Cleanup(undo)
	return undo
}

// setLimit knows that FreeBSD counts with a sign.
func setLimit[N int64 | uint64](to *N, n uint64) { *to = N(n) }

// touch sets when a file was changed, wherever it lies by now.
func touch(f *os.File, at time.Time) error {
	time := syscall.NsecToTimeval(at.UnixNano())
	return syscall.Futimes(int(f.Fd()), []syscall.Timeval{time, time})
}
