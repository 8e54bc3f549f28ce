package parquet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/loopgauge/loopgauge/sinks"
)

// own is the folder of a dataset that is ours alone: no query looks into it.
const own = ".loopgauge"

// lock keeps others from putting files in their places, or taking them away,
// while one does. It is held for moments, and ends with the process.
func lock(dir string) (unlock func(), err error) {
	return lockFile(dir, "lock", sinks.Exclusive, true)
}

// lockNow is lockFile of what nobody waits for: busy says that others have it.
func lockNow(dir, name string, how sinks.How, busy error) (unlock func(), err error) {
	unlock, err = lockFile(dir, name, how, false)
	if errors.Is(err, sinks.ErrLocked) {
		return nil, fmt.Errorf("%s: %w", dir, busy)
	}
	return unlock, err
}

// lockFile locks a file in the folder own.
func lockFile(dir, name string, how sinks.How, wait bool) (unlock func(), err error) {
	folder := filepath.Join(dir, own)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	f, err := sinks.Lock(filepath.Join(folder, name), how, wait)
	if err != nil {
		return nil, err
	}
	return func() { f.Close() }, nil
}
