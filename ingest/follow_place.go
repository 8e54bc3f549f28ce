package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// place is where a stream's content lies, as the last look saw it. Guarded by
// the follower's mutex.
type place struct {
	head    head
	offset  int64 // how far the stream was read
	path    string
	real    string // path without links
	id      string // inode
	size    int64  // -1 as long as it was not seen
	unread  bool   // the last look could not see it
	mtime   time.Time
	packed  bool
	member  bool      // among what is followed
	cut     bool      // the file is there, but its content was replaced
	shifted time.Time // when path changed
	gone    time.Time // since when it is not found; zero: it is there
	ended   bool      // read to its end
	version int       // grows when the reader must open it anew
}

func (p *place) placed() bool { return !p.cut && p.gone.IsZero() }

// searched tells whether it is still worth looking at all that lies beside it.
func (p *place) searched() bool { return p.gone.IsZero() || time.Since(p.gone) < patience }

// dirs are the directories in which a rotation may have put the file.
func (s *followed) dirs() []string {
	list := []string{filepath.Dir(s.path), filepath.Dir(s.name), filepath.Dir(resolved(s.name))}
	if s.real != "" {
		list = append(list, filepath.Dir(resolved(s.real)))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// related tells whether a name is one that a rotation may have given to the
// stream's content.
func (s *followed) related(path string) bool {
	return related(path, s.name) || s.log != s.name && related(path, s.log)
}

// rotation is what a rotation added to the name of the stream's log. A link may
// also be turned to files whose names begin like its own.
func (s *followed) rotation(path string) string {
	if added := rotation(path, s.name); added != "" || s.log == s.name {
		return added
	}
	return rotation(path, s.log)
}

// holds tells whether the file with the stream's inode has its content too. A
// file that did not change since the last look is not opened.
func (s *followed) holds(e *entry) bool {
	if s.size >= 0 && e.same(s.size, s.mtime) && !s.unread {
		return true
	}
	data, packed, err := beginning(e.path, e.id, headSize)
	s.unread = unreachable(err)
	switch {
	case errors.Is(err, errMoved), errors.Is(err, os.ErrNotExist):
		return false
	case s.unread: // the inode is all there is to go by
		return true
	case err != nil && len(data) == 0:
		return s.size >= 0 // it cannot be read now; one never seen is not known to be it
	case !s.head.begins(data):
		s.wipe()
		return false
	}
	// A copy may be shorter than what was read of the original. The reader may
	// have read more than there was when the look began.
	if !packed && e.path == s.name && e.size < s.offset {
		if info, err := os.Stat(e.path); err == nil && inode(info) == e.id && info.Size() < s.offset {
			s.wipe()
			return false
		}
	}
	s.packed = packed
	return true
}

// wipe notes that the content of the stream's file was replaced.
func (s *followed) wipe() {
	s.cut = true
	s.version++
}

// settle notes where the stream's file is. It tells whether that is news.
func (s *followed) settle(e *entry, seen *sight) bool {
	seen.taken[e.id] = true
	s.member = seen.byPath[e.path] != nil
	if e.path != s.path {
		s.shifted = time.Now()
	}
	news := !s.gone.IsZero() || e.path != s.path || e.id != s.id || !e.same(s.size, s.mtime)
	if e.path != s.path || s.real == "" {
		s.real = resolved(e.path)
	}
	s.path, s.id, s.size, s.mtime = e.path, e.id, e.size, e.mtime
	s.gone = time.Time{}
	if news {
		signal(s.wake)
	}
	return news
}

// found notes that the stream's content goes on in another file.
func (s *followed) found(e *entry, packed bool) {
	s.id, s.packed, s.cut = e.id, packed, false
	s.size = -1
	s.version++
}

// miss notes that the stream's file is not there. It tells whether that is news.
func (s *followed) miss() bool {
	s.member = false
	if !s.gone.IsZero() {
		return time.Since(s.gone) < patience
	}
	s.gone = time.Now()
	signal(s.wake)
	return true
}

// begin makes a stream of a new file.
func (f *follower) begin(e *entry, x *stranger, latest bool) *followed {
	s := f.stream(Mark{Name: cmp.Or(e.log, e.path)})
	s.place = place{head: headOf(x.head), path: e.path, id: e.id, size: -1, packed: x.packed}
	if latest {
		s.toEnd()
	}
	s.position.File = fileID(s.id, s.head, s.done)
	s.start = s.position
	return s
}

// resume makes the stream that a mark was left of. Where its file is by now is
// for the next look to find out.
func (f *follower) resume(m Mark) (*followed, error) {
	id, h, done, err := parseFileID(m.File)
	if err != nil {
		return nil, newError(m.Name, err, "start with an empty state")
	}
	s := f.stream(m)
	s.place = place{head: h, offset: m.Offset, path: m.Name, id: id, size: -1, ended: done}
	s.done = done
	s.unseen = !done
	return s, nil
}

// lostWhy says how lines were lost with a file that is not found.
func (s *followed) lostWhy(p *place) string {
	switch {
	case p.cut:
		return fmt.Sprintf("%s: truncated, and no copy lies beside it: what it got behind byte %d is lost, if that was anything", s.name, s.position.Offset)
	case s.unseen:
		return fmt.Sprintf("%s: the file that was read up to byte %d is not found under any name: what it got since then is lost", s.name, s.position.Offset)
	}
	return fmt.Sprintf("%s: removed before it was read to its end: read up to byte %d of %d", s.name, s.position.Offset, p.size)
}
