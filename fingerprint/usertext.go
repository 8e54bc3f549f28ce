package fingerprint

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// AppendUserText appends the text of the latest message that a user wrote, its
// parts on lines of their own; nothing if the request has none, or its messages
// cannot be read. A user message that carries results of tools, as Anthropic's
// do, is the client's own and passed over.
func (w *Writer) AppendUserText(dst []byte, r *Request) []byte {
	if r.needMessages() != Computable {
		return dst
	}
	for _, v := range slices.Backward(r.Messages.Items) {
		it := w.readItem(v)
		if it.class != isUser {
			continue
		}
		s := &w.inner
		s.Reset(it.content)
		switch it.content.Kind() {
		case rawjson.String:
			return append(dst, s.Text(nil)...)
		case rawjson.Array:
		default:
			continue
		}
		n, carrier := len(dst), false
		for s.Array(); s.NextElement(); {
			b := readBlock(s)
			carrier = carrier || b.isToolResult()
			if b.isText() {
				dst = append(append(dst, b.text...), '\n')
			}
		}
		if !carrier {
			return dst
		}
		dst = dst[:n]
	}
	return dst
}
