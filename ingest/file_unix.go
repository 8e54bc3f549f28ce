//go:build unix

package ingest

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openFile opens a log for reading. Whoever writes it may rename and remove it meanwhile.
func openFile(path string) (*os.File, error) { return os.Open(path) }

// statFile is what lies at a path, and what tells it from all others that there are at
// the moment.
func statFile(path string) (info fs.FileInfo, inode string, err error) {
	if info, err = os.Stat(path); err != nil {
		return nil, "", err
	}
	return info, inodeOf(info), nil
}

// inode tells an open file from all others.
func inode(file *os.File) (string, error) {
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	return inodeOf(info), nil
}

func inodeOf(info fs.FileInfo) string {
	st := info.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%x-%x", st.Dev, st.Ino)
}

// absent are the errors that say that there is no such file.
var absent = []syscall.Errno{syscall.ENOENT, syscall.ENOTDIR}
