package formats

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// isWord tells what \w is of a pattern.
func isWord(c byte) bool { return c == '_' || isDigit(c) || isLower(c) || 'A' <= c && c <= 'Z' }

func digitsOnly(text []byte) bool {
	_, ok := number(text)
	return ok
}

func number(text []byte) (n int64, ok bool) {
	for _, c := range text {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(text) > 0
}

// digits reads the numbers that stand at places of a text, and notes if some is none.
type digits struct {
	text []byte
	bad  bool
}

func (d *digits) at(from, to int) int64 {
	n, ok := number(d.text[from:to])
	d.bad = d.bad || !ok
	return n
}
