package rawjson

import (
	"bytes"
	"math/bits"
	"unsafe"
)

// A text is looked at 64 bytes at a time, once: vector instructions mark where
// its quotes and brackets are, ahead of the scanner, which then jumps from one
// to the next. The idea is that of simdjson (Langdale and Lemire, Parsing
// Gigabytes of JSON per Second). Whatever it cannot vouch for, it leaves to the
// loops in scanner.go and text.go, which define what is right and name what is
// wrong; so the words of an error do not depend on the machine.

const (
	blockSize = 64
	batch     = 16 // blocks marked at once: their marks stay in the nearest cache
)

// bitmap has a bit for each byte of a batch, the first lowest, and a word behind
// the last.
type bitmap [batch + 1]uint64

// from is the bits from k on, which is of the batch: 57 of them at least, and
// zero behind them. Machines that mark are little-endian.
func (b *bitmap) from(k uint) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(b), k/8)) >> (k % 8)
}

// marks say of a batch where quotes stand that open or close a string,
// brackets outside of strings, and what keeps a string from being read as it
// stands: backslashes, and bytes beyond ASCII. The word behind the last block
// has no quotes.
type marks struct{ quotes, odd, brackets bitmap }

// carry is what one block must know of the one before.
type carry struct {
	escaped  uint64 // 1 if a backslash has escaped the first byte
	inString uint64 // all ones inside a string
	stray    uint64 // not 0 if a backslash stood outside of strings
}

// marker is how far a Scanner's text is marked.
type marker struct {
	carry
	marks
	at     int  // of the batch in the text
	marked uint // bytes of it
	tail   [blockSize]byte
}

func (m *marker) reset() { m.at, m.marked, m.carry = 0, 0, carry{} }

// reach marks the text as far as the byte at i, which the value that comes
// next has, or would have if the text did not end before. ok is false if it
// does, or cannot be marked. The marks go on at from: at i or, where i is far
// inside a string, at the quote that closes it.
func (s *Scanner) reach(i int) (from int, ok bool) {
	m := &s.marker
	if i < m.at { // it was looked ahead
		m.reset()
		m.at = s.pos
	}
	for i >= m.end() {
		if !m.advance(s.buf) {
			return i, false
		}
	}
	return max(i, m.at), true
}

// jump marks the text from i on, where no string is open.
func (m *marker) jump(i int) {
	if i >= m.end() {
		m.reset()
		m.at = i
	}
}

// advance marks the next batch.
func (m *marker) advance(text []byte) bool {
	at := m.end()
	if !hasBlocks || at >= len(text) || m.stray != 0 {
		return false
	}
	if m.inString != 0 && m.escaped == 0 {
		if at = pass(text, at); at == len(text) {
			return false
		}
	}
	m.at = at
	text = text[at:min(len(text), at+batch*blockSize)]
	n := len(text) / blockSize
	if n > 0 {
		markBlocks(&text[0], n, &m.marks, 0, &m.carry)
	}
	if rest := text[n*blockSize:]; len(rest) > 0 {
		m.tail = blanks
		copy(m.tail[:], rest)
		markBlocks(&m.tail[0], 1, &m.marks, n, &m.carry)
	}
	if m.marked = uint(len(text)); m.stray != 0 {
		m.marked = 0
	}
	return m.stray == 0
}

// pass is where to go on in a long string of which text[at:] is the rest: at the
// quote that closes it, or where the quotes in it are many.
func pass(text []byte, at int) int {
	const few = 4 * blockSize // bytes without a quote that are passed over quicker than they are marked
	for {
		n := bytes.IndexByte(text[at:], '"')
		if n < 0 {
			return len(text)
		}
		k := n
		for k > 0 && text[at+k-1] == '\\' {
			k--
		}
		switch {
		case (n-k)%2 == 0:
			return at + n
		case n < few:
			return at
		}
		at += n + 1
	}
}

var blanks = func() (b [blockSize]byte) {
	for i := range b {
		b[i] = ' '
	}
	return b
}()

