package ingest

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// entry is a file as a look saw it.
type entry struct {
	path  string
	id    string
	size  int64
	mtime time.Time
	log   string // that it was rotated away from, if links lead from there to here
}

func (e *entry) same(size int64, mtime time.Time) bool { return e.size == size && e.mtime.Equal(mtime) }

// stranger is what is known of a file that is no stream, until it changes.
type stranger struct {
	size    int64
	mtime   time.Time
	refused bool // no log
	copied  bool // of a file that is a stream
	packed  bool
	head    []byte
	sum     head // of the head

	fault error     // why it cannot be opened
	since time.Time // with a fault
	told  string    // where it lay when it was told of; empty if it was not
}

// begins tells whether the file begins as a stream's does. Of thousands each is
// held against each: that they differ must not cost a hash.
func (x *stranger) begins(h head) bool {
	if h.n == x.sum.n {
		return h == x.sum
	}
	return h.begins(x.head)
}

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

// magicSize is the least size by which a file can be told to be compressed.
const magicSize = 4

// list finds the files that the arguments stand for.
func (f *follower) list() *sight {
	found := finder{seen: map[string]bool{}}
	for _, arg := range f.args {
		found.find(arg)
	}
	s := &sight{errs: found.errs, byPath: map[string]*entry{}, byID: map[string]*entry{}, taken: map[string]bool{}, beside: map[string][]*entry{}}
	s.partial = slices.ContainsFunc(found.errs, passes)
	for _, src := range found.sources {
		e, err := entryAt(src.path)
		s.partial = s.partial || passes(err)
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
	return ok && errno != syscall.ENOENT && errno != syscall.ENOTDIR
}

// passes tells an error of a file system that will answer again from a directory
// that we may not read, and a link that leads to itself: that may be so for ever, and
// what lies elsewhere is to be missed all the same.
func passes(err error) bool {
	return unreachable(err) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.ELOOP)
}

