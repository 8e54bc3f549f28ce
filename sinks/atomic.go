package sinks

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// AtomicFile is a file that its readers see whole or not at all: it is written
// beside its place under a hidden name, and put there at the end. What is no
// regular file, a pipe or a device, is written as it is.
type AtomicFile struct {
	*os.File
	path    string
	mode    fs.FileMode
	inPlace bool
	sealed  bool
	done    bool
}

// CreateAtomic begins a file that is to stand at path. What is new may be
// read by its owner alone; a file that is there already keeps its permissions,
// and a link is followed.
func CreateAtomic(path string) (*AtomicFile, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o600)
	switch info, err := os.Stat(path); {
	case err != nil: // the most usual: there is none yet
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory", path)
	case info.Mode().IsRegular():
		mode = info.Mode().Perm()
	default:
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &AtomicFile{File: f, path: path, inPlace: true}, nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathErr.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &AtomicFile{File: f, path: path, mode: mode}, nil
}

// WriteAtomic makes the file at path hold data, as CreateAtomic says.
func WriteAtomic(path string, data []byte) error {
	f, err := CreateAtomic(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}

// Write adds to what is written.
func (f *AtomicFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	return n, f.placed(err)
}

// placed has an error name the file's place, and not the hidden name, another each
// time, under which it is written.
func (f *AtomicFile) placed(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		pathErr.Path = f.path
	}
	return err
}

// Seal ends the writing, and makes sure that the file is on disk.
func (f *AtomicFile) Seal() error {
	if f.sealed {
		return nil
	}
	f.sealed = true
	if f.inPlace {
		return f.Close()
	}
	return f.placed(cmp.Or(f.Chmod(f.mode), f.Sync(), f.Close())) // all are done
}

// Commit seals the file and puts it in its place, where it will be after a
// crash of the machine too.
func (f *AtomicFile) Commit() error {
	err := f.Seal()
	if err == nil && !f.inPlace {
		if err = os.Rename(f.Name(), f.path); err == nil {
			err = SyncDir(filepath.Dir(f.path))
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", f.path, err)
		}
	}
	f.done = err == nil
	return err
}

// Abort removes the file unless it was committed.
func (f *AtomicFile) Abort() {
	if f.done {
		return
	}
	f.Close() // again, it may be
	if !f.inPlace {
		os.Remove(f.Name())
	}
}
