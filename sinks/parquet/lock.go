package parquet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/loopgauge/loopgauge/sinks"
)

// own is the folder of a dataset that is ours alone: no query looks into it.
const own = ".loopgauge"

// lock keeps others from putting files in their places, or taking them away,
// while one does. It is held for moments, and ends with the process.
func lock(dir string) (unlock func(), err error) { return flock(dir, "lock", syscall.LOCK_EX) }

// lockNow is flock of what nobody waits for: busy says that others have it.
func lockNow(dir, name string, how int, busy error) (unlock func(), err error) {
	unlock, err = flock(dir, name, how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s: %w", dir, busy)
	}
	return unlock, err
}

// flock locks a file in the folder own.
func flock(dir, name string, how int) (unlock func(), err error) {
	folder := filepath.Join(dir, own)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	f, err := sinks.Lock(filepath.Join(folder, name), how)
	if err != nil {
		return nil, err
	}
	return func() { f.Close() }, nil
}
