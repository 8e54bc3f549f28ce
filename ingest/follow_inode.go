//go:build unix

package ingest

import (
	"fmt"
	"io/fs"
	"syscall"
)

// inode tells a file from all others that there are at the moment.
func inode(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%x-%x", st.Dev, st.Ino)
}
