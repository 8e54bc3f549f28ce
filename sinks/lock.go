package sinks

import (
	"io/fs"
	"os"
	"syscall"
)

// Lock opens a file, which it makes if there is none, and locks it until it is closed;
// how is as flock(2) has it. The error is syscall.EWOULDBLOCK where another has it and
// it is not to be waited for.
func Lock(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR { //nolint:errorlint // as it comes from the system
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	return f, nil
}
