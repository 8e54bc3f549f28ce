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
	path string
	done bool
}

// CreateAtomic begins a file that is to stand at path.
func CreateAtomic(path string) (*AtomicFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &AtomicFile{File: f, path: path}, nil
}

// Commit puts the file in its place.
func (f *AtomicFile) Commit() error {
	err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	f.done = true
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", f.path, err), os.Remove(f.Name()))
	}
	return nil
}

// Abort removes the file unless it was committed.
func (f *AtomicFile) Abort() {
	if !f.done {
		f.done = true
		f.Close()
		os.Remove(f.Name())
	}
}
