package fingerprint

import "bytes"

// smolagents writes calls as Python does below what the model said of them, or below
// its code: "Calling tools:" and in the next line a list of objects, each with an id
// that is new at each step.

var (
	callingTools = []byte("Calling tools:")
	callIDName   = []byte("{'id': '")
	behindCallID = []byte("', 'type': 'function', 'function': {'name': '")
)

// calling is what a trimmed answer with such calls does, nil if it has none, or more
// than one list of them.
func (w *Writer) calling(t spoken) []byte {
	if !bytes.HasSuffix(t.text, []byte("}]")) || bytes.Count(t.text, callingTools) != 1 {
		return nil
	}
	from := bytes.Index(t.text, callingTools)
	if !t.beginsLine(from) || !bytes.HasPrefix(t.trimLeft(t.text[from+len(callingTools):]), append([]byte("["), callIDName...)) {
		return nil
	}
	t.text = t.text[from:]
	return w.replaced(w.decoded(t), func(text []byte, from int) (start, end int, placeholder string) {
		for start = from; ; start++ {
			n := bytes.Index(text[start:], callIDName)
			if n < 0 {
				return -1, -1, ""
			}
			start += n + len(callIDName)
			if n = bytes.IndexByte(text[start:], '\''); n >= 0 && bytes.HasPrefix(text[start+n:], behindCallID) {
				return start, start + n, callID
			}
		}
	}).text
}
