package window

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestScopesAgreeWithMap: a scope keeps its entry until it is removed, whichever
// others come and go around it, also where many begin to be looked for at one
// place.
func TestScopesAgreeWithMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newScopes()
		s.seed = [2]uint64{rapid.SampledFrom([]uint64{0, 1 << 40}).Draw(rt, "seed"), 0}
		keys := rapid.Uint64Range(1, 300).Draw(rt, "keys")
		known := map[fingerprint.ScopeKey]uint32{}
		for range rapid.IntRange(1, 500).Draw(rt, "steps") {
			var key fingerprint.ScopeKey
			n := rapid.Uint64Range(0, keys).Draw(rt, "key")
			binary.LittleEndian.PutUint64(key[:], n)
			// Without a seed the hash of a key that has zeros here is that of all others.
			binary.LittleEndian.PutUint64(key[8:], n%3<<33)
			if entry, ok := known[key]; ok && rapid.Bool().Draw(rt, "remove") {
				s.remove(entry)
				delete(known, key)
			} else {
				entry := s.find(&key)
				if was, ok := known[key]; ok && was != entry {
					rt.Fatalf("key %d is entry %d, was %d", n, entry, was)
				}
				known[key] = entry
			}
			if s.entries.live() != len(known) {
				rt.Fatalf("%d scopes are known, want %d", s.entries.live(), len(known))
			}
		}
		entries := map[uint32]bool{}
		for key, entry := range known {
			if at := s.find(&key); at != entry || entries[entry] || s.entries.at(entry).key != key {
				rt.Fatalf("key %x is entry %d, want %d, its own", key, at, entry)
			}
			entries[entry] = true
		}
	})
}
