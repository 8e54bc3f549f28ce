package sinks

import (
	"bufio"
	"fmt"
	"os"
)

// AppendFile is a file that grows for as long as a live run does. What was
// written after the last Sync that a checkpoint knows of is cut off when the
// file is opened again, and written anew: each line comes once.
type AppendFile struct {
	file   *os.File
	out    *bufio.Writer
	length int64
}

// OpenAppend opens a file that a checkpoint knows to be length bytes long. One
// that is shorter has lost something. If the checkpoint knows nothing of it,
// length is negative, there must be nothing in it yet.
func OpenAppend(path string, length int64) (*AppendFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s: is no file, so it cannot be cut back to the last checkpoint", path)
	case length < 0 && info.Size() > 0:
		err = fmt.Errorf("%s: is there, and the state knows nothing of it: remove it, or give another name", path)
	case info.Size() < length:
		err = fmt.Errorf("%s: has %d bytes, the last checkpoint knows %d: give another name", path, info.Size(), length)
	default:
		length = max(length, 0)
		if err = f.Truncate(length); err == nil {
			_, err = f.Seek(length, 0)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &AppendFile{f, bufio.NewWriterSize(f, 1<<16), length}, nil
}

// Write implements io.Writer.
func (a *AppendFile) Write(b []byte) (int, error) {
	n, err := a.out.Write(b)
	a.length += int64(n)
	return n, err
}

// Sync makes last what has been written, and returns the file's length.
func (a *AppendFile) Sync() (length int64, err error) {
	if err := a.out.Flush(); err != nil {
		return 0, err
	}
	return a.length, a.file.Sync()
}

// Close closes the file as it was at the last Sync, or longer.
func (a *AppendFile) Close() error { return a.file.Close() }
