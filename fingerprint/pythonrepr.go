package fingerprint

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// appendPythonRepr writes a string as Python's repr does: in single quotes
// unless that saves escapes, with what cannot be printed as \x, \u or \U.
func appendPythonRepr(dst, text []byte) []byte {
	quote := byte('\'')
	if bytes.IndexByte(text, '\'') >= 0 && bytes.IndexByte(text, '"') < 0 {
		quote = '"'
	}
	dst = append(dst, quote)
	for i := 0; i < len(text); {
		r, n := rawjson.DecodeRune(text[i:])
		switch {
		case r == rune(quote) || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case isPythonPrintable(r):
			dst = append(dst, text[i:i+n]...)
		case r <= 0xFF:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case r <= 0xFFFF:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		}
		i += n
	}
	return append(dst, quote)
}

// isPythonPrintable is str.isprintable() of one character: of the white space
// only the blank.
func isPythonPrintable(r rune) bool {
	if r < utf8.RuneSelf {
		return ' ' <= r && r < 0x7F
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) && !isNew(r)
}
