package volatile

import "bytes"

// Programs that are run in CI colour what they say, and a colour may stand between a
// number and its unit. Coloured or not, the same is said.

// escapes are how an escape sequence begins, as it is and as JSON writes it.
var escapes = [...][]byte{[]byte("\x1b["), []byte(`\u001b[`)}

// spanColour is a sequence that sets a colour, and the like: ESC [ 31 m.
func spanColour(text []byte, at int) (start, end int) {
	at += len("[")
	for _, escape := range escapes {
		if !bytes.HasSuffix(text[:at], escape) {
			continue
		}
		end = len(text) - len(bytes.TrimLeft(text[at:], "0123456789;"))
		if end < len(text) && text[end] == 'm' {
			return at - len(escape), end + 1
		}
	}
	return 0, 0
}