// entryAt is the file at a path; nil if there is something else, and no error then.
func entryAt(path string) (*entry, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	return &entry{path: path, id: inode(info), size: info.Size(), mtime: info.ModTime()}, nil
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

// look finds out where every stream's file is by now, and which are new. It
// tells whether anything happened.
func (f *follower) look(latest bool) (changed bool) {
	s := f.list()
	f.mu.Lock()
	defer f.mu.Unlock()
	var missing []*followed
	for _, st := range f.streams {
		e, gone := f.stay(s, st)
		switch {
		case e != nil:
			changed = st.settle(e, s) || changed
		case gone:
			missing = append(missing, st)
		default:
			st.unread = true
		}
	}
	// By inode first: what was renamed is surely found, a copy is second best.
	for _, by := range []func(*sight, *followed) *entry{f.renamed, f.copied} {
		missing = slices.DeleteFunc(missing, func(st *followed) bool {
			e := by(s, st)
			if e != nil {
				changed = true
				st.settle(e, s)
			}
			return e != nil
		})
	}
	for _, st := range missing {
		changed = st.miss() || changed
	}
	kept := f.strangers
	f.strangers = map[string]*stranger{}
	// A file comes before its compressed copy, by name.
	fresh := slices.Concat(s.entries, f.passed(s), f.outgrown(s))
	slices.SortStableFunc(fresh, func(a, b *entry) int { return cmp.Compare(a.path, b.path) })
	known := len(f.streams)
	for _, e := range fresh {
		if e.size >= magicSize && !s.taken[e.id] {
			changed = f.adopt(s, e, kept, latest) || changed
		}
	}
	f.number(f.streams[known:])
	// Those beside the followed ones are remembered while they are of use.
	for id, x := range kept {
		if f.strangers[id] == nil && len(missing) > 0 {
			f.strangers[id] = x
		}
	}
	f.untell(kept, f.strangers)
	f.shut(s.errs)
	f.looked = true
	return changed
}

// stay is the stream's file if it lies where it lay or under another of the
// followed names; gone says that it surely does not.
func (f *follower) stay(s *sight, st *followed) (e *entry, gone bool) {
	if st.cut {
		return nil, true
	}
	e = s.byPath[st.path]
	if e == nil || e.id != st.id {
		e = s.byID[st.id]
	}
	if e == nil {
		var err error
		if e, err = entryAt(st.path); unreachable(err) {
			return nil, false
		}
		if e != nil && e.id != st.id {
			e = nil
		}
	}
	if e == nil {
		return nil, !s.partial
	}
	if !st.holds(e) {
		return nil, true
	}
	return e, false
}

// renamed finds a stream's file beside where it was, under any name.
func (f *follower) renamed(s *sight, st *followed) *entry {
	if st.cut || !st.searched() {
		return nil
	}
	for _, dir := range st.dirs() {
		for _, e := range s.siblings(dir) {
			if e.id == st.id && !s.taken[e.id] && st.holds(e) {
				return e
			}
		}
	}
	return nil
}

// copied finds a stream's content in another file: a copy, a compressed one.
func (f *follower) copied(s *sight, st *followed) *entry {
	candidates := slices.Clone(s.entries)
	if st.searched() {
		for _, dir := range st.dirs() {
			for _, e := range s.siblings(dir) {
				if s.byPath[e.path] == nil && st.related(e.path) {
					candidates = append(candidates, e)
				}
			}
		}
	}
	var best *entry
	rank := 0
	for _, e := range candidates {
		if e.size < magicSize || s.taken[e.id] || st.cut && e.id == st.id {
			continue
		}
		x := f.meet(e)
		if x.refused || !x.begins(st.head) || !st.head.tells(x.head) {
			continue
		}
		r := 1
		switch {
		case e.path == st.name:
			r = 3
		case !x.packed:
			r = 2
		}
		if r > rank {
			best, rank = e, r
		}
	}
	if best != nil {
		st.found(best, f.meet(best).packed)
	}
	return best
}

// passed are files that had a followed name and were rotated away before they
// were seen under it: twice between two looks, or while nothing was running. By
// their names they are newer than one that was just rotated, or is still being read.
func (f *follower) passed(s *sight) (list []*entry) {
	loose := map[string][]*entry{} // directory -> files in it that are nobody's
	for _, st := range f.streams {
		mine := st.rotation(st.path)
		if mine == "" || !st.placed() || st.ended && time.Since(st.shifted) >= patience {
			continue
		}
		dir := filepath.Dir(st.path)
		if _, ok := loose[dir]; !ok {
			loose[dir] = slices.DeleteFunc(slices.Clone(s.siblings(dir)), func(e *entry) bool { return s.taken[e.id] || s.byPath[e.path] != nil })
		}
		for _, e := range loose[dir] {
			if !newer(st.rotation(e.path), mine) {
				continue
			}
			if dir != filepath.Dir(st.name) { // of which nothing leads here but the link
				e.log = st.name
			}
			list = append(list, e)
		}
	}
	return list
}

// short is a followed file that is too short to be told.
type short struct {
	path string
	last time.Time // when it was seen there
}

// outgrown are files that were too short as long as they had a followed name,
// and were rotated away since: no stream leads to them.
func (f *follower) outgrown(s *sight) (list []*entry) {
	for id, x := range f.short {
		if s.byID[id] != nil || s.taken[id] || time.Since(x.last) >= quiet {
			delete(f.short, id)
			continue
		}
		for _, e := range s.siblings(filepath.Dir(x.path)) {
			if e.id == id && related(e.path, x.path) {
				list = append(list, e)
			}
		}
	}
	for _, e := range s.entries {
		if e.size < magicSize {
			f.short[e.id] = short{e.path, time.Now()}
		}
	}
	return list
}

// meet looks at a file that is no stream, if it has not been since it changed.
func (f *follower) meet(e *entry) *stranger {
	x := f.strangers[e.id]
	if x != nil && e.same(x.size, x.mtime) {
		return x
	}
	before := x
	x = &stranger{size: e.size, mtime: e.mtime}
	data, packed, err := beginning(e.path, e.id, headSize)
	x.head, x.sum, x.packed = data, headOf(data), packed
	if _, no := errors.AsType[*Error](err); no && !cutShort(err) {
		x.refused = true
	} else if err != nil {
		x.mtime = time.Time{} // to be looked at again
		x.head, x.sum = nil, headOf(nil)
		if shut, ok := errors.AsType[*fs.PathError](err); ok {
			x.fault, x.since = shut.Err, f.since()
			if before != nil && before.fault != nil {
				x.since, x.told = before.since, before.told
			}
		}
	}
	f.strangers[e.id] = x
	return x
}

// tell tells of what cannot be opened. Nothing else would: it is no stream.
func (f *follower) tell(path string, x *stranger) {
	if x.fault != nil && x.told == "" && time.Since(x.since) >= quiet && f.o.Unreadable != nil {
		x.told = path
		f.o.Unreadable(path, x.fault)
	}
}

// since is when a fault began that is seen now. What was there at the start is
// told of at once.
func (f *follower) since() time.Time {
	if !f.looked {
		return time.Time{}
	}
	return time.Now()
}

// untell takes back what was told of what is not as it was before.
func (f *follower) untell(before, now map[string]*stranger) {
	for key, x := range before {
		if n := now[key]; x.told != "" && (n == nil || n.told == "") {
			f.o.Unreadable(x.told, nil)
		}
	}
}

// shut tells of directories that cannot be read, of names that cannot be looked up
// and of what is named and has vanished, as of files; of a stream's own that cannot
// be read its reader does. A log that is empty has not vanished: it was rotated. A
// glob promises no log: pods come and go.
func (f *follower) shut(errs []error) {
	before := f.closed
	f.closed = map[string]*stranger{}
	for _, err := range errs {
		e, ok := errors.AsType[*Error](err)
		if !ok {
			continue
		}
		x := before[e.Path]
		switch {
		case unreachable(err):
			if slices.ContainsFunc(f.streams, func(st *followed) bool { return st.path == e.Path }) {
				continue
			}
		case errors.Is(err, errAllEmpty), errors.Is(err, errNoMatch):
			continue
		case (x == nil || unreachable(x.fault)) && !f.vanished(e.Path):
			continue
		}
		x = cmp.Or(x, &stranger{since: f.since()})
		x.fault = e.Err
		f.closed[e.Path] = x
		f.tell(e.Path, x)
	}
	f.untell(before, f.closed)
}

// vanished tells that an argument, which stands for nothing now, stood for a stream
// that is elsewhere since, or nowhere.
func (f *follower) vanished(arg string) (was bool) {
	for _, st := range f.streams {
		if st.placed() && stands(arg, st.path) {
			return false
		}
		was = was || stands(arg, st.name)
	}
	return was && slices.ContainsFunc(f.args, func(a string) bool { return absolute(a) == absolute(arg) })
}

// adopt makes a file that is no stream one, if it is a log of its own. It has no
// index yet.
func (f *follower) adopt(s *sight, e *entry, kept map[string]*stranger, latest bool) bool {
	if x := kept[e.id]; x != nil {
		f.strangers[e.id] = x
	}
	x := f.meet(e)
	f.tell(e.path, x)
	if x.refused || x.copied || len(x.head) == 0 {
		return false
	}
	for _, st := range f.streams {
		if !st.placed() || !st.related(e.path) || filepath.Dir(e.path) != filepath.Dir(st.path) {
			continue
		}
		same, sure := f.isCopy(e, x, st)
		if !sure {
			return true // look again soon
		}
		if same {
			x.copied = true
			return false
		}
	}
	delete(f.strangers, e.id)
	s.taken[e.id] = true
	st := f.begin(e, x, latest)
	f.streams = append(f.streams, st)
	st.settle(e, s)
	return true
}

// compared is how much of two files is compared to tell a copy.
const compared = 64 << 10

// isCopy tells whether a file has nothing that the stream's file does not have:
// a copy that is being made before the file is truncated, or compressed before
// it is removed. It is looked at again when it grows. sure is false while they
// cannot be compared.
func (f *follower) isCopy(e *entry, x *stranger, st *followed) (same, sure bool) {
	if len(x.head) >= st.head.n && !x.begins(st.head) {
		return false, true
	}
	theirs, _, err := beginning(st.path, st.id, compared)
	if err != nil || !st.head.begins(theirs) {
		return false, false
	}
	ours, _, err := beginning(e.path, e.id, compared)
	if err != nil {
		return false, false
	}
	if len(ours) > len(theirs) || !bytes.Equal(ours, theirs[:len(ours)]) {
		return false, true
	}
	if !x.packed && !st.packed {
		info, err := os.Stat(st.path)
		return err == nil && e.size <= info.Size(), err == nil
	}
	return true, true
}
