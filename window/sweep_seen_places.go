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

// lookup finds a key of a scope and its slot, or, unless they are full, the one
// that it may take. That of a key that is gone stays until widen clears it away.
func (s *seen) lookup(p *places, print *printKey, hash uint32) (slot *uint64, known *visit) {
	if len(p.lines) == 0 {
		return &p.one, s.match(p.one, print, hash)
	}
	for i := int(hash); ; i++ {
		line := &p.lines[i&(len(p.lines)-1)]
		// What a slot holds nobody can foretell, so there is no branch for it.
		var taken, equal uint64 // bits of the slots
		for k := len(line) - 1; k >= 0; k-- {
			x := line[k]
			taken = taken<<1 | x>>63 // as every hash
			equal = equal<<1 | ((x>>32^uint64(hash))-1)>>63
		}
		for ; equal != 0; equal &= equal - 1 {
			slot = &line[bits.TrailingZeros64(equal)%len(line)]
			if known = s.match(*slot, print, hash); known != nil {
				return slot, known
			}
		}
		if taken != 1<<len(line)-1 {
			return &line[bits.TrailingZeros64(^taken)%len(line)], nil
		}
	}
}

// lives tells that a slot in use is not void.
func (s *seen) lives(x uint64) bool { return uint32(x)-s.oldest < s.next-s.oldest }

// match is the key in a slot if it is that one.
func (s *seen) match(x uint64, print *printKey, hash uint32) *visit {
	if uint32(x>>32) != hash || !s.lives(x) {
		return nil
	}
	if v := s.at(uint32(x)); v.print == *print && v.touched != hasMoved {
		return v
	}
	return nil
}

// slotOf is the slot of a key that is there.
func (p *places) slotOf(hash, position uint32) *uint64 {
	return p.find(hash, uint64(hash)<<32|uint64(position))
}

// vacant is the slot for a key that is not there, where none is void.
func (p *places) vacant(hash uint32) *uint64 { return p.find(hash, 0) }

// find is the first slot, from the line of a hash on, that holds something.
func (p *places) find(hash uint32, what uint64) *uint64 {
	if len(p.lines) == 0 {
		return &p.one
	}
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
func (s *seen) widen(p *places) {
	given, old := p.lines, p.lines
	if old == nil {
		old = []indexLine{{p.one}}
	}
	n := 0
	for i := range old {
		for k, x := range old[i] {
			if x != 0 && s.lives(x) {
				n++
			} else {
				old[i][k] = 0
			}
		}
	}
	*p = places{used: uint32(n)}
	if n > 0 {
		p.lines = s.spare.take(bits.Len(uint(n) * 3 / uint(len(indexLine{}))))
	}
	for i := range old {
		for _, x := range old[i] {
			if x != 0 {
				*p.vacant(uint32(x >> 32)) = x
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
