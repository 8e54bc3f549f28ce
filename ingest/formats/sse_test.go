package formats

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestResponseText: a response that a log holds as text, whole or streamed,
// gives the same calls.
func TestResponseText(t *testing.T) {
	var p responseText
	f := func(text, want string) {
		t.Helper()
		var r fingerprint.Request
		r.Reset()
		r.Time = 1_000_000
		p.read([]byte(text), &r, fingerprint.AllFields)
		if got := strings.TrimPrefix(render(&r, 0, ""), nativeAt); strings.TrimSpace(got) != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, strings.TrimSpace(got), want)
		}
	}
	stream := func(events ...string) string {
		return "event: x\ndata: " + strings.Join(events, "\r\n\r\ndata: ") + "\n\n"
	}
	f(``, ``)
	f(`<html>`, ``)
	f(`{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\"a\":1}"}}]}}]}`, `tool_calls=1 call=1 name=f arguments="{\"a\":1}"`)
	f(`{"choices":[{"message":{"tool_calls":[{"id":"1"`, ``) // cut: nobody knows
	// Chat Completions: two calls at once, in pieces, the index first or last.
	chunk := func(delta string) string { return `{"choices":[{"index":0,"delta":{` + delta + `}}]}` }
	f(stream(
		chunk(`"role":"assistant","content":null`),
		chunk(`"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"f","arguments":""}}]`),
		chunk(`"tool_calls":[{"index":1,"id":"2","function":{"name":"g","arguments":"{}"}}]`),
		chunk(`"tool_calls":[{"function":{"arguments":"{\"a\""},"index":0}]`),
		chunk(`"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]`),
		`{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}`,
		"[DONE]",
	), `tool_calls=2 call=1 name=f arguments="{\"a\":1}" call=2 name=g arguments={} tokens_in=7 tokens_out=3`)
	f(stream(chunk(`"content":"hello"`), "[DONE]"), `tool_calls=0`)
	f(stream(chunk(`"function_call":{"name":"f","arguments":"{"}`), chunk(`"function_call":{"arguments":"}"}`)), `tool_calls=1 call="" name=f arguments={}`)
	// A stream that the client left: the call was never whole.
	f(stream(chunk(`"tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":"{\"a\""}}]`)), `tool_calls=0`)
	// Anthropic: text, a call with arguments, one without.
	f(stream(
		`{"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hm"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"u","name":"g","input":{}}}`,
		`{"type":"content_block_stop","index":2}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}`,
	), `tool_calls=2 call=t name=f arguments="{\"a\":1}" call=u name=g arguments={} tokens_in=9 tokens_out=5`)
	// Responses: the item is complete when it is done.
	f(stream(
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"a\""}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{\"a\":1}"}}`,
		`{"type":"response.completed","response":{"id":"r","usage":{"input_tokens":2,"output_tokens":1}}}`,
	), `tool_calls=1 call=c name=f arguments="{\"a\":1}" tokens_in=2 tokens_out=1`)
}
