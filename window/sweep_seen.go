package window

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// seen knows which keys have come of late, and when each came first. It forgets
// them as a [table] does, with the same cap. But most keys come once, and there
// are more of them than any cache holds, so they stand in the order in which
// they came last, one after the other: the newest is appended, the oldest are
// passed over, and a key that comes again moves to the end.
//
//	┌────────┬─────┬───────┬─────┬─────┬───────┬─────┬╌╌╌╌╌╌╌┐
//	│ passed │  A  │ moved │  B  │  C  │ moved │  D  │ room  │   a visit each
//	└────────┴─────┴───────┴─────┴─────┴───────┴─────┴╌╌╌╌╌╌╌┘
//	base     oldest                                  next         positions
//
// From oldest to next each live key stands once; between them is what has moved.
// Positions go on from 0 where they end, so what counts is how far they are from
// oldest.
//
// A scope is known as long as one of its keys is, and its places tell where they
// stand: what comes mostly comes of the few scopes that are busy, whose keys a cache
// holds. They are not told of keys that leave: what tells of a position that was
// passed is void.
type seen struct {
	idle      int64 // microseconds
	slack     int64 // how much longer keys may stay; touch does not find them
	keys      int   // cap on live keys, 0 is none
	dropKey   func(counts uint32)
	dropScope func(*seenScope)
	live      int
	moved     int // entries from oldest to next whose key has moved
	dropped   int64
	scopes    scopes
	spare     spareLines

	pages        [][]visit // the first holds base
	base         uint32    // position at which a page begins
	oldest, next uint32    // positions
	repeating    uint32    // none before this position repeats
}

// visit is a key in the order of the last hits.
type visit struct {
	print   printKey
	scope   uint32 // entry of scopes
	counts  uint32 // the number of what a key that repeats has counted; 0 is none
	first   int64
	touched int64 // when it came last; hasMoved if it moved to the end
	spot
}

const hasMoved = math.MinInt64

// newSeen makes a seen. dropKey is called with the counts of each key that leaves
// with some, dropScope with each scope that does.
func newSeen(idle, slack int64, keys int, dropKey func(counts uint32), dropScope func(*seenScope)) *seen {
	return &seen{idle: idle, slack: slack, keys: keys, dropKey: dropKey, dropScope: dropScope, scopes: newScopes()}
}

// hold finds the entry of a scope, and the hash of a key in it. The entry stays
// until it is let go of, once for each time that it is held.
func (s *seen) hold(scope *fingerprint.ScopeKey, print *printKey) (entry, hash uint32) {
	entry = s.scopes.find(scope)
	return entry, s.holdFor(entry, print)
}

// holdFor holds a scope for another key in it, and returns the hash of that.
func (s *seen) holdFor(entry uint32, print *printKey) (hash uint32) {
	s.scope(entry).held++
	return hashOf(s.scopes.seed, (*[16]byte)(print))
}

// letGo lets go of a scope for one of its keys.
func (s *seen) letGo(entry uint32) {
	scope := s.scope(entry)
	if scope.held--; scope.held == 0 {
		s.dropScope(scope)
		s.spare.give(scope.lines)
		s.scopes.remove(entry)
	}
}

func (s *seen) scope(entry uint32) *seenScope { return s.scopes.entries.at(entry) }

// hashOf is the hash of a key or a scope, never 0.
func hashOf(seed [2]uint64, key *[16]byte) uint32 {
	high, low := bits.Mul64(binary.LittleEndian.Uint64(key[:8])^seed[0], binary.LittleEndian.Uint64(key[8:])^seed[1])
	return uint32(high^low) | 1<<31
}

// fetch has the memory at hand that a hit of a key with that hash will look at.
// What it returns means nothing.
func (s *seen) fetch(entry, hash uint32) (fetched uint64) {
	scope := s.scope(entry)
	if len(scope.lines) > 0 {
		fetched = scope.lines[int(hash)&(len(scope.lines)-1)][0]
	}
	if scope.trail != nil {
		fetched += uint64(scope.slot)
	}
	return fetched
}

