package sinks

import (
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks one byte that lies far behind all content, for nobody else could read
// what is locked.
func lock(f *os.File, how How, wait bool) error {
	var flags uint32
	if how == Exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	at := &windows.Overlapped{OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at)
	if err == windows.ERROR_LOCK_VIOLATION { //nolint:errorlint // as it comes from the system
		return ErrLocked
	}
	return err
}
