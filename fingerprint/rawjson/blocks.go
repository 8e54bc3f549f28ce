package rawjson

import "math/bits"

// Long values are passed over 64 bytes at a time: vector instructions mark
// where quotes and brackets are, and only those are looked at. The idea is
// that of simdjson (Langdale and Lemire, Parsing Gigabytes of JSON per
// Second). Whatever it cannot vouch for, it leaves to the loops in scanner.go,
// which define what is right and name what is wrong; so the words of an error
// do not depend on the machine.

const (
	blockSize = 64
	batch     = 32 // blocks marked at once: little is marked in vain behind the end

	vectorSize = 32
)

// marks are where, in a block, quotes stand that open or close a string, and
// brackets outside of strings; bit 0 is the first byte.
type marks struct{ quotes, brackets uint64 }

// carry is what one block must know of the one before.
type carry struct {
	escaped  uint64 //nolint:unused // 1 if a backslash has escaped the first byte; markBlocks uses it
	inString uint64 // all ones inside a string
	stray    uint64 // not 0 if a backslash stood outside of strings
}

// marker walks over a text in blocks. It is part of a Scanner, so that its
// memory need not be cleared for every value.
type marker struct {
	carry
	text  []byte
	pos   int // of the next block
	size  int // of the next batch
	marks [batch]marks
	tail  [blockSize]byte
}

func (m *marker) start(text []byte, pos int, c carry) {
	m.text, m.pos, m.size, m.carry = text, pos, 1, c
}

// next marks the blocks that follow, more each time, and says how many and
// where they start. A block that the text does not fill is filled with blanks.
func (m *marker) next() (at, n int) {
	at = m.pos
	n = min(m.size, (len(m.text)-at)/blockSize)
	m.size = min(2*m.size, batch)
	if n > 0 {
		markBlocks(&m.text[at], n, &m.marks, &m.carry)
	} else if at < len(m.text) {
		k := copy(m.tail[:], m.text[at:])
		for ; k < blockSize; k++ {
			m.tail[k] = ' '
		}
		n = 1
		markBlocks(&m.tail[0], n, &m.marks, &m.carry)
	}
	m.pos += n * blockSize
	return at, n
}

// nest is which brackets are open.
type nest struct {
	open    int
	objects [MaxDepth / 64]uint64 // by depth, whether it is a brace
}

func (n *nest) push(c byte) {
	word, bit := n.open/64, uint64(1)<<(n.open%64)
	n.objects[word] &^= bit
	if c == '{' {
		n.objects[word] |= bit
	}
	n.open++
}

// pop reports whether c closes the bracket that was opened last.
func (n *nest) pop(c byte) bool {
	n.open--
	return (n.objects[n.open/64]>>(n.open%64)&1 == 1) == (c == '}')
}

// skipContainer passes over the object or array that opens at b[i], if
// nothing is wrong with it.
func (m *marker) skipContainer(b []byte, i, depth int) (end int, ok bool) {
	var nest nest
	m.start(b, i, carry{})
	for {
		at, n := m.next()
		if n == 0 || m.stray != 0 {
			return 0, false
		}
		for k := range m.marks[:n] {
			for set := m.marks[k].brackets; set != 0; set &= set - 1 {
				j := at + k*blockSize + bits.TrailingZeros64(set)
				switch c := b[j]; c {
				case '{', '[':
					if depth+nest.open >= MaxDepth {
						return 0, false
					}
					nest.push(c)
				default:
					if !nest.pop(c) {
						return 0, false
					}
					if nest.open == 0 {
						return j + 1, true
					}
				}
			}
		}
	}
}

// splitArray passes over the array that opens at b[i] like skipContainer, and
// appends its elements to list if all are objects or arrays. With ok false,
// list is as it was.
func (m *marker) splitArray(b []byte, i, depth int, list []Value) (_ []Value, end int, ok bool) {
	var nest nest
	had := len(list)
	last := i + 1 // behind the element before, or the opening bracket
	start := 0    // of the element
	m.start(b, i, carry{})
	for {
		at, n := m.next()
		if n == 0 || m.stray != 0 {
			return list[:had], 0, false
		}
		for k := range m.marks[:n] {
			for set := m.marks[k].brackets; set != 0; set &= set - 1 {
				j := at + k*blockSize + bits.TrailingZeros64(set)
				switch c := b[j]; c {
				case '{', '[':
					if nest.open == 1 {
						if !isGap(b[last:j], len(list) > had) {
							return list[:had], 0, false
						}
						start = j
					}
					if depth+nest.open >= MaxDepth {
						return list[:had], 0, false
					}
					nest.push(c)
				default:
					if !nest.pop(c) {
						return list[:had], 0, false
					}
					switch nest.open {
					case 1:
						last = j + 1
						list = append(list, Value(b[start:last:last]))
					case 0:
						if !isGap(b[last:j], false) {
							return list[:had], 0, false
						}
						return list, j + 1, true
					}
				}
			}
		}
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

// skipString finds the end of a string from i, inside it.
func (m *marker) skipString(b []byte, i int) (end int, ok bool) {
	m.start(b, i, carry{inString: ^uint64(0)})
	for {
		at, n := m.next()
		if n == 0 {
			return 0, false
		}
		for k := range m.marks[:n] {
			if q := m.marks[k].quotes; q != 0 {
				return at + k*blockSize + bits.TrailingZeros64(q) + 1, true
			}
		}
	}
}
