package window

import "math/bits"

// indexLine is a line of the cache: slots that hold hash<<32 | position, or 0
// where they are vacant. A key of a scope stands in the line of its hash, or, if
// that has no vacant slot, maybe behind it.
type indexLine [8]uint64

// places are where the keys of a scope stand.
type places struct {
	lines []indexLine // a power of two of them; none while one key is all
	one   uint64      // the slot of that
	used  uint32      // slots that are not vacant
}

// full tells that one more slot in use makes looking too long.
func (p *places) full() bool { return int(p.used) >= max(1, len(p.lines)*(len(indexLine{})-1)) }

// lookup finds a key of a scope and its slot, or one that it may take: the first
// void one, so that no slot that a live key had before comes before its own. It is
// nil if there is no room.
func (s *seen) lookup(q *sequence, print *printKey, hash uint32) (slot *uint64, known *visit) {
	live := s.next - s.oldest
	if len(q.lines) == 0 {
		switch x := q.one; {
		case x == 0 || uint32(x)-s.oldest >= live:
			return &q.one, nil
		case uint32(x>>32) == hash && s.at(uint32(x)).print == *print:
			return &q.one, s.at(uint32(x))
		}
		return nil, nil
	}
	for i := int(hash); ; i++ {
		line := &q.lines[i&(len(q.lines)-1)]
		// What a slot holds nobody can foretell, so there is no branch for it.
		var taken, lives, equal uint64 // bits of the slots
		for k := len(line) - 1; k >= 0; k-- {
			x := line[k]
			isTaken := x >> 63 // as every hash
			isLive := (uint64(uint32(x)-s.oldest) - uint64(live)) >> 63 & isTaken
			taken, lives = taken<<1|isTaken, lives<<1|isLive
			equal = equal<<1 | ((x>>32^uint64(hash))-1)>>63&isLive
		}
		for ; equal != 0; equal &= equal - 1 {
			k := bits.TrailingZeros64(equal) % len(line)
			if v := s.at(uint32(line[k])); v.print == *print && v.touched != gone {
				return &line[k], v
			}
		}
		const all = 1<<len(indexLine{}) - 1
		if slot == nil && lives != all {
			slot = &line[bits.TrailingZeros64(^lives)%len(line)]
		}
		if taken != all {
			return slot, nil
		}
	}
}

// slotOf is the slot of a key that is there.
func (p *places) slotOf(hash, position uint32) *uint64 {
	if len(p.lines) == 0 {
		return &p.one
	}
	return p.find(hash, uint64(hash)<<32|uint64(position))
}

// vacant is the slot for a key that is not there, where none is void.
func (p *places) vacant(hash uint32) *uint64 { return p.find(hash, 0) }

// find is the first slot, from the line of a hash on, that holds something.
func (p *places) find(hash uint32, what uint64) *uint64 {
	for i := int(hash); ; i++ {
		line := &p.lines[i&(len(p.lines)-1)]
		for k, x := range line {
			if x == what {
				return &line[k]
			}
		}
	}
}

// widen makes room for one more key of a scope.
func (s *seen) widen(q *sequence) {
	old, live := q.lines, s.next-s.oldest
	if old == nil {
		old = []indexLine{{q.one}}
	}
	lives := func(x uint64) bool { return x != 0 && uint32(x)-s.oldest < live }
	n := 0
	for i := range old {
		for _, x := range old[i] {
			if lives(x) {
				n++
			}
		}
	}
	size := bits.Len(uint(n) * 2 / uint(len(indexLine{})))
	given := q.lines
	q.lines, q.used = s.spare.take(size), uint32(n)
	for i := range old {
		for _, x := range old[i] {
			if lives(x) {
				*q.vacant(uint32(x >> 32)) = x
			}
		}
	}
	s.spare.give(given)
}

// spareLines are those of scopes that are gone, by the logarithm of how many they
// are. Great ones are not kept.
type spareLines [7][][]indexLine

func (s *spareLines) take(size int) []indexLine {
	if size < len(s) {
		if last := len(s[size]) - 1; last >= 0 {
			lines := s[size][last]
			s[size] = s[size][:last]
			clear(lines)
			return lines
		}
	}
	return make([]indexLine, 1<<size)
}

func (s *spareLines) give(lines []indexLine) {
	if size := bits.Len(uint(len(lines))) - 1; size >= 0 && size < len(s) {
		s[size] = append(s[size], lines)
	}
}
