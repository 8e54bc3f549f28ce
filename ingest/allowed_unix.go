//go:build unix

package ingest

import "syscall"

// allowed is how many files the process may have open now.
func allowed() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > 1<<30 {
		return 1 << 30 // as good as any number
	}
	return int64(limit.Cur)
}