// words are the numbers of the words of a batch from the byte at i on, which is
// marked, and what to take away of the first.
func (m *marker) words(i int) (first, behind uint, before uint64) {
	k := uint(i - m.at)
	return k / blockSize, (m.marked + blockSize - 1) / blockSize, 1<<(k%blockSize) - 1
}

// end is where the text goes on that is not marked.
func (m *marker) end() int { return m.at + int(m.marked) }

// near is the quotes from the byte at i on, at its bit 0, as far as they are in
// one word and marked.
func (m *marker) near(i int) (quotes uint64) {
	if k := uint(i - m.at); k < m.marked {
		quotes = m.quotes.from(k)
	}
	return quotes
}

// closing is where the quote stands that closes the string whose inside begins
// at i, and whether the inside is known to be what it stands for.
func (s *Scanner) closing(i int) (end int, plain, ok bool) {
	m := &s.marker
	plain = true
	for {
		at, ok := s.reach(i)
		if !ok {
			return 0, false, false
		}
		plain = plain && at == i
		w, behind, before := m.words(at)
		for ; w < behind; w++ {
			quotes, o := m.quotes[w]&^before, m.odd[w]&^before
			if quotes != 0 {
				return m.at + int(w*blockSize) + bits.TrailingZeros64(quotes), plain && o&(quotes-1)&^quotes == 0, true
			}
			plain = plain && o == 0
			before = 0
		}
		i = m.end()
	}
}

// mostOpen is how many brackets may be open at once: what nests deeper is left to
// the loop.
const mostOpen = 64

// container passes over the object or array that opens at i, if nothing is
// wrong with it. Of an array whose elements are wanted it appends them to list,
// if all are objects or arrays. With ok false, list is as it was.
func (s *Scanner) container(i int, wanted bool, list []Value) (_ []Value, end int, ok bool) {
	m, b, had, from := &s.marker, s.buf, len(list), i
	limit := min(mostOpen, MaxDepth-s.depth)
	open, braces := 0, uint64(0) // the brackets that are open, and which of them are braces, the innermost lowest
	last := i + 1                // behind the element before, or the opening bracket
	start := 0                   // of the element
	element := -1                // how many are open where elements are noted
	var kept *array              // where the elements are noted too; nil if they are not
	if wanted {
		element = 1
		var known int
		if limit == mostOpen {
			list, known, kept = s.earlier.begins(b[i:], list)
		}
		if known > 0 {
			i += known
			open, last = 1, i
			m.jump(i)
		}
	}
	for {
		if i, ok = s.reach(i); !ok {
			return list[:had], 0, false
		}
		w, behind, before := m.words(i)
		for ; w < behind; w++ {
			set := m.brackets[w] &^ before
			before = 0
			for block := m.at + int(w*blockSize); set != 0; set &= set - 1 {
				j := block + bits.TrailingZeros64(set)
				c := b[j]
				brace := uint64(c >> 5 & 1) // { and } have this bit, [ and ] have not
				if c&2 != 0 {               // { and [ have this one
					if open == element {
						if !isGap(b[last:j], len(list) > had) {
							return list[:had], 0, false
						}
						start = j
					}
					if open >= limit {
						return list[:had], 0, false
					}
					open++
					braces = braces<<1 | brace
					continue
				}
				if braces&1 != brace {
					return list[:had], 0, false
				}
				open--
				braces >>= 1
				if open == element {
					last = j + 1
					list = append(list, Value(b[start:last:last]))
					if kept != nil {
						kept.add(b[from:], start-from, last-from)
					}
				}
				if open == 0 {
					if wanted && !isGap(b[last:j], false) {
						return list[:had], 0, false
					}
					return list, j + 1, true
				}
			}
		}
		i = m.end()
	}
}

// isGap reports whether text is white space, with one comma or none in it.
func isGap(text []byte, comma bool) bool {
	for _, c := range text {
		switch c {
		case ' ', '\t', '\n', '\r':
		case ',':
			if !comma {
				return false
			}
			comma = false
		default:
			return false
		}
	}
	return !comma
}
