package fingerprint

import "testing"

// TestReply: who is asked for news takes the same step again. Calls with their results
// are counted whatever was said between.
func TestReply(t *testing.T) {
	result := mustNew(t, "tool-call-result", Options{})
	step := mustNew(t, "stuck-step", Options{})
	const (
		tracked   = `{"arguments":{},"name":"track","result":{"text":"on its way"}}`
		call      = `{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"track","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"on its way"}`
		blocks    = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"track","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"on its way"}]}`
		items     = `{"type":"function_call","call_id":"f","name":"track","arguments":"{}"},{"type":"function_call_output","call_id":"f","output":"on its way"}`
		asks      = `{"role":"user","content":"where is it?"},`
		answer    = `{"role":"assistant","content":"on its way"},`
		asksAgain = `{"role":"user","content":"and now, after 5?"},`
		again     = `{"role":"user","text":"and now, after 5?"}`
	)
	for _, c := range []struct{ name, messages, reply string }{
		{"the first message is no reply", asks + call, ""},
		{"nor is it one step later", asks + call + "," + call, ""},
		{"behind an answer", asks + call + "," + answer + asksAgain + call, again},
		{"one step later", asks + call + "," + answer + asksAgain + call + "," + call, again},
		{"nothing was called before", asks + answer + asksAgain + call, again},
		{"a system message between", asks + answer + `{"role":"system","content":"hurry"},` + asksAgain + call, again},
		{"role behind content", `{"content":"on its way","role":"assistant"},{"content":"and now, after 5?","role":"user"},` + call, again},
		{"what a client adds is none", asks + answer + asksAgain + `{"role":"user","content":"It is 10:00"},` + call, again},
		{"nor behind results", asks + call + `,{"role":"user","content":"It is 10:00"},` + call, ""},
		{"the last reply", answer + `{"role":"user","content":"?"},` + answer + asksAgain + call, again},
		{"Anthropic's results are none", asks + answer + asksAgain + blocks + "," + blocks, again},
		{"nor without a reply", asks + blocks + "," + blocks, ""},
		{"items of Responses", asks + items + `,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"on its way"}]},` + asksAgain + `{"type":"reasoning","id":"rs_1","summary":[]},` + items, again},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := ""
			if c.reply != "" {
				reply = `,["reply",` + c.reply + `]`
			}
			r := request(t, "messages", "["+c.messages+"]", "response", "find {}")
			wantCanonicals(t, result, r, `[["tool_call_result",`+tracked+`]]`)
			wantCanonicals(t, step, r, `[["tool_calls",[{"arguments":{},"name":"find"}]],["last_turn",[`+tracked+`]]`+reply+`]`)
		})
	}
	// Of a reply that the logger left out nobody knows whether it is another.
	r := request(t, "messages", "["+answer+`{"role":"user","content":"[REDACTED]"},`+call+"]", "response", "find {}")
	wantCanonicals(t, step, r, notComputable(RedactedContent))
	wantCanonicals(t, result, r, `[["tool_call_result",`+tracked+`]]`)
}
