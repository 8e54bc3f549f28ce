package volatile

import "bytes"

// beforeRuler and behindRuler stand at the two rulers with which pytest fills the line
// that says how long it took: they are shorter if it took 10 s than if it took 9.98.
var beforeRuler, behindRuler = []byte("<duration> ="), []byte("= ")

// withoutRuler leaves of both one sign.
func withoutRuler(text []byte) []byte {
	const far = 128 // "10 failed, 2 passed, 1 skipped in "
	at := bytes.Index(text, beforeRuler)
	if at < 0 {
		return text
	}
	line := text[max(0, at-far):at]
	n := bytes.LastIndex(line, behindRuler)
	if n < 0 {
		return text
	}
	left, rest := text[:at-len(line)+n], text[at+len(beforeRuler):]
	line = text[len(left) : at+len(beforeRuler)]
	return append(append(bytes.TrimRight(left, "="), line...), bytes.TrimLeft(rest, "=")...)
}
