package window

import "github.com/loopgauge/loopgauge/fingerprint"

// scopes are the scopes that a seen knows. Each has an entry, which stays where it
// is.
type scopes struct {
	seed    [2]uint64
	index   []uint64 // hash<<32 | entry, 0 is vacant; length is a power of two
	entries pages[sequence]
	freed   []uint32 // entries
	live    int
}

func newScopes(seed [2]uint64) scopes {
	s := scopes{seed: seed, index: make([]uint64, 64)}
	s.entries.add() // entry 0 is none
	return s
}

// find is the entry of a scope, a new one if it is not known.
func (s *scopes) find(key *fingerprint.ScopeKey) (entry uint32) {
	hash := hashOf(s.seed, (*[16]byte)(key))
	slot := s.home(hash)
	for ; s.index[slot] != 0; slot = s.home(slot + 1) {
		if x := s.index[slot]; uint32(x>>32) == hash && s.entries.at(uint32(x)).key == *key {
			return uint32(x)
		}
	}
	if last := len(s.freed) - 1; last >= 0 {
		entry, s.freed = s.freed[last], s.freed[:last]
	} else {
		entry = s.entries.add()
	}
	s.entries.at(entry).key = *key
	s.index[slot] = uint64(hash)<<32 | uint64(entry)
	if s.live++; s.live > len(s.index)/4*3 {
		s.grow()
	}
	return entry
}

// home is where a hash begins to be looked for.
func (s *scopes) home(hash uint32) uint32 { return hash & uint32(len(s.index)-1) }

// grow doubles the index.
func (s *scopes) grow() {
	old := s.index
	s.index = make([]uint64, 2*len(old))
	for _, x := range old {
		if x == 0 {
			continue
		}
		slot := s.home(uint32(x >> 32))
		for s.index[slot] != 0 {
			slot = s.home(slot + 1)
		}
		s.index[slot] = x
	}
}

// remove forgets a scope.
func (s *scopes) remove(entry uint32) {
	e := s.entries.at(entry)
	slot := s.home(hashOf(s.seed, (*[16]byte)(&e.key)))
	for uint32(s.index[slot]) != entry || s.index[slot] == 0 {
		slot = s.home(slot + 1)
	}
	// What stands behind may move to the gap if that is on its way from home.
	for next := s.home(slot + 1); s.index[next] != 0; next = s.home(next + 1) {
		if x := s.index[next]; s.home(next-s.home(uint32(x>>32))) >= s.home(next-slot) {
			s.index[slot], slot = x, next
		}
	}
	s.index[slot] = 0
	*e = sequence{}
	s.freed = append(s.freed, entry)
	s.live--
}

// each calls f with each scope.
func (s *scopes) each(f func(*sequence)) {
	for i := uint32(1); i < s.entries.n; i++ {
		if q := s.entries.at(i); q.held > 0 {
			f(q)
		}
	}
}
