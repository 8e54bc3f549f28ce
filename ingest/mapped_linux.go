package ingest

import (
	"os"

	"golang.org/x/sys/unix"
)

// readAhead is how many spans are read from a disk while one is looked at.
const readAhead = 4

// mapFile maps n bytes of a file. They are read when they are looked at, and what
// stands behind them is on its way by then.
func mapFile(f *os.File, from int64, n int) ([]byte, error) {
	_ = unix.Fadvise(int(f.Fd()), from+int64(n), readAhead*int64(n), unix.FADV_WILLNEED) // a hint
	return unix.Mmap(int(f.Fd()), from, n, unix.PROT_READ, unix.MAP_SHARED)
}

func unmapFile(data []byte) { _ = unix.Munmap(data) } // of what was mapped, it cannot fail
