package sinks

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
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

// Mismatch is that what a run was asked for does not go with what is there.
type Mismatch struct{ Err error }

func (e *Mismatch) Error() string { return e.Err.Error() }
func (e *Mismatch) Unwrap() error { return e.Err }

// Mismatchf makes a [Mismatch].
func Mismatchf(format string, args ...any) error { return &Mismatch{fmt.Errorf(format, args...)} }

// OpenAppend opens a file that a checkpoint knows to be length bytes long, with an
// end that [AppendFile.End] told; empty if it is not known. One that is shorter has
// lost something, and one with another end is another. If the checkpoint knows
// nothing of it, length is negative, there must be nothing in it yet.
func OpenAppend(path string, length int64, end string) (*AppendFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && end != "" && info.Size() >= length {
		var have string
		if have, err = endOf(f, length); err == nil && have != end {
			err = Mismatchf("%s: is not the file that the last checkpoint knows: give another name", path)
		}
	}
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = Mismatchf("%s: is no file, so it cannot be cut back to the last checkpoint", path)
	case length < 0 && info.Size() > 0:
		err = Mismatchf("%s: is there, and the state knows nothing of it: remove it, or give another name", path)
	case info.Size() < length:
		err = Mismatchf("%s: has %d bytes, the last checkpoint knows %d: give another name", path, info.Size(), length)
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

// End tells what was written up to the last Sync from what is in other files.
func (a *AppendFile) End() (string, error) { return endOf(a.file, a.length) }

// endOf is a hash of the last 4 KiB of the first length bytes.
func endOf(f *os.File, length int64) (string, error) {
	n := min(length, 4<<10)
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, length-n, n)); err != nil {
		return "", err
	}
	return string(sum.Sum(nil)[:16]), nil
}

// Close closes the file as it was at the last Sync, or longer.
func (a *AppendFile) Close() error { return a.file.Close() }