// touch notes a hit of a key with that hash, whose scope is held for it. It
// returns what is known of the key, good until the next touch, and whether that
// was another hit than its first one. now never goes back.
func (s *seen) touch(entry uint32, print *printKey, hash uint32, now int64) (v *visit, again bool) {
	full := s.keys > 0 && s.live >= s.keys
	if full || s.live > 0 && now-s.slack-s.at(s.oldest).touched > s.idle {
		s.expire(now)
	}
	if s.moved > max(s.live, leastMoved) {
		s.tidy()
	}
	scope := s.scope(entry)
	slot, known := s.lookup(&scope.places, print, hash)
	if known != nil {
		scope.held--
		again = now-known.touched <= s.idle
		if !again && known.counts != 0 {
			s.dropKey(known.counts)
		}
		if v = known; uint32(*slot)+1 != s.next {
			v = s.append(now)
			v.print, v.scope, v.first, v.counts, v.spot = *print, entry, known.first, known.counts, known.spot
			known.touched = hasMoved
			s.live--
			s.moved++
			s.skip()
		}
	} else {
		if s.keys > 0 && s.live >= s.keys {
			s.leave()
			s.dropped++
		}
		if scope.full() {
			s.widen(&scope.places)
			slot = scope.vacant(hash)
		}
		scope.used++
		v = s.append(now)
		v.print, v.scope = *print, entry
	}
	if !again {
		v.first, v.counts, v.spot = now, 0, spot{}
	}
	v.touched = now
	*slot = uint64(hash)<<32 | uint64(s.next-1)
	return v, again
}

// leastMoved is how many gaps there may be at any time.
const leastMoved = 64

func (s *seen) at(position uint32) *visit {
	return &s.pages[(position-s.base)>>pageBits][position&(1<<pageBits-1)]
}

// append makes room at the end for a key that comes now.
func (s *seen) append(now int64) *visit {
	if int((s.next-s.base)>>pageBits) == len(s.pages) {
		s.pages = append(s.pages, make([]visit, 1<<pageBits))
	}
	v := s.at(s.next)
	v.touched = now
	s.next++
	s.live++
	return v
}

// expire lets the keys go that are idle at now.
func (s *seen) expire(now int64) {
	for s.live > 0 && now-s.at(s.oldest).touched > s.idle {
		s.leave()
	}
}

// leave lets the oldest key go.
func (s *seen) leave() {
	v := s.at(s.oldest)
	if v.counts != 0 {
		s.dropKey(v.counts)
	}
	s.letGo(v.scope)
	s.live--
	s.pass()
	s.skip()
}

// skip goes on to the oldest key that has not moved.
func (s *seen) skip() {
	for s.oldest != s.next && s.at(s.oldest).touched == hasMoved {
		s.moved--
		s.pass()
	}
}

// pass goes on to the next entry. A page that is left serves again.
func (s *seen) pass() {
	if s.oldest++; s.oldest-s.base == 1<<pageBits {
		s.pages = append(s.pages[1:], s.pages[0])
		s.base = s.oldest
	}
}

// clear lets all keys go.
func (s *seen) clear() {
	for s.live > 0 {
		s.leave()
	}
}

// forget has the oldest key that repeats drop its counts; there must be one.
func (s *seen) forget() {
	if s.repeating-s.oldest > s.next-s.oldest { // passed over
		s.repeating = s.oldest
	}
	for ; ; s.repeating++ {
		if v := s.at(s.repeating); v.touched != hasMoved && v.counts != 0 {
			s.dropKey(v.counts)
			v.counts = 0
			return
		}
	}
}

// tidy closes the gaps that keys have left in the order.
func (s *seen) tidy() {
	end := s.oldest
	for i := s.oldest; i != s.next; i++ {
		v := s.at(i)
		if v.touched == hasMoved {
			continue
		}
		if i != end {
			hash := hashOf(s.scopes.seed, (*[16]byte)(&v.print))
			*s.scope(v.scope).slotOf(hash, i) = uint64(hash)<<32 | uint64(end)
			*s.at(end) = *v
		}
		end++
	}
	s.next, s.moved, s.repeating = end, 0, s.oldest
}
