package sinks

import (
	"errors"
	"io/fs"
	"os"
)

// How a file is locked.
type How int

const (
	Exclusive How = iota // by one alone
	Shared               // by several who all ask for this
)

// ErrLocked is that another has the lock, where it is not to be waited for.
var ErrLocked = errors.New("locked by another")

// Lock opens a file, which it makes if there is none, and locks it until it is closed.
// Where another has it that is waited for, or is ErrLocked.
func Lock(path string, how How, wait bool) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f, how, wait); err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	return f, nil
}
