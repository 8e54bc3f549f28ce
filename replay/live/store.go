package live

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/loopgauge/loopgauge/sinks"
)

// Store keeps the checkpoints of one watch in a directory, which it locks.
type Store struct {
	dir  string
	id   string
	lock *os.File
	next int64 // number of the next checkpoint
}

// A checkpoint file is the magic text, its version, the state and a SHA-256 of
// all that. A checkpoint of each version is in testdata. Version history:
//
//	1  the first
const (
	magic   = "loopgauge checkpoint\n"
	version = 1
)

// kept is how many checkpoints are kept: the newest, and the one before it
// should the newest be damaged.
const kept = 2

// Damaged is a checkpoint that cannot be used.
type Damaged struct {
	File string
	Err  error
}

// LockName is the file of a directory for checkpoints that is always there.
const LockName = "lock"

// OpenStore opens a directory for checkpoints, and makes it if it is not
// there. Another process that has it open is an error.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := sinks.Lock(filepath.Join(dir, LockName), sinks.Exclusive, false)
	if errors.Is(err, sinks.ErrLocked) {
		return nil, fmt.Errorf("%s: another loopgauge is at work with this state: stop it, or give this one another --state", dir)
	}
	if err != nil {
		return nil, err
	}
	// What a process left that was killed while it wrote.
	half, err := filepath.Glob(filepath.Join(dir, "."+prefix+"*.tmp"))
	for _, f := range half {
		err = errors.Join(err, os.Remove(f))
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	s := &Store{dir: dir, lock: lock, next: 1}
	if s.id, err = s.readID(); err != nil {
		lock.Close()
		return nil, err
	}
	return s, nil
}

// ID tells this state from all others, for as long as it is there.
func (s *Store) ID() string { return s.id }

// readID reads the state's id out of the lock file, and makes one if there is
// none.
func (s *Store) readID() (string, error) {
	b, err := io.ReadAll(s.lock)
	if err != nil {
		return "", err
	}
	if len(b) > 0 {
		return strings.TrimSpace(string(b)), nil
	}
	id := rand.Text()
	if _, err := s.lock.WriteString(id + "\n"); err != nil {
		return "", err
	}
	return id, s.lock.Sync()
}

// Close lets others have the directory.
func (s *Store) Close() error { return s.lock.Close() }

// path is a file in the directory.
func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }

const prefix, suffix = "checkpoint-", ".state"

func checkpointName(number int64) string { return fmt.Sprintf("%s%012d%s", prefix, number, suffix) }

// numbers are those of the checkpoints that are there, the newest first.
func (s *Store) numbers() ([]int64, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var list []int64
	for _, e := range entries {
		text, ok := strings.CutPrefix(e.Name(), prefix)
		text, isState := strings.CutSuffix(text, suffix)
		if n, err := strconv.ParseInt(text, 10, 64); ok && isState && err == nil {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list, nil
}

// Load returns the newest checkpoint that is whole, and why newer ones were
// passed over. state is nil if there has never been one. If none is whole that
// is an error: to begin anew is for its owner to decide.
func (s *Store) Load() (state []byte, damaged []Damaged, err error) {
	numbers, err := s.numbers()
	if err != nil {
		return nil, nil, err
	}
	for _, n := range numbers {
		file := s.path(checkpointName(n))
		if state, err = readCheckpoint(file); err == nil {
			s.next = n + 1
			return state, damaged, nil
		}
		if _, ok := errors.AsType[*newerVersion](err); ok {
			return nil, damaged, sinks.Mismatchf("%s: %w", file, err)
		}
		damaged = append(damaged, Damaged{file, err})
	}
	if len(damaged) > 0 {
		return nil, damaged, fmt.Errorf("%s: no checkpoint is whole: restore one, or begin anew with an empty --state directory", s.dir)
	}
	return nil, nil, nil
}

type newerVersion struct{ version uint64 }

func (e *newerVersion) Error() string {
	return fmt.Sprintf("checkpoint of version %d, this loopgauge knows up to %d: use the newer loopgauge that wrote it", e.version, version)
}

func readCheckpoint(file string) (state []byte, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok || len(rest) < sha256.Size+1 {
		return nil, errors.New("is no checkpoint, or cut short")
	}
	at := len(b) - sha256.Size
	if sha256.Sum256(b[:at]) != [sha256.Size]byte(b[at:]) {
		return nil, errors.New("damaged: its checksum does not fit")
	}
	rest = rest[:len(rest)-sha256.Size]
	v, n := binary.Uvarint(rest)
	if n <= 0 {
		return nil, errors.New("damaged: no version")
	}
	if v > version {
		return nil, &newerVersion{v}
	}
	return rest[n:], nil
}

// Write writes a checkpoint and removes those that are too old. When it
// returns the checkpoint will survive a crash of the machine.
func (s *Store) Write(state []byte) error { return s.write(version, state) }

func (s *Store) write(version uint64, state []byte) error {
	f, err := sinks.CreateAtomic(s.path(checkpointName(s.next)))
	if err != nil {
		return err
	}
	defer f.Abort()
	head := binary.AppendUvarint([]byte(magic), version)
	sum := sha256.New()
	sum.Write(head)
	sum.Write(state)
	for _, part := range [][]byte{head, state, sum.Sum(nil)} {
		if _, err := f.Write(part); err != nil {
			return err
		}
	}
	if err := f.Commit(); err != nil {
		return err
	}
	s.next++
	numbers, err := s.numbers()
	if err != nil {
		return err
	}
	for i, n := range numbers {
		if i >= kept {
			if err := os.Remove(s.path(checkpointName(n))); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
