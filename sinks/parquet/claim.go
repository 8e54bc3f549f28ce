package parquet

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loopgauge/loopgauge/sinks"
)

// Claim tells whose dataset it is that dir holds, and makes it that of owner if
// there is none yet. by is empty if nobody is known. Until release is called no
// other may claim it.
func Claim(dir, owner string) (by string, release func(), err error) {
	if release, err = watching(dir, sinks.Exclusive); err != nil {
		return "", nil, err
	}
	if isShared(dir) {
		return "", release, nil
	}
	name := stateFile(dir)
	text, err := os.ReadFile(name)
	if err == nil && string(text) == owner || Holds(dir) {
		return string(text), release, nil
	}
	if err := sinks.WriteAtomic(name, []byte(owner)); err != nil {
		release()
		return "", nil, err
	}
	return owner, release, nil
}

// stateFile says whose dataset it is.
func stateFile(dir string) string { return filepath.Join(dir, own, "state") }

// notWatched is an error if a watch, or several, have made dir theirs; they may not
// have written yet.
func notWatched(dir string) error {
	if _, err := os.Stat(stateFile(dir)); err != nil && !isShared(dir) {
		return nil
	}
	return fmt.Errorf("%s: is the dataset of a watch: name another directory, or remove it with its folder %s", dir, own)
}

// errWatched is that another watch writes to the dataset.
var errWatched = errors.New("another watch writes to it: stop that, or name another directory")

// watching keeps watches away that may not write beside this one, until release
// is called.
func watching(dir string, how sinks.How) (release func(), err error) {
	return lockNow(dir, "watch", how, errWatched)
}

// Shared makes sure that the partitions of the shared log that owner reads may go
// into dir, and returns what tells the dataset from every other: it stays what it is for as
// long as the dataset is there.
//
// Nobody else may write there until release is called.
func Shared(dir, owner string) (id string, release func(), err error) {
	if !isShared(dir) && Holds(dir) {
		return "", nil, HoldsRun(dir)
	}
	if release, err = watching(dir, sinks.Shared); err != nil {
		return "", nil, err
	}
	if id, err = sharedID(dir, owner); err != nil {
		release()
		return "", nil, err
	}
	return id, release, nil
}

func idFile(dir string) string { return filepath.Join(dir, own, "id") }

// isShared tells whether partitions of a shared log go into dir.
func isShared(dir string) bool {
	_, err := os.Stat(idFile(dir))
	return err == nil
}

func sharedID(dir, owner string) (id string, err error) {
	name, of := idFile(dir), filepath.Join(dir, own, "group")
	unlock, err := lock(dir)
	if err != nil {
		return "", err
	}
	defer unlock()
	text, err := os.ReadFile(of)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = sinks.WriteAtomic(of, []byte(owner))
	case err == nil && string(text) != owner:
		err = fmt.Errorf("%s: holds what is of another group or topic: name another directory", dir)
	}
	if err != nil {
		return "", err
	}
	text, err = os.ReadFile(name)
	if err == nil && len(text) > 0 {
		return string(text), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	id = rand.Text()
	return id, sinks.WriteAtomic(name, []byte(id))
}
