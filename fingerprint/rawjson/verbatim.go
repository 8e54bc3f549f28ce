package rawjson

import "unicode/utf8"

// Verbatim reports whether inner, the inside of a JSON string, is already what
// [AppendString] writes between the quotes for the text that it stands for, so
// that it can be copied as it is. Most of what gateways log is. False says
// little: \u001f is also in that form, and rare.
func Verbatim(inner []byte) bool {
	check := verbatim
	if hasBlocks && len(inner) >= blockSize {
		check = verbatimBlocks
	}
	ok, ascii := check(inner)
	return ok && (ascii || utf8.Valid(inner))
}

// verbatim reports whether there are no raw control characters and no escapes
// but those that AppendString writes with a letter, and whether all is ASCII.
func verbatim(inner []byte) (ok, ascii bool) {
	ascii = true
	for i := 0; i < len(inner); i++ {
		switch c := inner[i]; {
		case c < ' ':
			return false, false
		case c >= utf8.RuneSelf:
			ascii = false
		case c == '\\':
			if i++; i == len(inner) || inner[i] == '/' || escapes[inner[i]] == 0 {
				return false, false
			}
		}
	}
	return true, ascii
}

// checks is what checkBlocks finds out, and what one block must know of the
// one before.
type checks struct {
	escaped uint64 // 1 if a backslash has escaped the first byte of the next block
	wrong   uint64 // not 0 if something is not verbatim
	high    uint64 // not 0 if there are bytes beyond ASCII
}

// verbatimBlocks is verbatim, 64 bytes at a time.
func verbatimBlocks(inner []byte) (ok, ascii bool) {
	var c checks
	if n := len(inner) / blockSize; n > 0 {
		checkBlocks(&inner[0], n, &c)
	}
	if rest := inner[len(inner)/blockSize*blockSize:]; len(rest) > 0 || c.escaped != 0 {
		var tail [blockSize]byte
		for k := copy(tail[:], rest); k < blockSize; k++ {
			tail[k] = ' ' // no escape, should a backslash be the last byte
		}
		checkBlocks(&tail[0], 1, &c)
	}
	return c.wrong == 0, c.high == 0
}

// Verbatim is the inside of v as it stands in the line, if v is a string and
// that is [Verbatim].
func (v Value) Verbatim() (inner []byte, ok bool) {
	if v.Kind() != String {
		return nil, false
	}
	inner = v[1 : len(v)-1 : len(v)-1]
	return inner, Verbatim(inner)
}
