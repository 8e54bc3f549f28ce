package fingerprint

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// spoken is text of a message: decoded or, where the line has it in the form
// in which it will be written, as it stands there. Long texts are mostly the
// latter, and are then neither decoded nor escaped again.
type spoken struct {
	text     []byte
	verbatim bool // text is the inside of a JSON string: see rawjson.Verbatim
}

// readSpoken reads the string that comes next. It is valid until the scanner's
// next Reset.
func readSpoken(s *rawjson.Scanner) spoken {
	if inner, ok := s.Verbatim(); ok {
		return spoken{inner, true}
	}
	return spoken{text: s.Text(nil)}
}

// trim is t without white space at its ends.
func (t spoken) trim() spoken {
	if t.verbatim {
		return spoken{trimVerbatim(t.text), true}
	}
	return spoken{text: bytes.TrimSpace(t.text)}
}

// appendSpoken appends t as a JSON string, by the identity's rules for text.
func (w *Writer) appendSpoken(dst []byte, t spoken) []byte {
	switch {
	case !t.verbatim:
		return w.appendText(dst, t.text)
	case !w.rules.plain():
		w.text, _ = rawjson.AppendText(w.text[:0], t.text)
		return w.appendText(dst, w.text)
	}
	dst = append(append(dst, '"'), t.text...)
	return append(dst, '"')
}

// trimVerbatim is bytes.TrimSpace, and Python's str.strip, of the text that
// stands in inner as JSON. The white space in which those two differ is never
// verbatim.
func trimVerbatim(inner []byte) []byte {
	for len(inner) > 0 {
		n := 1
		switch c := inner[0]; {
		case c == ' ':
		case c == '\\' && isSpaceEscape(inner[1]):
			n = 2
		default:
			var r rune
			if r, n = utf8.DecodeRune(inner); c < utf8.RuneSelf || !unicode.IsSpace(r) {
				n = 0
			}
		}
		if n == 0 {
			break
		}
		inner = inner[n:]
	}
	for len(inner) > 0 {
		n := 1
		switch c := inner[len(inner)-1]; {
		case c == ' ':
		case isSpaceEscape(c) && endsInEscape(inner):
			n = 2
		default:
			var r rune
			if r, n = utf8.DecodeLastRune(inner); c < utf8.RuneSelf || !unicode.IsSpace(r) {
				n = 0
			}
		}
		if n == 0 {
			break
		}
		inner = inner[:len(inner)-n]
	}
	return inner
}

// isSpaceEscape tells the letters that make white space behind a backslash.
func isSpaceEscape(c byte) bool { return c == 'n' || c == 'r' || c == 't' || c == 'f' }

// endsInEscape tells whether the last byte of inner is escaped.
func endsInEscape(inner []byte) bool {
	before := inner[:len(inner)-1]
	return (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1
}
