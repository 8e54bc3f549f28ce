package parquet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Staging makes a directory of its own beside dir, in which a dataset can be
// written that [Publish] puts there. However often the same dataset is begun,
// and wherever, none gets into another's way. A dir that holds something else, or
// in whose place nothing can be put, is refused before anything is written.
func Staging(dir string) (string, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 && !IsDataset(dir) {
		return "", errOther(dir)
	}
	// One that is empty goes: a rename does not replace it. A link would go, too, on Windows.
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	} else if err == nil {
		err = syscall.Rmdir(dir)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s: a dataset cannot take its place (%w): name a directory in it", dir, err)
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	staging, err := os.MkdirTemp(parent, "."+filepath.Base(dir)+".*.tmp")
	if err != nil {
		return "", err
	}
	return staging, os.Chmod(staging, 0o755)
}

// Publish puts the dataset in staging at dir, whole, in one step. If there is
// one already that was made of the same logs by the same policy, as there is
// when work is done again, that one stays, and there is true.
func Publish(staging, dir string) (there bool, err error) {
	switch err := os.Rename(staging, dir); {
	case err == nil:
		return false, nil
	case !errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENOTEMPTY) && !IsDataset(dir): // Windows forbids it
		return false, err
	}
	old, err := Open(dir)
	if err != nil {
		return false, errOther(dir)
	}
	made, err := Open(staging)
	if err != nil {
		return false, err
	}
	a, b := &old.Run, &made.Run
	if a.PolicyHash != b.PolicyHash || a.Lateness != b.Lateness || a.HashIDs != b.HashIDs || a.Keyed != b.Keyed || a.Judged != b.Judged || !slices.Equal(a.Logs, b.Logs) {
		return false, fmt.Errorf("%s: holds a dataset of other logs, or by another policy: name another directory, or remove it", dir)
	}
	return true, os.RemoveAll(staging)
}

func errOther(dir string) error {
	return fmt.Errorf("%s: is there already, and holds no dataset: name another directory, or remove it", dir)
}
