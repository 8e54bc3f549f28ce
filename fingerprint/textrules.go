package fingerprint

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// textRules are what a rule asks to be done with text before hashing.
type textRules struct {
	mask  mask
	lower bool
}

// plain says that nothing is asked: so is most of what identities share.
func (r *textRules) plain() bool { return r.mask == nil && !r.lower }

// appendText appends text as a JSON string, by the identity's rules for text.
func (w *Writer) appendText(dst, text []byte) []byte {
	if w.rules.lower {
		w.lowered = appendPythonLower(w.lowered[:0], text)
		text = w.lowered
	}
	return w.appendMasked(dst, text)
}

// appendMasked is appendText for what is no text of a person: its case counts.
func (w *Writer) appendMasked(dst, text []byte) []byte {
	if w.rules.mask != nil {
		w.masked = w.rules.mask.append(w.masked[:0], text)
		text = w.masked
	}
	return rawjson.AppendString(dst, text)
}
