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

// state is where the content of a stream is, as the last look saw it. A stream is
// its content, which the inode of its file and the hash of its head tell, and not
// a name; so to be renamed, rotated and grown changes no state.
//
//	from             what is seen                              to         by
//	there            the file, under whatever followed name    there      stay, settle
//	there            the file's directory or head, not         blind      stay, at
//	any              the file, with other content, with less   replaced   at, replace; verify, by
//	                 of it than was read, or another stream's             overwritten; stay
//	there, blind     no such file, and nothing unlooked at     gone       stay, miss
//	any but replaced the file, beside where it was             there      renamed, settle
//	replaced, gone   a file that begins alike: a copy, or a    there      copied, move
//	                 compressed one
//	replaced, gone   neither for 5 s (patience): what was not  the same   atRest
//	                 read is lost, which is said
//	replaced, gone   and another file has taken the name, or   over, and  ends, leave
//	                 none has for an hour (forget)             io.EOF
//
// What becomes of a file that is no stream's is adopt's to say, and how a stream
// is read in each state is step's.
type state uint8

const (
	there    state = iota // at its path
	blind                 // at its path, when that could be looked at last
	replaced              // not in its file any more, which has got other content
	gone                  // not to be found
)

// place is where a stream's content lies. Guarded by the follower's mutex.
type place struct {
	state   state
	since   time.Time // when it came to be replaced or gone
	head    head
	path    string
	real    string // path without links
	id      string // inode
	size    int64  // -1 as long as it was not seen
	mtime   time.Time
	packed  bool
	member  bool      // among what is followed, as long as it is placed
	shifted time.Time // when path changed
	version int       // grows when the reader must open it anew

	// As the reader said last.
	offset int64 // how far it was read
	ended  bool  // to its end
}

// placed tells that the content is at its path, as far as is known.
func (p *place) placed() bool { return p.state == there || p.state == blind }

// missed tells that the content has been at no path for so long.
func (p *place) missed(long time.Duration) bool { return !p.placed() && time.Since(p.since) >= long }

// at is what the stream's file is by now, which is known by its inode, and notes
// that it is replaced. A file that did not change since the last look is not opened.
func (s *followed) at(e *entry) state {
	if e.same(s.size, s.mtime) && s.state != blind {
		return there
	}
	data, packed, err := beginning(e.path, e.id, headSize)
	switch {
	case errors.Is(err, errMoved), errors.Is(err, os.ErrNotExist):
		return gone
	case unreachable(err): // the inode is all there is to go by
		return blind
	case err != nil && len(data) == 0 && s.size < 0: // one never seen is not known to be it
		return gone
	case err != nil && len(data) == 0:
		return there
	case !s.head.begins(data),
		packed && s.packed && e.path == s.name && e.size < s.size: // compressed data are replaced, or added to
		s.replace()
		return replaced
	}
	// A copy may be shorter than what was read of the original. The reader may
	// have read more than there was when the look began.
	if !packed && e.path == s.name {
		if info, id, err := statFile(e.path); err == nil && id == e.id && info.Size() < s.offset {
			s.replace()
			return replaced
		}
	}
	s.packed = packed
	return there
}

// settle notes where the stream's file is, and whether it could be looked at. It
// tells whether that is news.
func (s *followed) settle(e *entry, is state, seen *sight) bool {
	seen.taken[e.id] = true
	s.member = seen.byPath[e.path] != nil
	news := !s.placed() || e.path != s.path || e.id != s.id || !e.same(s.size, s.mtime)
	if e.path != s.path {
		s.shifted = time.Now()
	}
	if e.path != s.path || s.real == "" {
		s.real = resolved(e.path)
	}
	s.state, s.path, s.id, s.size, s.mtime = is, e.path, e.id, e.size, e.mtime
	if news {
		signal(s.wake)
	}
	return news
}

// move notes that the stream's content goes on in another file.
func (s *followed) move(e *entry, packed bool, seen *sight) {
	s.packed = packed
	s.version++
	s.settle(e, there, seen)
}

// replace notes that the stream's file has got other content.
func (s *followed) replace() {
	s.miss()
	s.state = replaced
	s.version++
}

// miss notes that the stream's content is not where it was. It tells whether that
// is news.
func (s *followed) miss() bool {
	if s.placed() {
		s.state, s.since = gone, time.Now()
		signal(s.wake)
	}
	return !s.missed(patience)
}

// lostWhy says how lines were lost with a file that is not found.
func (s *followed) lostWhy(p *place) string {
	switch {
	case p.state == replaced:
		return fmt.Sprintf("%s: truncated, and no copy lies beside it: what it got behind byte %d is lost, if that was anything", s.name, s.position.Offset)
	case p.size < 0:
		return fmt.Sprintf("%s: the file that was read up to byte %d is not found under any name: what it got since then is lost", s.name, s.position.Offset)
	}
	return fmt.Sprintf("%s: removed before it was read to its end: read up to byte %d of %d", s.name, s.position.Offset, p.size)
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
	return s, nil
}

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
