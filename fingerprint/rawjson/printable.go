package rawjson

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable rewrites JSON text so that it can be shown in a terminal: what does
// not print, moves the cursor or turns the writing direction is written as an
// escape. The text means the same as before. json is returned as it is if
// there is nothing to rewrite.
func Printable(json []byte) []byte {
	i := 0
	for i < len(json) && json[i] < 0x7F {
		i++
	}
	if i == len(json) {
		return json
	}
	out := append(make([]byte, 0, len(json)+16), json[:i]...)
	for i < len(json) {
		r, n := utf8.DecodeRune(json[i:])
		switch {
		case r < 0x7F || unicode.IsPrint(r): // U+FFFD prints
			out = append(out, json[i:i+n]...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = AppendEscape(AppendEscape(out, high), low)
		default:
			out = AppendEscape(out, r)
		}
		i += n
	}
	return out
}
