//go:build !linux

package ingest

import (
	"errors"
	"os"
)

// mapFile would map n bytes of a file.
func mapFile(*os.File, int64, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) {}
