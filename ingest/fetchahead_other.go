//go:build !linux

package ingest

import "os"

// fetchAhead would have a block read from a disk before it is asked for.
func fetchAhead(*os.File, int64, int64) {}
