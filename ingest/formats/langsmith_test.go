package formats

import "testing"

func TestLangSmith(t *testing.T) {
	run := func(kind, more string) string {
		return `{"id":"i","trace_id":"t","run_type":"` + kind + `","start_time":"1970-01-01T00:00:01"` + more + `}`
	}
	is := func(want, line string) {
		t.Helper()
		isRead(t, "langsmith", line, want)
	}
	f := func(want, more string) {
		t.Helper()
		is("1970-01-01T00:00:01.000000Z id=i"+want, run("llm", more))
	}
	for _, kind := range []string{"chain", "tool", "retriever", "prompt", "parser", "embedding"} {
		is("column 0: no request in it", run(kind, `,"inputs":{"messages":[{"role":"user","content":"hi"}]}`))
	}
	// The run's session is its project.
	f(" caller=p named", `,"session_id":"p"`)
	f(" caller=support named session=s session_id=s thread_id=t conversation_id=c", `,"session_id":"p","session_name":"support","extra":{"metadata":{"session_id":"s","thread_id":"t","conversation_id":"c"}}`)
	f(" session=t conversation_id=c thread_id=t", `,"extra":{"metadata":{"conversation_id":"c","thread_id":"t"}}`)
	f(" session=t", `,"thread_id":"t"`)
	// What is hidden is not known; what failed called nothing.
	f("", `,"inputs":{},"outputs":{}`)
	f("", `,"inputs":{},"outputs":null,"error":null`)
	f(` messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}"`, `,"inputs":{"messages":[{"role":"user","content":"hi"}]},"outputs":{}`)
	f(` messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}" tool_calls=0 status=503 error=InternalServerError`,
		`,"inputs":{"messages":[{"role":"user","content":"hi"}]},"outputs":null,"error":"InternalServerError('Error code: 503 - x')Traceback"`)
	f(` error=ValueError`, `,"error":"ValueError('Error code: none')\n"`)
	f(` status=429 error=RateLimitError`, `,"error":"RateLimitError()"`)
	f(` status=408 error=APITimeoutError`, `,"error":"APITimeoutError('Request timed out.')Traceback"`)
	f(` status=503 error=ServerError`, `,"error":"ServerError('503 UNAVAILABLE. {}')Traceback"`)
	// One call's messages; those of several cannot be told.
	f(` messages=1 last="{\"lc\":1}"`, `,"inputs":{"messages":[[{"lc":1}]]}`)
	f(``, `,"inputs":{"messages":[[{"lc":1}],[{"lc":1}]]}`)
	// Answers: a message, a list of them, items, text.
	for _, answer := range []string{
		`{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}`,
		`{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}]}`,
		`{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}}]}`,
		`{"output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}`,
		`{"content":[{"type":"tool_use","id":"c","name":"f","input":{}}]}`,
		`{"generations":[[{"message":{"kwargs":{"tool_calls":[{"name":"f","args":{},"id":"c"}]}}}]]}`,
		`{"message":{"type":"ai","data":{"tool_calls":[{"name":"f","args":{},"id":"c"}]}}}`,
		`{"message":{"content":[{"type":"tool_use","id":"c","name":"f","input":{}}]}}`,
		`{"output":{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}}`,
		`{"output":{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}}]}}`,
		// Once more in the provider's words, in any order.
		`{"content":[{"type":"tool_use","id":"c","name":"f","input":{}}],"tool_calls":[{"name":"f","args":{},"id":"c"}]}`,
		`{"tool_calls":[{"name":"f","args":{},"id":"c"}],"content":[{"type":"tool_use","id":"c","name":"f","input":{}}]}`,
		`{"message":{"kwargs":{"additional_kwargs":{"function_call":{"name":"f","arguments":"{}"}},"tool_calls":[{"name":"f","args":{},"id":"c"}]}}}`,
		`{"message":{"kwargs":{"tool_calls":[{"name":"f","args":{},"id":"c"}],"additional_kwargs":{"function_call":{"name":"f","arguments":"{}"},"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}}}}`,
	} {
		f(" tool_calls=1 call=c name=f arguments={}", `,"outputs":`+answer)
	}
	f(" tool_calls=0", `,"outputs":{"output":"hi"}`)
}
