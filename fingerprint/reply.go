package fingerprint

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// appendReply appends what the user replied last before the turn that ends items: the
// first message of the user behind an answer without calls. An agent that is asked for
// news takes the same steps again. What a client puts behind results is no reply, nor is
// the message with which all steps begin.
func (w *Writer) appendReply(dst []byte, items []rawjson.Value) ([]byte, Cause) {
	var reply rawjson.Value // if an answer is what comes before it
	for _, v := range slices.Backward(items) {
		if reply == nil && surelyNoUser(v) {
			continue
		}
		switch it := w.readItem(v); {
		case it.class == isSystem, it.class == isAside:
		case it.class == isUser && !w.answers(it):
			reply = v
		case it.class == isAssistant && reply != nil && !w.callsTools(it):
			dst, cause := w.appendMessage(append(dst, `,["reply",`...), reply)
			return append(dst, ']'), cause
		default:
			reply = nil
		}
	}
	return dst, Computable
}

// surelyNoUser tells at a glance of a message, as most clients write it, that it is
// the model's or a tool's: a history of hundreds is not read again.
func surelyNoUser(v rawjson.Value) bool {
	role, found := bytes.CutPrefix(v, []byte(`{"role":`))
	role = bytes.TrimPrefix(role, []byte(" "))
	return found && (bytes.HasPrefix(role, []byte(`"assistant"`)) || bytes.HasPrefix(role, []byte(`"tool"`)))
}
