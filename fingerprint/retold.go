package fingerprint

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// longestBegin is how much of a text says how it begins: more than what is written
// above the first words of a person.
const longestBegin = 64

// Retold is how the longest message of the user begins, as far as is looked at, and
// the size of all of them, where the messages end with one and have nothing that the
// model said. Frameworks that write what was said and done so far into one message
// are known by it: it grows from request to request, also where a word to the model
// stands behind it now and then, as browser-use's nudges do. Nil where it is not so,
// or the text is short. It is valid until the next request.
func (w *Writer) Retold(r *Request) (begin []byte, size int) {
	items := r.Messages.Items
	if r.needMessages() != Computable || r.Messages.Digest != nil || r.Messages.Tail || !w.onlyAsked(items) {
		return nil, 0
	}
	last, longest := false, 0
	for _, v := range items {
		it := w.readItem(v)
		if last = it.class == isUser; !last {
			continue
		}
		var text []byte
		if it.content.Kind() == rawjson.String {
			text = it.content[1:] // as JSON it grows just so
		} else {
			text = w.firstText(it.content).text
		}
		size += len(text)
		if len(text) > max(longest, longestBegin-1) {
			longest = len(text)
			w.made = append(w.made, text[:longestBegin]...)
			begin = w.made[len(w.made)-longestBegin:]
		}
	}
	if !last || begin == nil || &w.unrolled(r)[0] != &items[0] {
		return nil, 0
	}
	return begin, size
}
