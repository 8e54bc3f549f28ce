package fingerprint

import "bytes"

// Programs that are run in CI colour what they say, and a colour may stand between a
// number and its unit. Coloured or not, the same is said.

// escapes are how an escape sequence begins, as it is and as JSON writes it.
var escapes = [...][]byte{[]byte("\x1b["), []byte(`\u001b[`)}

// nextColour finds a sequence that sets a colour, and the like: ESC [ 31 m.
func nextColour(text []byte, from int) (start, end int) {
	for at := from; ; {
		n := bytes.IndexByte(text[at:], '[')
		if n < 0 {
			return -1, -1
		}
		at += n + 1
		for _, escape := range escapes {
			if start = at - len(escape); start < from || !bytes.HasPrefix(text[start:], escape) {
				continue
			}
			end = len(text) - len(bytes.TrimLeft(text[at:], "0123456789;"))
			if end < len(text) && text[end] == 'm' {
				return start, end + 1
			}
		}
	}
}
