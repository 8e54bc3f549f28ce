package sinks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// AtomicFile is a file that its readers see whole or not at all: it is written
// beside its place under a hidden name, and put there at the end.
type AtomicFile struct {
	*os.File
	path   string
	sealed bool
	done   bool
}

// CreateAtomic begins a file that is to stand at path.
func CreateAtomic(path string) (*AtomicFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathErr.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &AtomicFile{File: f, path: path}, nil
}

// Seal ends the writing, and makes sure that the file is on disk.
func (f *AtomicFile) Seal() error {
	if f.sealed {
		return nil
	}
	f.sealed = true
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
}

// Commit seals the file and puts it in its place.
func (f *AtomicFile) Commit() error {
	err := f.Seal()
	if err == nil {
		if err = os.Rename(f.Name(), f.path); err != nil {
			err = fmt.Errorf("%s: %w", f.path, err)
		}
	}
	f.done = err == nil
	if err != nil {
		f.Abort()
	}
	return err
}

// Abort removes the file unless it was committed.
func (f *AtomicFile) Abort() {
	if f.done {
		return
	}
	f.done = true
	if !f.sealed {
		f.Close()
	}
	os.Remove(f.Name())
}
