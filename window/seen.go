package window

import (
	"hash/maphash"
	"math"
)

// seen knows which keys have come of late, and when each came first. It forgets
// them as a [table] does, with the same cap. But most keys come once, and there
// are more of them than any cache holds, so they stand in the order in which
// they came last, one after the other: the newest is appended, the oldest are
// passed over, and a key that comes again moves to the end.
//
// The index is not told of keys that are gone: it holds 32 bits of hash and a
// position, and what stands before the oldest is void.
type seen struct {
	idle    int64 // microseconds
	slack   int64 // how much longer keys may stay; touch does not find them
	keys    int   // cap on live keys, 0 is none
	live    int
	moved   int // entries between the oldest and the newest that are void
	dropped int64

	seed         maphash.Seed // decides where a key is found, never an answer
	index        []indexLine  // a power of two of them
	used         int          // slots of the index that are not vacant
	pages        [][]visit    // the first holds base
	base         uint32       // position at which a page begins
	oldest, next uint32       // positions, which count on from 0 where they end
}

// indexLine is a line of the cache: slots that hold hash<<32 | position, or 0
// where they are vacant. A key stands in the line of its hash, or, if that has
// no vacant slot, maybe behind it.
type indexLine [8]uint64

// visit is a key in the order of the last hits.
type visit struct {
	key     pairKey
	first   int64
	touched int64 // when it came last; gone if it moved to the end
}

const gone = math.MinInt64

func newSeen(idle, slack int64, keys int) *seen {
	return &seen{idle: idle, slack: slack, keys: keys, seed: maphash.MakeSeed(), index: make([]indexLine, 32)}
}

// hash is that of a key, never 0.
func (s *seen) hash(key *pairKey) uint32 { return uint32(maphash.Comparable(s.seed, *key)) | 1<<31 }

// fetch has the memory at hand that touch will look at for a hash. What it
// returns means nothing.
func (s *seen) fetch(hash uint32) uint64 { return s.index[int(hash)&(len(s.index)-1)][0] }

// touch notes a hit of a key with that hash. It returns the time of its first
// one, and whether that was another. now never goes back.
func (s *seen) touch(key *pairKey, hash uint32, now int64) (first int64, again bool) {
	full := s.keys > 0 && s.live >= s.keys
	if full || s.live > 0 && now-s.slack-s.at(s.oldest).touched > s.idle {
		s.expire(now)
	}
	if slots := len(s.index) * len(indexLine{}); s.used > slots/4*3 || s.moved > slots/4 {
		s.tidy()
	}
	slot, known := s.lookup(hash, key)
	first = now
	if known != nil {
		if now-known.touched <= s.idle {
			first, again = known.first, true
		}
		if uint32(*slot)+1 == s.next {
			known.first, known.touched = first, now
			return first, again
		}
		known.touched = gone
		s.live--
		s.moved++
		s.skip()
	} else if s.keys > 0 && s.live >= s.keys {
		s.leave()
		s.dropped++
	}
	if *slot == 0 {
		s.used++
	}
	*slot = uint64(hash)<<32 | uint64(s.next)
	s.add(visit{*key, first, now})
	return first, again
}

func (s *seen) at(position uint32) *visit {
	return &s.pages[(position-s.base)>>pageBits][position&(1<<pageBits-1)]
}

// add puts a key at the end.
func (s *seen) add(v visit) {
	if int((s.next-s.base)>>pageBits) == len(s.pages) {
		s.pages = append(s.pages, make([]visit, 1<<pageBits))
	}
	*s.at(s.next) = v
	s.next++
	s.live++
}

// lookup finds a key and its slot, or one that it may take: the first void one,
// so that no slot that a live key had before comes before its own.
func (s *seen) lookup(hash uint32, key *pairKey) (slot *uint64, known *visit) {
	live := s.next - s.oldest
	for i := int(hash); ; i++ {
		line := &s.index[i&(len(s.index)-1)]
		for k, x := range line {
			void := uint32(x)-s.oldest >= live
			if slot == nil && (void || x == 0) {
				slot = &line[k]
			}
			if x == 0 {
				return slot, nil
			}
			if uint32(x>>32) == hash && !void {
				if v := s.at(uint32(x)); v.key == *key {
					return &line[k], v
				}
			}
		}
	}
}

// expire lets the keys go that are idle at now.
func (s *seen) expire(now int64) {
	for s.live > 0 && now-s.at(s.oldest).touched > s.idle {
		s.leave()
	}
}

// leave lets the oldest key go.
func (s *seen) leave() {
	s.live--
	s.pass()
	s.skip()
}

// skip goes on to the oldest key that has not moved.
func (s *seen) skip() {
	for s.oldest != s.next && s.at(s.oldest).touched == gone {
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

// tidy closes the gaps that keys have left, in the order and in the index.
func (s *seen) tidy() {
	end := s.oldest
	for i := s.oldest; i != s.next; i++ {
		if v := s.at(i); v.touched != gone {
			*s.at(end) = *v
			end++
		}
	}
	s.next, s.moved, s.used = end, 0, s.live
	if s.live > len(s.index)*len(indexLine{})/2 {
		s.index = make([]indexLine, 2*len(s.index))
	} else {
		clear(s.index)
	}
	for i := s.oldest; i != s.next; i++ {
		hash := s.hash(&s.at(i).key)
		*s.vacant(hash) = uint64(hash)<<32 | uint64(i)
	}
}

// vacant is the slot for a key with that hash in an index without void ones.
func (s *seen) vacant(hash uint32) *uint64 {
	for i := int(hash); ; i++ {
		line := &s.index[i&(len(s.index)-1)]
		for k, x := range line {
			if x == 0 {
				return &line[k]
			}
		}
	}
}
