package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// appendMCPName appends the name that a tool of a server of MCP has for a model.
func appendMCPName(dst, server, name []byte) []byte {
	return append(append(append(append(dst, "mcp__"...), server...), "__"...), name...)
}

// toolTurn fills a request of a tool that was run: with the call, its arguments as JSON,
// or, where what came of it was logged, with the messages of both, as a model is sent
// them next, which it appends to dst.
func toolTurn(dst []byte, r *fingerprint.Request, call fingerprint.ToolCall, arguments, content rawjson.Value, reads fingerprint.Field) []byte {
	if content == nil {
		issued(r, reads, call)
		return dst
	}
	r.Messages.Logged, r.Messages.Tail = true, true
	if reads&fingerprint.ReadsMessages == 0 {
		return dst
	}
	from := len(dst)
	dst = appendCall(append(dst, `{"role":"assistant","tool_calls":[`...), &call)
	dst = fill(dst, `%}}]}`, arguments)
	result := len(dst)
	dst = appendResult(dst, call.ID, content)
	r.Messages.Items = append(r.Messages.Items[:0], dst[from:result:result], dst[result:len(dst):len(dst)])
	return dst
}

// appendCall appends a call in OpenAI's words, up to its arguments: these and "}}" follow.
func appendCall(dst []byte, call *fingerprint.ToolCall) []byte {
	dst = rawjson.AppendString(append(dst, `{"type":"function","id":`...), call.ID)
	dst = rawjson.AppendString(append(dst, `,"function":{"name":`...), call.Name)
	return append(dst, `,"arguments":`...)
}

// appendResult appends the message with what came of a call, in OpenAI's words.
func appendResult(dst, id []byte, content rawjson.Value) []byte {
	dst = rawjson.AppendString(append(dst, `{"role":"tool","tool_call_id":`...), id)
	return fill(dst, `,"content":%}`, content)
}

// issued makes a request of calls of which the log does not say what came.
func issued(r *fingerprint.Request, reads fingerprint.Field, calls ...fingerprint.ToolCall) {
	if r.ToolCallsLogged = true; reads&fingerprint.ReadsResponse != 0 {
		r.ToolCalls = append(r.ToolCalls, calls...)
	}
}

// answered makes a request of calls and their results: what the model is sent next, as
// far as the file of a session has it in one place.
func answered(r *fingerprint.Request, said []rawjson.Value, reads fingerprint.Field) {
	r.Messages.Logged, r.Messages.Tail = true, true
	r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
	if reads&fingerprint.ReadsMessages != 0 {
		r.Messages.Items = append(r.Messages.Items[:0], said...)
	}
}
