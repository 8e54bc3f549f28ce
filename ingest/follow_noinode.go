//go:build !unix

package ingest

import "io/fs"

// inode is not known here.
func inode(fs.FileInfo) string { return "" }
