package fingerprint

import "bytes"

// beforeRuler and behindRuler stand at the two rulers with which pytest fills the line
// that says how long it took: they are shorter if it took 10 s than if it took 9.98.
var beforeRuler, behindRuler = []byte("<duration> ="), []byte("= ")

// withoutRuler leaves of both one sign.
func withoutRuler(t spoken) spoken {
	const far = 128 // "10 failed, 2 passed, 1 skipped in "
	at := bytes.Index(t.text, beforeRuler)
	if at < 0 {
		return t
	}
	line := t.text[max(0, at-far):at]
	n := bytes.LastIndex(line, behindRuler)
	if n < 0 {
		return t
	}
	left, rest := t.text[:at-len(line)+n], t.text[at+len(beforeRuler):]
	line = t.text[len(left) : at+len(beforeRuler)]
	t.text = append(append(bytes.TrimRight(left, "="), line...), bytes.TrimLeft(rest, "=")...)
	return t
}
