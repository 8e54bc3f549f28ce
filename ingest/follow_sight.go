package ingest

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// sight is what one look saw.
type sight struct {
	entries []*entry // by path
	byPath  map[string]*entry
	byID    map[string]*entry
	errs    []error // why something could not be looked at
	partial bool    // and it may be there again: nothing is missing for sure
	taken   map[string]bool
	beside  map[string][]*entry // directory -> all files in it
}

// entry is a file as a look saw it.
type entry struct {
	path  string
	id    string
	size  int64
	mtime time.Time
	log   string // that it was rotated away from, if links lead from there to here
}

func (e *entry) same(size int64, mtime time.Time) bool { return e.size == size && e.mtime.Equal(mtime) }

// list finds the files that the arguments stand for.
func (f *follower) list() *sight {
	found := finder{seen: map[string]bool{}}
	for _, arg := range f.args {
		found.find(arg)
	}
	s := &sight{errs: found.errs, byPath: map[string]*entry{}, byID: map[string]*entry{}, taken: map[string]bool{}, beside: map[string][]*entry{}}
	s.partial = slices.ContainsFunc(found.errs, transient)
	for _, src := range found.sources {
		e, err := entryAt(src.path)
		s.partial = s.partial || transient(err)
		if e != nil {
			s.entries = append(s.entries, e)
		}
	}
	slices.SortFunc(s.entries, func(a, b *entry) int { return cmp.Compare(a.path, b.path) })
	s.entries = slices.CompactFunc(s.entries, func(a, b *entry) bool { return a.path == b.path })
	for _, e := range s.entries {
		s.byPath[e.path] = e
		if s.byID[e.id] == nil {
			s.byID[e.id] = e
		}
	}
	return s
}

// unreachable tells an error of a file system that does not answer from one
// that says that there is no such file.
func unreachable(err error) bool {
	errno, ok := errors.AsType[syscall.Errno](err)
	return ok && !slices.Contains(absent, errno)
}

// transient tells an error of a file system that will answer again from a directory
// that we may not read, and a link that leads to itself: that may be so for ever, and
// what lies elsewhere is to be missed all the same.
func transient(err error) bool {
	return unreachable(err) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.ELOOP)
}

// entryAt is the file at a path; nil if there is something else, and no error then.
func entryAt(path string) (*entry, error) {
	info, id, err := statFile(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	return &entry{path: path, id: id, size: info.Size(), mtime: info.ModTime()}, nil
}

// siblings are all files of a directory.
func (s *sight) siblings(dir string) []*entry {
	list, ok := s.beside[dir]
	if ok {
		return list
	}
	files, _ := os.ReadDir(dir) // what cannot be seen is not found
	for _, d := range files {
		path := filepath.Join(dir, d.Name())
		e := s.byPath[path]
		if e == nil {
			e, _ = entryAt(path)
		}
		if e != nil {
			list = append(list, e)
		}
	}
	s.beside[dir] = list
	return list
}
