package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads the string that comes next. Without escapes and with clean UTF-8
// it is a part of the line, otherwise it is decoded into s.text. It is never
// nil unless the scanner failed.
func (s *Scanner) str() []byte {
	m, from := &s.marker, s.pos+1
	if k := uint(from - m.at); k < m.marked {
		// Names and ids, hashes not among them, are no longer than this, and plain.
		if q := m.quotes.from(k); q != 0 && m.odd.from(k)&(q-1)&^q == 0 {
			end := from + bits.TrailingZeros64(q)
			s.pos = end + 1
			return s.buf[from:end:end]
		}
	}
	return s.longString()
}

// longString is str for any string.
func (s *Scanner) longString() []byte {
	start := s.pos
	end, plain, ok := s.closing(start + 1)
	if !ok {
		if end = start + 1 + Plain(s.buf[start+1:]); end < len(s.buf) && s.buf[end] == '"' {
			s.pos = end + 1
			return s.buf[start+1 : end : end]
		}
		behind, what := skipString(s.buf, start)
		if what != "" {
			s.fail(behind, what)
			return nil
		}
		end = behind - 1
	}
	s.pos = end + 1
	inner := s.buf[start+1 : end : end]
	if plain || bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	from := len(s.text)
	text, bad := AppendText(s.text, inner)
	if bad >= 0 {
		s.fail(start+1+bad, "bad escape in a string")
		return nil
	}
	s.text = text
	return text[from:len(text):len(text)]
}

// AppendText appends what the inside of a JSON string stands for to dst, as
// the package's rules say. bad is the position of the first bad escape, or -1.
func AppendText(dst, inner []byte) (text []byte, bad int) {
	valid := utf8.Valid(inner)
	for i := 0; i < len(inner); {
		// The stretch up to the next escape is copied whole.
		n := escapeIn(inner[i:])
		if n > 0 && valid {
			dst = append(dst, inner[i:i+n]...)
		} else if n > 0 {
			dst = appendValid(dst, inner[i:i+n])
		}
		if i += n; i == len(inner) {
			break
		}
		if i+1 >= len(inner) {
			return dst, i
		}
		c := inner[i+1]
		if c != 'u' {
			if escapes[c] == 0 {
				return dst, i
			}
			dst = append(dst, escapes[c])
			i += 2
			continue
		}
		r, ok := hex4(inner, i+2)
		if !ok {
			return dst, i
		}
		i += 6
		if utf16.IsSurrogate(r) {
			if low, ok := escapedAt(inner, i); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					dst = utf8.AppendRune(dst, pair)
					i += 6
					continue
				}
			}
			dst = append(dst, byte(0xE0|r>>12), byte(0x80|r>>6&0x3F), byte(0x80|r&0x3F))
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst, -1
}

// escapeIn is where the first backslash in b is, or its length. JSON in a text
// has one every few bytes: those are found without the price of a call.
func escapeIn(b []byte) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	n := 0
	for ; n < 32 && n+8 <= len(b); n += 8 {
		x := binary.LittleEndian.Uint64(b[n:]) ^ ones*'\\'
		if found := (x - ones) &^ x & highs; found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	if k := bytes.IndexByte(b[n:], '\\'); k >= 0 {
		return n + k
	}
	return len(b)
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func appendValid(dst, raw []byte) []byte {
	if utf8.Valid(raw) {
		return append(dst, raw...)
	}
	for len(raw) > 0 {
		r, n := DecodeRune(raw)
		if utf16.IsSurrogate(r) {
			dst = append(dst, raw[:n]...)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		raw = raw[n:]
	}
	return dst
}

func hex4(b []byte, i int) (r rune, ok bool) {
	if i+4 > len(b) {
		return 0, false
	}
	n, ok := hexNumber(b[i : i+4])
	return rune(n), ok
}

// hexNumber reads up to eight digits.
func hexNumber(digits []byte) (n uint32, ok bool) {
	for _, c := range digits {
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | uint32(c-'0')
		case 'a' <= c && c <= 'f':
			n = n<<4 | uint32(c-'a'+10)
		case 'A' <= c && c <= 'F':
			n = n<<4 | uint32(c-'A'+10)
		default:
			return 0, false
		}
	}
	return n, true
}

func escapedAt(b []byte, i int) (rune, bool) {
	if i+6 > len(b) || b[i] != '\\' || b[i+1] != 'u' {
		return 0, false
	}
	return hex4(b, i+2)
}

// DecodeRune reads the first character of decoded text. Unlike
// [utf8.DecodeRune] it knows lone surrogates and returns them as they are;
// any other bad byte gives U+FFFD and width 1.
func DecodeRune(text []byte) (r rune, width int) {
	r, width = utf8.DecodeRune(text)
	if len(text) >= 3 && text[0] == 0xED && text[1]&0xE0 == 0xA0 && text[2]&0xC0 == 0x80 {
		return 0xD000 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F), 3
	}
	return r, width
}

const hexDigits = "0123456789abcdef"

// AppendString appends text as a JSON string in the form of RFC 8785 (that of
// JavaScript's JSON.stringify): only what must be escaped is escaped, lone
// surrogates are \udXXX.
func AppendString(dst, text []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); {
		if n := Plain(text[i:]); n > 0 {
			i += n
			continue
		}
		c := text[i]
		if c >= utf8.RuneSelf {
			r, n := DecodeRune(text[i:])
			if utf16.IsSurrogate(r) {
				dst = append(dst, text[from:i]...)
				dst = AppendEscape(dst, r)
				from = i + n
			}
			i += n
			continue
		}
		dst = append(dst, text[from:i]...)
		dst = AppendEscaped(dst, c)
		i++
		from = i
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"')
}

// Plain is how many bytes at the start of text stand in a JSON string as they
// are, whatever the style: printable ASCII but quotes and backslashes.
func Plain(text []byte) int {
	n := 0
	for ; n+8 <= len(text); n += 8 {
		if k := plainPrefix(binary.LittleEndian.Uint64(text[n:])); k < 8 {
			return n + k
		}
	}
	for n < len(text) && plain[text[n]] {
		n++
	}
	return n
}

// IsPlain reports whether c is plain, in the sense of [Plain].
func IsPlain(c byte) bool { return plain[c] }

// plainPrefix is how many of the eight bytes of x, in little-endian order, are
// plain before the first that is not.
func plainPrefix(x uint64) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	// Each term has a high bit set in a byte that is below a blank, equal to a
	// quote, to a backslash or to DEL, or beyond ASCII. A borrow sets more only
	// above a byte that has it set, so the lowest is right.
	quote, back, del := x^(ones*'"'), x^(ones*'\\'), x^(ones*0x7F)
	return bits.TrailingZeros64(((x-ones*' ')|(quote-ones)|(back-ones)|(del-ones)|x)&highs) / 8
}

var plain = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= ' ' && c < 0x7F && c != '"' && c != '\\'
	}
	return table
}()

// AppendEscape appends \uXXXX for one UTF-16 unit, in lower-case hex.
func AppendEscape(dst []byte, unit rune) []byte {
	return append(dst, '\\', 'u', hexDigits[unit>>12&15], hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15])
}

// AppendEscaped appends one byte of text as it stands inside a JSON string:
// quotes, backslashes and control characters are escaped.
func AppendEscaped(dst []byte, c byte) []byte {
	if c >= ' ' && c != '"' && c != '\\' {
		return append(dst, c)
	}
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return AppendEscape(dst, rune(c))
}
