//go:build unix

package sinks

import (
	"os"
	"syscall"
)

func lock(f *os.File, how How, wait bool) error {
	flags := syscall.LOCK_EX
	if how == Shared {
		flags = syscall.LOCK_SH
	}
	if !wait {
		flags |= syscall.LOCK_NB
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), flags); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return ErrLocked
		default:
			return err
		}
	}
}
