package window

import (
	"hash/maphash"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// seenScope is a scope that a seen knows.
type seenScope struct {
	key  fingerprint.ScopeKey
	held uint32 // by how many keys, and events at work
	places
	sequence
}

// scopes are the scopes that a seen knows. Each has an entry, which stays where it
// is.
type scopes struct {
	seed    [2]uint64 // decides where a scope or a key is found, never an answer
	index   index
	entries pool[seenScope]
}

func newScopes() scopes {
	random := maphash.MakeSeed()
	seed := [2]uint64{maphash.Comparable(random, 0), maphash.Comparable(random, 1)}
	return scopes{seed: seed, index: newIndex(0)}
}

// find is the entry of a scope, a new one if it is not known.
func (s *scopes) find(key *fingerprint.ScopeKey) (entry uint32) {
	hash := hashOf(s.seed, (*[16]byte)(key))
	slot := s.index.home(hash)
	for ; s.index[slot] != 0; slot = s.index.home(slot + 1) {
		if x := s.index[slot]; uint32(x>>32) == hash && s.entries.at(uint32(x)).key == *key {
			return uint32(x)
		}
	}
	entry = s.entries.take()
	s.entries.at(entry).key = *key
	s.index[slot] = uint64(hash)<<32 | uint64(entry)
	s.index = s.index.widened(s.entries.live())
	return entry
}

// remove forgets a scope.
func (s *scopes) remove(entry uint32) {
	e := s.entries.at(entry)
	slot := s.index.home(hashOf(s.seed, (*[16]byte)(&e.key)))
	for uint32(s.index[slot]) != entry {
		slot = s.index.home(slot + 1)
	}
	s.index.vacate(slot)
	*e = seenScope{}
	s.entries.give(entry)
}

// each calls f with each scope.
func (s *scopes) each(f func(*seenScope)) {
	for i := uint32(1); i <= s.entries.n; i++ {
		if scope := s.entries.at(i); scope.held > 0 {
			f(scope)
		}
	}
}
