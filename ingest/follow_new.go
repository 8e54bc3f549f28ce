package ingest

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// magicSize is the least size by which a file can be told to be compressed.
const magicSize = 4

// stranger is what is known of a file that is no stream, until it changes.
type stranger struct {
	size    int64
	mtime   time.Time
	refused bool // no log
	copy    bool // of the beginning of a stream
	packed  bool
	head    []byte
	sum     head  // of the head
	fault   fault // why it cannot be opened; nothing else would tell of it
}

// begins tells whether the file begins as a stream's does. Of thousands each is
// held against each: that they differ must not cost a hash.
func (x *stranger) begins(h head) bool {
	if h.n == x.sum.n {
		return h == x.sum
	}
	return h.begins(x.head)
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
		if _, shut := errors.AsType[*fs.PathError](err); shut {
			if before != nil {
				x.fault = before.fault
			}
			x.fault.note(err, f.now())
		}
	}
	f.strangers[e.id] = x
	return x
}

// adoptNew makes streams of the files that are new, and numbers them.
func (f *follower) adoptNew(s *sight, latest, searching bool) (changed bool) {
	kept := f.strangers
	f.strangers = map[string]*stranger{}
	// A file comes before its compressed copy, by name.
	list := slices.Concat(s.entries, f.between(s), f.outgrown(s))
	slices.SortStableFunc(list, func(a, b *entry) int { return cmp.Compare(a.path, b.path) })
	known := len(f.streams)
	for _, e := range list {
		if e.size >= magicSize && !s.taken[e.id] {
			changed = f.adopt(s, e, kept, latest) || changed
		}
	}
	f.number(f.streams[known:])
	for id, x := range kept {
		now := f.strangers[id]
		switch {
		case now == nil && searching: // beside a stream that is missed it is met again
			f.strangers[id] = x
		case now == nil || now.fault.told == "":
			f.o.untell(&x.fault)
		}
	}
	return changed
}

// adopt makes a file that is no stream one, if it is a log of its own. It has no
// index yet.
func (f *follower) adopt(s *sight, e *entry, kept map[string]*stranger, latest bool) bool {
	if x := kept[e.id]; x != nil {
		f.strangers[e.id] = x
	}
	x := f.meet(e)
	f.o.tell(e.path, &x.fault)
	if x.refused || x.copy || len(x.head) == 0 {
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
			x.copy = true
			return false
		}
	}
	delete(f.strangers, e.id)
	s.taken[e.id] = true
	st := f.begin(e, x, latest)
	f.streams = append(f.streams, st)
	st.settle(e, there, s)
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

// between are files that had a followed name and were rotated away before they
// were seen under it: twice between two looks, or while nothing was running. By
// their names they are newer than one that was just rotated, or is still being read.
func (f *follower) between(s *sight) (list []*entry) {
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
