package formats

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// isWord tells what \w is of a pattern.
func isWord(c byte) bool { return c == '_' || isDigit(c) || isLower(c) || 'A' <= c && c <= 'Z' }

func digitsOnly(text []byte) bool {
	_, ok := number(text, 0, len(text))
	return ok
}

func number(t []byte, from, to int) (n int64, ok bool) {
	for _, c := range t[from:to] {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, to > from
}

func hexDigit(c byte) (n byte, ok bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func hexByte(high, low byte) (c byte, ok bool) {
	h, ok1 := hexDigit(high)
	l, ok2 := hexDigit(low)
	return h<<4 | l, ok1 && ok2
}

// appendUnescaped appends a text in which bytes stand as two digits behind a mark, %22
// in a URL. What is none stays. It may write over text: it is never longer.
func appendUnescaped(dst, text []byte, mark byte) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == mark && i+2 < len(text) {
			if escaped, ok := hexByte(text[i+1], text[i+2]); ok {
				c = escaped
				i += 2
			}
		}
		dst = append(dst, c)
	}
	return dst
}
