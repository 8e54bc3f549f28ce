package fingerprint

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// appendReply appends to a part of an identity, as another, what the user replied last
// before the turn that ends items: the first message of the user behind an answer without
// calls. An agent that is asked for news takes the same steps again. What a client puts
// behind results is no reply, nor is the message with which all steps begin.
func (w *Writer) appendReply(dst []byte, items []rawjson.Value) ([]byte, Cause) {
	var reply rawjson.Value // if an answer is what comes before it
	for _, v := range slices.Backward(items) {
		if reply == nil && chars.BeginsWithAny(v, noReplies) {
			continue
		}
		switch it := w.readItem(v); {
		case it.class == isSystem, it.class == isAside:
		case it.class == isUser && !w.answers(it):
			reply = v
		case it.class == isAssistant && reply != nil && !w.callsTools(it):
			return w.appendMessage(append(dst, `],["reply",`...), reply)
		default:
			reply = nil
		}
	}
	return dst, Computable
}

// noReplies are what messages of the model and of tools begin with, as most clients
// write them: a history of thousands is not read again.
var noReplies = [][]byte{
	[]byte(`{"role":"assistant"`), []byte(`{"role": "assistant"`),
	[]byte(`{"role":"tool"`), []byte(`{"role": "tool"`),
	[]byte(`{"role":"user","content":[{"type":"tool_result"`), []byte(`{"role": "user", "content": [{"type": "tool_result"`),
	[]byte(`{"role":"user","content":[{"tool_use_id"`), []byte(`{"role": "user", "content": [{"tool_use_id"`), // of Claude Code
	[]byte(`{"type":"function_call`), []byte(`{"type": "function_call`),
}
