package formats

import "strings"

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

// appendUnquoted appends a text without the backslashes of Apache and nginx: \" \\ \n and
// \xHH. It may write over text: it is never longer.
func appendUnquoted(out, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			continue
		}
		i++
		if text[i] == 'x' && i+2 < len(text) {
			if c, ok := hexByte(text[i+1], text[i+2]); ok {
				out = append(out, c)
				i += 2
				continue
			}
		}
		out = append(out, escaped(text[i]))
	}
	return out
}

// escaped is what a letter stands for behind a backslash: others for themselves.
func escaped(letter byte) byte {
	if i := strings.IndexByte("nrt", letter); i >= 0 {
		return "\n\r\t"[i]
	}
	return letter
}
