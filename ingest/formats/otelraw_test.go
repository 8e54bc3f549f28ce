package formats

import "testing"

// TestOtelRaw: what LiteLLM keeps of both bodies, in a span inside that of the
// call, or inside the server's, which had ended when LiteLLM knew of the call.
func TestOtelRaw(t *testing.T) {
	f := func(want string, spans ...string) {
		t.Helper()
		areRequests(t, "otel", otelSpans(spans...), want)
	}
	span := func(name, id, parent string, attributes ...string) string {
		return `{"traceId":"t","name":"` + name + `","spanId":"` + id + `","parentSpanId":"` + parent + `","startTimeUnixNano":"1000000000",` + otelAttributes(attributes...) + `}`
	}
	raw := func(attributes ...string) string { return span("raw_gen_ai_request", "r", "e", attributes...) }
	body := []string{
		"llm.openai.model", "m-1", "llm.openai.user", "ann", "llm.openai.messages", `[{'role': 'user', 'content': "it's"}]`, "llm.openai.stream", `{"boolValue":true}`,
		"llm.openai.tools", "[{'type': 'function'}]", "llm.openai.usage", "{'prompt_tokens': 5, 'completion_tokens': 2}",
		"llm.openai.choices", `[{'message': {'tool_calls': [{'id': '1', 'function': {'name': 'f', 'arguments': '{"x":1}'}}]}}]`, "metadata.user_api_key_team_id", "team",
	}
	const answered = ` tool_calls=1 call=1 name=f arguments="{\"x\":1}"`
	server := span("POST /v1/chat/completions", "s", "", "http.request.method", "POST", "url.path", "/v1/chat/completions", "http.response.status_code", `{"intValue":"200"}`)
	f(`id=r method=POST path=/v1/chat/completions named user=ann model=m-1 backend=openai messages=1 last="{\"role\":\"user\",\"content\":\"it's\"}" has_tools=true`+answered+` status=200 tokens_in=5 tokens_out=2 stream=true`,
		raw(body...), span("fastapi.endpoint", "e", "s"), server)
	// Calls of the past are not the answer's.
	f(`id=r method=POST path=/v1/chat/completions named model=m-1 backend=openai messages=1 last="{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"0\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]}" has_tools=false`+answered+` status=200 stream=false`,
		raw("llm.openai.model", "m-1", "llm.openai.messages", `[{'role': 'assistant', 'tool_calls': [{'id': '0', 'function': {'name': 'g', 'arguments': '{}'}}]}]`,
			"llm.openai.choices", `[{'message': {'tool_calls': [{'id': '1', 'function': {'name': 'f', 'arguments': '{"x":1}'}}]}}]`), span("fastapi.endpoint", "e", "s"), server)
	// Beside a call it stands for the messages that were lost there, and for those alone.
	call := func(attributes ...string) string {
		return span("litellm_request", "e", "", append([]string{"llm.request.type", "acompletion", "gen_ai.request.model", "m"}, attributes...)...)
	}
	f(`id=e named user=ann model=m backend=openai messages=1 last="{\"role\":\"user\",\"content\":\"it's\"}" has_tools=true`+answered+` tokens_in=5 tokens_out=2 stream=true`,
		raw(body...), call("gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", "it's", "gen_ai.prompt.1.role", "assistant", "gen_ai.prompt.2.role", "tool", "gen_ai.prompt.2.content", "ok"))
	f(`id=e named model=m backend=openai messages=1 last="{\"role\":\"user\",\"content\":\"so\"}"`+answered+` tokens_in=5 tokens_out=2`,
		raw(body...), call("gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", "so"))
	f("column 0: no request in it", raw(body...)) // the call may be in another record
}

// TestOtelCopies: one call that was exported twice, each time in a trace of its own.
func TestOtelCopies(t *testing.T) {
	span := func(trace, start, model string) string {
		return `{"traceId":"` + trace + `","spanId":"` + trace + `","startTimeUnixNano":"` + start + `",` + otelAttributes("llm.request.type", "aresponses", "gen_ai.request.model", model) + `}`
	}
	got := requests(t, "otel", otelSpans(span("a", "1000000000", "m"), span("b", "1000000000", "m"), span("c", "1000001000", "m"), span("d", "1000000000", "n")))
	if want := "id=a named model=m\n1970-01-01T00:00:01.000001Z id=c named model=m\nid=d named model=n"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
