package ingest

import "slices"

// look finds out where every stream's file is by now, and which are new. It
// tells whether anything happened.
func (f *follower) look(latest bool) (changed bool) {
	s := f.list()
	f.mu.Lock()
	defer f.mu.Unlock()
	var missing []*followed
	for _, st := range slices.Backward(f.streams) {
		e, is := f.stay(s, st)
		switch {
		case is == there, is == blind && e != nil:
			changed = st.settle(e, is, s) || changed
		case is != blind:
			missing = append(missing, st)
		case st.state == there:
			st.state = blind
		}
	}
	slices.Reverse(missing)
	// By inode first: what was renamed is surely found, a copy is second best.
	for _, find := range []func(*sight, *followed) bool{f.renamed, f.copied} {
		missing = slices.DeleteFunc(missing, func(st *followed) bool {
			found := find(s, st)
			changed = changed || found
			return found
		})
	}
	for _, st := range missing {
		changed = st.miss() || changed
	}
	changed = f.adoptNew(s, latest, len(missing) > 0) || changed
	f.tellOf(s.errs)
	f.looked = true
	return changed
}

// stay is the stream's file, and what it is, if it lies where it lay or under
// another of the followed names. There is none if it does not, or if that cannot
// be seen.
func (f *follower) stay(s *sight, st *followed) (*entry, state) {
	if st.state == replaced {
		return nil, replaced
	}
	e := s.byPath[st.path]
	if e == nil || e.id != st.id {
		e = s.byID[st.id]
	}
	if e == nil {
		var err error
		if e, err = entryAt(st.path); unreachable(err) {
			return nil, blind
		}
	}
	if e == nil || e.id != st.id {
		if s.partial {
			return nil, blind
		}
		return nil, gone
	}
	if s.taken[e.id] { // of two marks of one file the later is of what it has got since
		st.replace()
		return nil, replaced
	}
	return e, st.at(e)
}

// renamed finds a stream's file beside where it was, under any name.
func (f *follower) renamed(s *sight, st *followed) bool {
	if st.state == replaced || st.missed(patience) {
		return false
	}
	for _, dir := range st.dirs() {
		for _, e := range s.siblings(dir) {
			if e.id != st.id || s.taken[e.id] {
				continue
			}
			if is := st.at(e); is == there || is == blind {
				st.settle(e, is, s)
				return true
			}
		}
	}
	return false
}

// copied finds a stream's content in another file: a copy, a compressed one.
func (f *follower) copied(s *sight, st *followed) bool {
	candidates := slices.Clone(s.entries)
	if !st.missed(patience) {
		for _, dir := range st.dirs() {
			for _, e := range s.siblings(dir) {
				if st.related(e.path) {
					candidates = append(candidates, e)
				}
			}
		}
	}
	var best *entry
	rank := 0
	for _, e := range candidates {
		if e.size < magicSize || s.taken[e.id] || st.state == replaced && e.id == st.id {
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
		st.move(best, f.meet(best).packed, s)
	}
	return best != nil
}
