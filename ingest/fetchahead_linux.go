package ingest

import (
	"os"

	"golang.org/x/sys/unix"
)

// blocksAhead is how many blocks are read from a disk while one is looked at.
const blocksAhead = 16

// fetchAhead has the block read from a disk that is so many behind the one that ends
// at a place in a file: those who read blocks do not ask for them in order.
func fetchAhead(f *os.File, from, size int64) {
	_ = unix.Fadvise(int(f.Fd()), from+(blocksAhead-1)*size, size, unix.FADV_WILLNEED) // a hint
}
