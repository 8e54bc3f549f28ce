package ingest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/loopgauge/loopgauge/ingest/shellword"
)

// Error is why a source cannot be read, and the way out.
type Error struct {
	Path string
	Err  error
	Hint string // empty if there is nothing to suggest
}

func (e *Error) Error() string {
	text := e.Path + ": " + e.Err.Error()
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// newError drops the path that errors of the file system repeat. An error that
// says all there is to say stays.
func newError(path string, err error, hint string) *Error {
	if whole, ok := errors.AsType[*Error](err); ok {
		return whole
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	if hint == "" && errors.Is(err, fs.ErrPermission) {
		hint = "run as a user who may read it, or hand it over on standard input"
	}
	return &Error{path, err, hint}
}

// Source is a log to be read: a file, standard input, or an object elsewhere.
type Source struct {
	Name   string    // as messages and the output show it
	path   string    // of a file
	stdin  io.Reader // nil unless it is standard input
	object Object    // nil unless it is one

	followed bool // as it grows
}

// word is the name as a command takes it: no flag, and one word of a shell.
func (s *Source) word() string {
	word := s.Name
	if strings.HasPrefix(word, "-") {
		word = "./" + word
	}
	return shellword.Quoted(word, word)
}

// Object is a log that lies in an object store and does not change.
type Object interface {
	// Open reads the object from an offset on, in bytes. Its errors, and those
	// of the reader, are an *Error where they name the object and the way out.
	Open(offset int64) (io.ReadCloser, error)
	// Size is its length in bytes.
	Size() int64
}

// NewSource makes an object a source.
func NewSource(name string, o Object) *Source { return &Source{Name: name, object: o} }

// StdinName is how standard input is named on the command line and in output.
const StdinName = "-"

// real is one path for all names of a file, and the name of what is none.
func (s *Source) real() string {
	if s.path == "" {
		return s.Name
	}
	return absolute(resolved(s.path))
}

// resolved is a path without links, as far as it is there.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// absolute is a path that can be compared with another's, as far as the working
// directory is known.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// size is the source's length in bytes as it lies on disk, -1 if unknown.
func (s *Source) size() int64 {
	switch {
	case s.stdin != nil:
		return -1
	case s.object != nil:
		return s.object.Size()
	}
	info, err := os.Stat(s.path)
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

func (s *Source) empty() bool { return s.size() == 0 }

// rereadable tells whether the source can be opened again from its start.
func (s *Source) rereadable() bool { return s.size() >= 0 }

// open opens the source at an offset, which is 0 where it is not rereadable.
func (s *Source) open(offset int64) (io.ReadCloser, error) {
	switch {
	case s.stdin != nil:
		return io.NopCloser(s.stdin), nil
	case s.object != nil:
		return s.object.Open(offset)
	}
	file, err := openFile(s.path)
	if err == nil && offset > 0 {
		if _, err = file.Seek(offset, io.SeekStart); err != nil {
			file.Close()
		}
	}
	return file, err
}
