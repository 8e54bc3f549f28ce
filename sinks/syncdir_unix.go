//go:build unix

package sinks

import (
	"errors"
	"os"
)

// SyncDir makes last what was renamed or linked in a directory.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
