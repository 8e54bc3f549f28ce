package formats

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// otelSpans is a line of OTLP with the given spans.
func otelSpans(spans ...string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"x"},"spans":[` + strings.Join(spans, ",") + `]}]}]}`
}

// otelAttributes are attributes of texts, or of AnyValues where a value begins
// with a brace.
func otelAttributes(pairs ...string) string {
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		value := pairs[i+1]
		if !strings.Contains(value[:min(len(value), 16)], `Value"`) {
			value = `{"stringValue":"` + strings.ReplaceAll(strings.ReplaceAll(value, `\`, `\\`), `"`, `\"`) + `"}`
		}
		all = append(all, `{"key":"`+pairs[i]+`","value":`+value+`}`)
	}
	return `"attributes":[` + strings.Join(all, ",") + `]`
}

// TestTempo: a trace from Tempo's API.
func TestTempo(t *testing.T) {
	trace := `{"batches":[{"resource":{` + otelAttributes("service.name", "agent") + `},"scopeSpans":[{"scope":{},"spans":[` +
		`{"traceId":"4fe8dceA0GiF6Ei4SNVFEQ==","spanId":"uxY+jR1MMs8=","name":"run","kind":"SPAN_KIND_INTERNAL","startTimeUnixNano":"1000000000","endTimeUnixNano":"1000000000",` + otelAttributes("session.id", "s") + `},` +
		`{"traceId":"4fe8dceA0GiF6Ei4SNVFEQ==","spanId":"BKB3zIDpCnU=","parentSpanId":"uxY+jR1MMs8=","name":"chat m","kind":"SPAN_KIND_CLIENT","startTimeUnixNano":"1000000000","endTimeUnixNano":"1000000000",` +
		otelAttributes("gen_ai.operation.name", "chat", "gen_ai.request.model", "m") + `,"status":{"code":"STATUS_CODE_ERROR","message":"no"}}]}]}]}`
	if detect := ByName("otel").Detect; !detect(NewLine([]byte(trace))) || detect(NewLine([]byte(`{"batches":[{"messages":[]}]}`))) {
		t.Error("it is not told")
	}
	areRequests(t, "otel", trace, "took=0s id=BKB3zIDpCnU= caller=agent named session=s model=m error=no")
}

// TestOtelDropped: of a span with too many attributes some SDKs keep the newest, and
// what came first is lost, its kind and the first messages; others the oldest.
func TestOtelDropped(t *testing.T) {
	f := func(want string, attributes ...string) {
		t.Helper()
		line := otelSpans(`{"spanId":"a","startTimeUnixNano":"1000000000","droppedAttributesCount":9,` + otelAttributes(attributes...) + `}`)
		areRequests(t, "otel", line, want)
	}
	const lost = ` lost="parts of the messages lost by the logger" dropped`
	call := []string{
		"gen_ai.prompt.4.role", "assistant", "gen_ai.prompt.4.tool_calls.0.id", "t", "gen_ai.prompt.4.tool_calls.0.name", "f",
		"gen_ai.prompt.5.role", "tool", "gen_ai.prompt.5.content", "ok", "gen_ai.prompt.5.tool_call_id", "t",
	}
	answer := []string{"gen_ai.response.model", "m", "gen_ai.completion.0.role", "assistant", "gen_ai.completion.0.content", "done"}
	const last = ` last="{\"role\":\"tool\",\"content\":\"ok\",\"tool_call_id\":\"t\"}"`
	tail := "id=a named model=m messages=2" + last + " tail tool_calls=0 dropped"
	f(tail, slices.Concat(call, answer)...)
	f(tail, slices.Concat([]string{"gen_ai.prompt.3.content", "half"}, call, answer)...)
	f(tail, slices.Concat([]string{"gen_ai.prompt.2.tool_calls.0.name", "g", "gen_ai.prompt.3.role", "tool", "gen_ai.prompt.3.content", "of g"}, call, answer)...)
	first := []string{"gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", "hi"}
	f("id=a named model=m messages=3"+last+" tool_calls=0 dropped", slices.Concat(first, call, answer)...)
	f("id=a named messages=3"+last+lost, slices.Concat([]string{"llm.request.type", "chat"}, first, call)...)
	f("id=a named model=m messages=0 tool_calls=0"+lost, slices.Concat([]string{"gen_ai.prompt.5.content", "ok"}, answer)...)
	f("column 0: no request in it", call...)
	f("id=a named tokens_in=8 dropped", "openinference.span.kind", "LLM", "llm.token_count.prompt", `{"intValue":"8"}`) // nothing of what was said
	said := []string{
		"llm.input_messages.5.message.role", "user", "llm.input_messages.5.message.content", "hi", "llm.output_messages.0.message.role", "assistant",
		"llm.token_count.prompt", `{"intValue":"8"}`,
	}
	f(`id=a named messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}" tail tokens_in=8 dropped`, said...)
	f("column 0: no request in it", said[:len(said)-2]...)

	// The console does not say so; but it is full.
	full := `"gen_ai.usage.input_tokens":8`
	for n := range attributeLimit - 1 {
		full += fmt.Sprintf(`,"gen_ai.prompt.%d.%s":"user"`, 5+n/2, []string{"role", "content"}[n%2])
	}
	const console = `{"context":{"trace_id":"0x1","span_id":"0xa"},"parent_id":null,"start_time":"1970-01-01T00:00:01Z","end_time":null,"attributes":{`
	if got := requests(t, "otel", console+full+`}}`); !strings.Contains(got, " tail ") {
		t.Error(got)
	}
}

// requests renders each request of a line.
func requests(tb testing.TB, format, line string) string {
	tb.Helper()
	var all []string
	var r fingerprint.Request
	each(ByName(format).New(fingerprint.AllFields), []byte(line), &r, func(column int, why string) {
		all = append(all, strings.TrimPrefix(render(&r, column, why), nativeAt+" "))
	})
	return strings.Join(all, "\n")
}

func TestOtelSpan(t *testing.T) {
	is := func(want string, attributes ...string) {
		t.Helper()
		line := otelSpans(`{"spanId":"a","startTimeUnixNano":"1000000000",` + otelAttributes(attributes...) + `}`)
		areRequests(t, "otel", line, want)
	}
	f := func(want string, attributes ...string) {
		t.Helper()
		is("id=a named"+want, attributes...)
	}
	call := func(pairs ...string) []string { return append([]string{"gen_ai.operation.name", "chat"}, pairs...) }
	const lost = ` lost="parts of the messages lost by the logger"`
	f(``, call()...)
	f(``, "gen_ai.operation.name", "chat_streaming") // of Rig
	f(``, "llm.request.type", "chat")
	f(``, "openinference.span.kind", "LLM")
	f(``, "langfuse.observation.type", "generation")
	f(` user=u session=s`, call("session.id", "s", "user.id", "u")...)
	f(` session=c`, call("gen_ai.conversation.id", "c")...)
	f(` session=c has_tools=true`, call("spring.ai.chat.client.conversation.id", "c", "spring.ai.model.request.tool.names", `["f"]`)...)
	f(``, call("gen_ai.conversation.id", "resp_0123456789abcdef0123456789abcdef")...) // of Microsoft's Agent Framework
	f(` session=resp_team`, call("session.id", "resp_team")...)
	f(` model=m backend=openai tokens_in=8 tokens_out=0 max_tokens=5`,
		call("gen_ai.request.model", "m", "gen_ai.provider.name", "openai", "gen_ai.usage.input_tokens", `{"intValue":"8"}`, "gen_ai.usage.output_tokens", `{"intValue":0}`, "gen_ai.request.max_tokens", `{"intValue":"5"}`)...)
	f(` model=m backend=OpenAI tokens_in=8 tokens_out=1 stream=true`,
		call("gen_ai.request.model", "m", "gen_ai.system", "OpenAI", "gen_ai.usage.prompt_tokens", `{"intValue":"8"}`, "gen_ai.usage.completion_tokens", `{"intValue":"1"}`, "llm.is_streaming", `{"boolValue":true}`)...)
	is(`id=a path=/v1/messages query=key=1 named`, call("url.path", "/v1/messages?key=1")...)
	is(`id=a method=POST path=/v1/messages named status=429`, call("http.request.method", "POST", "url.path", "/v1/messages", "http.route", "/{x}", "http.response.status_code", `{"intValue":"429"}`)...)
	is(`id=a method=POST path=/v1/messages named status=429`, call("http.method", "POST", "http.path", "/v1/messages", "http.status", `{"intValue":"429"}`)...) // of agentgateway
	f(` has_tools=true stream=true`, call("gen_ai.request.functions.0.name", "f", "gen_ai.request.streaming", "True")...)                                       // of AgentOps
	f(` cost=0.5 stream=false`, call("gen_ai.cost.total_cost", `{"doubleValue":0.5}`, "llm.is_streaming", "False")...)

	// Messages with parts, in a text or as they are. Numbers are numbers.
	parts := `[{"role":"user","parts":[{"type":"text","content":"hi"}]},{"role":"assistant","parts":[{"type":"tool_call","id":"t","name":"f","arguments":{"n":8}}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"t","response":"ok"}]}]`
	f(` messages=3 last="{\"role\":\"tool\",\"tool_call_id\":\"t\",\"content\":\"ok\"}"`, call("gen_ai.input.messages", parts)...)
	structured := `{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"role","value":{"stringValue":"assistant"}},{"key":"parts","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"type","value":{"stringValue":"tool_call"}},{"key":"name","value":{"stringValue":"f"}},{"key":"arguments","value":{"kvlistValue":{"values":[{"key":"n","value":{"intValue":"8"}},{"key":"x","value":{}},{"key":"y","value":{"doubleValue":"NaN"}},{"key":"z","value":{"boolValue":true}}]}}}]}}]}}}]}}]}}`
	f(` tool_calls=1 name=f arguments="{\"n\":8,\"x\":null,\"y\":null,\"z\":true}"`, call("gen_ai.output.messages", structured)...)
	f(` system="[{\"type\":\"text\",\"content\":\"be good\"}]" messages=0`, call("gen_ai.input.messages", `[]`, "gen_ai.system_instructions", `[{"type":"text","content":"be good"}]`)...)
	// A user's message with results and text is both.
	f(` messages=2 last="{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"so?\"}]}" lost="history kept by the provider, not in the request"`,
		call("gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"so?"},{"type":"tool_call_response","id":"t","result":[1]}]}]`)...)
	// Parallel calls of the Responses API as OpenLLMetry has them, which are one turn.
	one, two := `{"role":"assistant","parts":[{"type":"tool_call","name":"f"}]}`, `{"role":"assistant","parts":[{"type":"tool_call","name":"g"}]}`
	f(` messages=1 last="{\"role\":\"assistant\",\"tool_calls\":[{\"type\":\"tool_call\",\"name\":\"f\"},{\"type\":\"tool_call\",\"name\":\"g\"}]}"`, call("gen_ai.input.messages", `[`+one+`,`+two+`]`)...)
	f(` messages=3 last="{\"role\":\"assistant\",\"tool_calls\":[{\"type\":\"tool_call\",\"name\":\"g\"}]}"`, call("gen_ai.input.messages", `[`+one+`,{"role":"tool","parts":[{"type":"tool_call_response","id":"t","response":"ok"}]},`+two+`]`)...)
	f(` messages=1 last="{\"role\":\"assistant\",\"tool_calls\":[{\"type\":\"tool_call\",\"name\":\"g\"}]}" tail`, call("gen_ai.input.messages", `[`+one+`,{"role":"user","parts":[]},`+two+`]`)...)
	f(` messages=1 last="{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":null}]}"`, call("gen_ai.input.messages", `[{"role":"assistant","parts":[{"type":"reasoning","content":"hm"},{"type":"text"}]}]`)...)
	f(` messages=1 last="{\"role\":\"user\",\"content\":\"chat\"}"`, call("gen_ai.input.messages", `[{"role":"user","content":"chat"}]`)...)
	f(` messages=1 last="{\"role\":\"assistant\",\"content\":[null,{\"type\":\"text\",\"text\":\"hm\"}],\"tool_calls\":[null,{\"name\":\"f\"}]}"`, call("gen_ai.input.messages", `[{"role":"assistant","parts":[null,{"type":"text","content":"hm"}],"tool_calls":[null,{"name":"f"}]}]`)...)
	f(` messages=1 last="{\"role\":\"user\",\"content\":[{\"type\":\"blob\",\"content\":\"iVBO\"}]}"`, call("gen_ai.input.messages", `[{"role":"user","parts":[{"type":"blob","content":"iVBO"}]}]`)...)

	// openai-v2 2.4 leaves out what a user said in a list: from there on all is there. What an answer called may not be.
	f(` messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"t\",\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}" tail`,
		call("gen_ai.input.messages", `[{"role":"developer","parts":[{"content":"be good","type":"text"}]},{"role":"user","parts":[]},{"role":"assistant","parts":[{"arguments":{},"name":"f","id":"t","type":"tool_call"}]},`+
			`{"role":"tool","parts":[{"response":[{"type":"text","text":"no"}],"id":"t","type":"tool_call_response"}]}]`)...)
	f(` messages=1 last="{\"role\":\"system\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}"`+lost, call("gen_ai.input.messages", `[{"role":"system","parts":[{"type":"text","content":"x"}]},{"role":"user","parts":[]}]`)...)
	f(` messages=1 last="{\"role\":\"user\",\"content\":\"x\"}"`+lost, call("gen_ai.input.messages", `[{"role":"user","parts":[]},{"role":"assistant","parts":[]},{"role":"user","content":"x"}]`)...)

	// LiteLLM has calls and ids beside the parts, and of the answer its calls elsewhere.
	f(` messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"t\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}" tool_calls=2 name=f arguments={} name=g`,
		call("gen_ai.input.messages", `[{"role":"assistant","parts":[],"tool_calls":[{"id":"t","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","parts":[{"type":"text","content":"ok"}],"tool_call_id":"t"}]`,
			"gen_ai.output.messages", `[{"role":"assistant","parts":[],"finish_reason":"tool_calls"}]`, "gen_ai.completion.0.finish_reason", "tool_calls",
			"gen_ai.completion.0.function_call.name", "f", "gen_ai.completion.0.function_call.arguments", "{}", "gen_ai.completion.1.function_call.name", "g")...)
	f(``, call("gen_ai.output.messages", `[{"role":"assistant","parts":[],"finish_reason":"tool_calls"}]`)...)
	f(` tool_calls=0`, call("gen_ai.output.messages", `[{"role":"assistant","parts":[],"finish_reason":"stop"}]`)...)
	// Mastra says beside it that it called.
	for reasons, calls := range map[string]string{`{"arrayValue":{"values":[{"stringValue":"stop"},{"stringValue":"tool_calls"}]}}`: ``, `["tool-calls"]`: ``, `["stop"]`: ` tool_calls=0`} {
		f(calls, call("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":""}]}]`, "gen_ai.response.finish_reasons", reasons)...)
	}
	f(` tool_calls=1 name=f arguments={}`, call("gen_ai.output.messages", `[{"function_call":{"name":"f","arguments":"{}"},"finish_reason":"function_call"}]`)...)
	f(` tool_calls=2 name=f name=g`, call("gen_ai.output.messages", `[{"finish_reason":"tool_call","tool_calls":[{"name":"f"}]},{"finish_reason":"tool_call","tool_calls":[{"name":"g"}]}]`)...)
	// Laminar has the answer as the provider gave it.
	f(` user=u session=s tool_calls=1 call=t name=f arguments={}`, call("lmnr.association.properties.session_id", "s", "lmnr.association.properties.user_id", "u",
		"gen_ai.output.messages", `[{"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"t","function":{"name":"f","arguments":"{}"}}]}}]`)...)
	f(` tool_calls=1 call=t name=f arguments={}`, call("gen_ai.output.messages", `[{"type":"reasoning","id":"r"},{"type":"function_call","id":"i","call_id":"t","name":"f","arguments":"{}"}]`)...)
	f(` tool_calls=1 call=t name=f arguments={}`, call("gen_ai.output.messages", `[{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":"tool_use"}]`)...)
	// LangChain has the calls of Anthropic in both places.
	const block, listed = `"content":[{"type":"tool_use","id":"t","name":"f","input":{}}]`, `"tool_calls":[{"id":"t","name":"f","args":{}}]`
	for _, message := range []string{block + "," + listed, listed + "," + block} {
		f(` tool_calls=1 call=t name=f arguments={}`, call("gen_ai.output.messages", `[{"role":"assistant",`+message+`}]`)...)
	}
	f(` messages=1 last="{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"it's\"}]}"`, "llm.request.type", "chat", "gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", `[{'type': 'text', 'text': "it's"}]`)
	for _, text := range []string{"[{name}]", "[{'type': 'text', 'text': 'cut"} { // no list
		f(` messages=1 last="{\"role\":\"user\",\"content\":\"`+text+`\"}"`, "llm.request.type", "chat", "gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", text)
	}
	// Of the Responses API no calls and results were kept.
	answered := []string{"llm.request.type", "chat", "gen_ai.response.id", "resp_1", "gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", "go on"}
	f(` messages=1 last="{\"role\":\"user\",\"content\":\"go on\"}" has_tools=true lost="parts of the messages lost by the logger"`, append(answered, "llm.request.functions.0.name", "f")...)
	answered = append(answered, "llm.request.functions.0.name", "f", "gen_ai.prompt.2.role", "tool", "gen_ai.prompt.2.content", "ok", "gen_ai.prompt.1.role", "assistant")
	f(` messages=3 last="{\"role\":\"tool\",\"content\":\"ok\"}" has_tools=true`, append(answered, "gen_ai.prompt.1.tool_calls.0.name", "f")...)
	f(` messages=1 last="{\"role\":\"user\"}" lost="parts of the messages lost by the logger"`, "llm.request.type", "aresponses", "llm.input_messages.0.message.role", "user")
	// The result of a call that was not kept, in LiteLLM 1.80 and of a legacy function.
	f(` messages=3 last="{\"role\":\"tool\",\"content\":\"ok\"}" has_tools=true`+lost, answered...)
	legacy := []string{"llm.request.type", "chat", "gen_ai.prompt.0.role", "user", "gen_ai.prompt.1.role", "assistant", "gen_ai.prompt.2.role", "function", "gen_ai.prompt.2.content", "ok"}
	f(` messages=3 last="{\"role\":\"function\",\"content\":\"ok\"}"`+lost, legacy...)
	// Whether it called is not known of an answer that is a role alone, or that ended in a call.
	f(``, "llm.request.type", "chat", "gen_ai.completion.0.role", "assistant", "gen_ai.completion.0.finish_reason", "function_call")
	f(``, "openinference.span.kind", "LLM", "llm.output_messages.0.message.role", "assistant", "llm.output_messages.0.message.content", "")
	f(` tool_calls=0`, "llm.request.type", "chat", "gen_ai.completion.0.role", "assistant", "gen_ai.completion.0.finish_reason", "stop")
	f(``, "langfuse.observation.type", "generation", "langfuse.observation.output", `{"role":"assistant","content":null}`)
	f(` tool_calls=0`, "langfuse.observation.type", "generation", "langfuse.observation.output", `{"role":"assistant","content":"ok"}`)
	f(``, "langfuse.observation.type", "generation", "langfuse.observation.output", "I look it up.", "langfuse.observation.metadata.finish_reason", `"tool_calls"`)
	f(` tool_calls=0`, "langfuse.observation.type", "generation", "langfuse.observation.output", "Done.", "langfuse.observation.metadata.finish_reason", "stop")
	f(` max_tokens=1`, "langfuse.observation.type", "generation", "langfuse.observation.model.parameters", `{"temperature":1,"max_tokens":1}`)
	f(``, "langfuse.observation.type", "generation", "langfuse.observation.model.parameters", `{"max_tokens":"Infinity"}`)
	// The text of the last message alone, beside all of them: of a list in Python's words, or of what a tool gave.
	for _, text := range []string{"{so", `[{'type': 'text', 'text': 'so'}]`, `[{"role":"admin"}]`, `{"model":"x","stream":true}`, `{"messages":["so"]}`} {
		f(` messages=2 last="{\"role\":\"user\",\"content\":\"hi\"}"`, "openinference.span.kind", "LLM", "input.value", text,
			"llm.input_messages.0.message.role", "system", "llm.input_messages.1.message.role", "user", "llm.input_messages.1.message.content", "hi")
	}
	// A result whose call stands nowhere, behind instructions.
	f(` messages=2 last="{\"role\":\"tool\",\"content\":\"ok\"}" lost="history kept by the provider, not in the request"`,
		call("gen_ai.input.messages", `[{"role":"system","content":"be good"},{"role":"tool","content":"ok"}]`)...)
	// One attribute a field: in any order, and a list as a text.
	f(` messages=2 last="{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"b\"}],\"tool_calls\":[{\"name\":\"f\",\"arguments\":\"{}\"},{\"id\":\"2\"}]}" tool_calls=1 call=t name=g arguments={}`,
		"llm.request.type", "chat", "gen_ai.prompt.1.role", "assistant", "gen_ai.prompt.0.role", "user", "gen_ai.prompt.1.tool_calls.1.id", "2", "gen_ai.prompt.1.tool_calls.0.name", "f", "gen_ai.prompt.1.tool_calls.0.arguments", "{}",
		"gen_ai.prompt.1.content", `[{"type":"text","text":"b"}]`, "gen_ai.prompt.x.role", "no", "gen_ai.prompt.9999999999.role", "no",
		"gen_ai.completion.0.tool_calls.0.id", "t", "gen_ai.completion.0.tool_calls.0.name", "g", "gen_ai.completion.0.tool_calls.0.arguments", "{}")
	f(` model=m messages=1 last="{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}" has_tools=true tool_calls=1 name=f`,
		"openinference.span.kind", "LLM", "llm.model_name", "m", "llm.input_messages.0.message.role", "user", "llm.input_messages.0.message.contents.0.message_content.type", "text", "llm.input_messages.0.message.contents.0.message_content.text", "hi",
		"llm.tools.0.tool.json_schema", "{}", "llm.output_messages.0.message.tool_calls.0.tool_call.function.name", "f", "llm.output_messages.0.message.contents.1.tool_call.function.name", "f")
	// The body, where it was kept, goes before that.
	f(` session=u model=m messages=1 last="{\"role\":\"user\"}" has_tools=true tool_calls=1 call=t name=f arguments="{\"a\":1}" stream=false metadata.user_id=u`,
		"openinference.span.kind", "LLM", "llm.input_messages.0.message.role", "no", "input.value", `{"model":"m","messages":[{"role":"user"}],"tools":[{}],"metadata":{"user_id":"user_1_account__session_u"}}`,
		"output.value", `{"content":[{"type":"tool_use","id":"t","name":"f","input":{"a":1}}]}`)
	// Google's SDK: what it was called with, and what it gave.
	f(` model=g system="\"good\"" messages=1 last="{\"content\":\"hi\",\"role\":\"user\"}" has_tools=false tool_calls=1 name=f arguments="{\"a\":1}" max_tokens=9`,
		"openinference.span.kind", "LLM", "input.value", `{"model":"g","contents":["hi"],"config":{"system_instruction":"good","max_output_tokens":9}}`,
		"output.value", `{"candidates":[{"content":{"role":"model","parts":[{"function_call":{"id":null,"name":"f","args":{"a":1}}}]}}]}`)
	// Google's ADK: the span has no other sign of a call than the model and these.
	f(` session=s model=g backend=gcp.vertex.agent messages=1 last="{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],\"role\":\"user\"}" has_tools=true tool_calls=1 call=adk-1 name=f arguments="{\"a\":1}"`,
		"gen_ai.system", "gcp.vertex.agent", "gen_ai.request.model", "g", "gcp.vertex.agent.session_id", "s",
		"gcp.vertex.agent.llm_request", `{"model":"g","config":{"tools":[{"function_declarations":[]}]},"contents":[{"parts":[{"text":"hi"}],"role":"user"}]}`,
		"gcp.vertex.agent.llm_response", `{"content":{"parts":[{"function_call":{"id":"adk-1","args":{"a":1},"name":"f"}}],"role":"model"},"usage_metadata":{}}`)
	f(` model=g`, call("gen_ai.request.model", "g", "gcp.vertex.agent.llm_request", `{}`, "gcp.vertex.agent.llm_response", `{}`)...)
	f(` messages=1 last="{\"role\":\"user\",\"content\":\"plain\"}" tool_calls=0`, "openinference.span.kind", "LLM", "input.value", "plain", "output.value", "fine")
	// LangChain's messages stand beside the attributes, which have the same.
	f(` messages=1 last="{\"role\":\"user\"}" has_tools=true`,
		"openinference.span.kind", "LLM", "input.value", `{"messages":[[{"lc":1}]]}`, "llm.input_messages.0.message.role", "user", "llm.tools.0.name", "f")
	// Python's words for messages are not what was said.
	for _, repr := range []string{`{"messages":["ChatMessage(role=<MessageRole.TOOL: 'tool'>, additional_kwargs={'tool_call_id': 'c'})"]}`, `[HumanMessage(content='hi'), AIMessage(content='ho')]`, "prompt.ChatMessage(role='user')"} {
		if r := parse(t, "otel", otelSpans(`{"startTimeUnixNano":"1000000000",`+otelAttributes("openinference.span.kind", "LLM", "input.value", repr)+`}`)); r.Lost != fingerprint.LossyContent {
			t.Errorf("%s: lost %q", repr, r.Lost)
		}
	}
	for _, said := range []string{"f(x=1)", "Plan(a) = b", "Call(", "Call(a"} {
		f(` messages=1 last="{\"role\":\"user\",\"content\":\"`+said+`\"}"`, "openinference.span.kind", "LLM", "input.value", " "+said)
	}
	// Langfuse keeps the messages and the tools: that it does not say to stream says nothing.
	f(` messages=1 last="{\"role\":\"user\"}" has_tools=true`, "langfuse.observation.type", "generation", "langfuse.observation.input", `{"tools":[{}],"messages":[{"role":"user"}]}`)
	f(` messages=1 last="{\"role\":\"user\"}"`, "langfuse.observation.type", "generation", "langfuse.observation.input", `{"messages":[{"role":"user"}]}`)
	f(` model=m messages=1 last="{\"role\":\"user\"}" tool_calls=1 call=c name=f arguments={} tokens_in=7 tokens_out=2`,
		"langfuse.observation.type", "generation", "langfuse.observation.model.name", "m", "langfuse.observation.input", `[{"role":"user"}]`,
		"langfuse.observation.output", `{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{}"}`, "langfuse.observation.usage_details", `{"prompt_tokens":7,"completion_tokens":2,"x":{}}`)
	// A call in a list of nothing else, as CrewAI hands it on.
	f(` tool_calls=1 call=c name=f arguments={}`, "openinference.span.kind", "LLM", "output.value", `[{"id":"c","function":{"arguments":"{}","name":"f"},"type":"function"}]`)
	// Google's contents, and messages with parts of other makers.
	f(` messages=2 last="{\"content\":[{\"type\":\"tool_use\",\"id\":\"f\",\"name\":\"f\",\"input\":{}}],\"role\":\"assistant\"}"`, "langfuse.observation.type", "generation",
		"langfuse.observation.input", `[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}]`)
	f(` messages=1 last="{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],\"role\":\"user\"}"`, "openinference.span.kind", "LLM", "input.value", `[{"parts":{"text":"hi"}}]`)
	f(` messages=1 last="{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"`, "langfuse.observation.type", "generation",
		"langfuse.observation.input", `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`)
	f(` tool_calls=2 call=1 name=f arguments={} call=2 name=g`, "langfuse.observation.type", "generation",
		"langfuse.observation.output", `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}},{"id":"2","function":{"name":"g"}}]}`)
	// LiteLLM's own id, and the session in Python.
	is(`id=c caller=h session=s model=g header:x-session-id=s`, "llm.request.type", "acompletion", "litellm.call_id", "c", "metadata.user_api_key_hash", "h", "litellm.model_group", "g", "gen_ai.request.model", "openai/g",
		"metadata.requester_custom_headers", `{'x-session-id': 's'}`, "metadata.requester_metadata", `{'trace_id': 't', 'headers': {}}`)
	is(`id=a named`, "llm.request.type", "acompletion", "metadata.requester_metadata", `{'cut`)
	// All that in one attribute, by its arize_phoenix, which has the content twice as well.
	is(`id=a caller=h user=u session=s messages=1 last="{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}" header:x-session-id=s`, "openinference.span.kind", "LLM",
		"metadata", `{"user_api_key_hash":"h","user_api_key_alias":null,"user_api_key_user_id":"u","requester_metadata":{"headers":{"x-session-id":"s"}},"requester_custom_headers":{"x-session-id":"s"}}`,
		"litellm.trace_id", "t", "llm.input_messages.0.message.role", "user", "llm.input_messages.0.message.content", `[{'type': 'text', 'text': 'hi'}]`,
		"llm.input_messages.0.message.contents.0.message_content.type", "text", "llm.input_messages.0.message.contents.0.message_content.text", "hi")
	f(` session=t`, call("litellm.trace_id", "t")...)
	f(``, call("litellm.trace_id", "7d0d9a4e-1c7b-41fa-9891-b38de8048646")...)
	f(``, call("litellm.trace_id", "t", "metadata", `{"requester_metadata":{"trace_id":"t"}}`)...)
	// Who calls a session, a user, a cost and the cache otherwise.
	for _, name := range []string{"langfuse.session.id", "traceloop.association.properties.session_id", "traceloop.association.properties.chat_id", "ai.telemetry.metadata.sessionId", "ai.settings.context.sessionId", "mastra.metadata.sessionId", "mirascope.ops.session.id", "gcp.vertex.agent.session_id"} {
		f(` session=s`, call(name, "s")...)
	}
	for _, name := range []string{"langfuse.user.id", "traceloop.association.properties.user_id", "ai.telemetry.metadata.userId", "ai.settings.context.userId", "mastra.metadata.userId", "gen_ai.user", "llm.user"} {
		f(` user=u`, call(name, "u")...)
	}
	f(` tokens_cached=4`, call("ai.usage.cachedInputTokens", `{"intValue":4}`)...) // of the AI SDK
	f(` tokens_cached=4 cost=0.5`, call("gen_ai.usage.cost", `{"doubleValue":0.5}`, "gen_ai.usage.cache_read.input_tokens", `{"intValue":"4"}`)...)
	f(` tokens_cached=4 cost=0.5`, call("langfuse.observation.cost_details", `{"input":0.4,"total":0.5}`, "llm.token_count.prompt_details.cache_read", `{"intValue":"4"}`)...)
	f(` messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}"`+lost, "llm.request.type", "agenerate_content", "gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", "hi")
	for _, part := range []string{"arerank", "agenerate_content_stream", "image_edit"} { // LiteLLM's second
		f(` messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}"`+lost, call("litellm.call_type", part, "gen_ai.input.messages", `[{"role":"user","content":"hi"}]`)...)
	}
	f(` messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}"`, call("litellm.call_type", "acompletion", "gen_ai.input.messages", `[{"role":"user","content":"hi"}]`)...)
	// Who calls is the model, which Gemini CLI says to be a system.
	f(` messages=1 last="{\"role\":\"assistant\",\"tool_calls\":[{\"type\":\"tool_call\",\"name\":\"f\"}]}"`, call("gen_ai.input.messages", `[{"role":"system","parts":[{"type":"tool_call","name":"f"}]}]`)...)
	// Pydantic AI leaves content out where it was told so: texts, arguments and results.
	f(` messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":null}"`+lost, call("gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text"}]},{"role":"user","parts":[{"type":"tool_call_response","id":"1","name":"f"}]}]`,
		"gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"tool_call","id":"1","name":"f"}]}]`)...)
	// The older form of a call, of OpenInference.
	const said = "message.function_call_"
	f(` messages=1 last="{\"role\":\"assistant\",\"tool_calls\":[{\"arguments\":\"{}\",\"name\":\"f\"}]}" tool_calls=1 name=g arguments={}`, "openinference.span.kind", "LLM",
		"llm.input_messages.0.message.role", "assistant", "llm.input_messages.0."+said+"arguments_json", "{}", "llm.input_messages.0."+said+"name", "f",
		"llm.output_messages.0.message.role", "assistant", "llm.output_messages.0."+said+"name", "g", "llm.output_messages.0."+said+"arguments_json", "{}")
	// AutoGen has the results of a turn in one message, and one that was cut is a text.
	const made, result = "llm.input_messages.0.message.", "llm.input_messages.1.function."
	turn := func(cut string) []string {
		return []string{
			"openinference.span.kind", "LLM", made + "role", "assistant", made + "tool_calls.0.tool_call.function.name", "f", "llm.input_messages.1.message.role", "function",
			result + "1", `{"name":"f","content":"b","call_id":"2","is_error":false}` + cut, result + "0", `{"name":"f","content":"a","call_id":"1"}`,
		}
	}
	f(` messages=3 last="{\"role\":\"tool\",\"content\":\"b\",\"tool_call_id\":\"2\"}"`, turn("")...)
	f(` messages=3 last="{\"role\":\"tool\",\"content\":\"{\\\"name\\\":\\\"f\\\",\\\"content\\\":\\\"b\\\",\\\"call_id\\\":\\\"2\\\",\\\"is_error\\\":false}{\"}"`, turn("{")...)
	f(` messages=3 last="{\"role\":\"tool\",\"content\":null,\"tool_call_id\":\"2\"}"`, slices.Replace(turn(""), 9, 10, `{"content":null,"call_id":"2"}`)...)
	// smolagents sends its own roles as these.
	for _, role := range [][2]string{{"tool-call", "assistant"}, {"tool-response", "user"}} {
		f(` messages=1 last="{\"role\":\"`+role[1]+`\",\"content\":\"hi\"}"`, "openinference.span.kind", "LLM", made+"role", role[0], made+"content", "hi")
	}
	// Agents that share a session.
	f(` session=s agent=a`, call("session.id", "s", "gen_ai.agent.name", "a")...)
	f(` session=s agent=a`, call("gen_ai.agent.id", "1", "session.id", "s", "gen_ai.agent.name", "a")...)
	f(` session=s agent=1`, call("gen_ai.agent.id", "1", "session.id", "s")...)
	// LangSmith has inputs and outputs as they were, also in LangChain's classes.
	f(` session=s model=m messages=1 last="{\"role\":\"user\"}" has_tools=true tool_calls=1 name=f stream=false`, call("langsmith.metadata.thread_id", "s",
		"gen_ai.prompt", `{"model":"m","messages":[{"role":"user"}],"tools":[{}]}`, "gen_ai.completion", `{"choices":[{"message":{"tool_calls":[{"function":{"name":"f"}}]}}]}`)...)
	f(` messages=1 last="{\"lc\":1,\"kwargs\":{}}" tool_calls=1 call=1 name=f arguments="{\"x\":1}"`, call("gen_ai.prompt", `{"messages":[[{"lc":1,"kwargs":{}}]]}`,
		"gen_ai.completion", `{"generations":[[{"message":{"lc":1,"kwargs":{"additional_kwargs":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},"tool_calls":[{"name":"f","args":{"x":1},"id":"1"}]}}}]],"type":"LLMResult"}`)...)
	f(` tool_calls=0`, call("gen_ai.prompt", `{"messages":[[{"lc":1}],[{"lc":1}]]}`, "gen_ai.completion", `{"generations":[[{"message":{"lc":1}}]],"type":"LLMResult"}`)...)
	is("column 0: no request in it", call("langsmith.span.kind", "prompt")...)
	is("column 0: no request in it", call("langsmith.span.kind", "prompt", "span.type", "span")...)
	// MLflow writes JSON, texts in quotes; its server gives values. One that was hidden is not what was said.
	f(` model=m backend=openai messages=1 last="{\"role\":\"user\"}" has_tools=true tool_calls=1 name=f tokens_in=7 tokens_out=2 tokens_cached=4 cost=0.5`, "mlflow.spanType", `"CHAT_MODEL"`,
		"mlflow.spanInputs", `{"messages":[{"role":"user"}]}`, "mlflow.spanOutputs", `{"choices":[{"message":{"tool_calls":[{"function":{"name":"f"}}]}}]}`, "mlflow.llm.model", `"m"`, "mlflow.llm.provider", `"openai"`,
		"mlflow.chat.tools", `[{}]`, "mlflow.chat.tokenUsage", `{"input_tokens":7,"cache_read_input_tokens":4,"output_tokens":2}`, "mlflow.llm.cost", `{"input_cost":0.4,"total_cost":0.5}`)
	f(` messages=1 last="{\"role\":\"user\"}" tokens_in=7`, "mlflow.spanType", "LLM",
		"mlflow.spanInputs", `{"kvlistValue":{"values":[{"key":"messages","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"role","value":{"stringValue":"user"}}]}}]}}}]}}`,
		"mlflow.chat.tokenUsage", `{"kvlistValue":{"values":[{"key":"input_tokens","value":{"intValue":"7"}}]}}`)
	f(` messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}" tool_calls=0`, "mlflow.spanType", `"LLM"`, "mlflow.spanInputs", `"hi"`, "mlflow.spanOutputs", `"ho"`)
	f(` messages=1 last="{\"type\":\"human\",\"content\":\"hi\"}"`, "mlflow.spanType", `"CHAT_MODEL"`, "mlflow.spanInputs", `[[{"type":"human","content":"hi"}]]`, "mlflow.spanOutputs", `null`)
	f(``, "mlflow.spanType", `"CHAT_MODEL"`, "mlflow.spanInputs", `[[{"type":"human"}],[{"type":"human"}]]`)
	f(` lost="content redacted by the logger"`, "mlflow.spanType", `"LLM"`, "mlflow.spanInputs", `"[REDACTED]"`, "mlflow.spanOutputs", `"[REDACTED]"`)
	for _, kind := range []string{"AGENT", "CHAIN", "TOOL", "RETRIEVER", "PARSER", "RERANKER", "UNKNOWN"} {
		is("column 0: no request in it", "mlflow.spanType", `"`+kind+`"`, "mlflow.spanInputs", `{"messages":[{"role":"user"}]}`, "mlflow.llm.model", `"m"`)
	}
	// Pydantic AI's first version has events in one attribute, Logfire's of the Responses API no answer among them.
	const said1 = `[{"content":"hi","role":"user","gen_ai.message.index":0,"event.name":"gen_ai.user.message"},{"content":"ok","role":"tool","id":"1","gen_ai.message.index":2,"event.name":"gen_ai.tool.message"}`
	f(` messages=2 last="{\"content\":\"ok\",\"role\":\"tool\",\"tool_call_id\":\"1\"}" tool_calls=1 call=2 name=f arguments={}`,
		call("events", said1+`,{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"2","function":{"name":"f","arguments":"{}"}}]},"event.name":"gen_ai.choice"}]`)...)
	f(``, call("events", said1+`]`)...)
	f(` max_tokens=5`, call("gen_ai.request.max_completion_tokens", `{"intValue":"5"}`)...)
	// Langfuse's own names of what the cache had no part in, and the providers'.
	for _, usage := range []string{
		`{"input":5,"output":2,"input_cache_read":4,"input_cache_creation":3}`, `{"input_tokens":5,"output_tokens":2,"cache_read_input_tokens":4,"cache_creation_input_tokens":3}`,
		`{"prompt_tokens":12,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}`, `{"prompt_tokens":12,"completion_tokens":2,"cache_read_input_tokens":4}`,
		`{"inputTokens":5,"outputTokens":2,"cacheReadInputTokens":4,"cacheWriteInputTokens":3}`, // of Converse
		`{"input":8,"output":1,"total":14,"input_cached_tokens":4,"output_reasoning_tokens":1}`, // of Node
	} {
		f(` tokens_in=12 tokens_out=2 tokens_cached=4`, call("langfuse.observation.usage_details", usage)...)
	}
	// Cloudflare says no operation.
	f(` model=m backend=openai messages=1 last="{\"role\":\"user\"}" tool_calls=1 name=f tokens_in=8`, "gen_ai.request.model", "m", "gen_ai.model.provider", "openai", "gen_ai.usage.input_tokens", `{"intValue":"8"}`,
		"gen_ai.prompt_json", `[{"role":"user"}]`, "gen_ai.completion_json", `{"choices":[{"message":{"tool_calls":[{"function":{"name":"f"}}]}}]}`)
	// Vercel's AI SDK has calls and results of its own, among parts or not.
	const did, prompt = "ai.operationId", "ai.prompt.messages"
	f(` model=m backend=openai.chat messages=4 last="{\"role\":\"tool\",\"tool_call_id\":\"2\",\"content\":{\"value\":\"ok\"}}" has_tools=true tool_calls=1 call=3 name=g arguments="{\"a\":1}"`,
		did, "ai.streamText.doStream", "ai.model.id", "m", "ai.model.provider", "openai.chat", "ai.prompt.tools", `{"arrayValue":{"values":[{"stringValue":"{}"}]}}`, "ai.response.finishReason", "tool-calls",
		prompt, `[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool-call","toolCallId":"1","toolName":"f","input":{}}]},`+
			`{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","toolName":"f","result":"old"},{"type":"tool-result","toolCallId":"2","toolName":"f","output":{"value":"ok"}}]}]`,
		"ai.response.toolCalls", `[{"toolCallId":"3","toolName":"g","input":"{\"a\":1}"}]`)
	f(` messages=1 last="{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"so\"}],\"tool_calls\":[{\"id\":\"1\",\"name\":\"f\",\"arguments\":{\"a\":1}}]}" tool_calls=0`, did, "ai.generateText.doGenerate", "ai.response.finishReason", "stop",
		prompt, `[{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool-call","toolCallId":"1","toolName":"f","args":{"a":1}}]}]`)
	f(``, did, "ai.generateText.doGenerate", "ai.response.finishReason", "tool-calls")
	f(` lost="content truncated by the logger"`, did, "ai.generateText.doGenerate", "ai.response.toolCalls", `[{"toolName":"g"`)
	is("column 0: no request in it", did, "ai.generateText", "gen_ai.request.model", "m", "gen_ai.usage.input_tokens", `{"intValue":"8"}`)
	is("column 0: no request in it", "gen_ai.request.model", "m") // of LiteLLM's own work
	is("column 0: no request in it", "gen_ai.request.model", "m", "gen_ai.agent.name", "a", "gen_ai.usage.input_tokens", `{"intValue":"8"}`)
	is("column 0: no request in it", "gen_ai.operation.name", "execute_tool")
	is("column 0: no request in it", "gen_ai.operation.name", "invoke_agent", "gen_ai.request.model", "m")
	is("column 0: no request in it", "http.route", "/v1/chat/completions")
}

// TestOtelLeftOut: what libraries leave out of spans that are else as the conventions say.
func TestOtelLeftOut(t *testing.T) {
	const of = "gen_ai.response.id"
	f := func(want, library string, attributes ...string) {
		t.Helper()
		line := otelSpans(`{"spanId":"a","startTimeUnixNano":"1000000000",` + otelAttributes(append(attributes, "gen_ai.operation.name", "chat")...) + `}`)
		areRequests(t, "otel", strings.Replace(line, `"name":"x"`, `"name":"`+library+`"`, 1), "id=a named"+want)
	}
	said := ` messages=1 last="{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"go\"}]}"`
	text := `[{"role":"user","parts":[{"type":"text","content":"go"}]}]`
	// OpenLIT leaves items of the Responses API out: an agent that goes on looks like one that asks again.
	f(said+` lost="parts of the messages lost by the logger"`, "openlit.instrumentation.openai", of, "resp_1", "gen_ai.input.messages", text)
	f(said, "openlit.instrumentation.openai", of, "chatcmpl-1", "gen_ai.input.messages", text)
	f(said, "opentelemetry.util.genai.handler", of, "resp_1", "gen_ai.input.messages", text)

	// OpenLLMetry for JavaScript has the items as one text, and not what was called.
	const openai, anthropic = "@traceloop/instrumentation-openai", "@traceloop/instrumentation-anthropic"
	items := `[{"role":"user","parts":[{"type":"text","content":"[{\"role\":\"user\",\"content\":\"go\"},{\"type\":\"function_call\",\"call_id\":\"t\",\"name\":\"f\",\"arguments\":\"{}\"},{\"type\":\"function_call_output\",\"call_id\":\"t\",\"output\":\"ok\"}]"}]}]`
	f(` messages=3 last="{\"type\":\"function_call_output\",\"call_id\":\"t\",\"output\":\"ok\"}"`, openai, "gen_ai.input.messages", items,
		"gen_ai.output.messages", `[{"role":"assistant","finish_reason":"stop","parts":[{"type":"text","content":""}]}]`)
	f(said+` tool_calls=0`, openai, "gen_ai.input.messages", text, "gen_ai.output.messages", `[{"role":"assistant","finish_reason":"stop","parts":[{"type":"text","content":"so"}]}]`)
	// Of Anthropic's streams it has calls without their arguments.
	f(``, anthropic, "gen_ai.output.messages", `[{"role":"assistant","finish_reason":"","parts":[{"type":"text","content":""},{"type":"tool_call","id":"t","name":"f","arguments":{}}]}]`)
	f(` tool_calls=1 call=t name=f arguments={}`, anthropic, "gen_ai.output.messages", `[{"role":"assistant","finish_reason":"tool_call","parts":[{"type":"tool_call","id":"t","name":"f","arguments":{}}]}]`)
}

// TestGenkit: its spans have names and words of their own.
func TestGenkit(t *testing.T) {
	f := func(want, subtype string, attributes ...string) {
		t.Helper()
		line := otelSpans(`{"spanId":"a","startTimeUnixNano":"1000000000","status":{"code":2,"message":"RESOURCE_EXHAUSTED: try again"},` + otelAttributes(append(attributes, "genkit:type", "action", "genkit:metadata:subtype", subtype, "genkit:name", "p/m")...) + `}`)
		areRequests(t, "otel", line, want)
	}
	const failed = ` status=429 error="RESOURCE_EXHAUSTED: try again"`
	question := `{"messages":[{"role":"user","content":[{"text":"go"}]},{"role":"model","content":[{"toolRequest":{"name":"f","ref":"1","input":{"x":1}}}]},{"role":"tool","content":[{"toolResponse":{"name":"f","ref":"1","output":"ok"}}]}],"tools":[{"name":"f"}],"config":{"maxOutputTokens":5}}`
	f(`id=a named model=p/m messages=3 last="{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"ok\"}" has_tools=true tool_calls=1 call=2 name=f arguments="{\"x\":1}"`+failed+` tokens_in=8 tokens_out=2 max_tokens=5`, "model", "genkit:input", question,
		"genkit:output", `{"message":{"role":"model","content":[{"text":"so"},{"toolRequest":{"name":"f","ref":"2","input":{"x":1}}}]},"usage":{"inputTokens":8,"outputTokens":2}}`)
	f(`id=a named model=p/m messages=1 last="{\"role\":\"assistant\",\"content\":[{\"text\":\"hm\"}]}" tool_calls=1 name=f`+failed, "model", "genkit:input", `{"messages":[{"role":"model","content":[{"text":"hm"}]}]}`,
		"genkit:output", `{"candidates":[{"message":{"content":[{"toolRequest":{"name":"f"}}]}}]}`)
	f("column 0: no request in it", "tool", "genkit:input", `{"x":1}`)
}

// TestHaystack: its spans, of agents and of pipelines, have names and words of their own.
func TestHaystack(t *testing.T) {
	f := func(want string, attributes ...string) {
		t.Helper()
		areRequests(t, "otel", otelSpans(`{"spanId":"a","startTimeUnixNano":"1000000000",`+otelAttributes(attributes...)+`}`), want)
	}
	const (
		step, component = "haystack.agent.step.llm.", "haystack.component."
		asked           = `{"messages":[{"role":"user","meta":{},"name":null,"content":[{"text":"go"}]},{"role":"assistant","meta":{"usage":{"prompt_tokens":1}},"name":null,"content":[{"tool_call":{"tool_name":"f","arguments":{"x":1},"id":"1","extra":null}}]},{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":"ok","origin":{"tool_name":"f","arguments":{"x":1},"id":"1"},"error":false}}]}],"tools":[{"type":"Tool","data":{"name":"f"}}]}`
		answered        = `{"replies":[{"role":"assistant","meta":{"model":"m","usage":{"prompt_tokens":8,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}},"content":[{"tool_call":{"tool_name":"f","arguments":{"x":1},"id":"2"}}]}]}`
	)
	const want = `id=a named model=m messages=3 last="{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"ok\"}" has_tools=true tool_calls=1 call=2 name=f arguments="{\"x\":1}" tokens_in=8 tokens_out=2 tokens_cached=4`
	f(want, step+"input", asked, step+"output", answered)
	f(want, component+"type", "OpenAIChatGenerator", component+"input", asked, component+"output", answered)
	f(`id=a named messages=1 last="{\"role\":\"user\",\"content\":\"go\"}" tool_calls=0`, component+"type", "OpenAIGenerator", component+"input", `{"prompt":"go"}`, component+"output", `{"replies":["so"]}`)
	f(`id=a named`, component+"type", "OpenAIChatGenerator") // of which no content is traced
	f("column 0: no request in it", component+"type", "Agent", component+"input", asked)
	f("column 0: no request in it", "haystack.agent.step.tool.input", `{"x":1}`)
}

// TestLogfire: of a streamed call Logfire writes a span as it is opened, and one of
// what came of it.
func TestLogfire(t *testing.T) {
	f := func(want string, attributes ...string) {
		t.Helper()
		line := otelSpans(`{"spanId":"a","startTimeUnixNano":"1000000000",` + otelAttributes(append(attributes, "gen_ai.operation.name", "chat")...) + `}`)
		areRequests(t, "otel", line, want)
	}
	const asked, answered, kind = "request_data", "response_data", "logfire.span_type"
	const request = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	const said = `id=a named model=m messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}" has_tools=false`
	f("column 0: no request in it", asked, request, kind, "span")
	f(said+` tool_calls=1 call=1 name=f arguments={} cost=0.5 stream=true`, asked, request, kind, "log", "operation.cost", `{"doubleValue":0.5}`,
		answered, `{"message":{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},"usage":null}`)
	f(said+` stream=true`, asked, request, kind, "log", answered, `{"combined_chunk_content":"Let me see.","chunk_count":3}`)
	f(said+` tool_calls=0 stream=true`, asked, request, kind, "span", answered, `{"message":{"role":"assistant","content":"no"}}`)
	f(`id=a named tokens_in=3`, kind, "span", "gen_ai.usage.input_tokens", `{"intValue":"3"}`) // of another library
	f(`id=a named`, kind, "span")
}

// TestOtelJoin: what stands in one line and belongs together.
func TestOtelJoin(t *testing.T) {
	f := func(want string, spans ...string) {
		t.Helper()
		areRequests(t, "otel", otelSpans(spans...), want)
	}
	span := func(trace, id, parent string, attributes ...string) string {
		return `{"traceId":"` + trace + `","spanId":"` + id + `","parentSpanId":"` + parent + `","startTimeUnixNano":"1000000000",` + otelAttributes(attributes...) + `}`
	}
	const chat, content = "gen_ai.operation.name", "gen_ai.input.messages"
	// The nearest span around that names a session, in whatever order.
	f("id=a named user=u session=s", span("t", "a", "b", chat, "chat"), span("t", "b", "c", "user.id", "u"), span("t", "c", "", "session.id", "s", "user.id", "v"))
	f("id=a named session=near", span("t", "c", "", "session.id", "far"), span("t", "b", "c", "session.id", "near"), span("t", "a", "b", chat, "chat"))
	f("id=a named session=own", span("t", "b", "", "session.id", "s"), span("t", "a", "b", chat, "chat", "session.id", "own"))
	f("id=a named", span("u", "b", "", "session.id", "s"), span("t", "a", "b", chat, "chat")) // of another trace
	f("id=a named", span("t", "a", "a", chat, "chat"))                                        // its own parent
	f("id=b named", span("t", "a", "b", chat, "chat"), span("t", "b", "a", chat, "chat"))     // a circle
	// Of a run of an agent some calls were exported before it, without its session,
	// if there was time for one; not so if the record reaches back to its start.
	lasted := func(id, parent, start, end string, attributes ...string) string {
		return `{"traceId":"t","spanId":"` + id + `","parentSpanId":"` + parent + `","startTimeUnixNano":"` + start + `00000000","endTimeUnixNano":"` + end + `00000000",` + otelAttributes(attributes...) + `}`
	}
	run, early, late := lasted("r", "", "10", "40", "session.id", "s"), lasted("b", "r", "15", "20", chat, "chat"), lasted("c", "r", "30", "39", chat, "chat")
	const took = "1970-01-01T00:00:03.000000Z took=900ms id=c named"
	f(took+" session=s\n1970-01-01T00:00:01.500000Z took=500ms id=b named session=s", late, early, run)
	f(took, late, run)
	f(took+" session=s", lasted("d", "", "10", "19"), late, run)
	f("1970-01-01T00:00:03.000000Z took=900ms id=c named session=s messages=0", lasted("c", "r", "30", "39", chat, "chat", content, "[]"), lasted("r", "", "10", "40", chat, "chat", "session.id", "s"))
	// Google's ADK has the call around that of the model, which says whose it is and no more.
	const asked, agent = "gcp.vertex.agent.llm_request", "gen_ai.agent.name"
	model := span("t", "m", "c", chat, "generate_content", "gen_ai.request.model", "g", "gen_ai.conversation.id", "s", "user.id", "u", agent, "root")
	f("id=c named user=u session=s agent=root model=g messages=0", model, span("t", "c", "", "gen_ai.request.model", "g", asked, `{"contents":[]}`))
	f("id=m named user=u session=s agent=root model=g", model, span("t", "c", "", "gen_ai.request.model", "g", asked, `{}`, "gen_ai.usage.input_tokens", "8"))
	f("column 0: no request in it", span("t", "x", "", chat, "execute_tool", asked, `{}`))
	// Two instrumentations of one call.
	f("id=o named messages=0", span("t", "i", "o", chat, "chat"), span("t", "o", "p", chat, "chat", content, "[]"))
	f("id=i named messages=0", span("t", "i", "o", chat, "chat", content, "[]"), span("t", "o", "p", chat, "chat"))
	f("id=b named messages=0", span("t", "a", "p", chat, "chat", "gen_ai.response.id", "r"), span("t", "b", "p", chat, "chat", content, "[]", "gen_ai.response.id", "r"))
	f("id=a named messages=0\nid=b named messages=0", // a cached answer
		span("t", "a", "p", chat, "chat", content, "[]", "gen_ai.response.id", "r"), span("t", "b", "p", chat, "chat", content, "[]", "gen_ai.response.id", "r"))
	f("id=a named\nid=b named", span("t", "a", "p", chat, "chat", "gen_ai.response.id", "r"), span("t", "b", "q", chat, "chat", "gen_ai.response.id", "r"))
	// The one with messages, whichever is around the other and what lies between.
	const kind, text, said = "openinference.span.kind", "input.value", "llm.input_messages.0.message.content"
	outer, inner := span("t", "o", "p", kind, "LLM", text, "hi"), span("t", "i", "m", kind, "LLM", text, "hi", said, "hi")
	middle := span("t", "m", "o", kind, "LLM", text, "hi")
	hi := ` named messages=1 last="{\"content\":\"hi\"}"`
	f("id=i"+hi, inner, middle, outer)
	f("id=i"+hi, outer, middle, inner)
	f("id=i"+hi, inner, middle, span("t", "o", "p", kind, "LLM", text, "hi", said, "hi"))
	// Of one that was tried again each try is a request.
	try := func(id string) string { return span("t", id, "o", kind, "LLM", said, "hi") }
	f("id=1 named agent=n"+strings.TrimPrefix(hi, " named")+"\nid=2 named agent=n"+strings.TrimPrefix(hi, " named"), try("1"), try("2"), span("t", "o", "p", kind, "LLM", said, "hi", agent, "n"))
	// What is looked up for a call is none of it.
	f("id=e named model=m\nid=o named messages=0", span("t", "e", "o", chat, "embeddings", "gen_ai.request.model", "m"), span("t", "o", "", chat, "chat", content, "[]"))
	f("id=a named messages=0", span("t", "a", "b", chat, "chat", content, "[]"), span("t", "b", "a", chat, "chat", content, "[]")) // a circle
	// What LlamaIndex puts a request together with is no call.
	prepared := `{"messages": ["ChatMessage(role=<MessageRole.USER: 'user'>)"], "tools": []}`
	f("id=o"+hi, span("t", "a", "p", kind, "LLM", text, "{}", "output.value", prepared), span("t", "o", "p", kind, "LLM", said, "hi"))
	f("id=a"+hi+" tool_calls=0", span("t", "a", "p", kind, "LLM", said, "hi", "output.value", `{"messages": ["Chat (soon)"]}`)) // an answer in JSON
	// A stream of Anthropic's library in a trace of its own, by OpenInference 3.1; and a cached answer, later.
	at := func(trace, id, start, end string, attributes ...string) string {
		return `{"traceId":"` + trace + `","spanId":"` + id + `","startTimeUnixNano":"` + start + `00000000","endTimeUnixNano":"` + end + `00000000",` + otelAttributes(append(attributes, chat, "chat")...) + `}`
	}
	answer := at("t", "a", "10", "15", content, "[]", "output.value", `{"id":"msg_1","content":[{"type":"text"}]}`)
	f("took=500ms id=a named messages=0 tool_calls=0", answer, at("u", "b", "11", "14", "gen_ai.response.id", "msg_1"))
	f("took=500ms id=a named messages=0 tool_calls=0\n1970-01-01T00:00:01.400000Z took=200ms id=b named", answer, at("u", "b", "14", "16", "gen_ai.response.id", "msg_1"))
	// The messages in events of the span, as they once were.
	f(`id=a named messages=1 last="{\"role\":\"user\"}" tool_calls=1 name=f`,
		`{"spanId":"a","startTimeUnixNano":"1000000000",`+otelAttributes(chat, "chat")+`,"events":[{"name":"exception","attributes":[]},{"name":"gen_ai.content.prompt",`+otelAttributes("gen_ai.prompt", `[{"role":"user"}]`)+
			`},{"name":"gen_ai.content.completion",`+otelAttributes("gen_ai.completion", `[{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}]`)+`}]}`)
	// A span that names a model and no operation, around one that does.
	f("id=i named", span("t", "i", "o", chat, "chat"), span("t", "o", "p", "gen_ai.request.model", "m", "gen_ai.response.id", "r"))
	f("id=i named\nid=j named", span("t", "o", "", "gen_ai.request.model", "m", content, "[]"), span("t", "p", "o"), span("t", "i", "p", chat, "chat"), span("t", "j", "p", chat, "chat"))
	f("id=a named model=m", span("t", "a", "a", "gen_ai.request.model", "m", "gen_ai.response.id", "r")) // its own parent
	// A message in each event.
	happened := func(want string, events ...string) {
		t.Helper()
		f("id=a named"+want, `{"spanId":"a","startTimeUnixNano":"1000000000","events":[`+strings.Join(events, ",")+`],`+otelAttributes(chat, "chat")+`}`)
	}
	event := func(name string, attributes ...string) string {
		return `{` + otelAttributes(attributes...) + `,"name":"` + name + `"}` // in any order
	}
	happened(` messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"t\",\"content\":\"ok\"}" tool_calls=1 call=u name=f arguments={} lost="history kept by the provider, not in the request"`,
		event("exception", "content", "no"), event("gen_ai.system.message", "gen_ai.system", "az.ai.inference", "gen_ai.event.content", `{"role":"developer","content":"be good"}`),
		event("gen_ai.tool.message", "gen_ai.event.content", `{"id":"t","content":"ok"}`),
		event("gen_ai.choice", "gen_ai.event.content", `{"finish_reason":"tool_calls","message":{"tool_calls":[{"id":"u","type":"function","function":{"name":"f","arguments":"{}"}}]}}`))
	// One whose text was cut is not known, nor is what was called in it.
	const cut = ` lost="content truncated by the logger"`
	happened(` messages=1 last="{\"role\":\"user\",\"content\":null}"`+cut, event("gen_ai.user.message", "gen_ai.event.content", `{"role":"user","content":"he`))
	happened(` messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}"`+cut, event("gen_ai.user.message", "content", "hi"),
		event("gen_ai.choice", "gen_ai.event.content", `{"message":{"tool_calls":[{"id":"u","function":{"name":"f","arguments":"{`))
	// What MLflow makes of a stream has no calls; its chunks do.
	chunk := func(delta, end string) string {
		return event("mlflow.chunk.item.0", "mlflow.chunk.value", `{"choices":[{"index":0,"delta":{"tool_calls":`+delta+`},"finish_reason":`+end+`}]}`)
	}
	streamed := func(want string, chunks ...string) {
		t.Helper()
		f("id=a named"+want, `{"spanId":"a","startTimeUnixNano":"1000000000","events":[`+strings.Join(chunks, ",")+`],`+
			otelAttributes("mlflow.spanType", `"CHAT_MODEL"`, "mlflow.spanOutputs", `{"choices":[{"message":{"role":"assistant","content":"","tool_calls":null}}]}`)+`}`)
	}
	begun, more, ended := chunk(`[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]`, `null`), chunk(`[{"index":0,"function":{"arguments":"{\"a\":1}"}}]`, `null`), chunk(`null`, `"tool_calls"`)
	streamed(` tool_calls=1 call=c name=f arguments="{\"a\":1}"`, begun, more, ended)
	streamed(``, more, ended) // of more events than a span keeps
	// Blocks of Converse as a text, by Strands Agents.
	happened(` messages=3 last="{\"role\":\"tool\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":[{\"text\":\"ok\"}]}]}" tool_calls=1 call=u name=f arguments="{\"a\":1}"`,
		event("gen_ai.user.message", "content", `[{"text":"hi"}]`), event("gen_ai.assistant.message", "content", `[{"toolUse":{"toolUseId":"t","name":"f","input":{}}}]`),
		event("gen_ai.tool.message", "content", `[{"toolResult":{"toolUseId":"t","content":[{"text":"ok"}]}}]`),
		event("gen_ai.choice", "finish_reason", "tool_use", "message", `[{"text":"so"},{"toolUse":{"toolUseId":"u","name":"f","input":{"a":1}}}]`))
	happened(` messages=1 last="{\"role\":\"user\",\"content\":\"[{'text': 'hi'}]\"}"`, event("gen_ai.user.message", "content", "[{'text': 'hi'}]"))
	happened(` messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}" tool_calls=0`, event("gen_ai.user.message", "content", "hi"), event("gen_ai.choice", "finish_reason", "end_turn", "message", "Hello"))
	for _, reason := range []string{"tool_use", "function_call"} {
		happened(` messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}"`, event("gen_ai.user.message", "content", "hi"), event("gen_ai.choice", "finish_reason", reason, "message", "Hello"))
	}
	happened(``, event("gen_ai.user.message", "gen_ai.system", "openai")) // without what it said
	// The details, each in an event of its own.
	happened(` messages=1 last="{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"\\\"hi\\\"\"}]}" tool_calls=1 name=f`,
		event("gen_ai.client.inference.operation.details", content, `[{"role":"user","parts":[{"type":"text","content":"\"hi\""}]}]`),
		event("gen_ai.client.inference.operation.details", "gen_ai.output.messages", `[{"parts":[{"type":"tool_call","name":"f"}]}]`))
	// Failed calls.
	failed := func(message string) string {
		return `{"spanId":"a","startTimeUnixNano":"1000000000","endTimeUnixNano":"1500000000","status":{"code":2,"message":"` + message + `"},` + otelAttributes(chat, "chat") + `}`
	}
	f(`took=500ms id=a named status=503 error="Error code: 503 - busy"`, failed("Error code: 503 - busy"))
	f(`took=500ms id=a named status=429 error="RateLimitError: Error code: 429"`, failed("RateLimitError: Error code: 429"))
	f(`took=500ms id=a named status=400 error="Error code: 400 - no"`, failed("Error code: 400 - no"))
	f(`took=500ms id=a named error="Error code: ?"`, failed("Error code: ?"))
	f(`took=500ms id=a named status=429 error="ClientError: 429 RESOURCE_EXHAUSTED. {}"`, failed("ClientError: 429 RESOURCE_EXHAUSTED. {}"))                                         // Google's
	f(`took=500ms id=a named status=503 error="ModelServerError: status_code: 503, model_name: m, body: {}"`, failed("ModelServerError: status_code: 503, model_name: m, body: {}")) // Pydantic AI's
	f(`took=500ms id=a named status=429 error="HTTP 429 - {}"`, failed("HTTP 429 - {}"))                                                                                             // Spring AI's
	f(`took=500ms id=a named error="HTTP 200 - {"`, failed("HTTP 200 - {"))
	f(`took=500ms id=a named status=503 error="503 UNAVAILABLE. {}"`, failed("503 UNAVAILABLE. {}"))
	f(`took=500ms id=a named status=429 error="429 Rate limit reached"`, failed("429 Rate limit reached")) // of Node, as the next
	f(`took=500ms id=a named status=503 error="503 status code (no body)"`, failed("503 status code (no body)"))
	f(`took=500ms id=a named status=429 error="429 litellm.RateLimitError: busy"`, failed("429 litellm.RateLimitError: busy"))
	f(`took=500ms id=a named status=429 error="429: slow down"`, failed("429: slow down"))                                                                           // of Java's
	f(`took=500ms id=a named status=429 error="failed to call model: Error 429, Message: slow down"`, failed("failed to call model: Error 429, Message: slow down")) // of Google's for Go
	f(`took=500ms id=a named status=529 error="529 {}"`, failed("529 {}"))                                                                                           // of Anthropic's
	f(`took=500ms id=a named status=503 error="SDKError: API error occurred: Status 503. Body: {}"`, failed("SDKError: API error occurred: Status 503. Body: {}"))   // of Mistral's
	f(`took=500ms id=a named status=429 error="{'code': 'busy'} (status code: 429)"`, failed("{'code': 'busy'} (status code: 429)"))                                 // of Ollama's
	f(`took=500ms id=a named status=429 error="Client error '429 Too Many Requests' for url"`, failed("Client error '429 Too Many Requests' for url"))               // of httpx
	f(`took=500ms id=a named status=429 error="POST 'https://a/v1/messages': 429 Too Many Requests {}"`, failed("POST 'https://a/v1/messages': 429 Too Many Requests {}"))
	f(`took=500ms id=a named error="the 429 Too Manys, of 499 and 500"`, failed("the 429 Too Manys, of 499 and 500"))
	f(`took=500ms id=a named status=429 error="ApiError: {'error':{'code':429}}"`, failed("ApiError: {'error':{'code':429}}")) // of Google's for Node
	f(`took=500ms id=a named status=503 error="AI_APICallError: statusCode: 503"`, failed("AI_APICallError: statusCode: 503"))
	f(`took=500ms id=a named status=503 error="503 of a status 429"`, failed("503 of a status 429"))
	f(`took=500ms id=a named status=503 error="An error occurred (503) when calling"`, failed("An error occurred (503) when calling"))
	f(`took=500ms id=a named status=429 error="An error occurred (ThrottlingException) when calling: no"`, failed("An error occurred (ThrottlingException) when calling: no")) // of botocore
	f(`took=500ms id=a named error="An error occurred (OddException) when calling"`, failed("An error occurred (OddException) when calling"))
	f(`took=500ms id=a named error="no barcode 404 in there, nor status 200"`, failed("no barcode 404 in there, nor status 200"))
	f(`took=500ms id=a named error="Error 4096 tokens at most"`, failed("Error 4096 tokens at most"))
	f(`took=500ms id=a named error="512 tokens too many"`, failed("512 tokens too many"))
	for _, counted := range []string{"error: 500 ms is too long", "Error: 500ms", "ValueError: 404 tokens asked for", "450 Tokens too many", "error: 500,000 in the queue", "status: 450.5", "error 429abc", "status 500_000", "error 400 times in a row", "HTTP 50"} {
		f(`took=500ms id=a named error="`+counted+`"`, failed(counted))
	}
	for _, said := range []string{"it had status=503", "Error 503 timed out", "Response status does not indicate success: 503 (Service Unavailable).", "error: 503, of a pool", "HTTP 503."} {
		f(`took=500ms id=a named status=503 error="`+said+`"`, failed(said))
	}
	f(`took=500ms id=a named error="found 404 of 500 Things"`, failed("found 404 of 500 Things"))
	f(`took=500ms id=a named error="bad max_tokens: 512 Tokens"`, failed("bad max_tokens: 512 Tokens"))
	f(`took=500ms id=a named error="max_tokens: 512 Tokens"`, failed("max_tokens: 512 Tokens"))
	f(`took=500ms id=a named status=429 error="RateLimitError: of '500 Requests'"`, failed("RateLimitError: of '500 Requests'"))
	f(`took=500ms id=a named status=429 error="_ResourceExhaustedError: \nSee"`, failed(`_ResourceExhaustedError: \nSee`))   // of Google's ADK
	f(`took=500ms id=a named status=429 error="LMRateLimitError: [m] slow down"`, failed("LMRateLimitError: [m] slow down")) // of DSPy
	f(`took=500ms id=a named status=408 error="APITimeoutError: Request timed out."`, failed("APITimeoutError: Request timed out."))
	f(`took=500ms id=a named error=_OTHER`, failed(""))
	// Those that say it in an event alone, as OpenLLMetry's of Google's library.
	f(`id=a named status=429 error=google.genai.errors.ClientError`, `{"spanId":"a","startTimeUnixNano":"1000000000","events":[{`+
		otelAttributes("exception.type", "google.genai.errors.ClientError", "exception.message", "429 RESOURCE_EXHAUSTED. {}")+`,"name":"exception"}],"status":{"code":2},`+otelAttributes(chat, "chat")+`}`)
	f(`id=a named status=429 error=ClientError`, `{"spanId":"a","startTimeUnixNano":"1000000000","events":[{`+
		otelAttributes("exception.type", "ClientError")+`,"name":"exception"}],"status":{"code":2},`+otelAttributes(chat, "chat", "http.response.status_code", "429")+`}`)
	f(`id=a named status=503 error=503`, span("t", "a", "p", chat, "chat", "error.type", "503"))
	f(`id=a named status=429 error=500`, span("t", "a", "p", chat, "chat", "error.type", "500", "http.response.status_code", `{"intValue":"429"}`))
	f(`id=a named status=429 error=RateLimitError`, span("t", "a", "p", chat, "chat", "error.type", "RateLimitError"))
	f(`id=a named status=500 error="<class 'openai.InternalServerError'>"`, span("t", "a", "p", chat, "chat", "error.type", "<class 'openai.InternalServerError'>"))
	f(`id=a named status=500 error=openai.APIConnectionError`, span("t", "a", "p", chat, "chat", "error.type", "openai.APIConnectionError"))
	f(`id=a named status=500 error=httpx.RemoteProtocolError`, span("t", "a", "p", chat, "chat", "error.type", "httpx.RemoteProtocolError")) // through Google's
	f(`id=a named status=429 error=ThrottlingException`, span("t", "a", "p", chat, "chat", "error.type", "ThrottlingException"))             // Bedrock's
	f(`id=a named status=408 error=timeout`, span("t", "a", "p", chat, "chat", "error.type", "timeout"))                                     // OpenTelemetry's own
	f(`id=a named status=408 error=java.net.SocketTimeoutException`, span("t", "a", "p", chat, "chat", "error.type", "java.net.SocketTimeoutException"))
	f(`took=500ms id=a named error="no Timeout here: 3"`, failed("no Timeout here: 3"))
	f(`id=a named error=app.BrokenError`, span("t", "a", "p", chat, "chat", "error.type", "app.BrokenError"))
	// They issued no calls, whether the span has a status or not. The bug was that those
	// of the call before counted once more.
	f(`id=a named messages=0 tool_calls=0 status=503`, span("t", "a", "p", chat, "chat", "gen_ai.input.messages", "[]", "http.response.status_code", `{"intValue":"503"}`))
	f(`id=a named messages=0 tool_calls=0 error=broken`, span("t", "a", "p", chat, "chat", "gen_ai.input.messages", "[]", "error.type", "broken"))
}

// TestOtelResource: of a process that serves one session, and of what the Collector has
// grouped by one (groupbyattrs), the resource names it; a span or one around it goes before.
func TestOtelResource(t *testing.T) {
	resource := otelAttributes("service.name", "app", "gen_ai.conversation.id", "s", "user.id", "u")
	f := func(want, library string, spans ...string) {
		t.Helper()
		areRequests(t, "otel", `{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"`+library+`"},"spans":[`+strings.Join(spans, ",")+`]}],"resource":{`+resource+`}},{"scopeSpans":[{"scope":{"name":"x"},"spans":[{"traceId":"t","spanId":"z","startTimeUnixNano":"1000000000",`+otelAttributes("gen_ai.operation.name", "chat")+`}]}]}]}`, want+"\nid=z named")
	}
	span := func(id, parent string, attributes ...string) string {
		return `{"traceId":"t","spanId":"` + id + `","parentSpanId":"` + parent + `","startTimeUnixNano":"1000000000",` + otelAttributes(attributes...) + `}`
	}
	const chat = "gen_ai.operation.name"
	f("id=a caller=app named user=u session=s", "x", span("a", "", chat, "chat"))
	f("id=a caller=app named user=u session=own", "x", span("a", "", chat, "chat", "session.id", "own"))
	f("id=a caller=app named user=v session=around", "x", span("b", "", "session.id", "around", "user.id", "v"), span("a", "b", chat, "chat"))
	f("id=a named user=u session=s", "litellm", span("a", "", chat, "chat")) // who serves is not who called
	areRequests(t, "otel", `{"resourceLogs":[{"resource":{`+resource+`},"scopeLogs":[{"logRecords":[{"timeUnixNano":"1000000000","spanId":"a","eventName":"gen_ai.client.inference.operation.details",`+otelAttributes(chat, "chat")+`}]}]}]}`,
		"id=a caller=app named user=u session=s")
	areRequests(t, "otel", `{"resourceLogs":[{"resource":{`+resource+`},"scopeLogs":[{"logRecords":[{"timeUnixNano":"1000000000","body":{"stringValue":"claude_code.tool_result"},`+otelAttributes("tool_name", "Bash", "tool_input", "{}")+`}]}]}]}`,
		"user=u session=s tool_calls=1 name=Bash arguments={}")
	// In rows of ClickHouse, and from the console.
	const plain = `{"service.name":"app","session.id":"s","user.id":"u"}`
	areRequests(t, "otel", `{"Timestamp":"1970-01-01 00:00:01.000000000","TraceId":"t","SpanId":"a","ServiceName":"app","ResourceAttributes":`+plain+`,"SpanAttributes":{"gen_ai.operation.name":"chat"},"Duration":"0"}`, "id=a caller=app named user=u session=s")
	areRequests(t, "otel", `{"Timestamp":"1970-01-01 00:00:01.000000000","TraceId":"t","SpanId":"a","ServiceName":"app","ScopeName":"litellm","ResourceAttributes":`+plain+`,"SpanAttributes":{"gen_ai.operation.name":"chat"},"Duration":"0"}`, "id=a named user=u session=s")
	areRequests(t, "otel", `{"context":{"trace_id":"0x1","span_id":"0xa"},"parent_id":null,"start_time":"1970-01-01T00:00:01Z","end_time":null,"attributes":{"gen_ai.operation.name":"chat"},"resource":{"attributes":`+plain+`}}`, "id=a caller=app named user=u session=s")
}

func TestOtelLogs(t *testing.T) {
	f := func(want string, logs ...string) {
		t.Helper()
		line := `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"app"}}]},"scopeLogs":[{"logRecords":[` + strings.Join(logs, ",") + `]}]}]}`
		areRequests(t, "otel", line, want)
	}
	event := func(span, name, at, body string) string {
		return `{"timeUnixNano":"` + at + `","spanId":"` + span + `","attributes":[{"key":"event.name","value":{"stringValue":"` + name + `"}}],"body":{"kvlistValue":{"values":[` + body + `]}}}`
	}
	member := func(key, value string) string { return `{"key":"` + key + `","value":{"stringValue":"` + value + `"}}` }
	// The messages of two calls, between each other.
	f(`took=500ms id=a caller=app named messages=3 last="{\"role\":\"tool\",\"content\":\"ok\",\"tool_call_id\":\"t\"}" tool_calls=0`+"\n"+
		`id=b caller=app named messages=1 last="{\"role\":\"user\",\"content\":\"ho\"}"`,
		event("a", "gen_ai.system.message", "1000000000", member("content", "be good")),
		event("b", "gen_ai.user.message", "1000000000", member("content", "ho")),
		event("a", "gen_ai.user.message", "1000000000", member("content", "hi")),
		event("a", "gen_ai.tool.message", "1000000000", member("content", "ok")+","+member("id", "t")),
		event("a", "gen_ai.choice", "1500000000", member("finish_reason", "stop")))
	// LiteLLM says that there were calls, and leaves them out.
	f(`id=a caller=app named messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}"`,
		event("a", "gen_ai.content.prompt", "1000000000", member("role", "user")+","+member("content", "hi")),
		event("a", "gen_ai.content.completion", "1000000000", member("finish_reason", "tool_calls")))
	// OpenLLMetry has the calls beside the message, of Anthropic's blocks in events of their own.
	beside := `,{"key":"tool_calls","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[` + member("id", "t") + `,{"key":"function","value":{"kvlistValue":{"values":[` + member("name", "f") + `]}}}]}}]}}}`
	f(`id=a caller=app named tool_calls=1 call=t name=f`,
		event("a", "gen_ai.choice", "1000000000", member("finish_reason", "tool_call")+beside), event("a", "gen_ai.choice", "1000000000", member("finish_reason", "tool_call")+`,{"key":"message","value":{"kvlistValue":{"values":[`+member("content", "so")+`]}}}`))
	// Google's contents are all the user's by the events' names; the SDK writes what there is not, too.
	content := func(role, part string) string {
		return `{"key":"content","value":{"kvlistValue":{"values":[{"key":"parts","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"thought","value":{}},` + part + `]}}]}}},` + member("role", role) + `]}}}`
	}
	object := func(key string, members ...string) string {
		return `{"key":"` + key + `","value":{"kvlistValue":{"values":[` + strings.Join(members, ",") + `]}}}`
	}
	calls := content("model", object("function_call", member("name", "f"), object("args", member("a", "b"))))
	const google = `id=a caller=app named messages=3 last="{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"f\",\"content\":\"ok\"}],\"role\":\"user\"}" `
	f(google+`tool_calls=1 name=f arguments="{\"a\":\"b\"}"`,
		event("a", "gen_ai.user.message", "1000000000", content("user", member("text", "hi"))), event("a", "gen_ai.user.message", "1000000000", calls),
		event("a", "gen_ai.user.message", "1000000000", content("user", object("function_response", member("name", "f"), object("response", member("result", "ok"))))),
		event("a", "gen_ai.choice", "1000000000", calls+","+member("finish_reason", "STOP")))
	f(`id=a caller=app named messages=1 last="{\"role\":\"user\",\"content\":\"<elided>\"}"`,
		event("a", "gen_ai.user.message", "1000000000", member("content", "<elided>")), event("a", "gen_ai.choice", "1000000000", member("content", "<elided>")+","+member("finish_reason", "STOP")))
	// Semantic Kernel's bodies are texts of JSON.
	text := func(name, body string) string {
		return fmt.Sprintf(`{"timeUnixNano":"1000000000","spanId":"a","body":{"stringValue":%q},%s}`, body, otelAttributes("event.name", name))
	}
	f(`id=a caller=app named messages=2 last="{\"role\":\"user\",\"content\":\"hi\"}" tool_calls=1 call=c name=f arguments="{\"a\":1}"`,
		text("gen_ai.system.message", `{"role":"system","content":"Help."}`), text("gen_ai.user.message", `{"role":"user","content":"hi"}`),
		text("gen_ai.choice", `{"message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}`))
	// The whole call in one event, with an observed time only.
	f(`id=a caller=app named model=m messages=0 tool_calls=0 error=E`,
		`{"observedTimeUnixNano":"1000000000","spanId":"a","eventName":"gen_ai.client.inference.operation.details","body":{},`+otelAttributes("gen_ai.request.model", "m", "gen_ai.input.messages", "[]", "error.type", "E")+`}`)
	f(`id=a caller=app named user=u session=s agent=n messages=0`,
		`{"timeUnixNano":"1000000000","spanId":"a","eventName":"gen_ai.client.inference.operation.details",`+otelAttributes("gen_ai.conversation.id", "s", "user.id", "u", "gen_ai.agent.name", "n", "gen_ai.input.messages", "[]")+`}`)
	// OpenTelemetry's of Node writes question and answer of the Responses API as an event each.
	detail := func(at string, attributes ...string) string {
		return `{"timeUnixNano":"` + at + `","spanId":"a","eventName":"gen_ai.client.inference.operation.details",` + otelAttributes(attributes...) + `}`
	}
	f(`took=500ms id=a caller=app named messages=0 tool_calls=1 name=f`, detail("1000000000", "gen_ai.input.messages", "[]"),
		detail("1500000000", "gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"tool_call","name":"f"}]}]`))
	// Gemini CLI writes one as it sends a request, too.
	const details = `{"timeUnixNano":"1000000000","eventName":"gen_ai.client.inference.operation.details","body":{"stringValue":"GenAI operation `
	f(`caller=app named messages=0 tool_calls=0`, details+`request details from m."},`+otelAttributes("gen_ai.input.messages", "[]")+`}`,
		details+`details from m. Status: 200."},`+otelAttributes("gen_ai.input.messages", "[]", "gen_ai.output.messages", "[]")+`}`)
	// Records without a span are nobody's; other events are no requests.
	f("column 0: no request in it", `{"timeUnixNano":"1000000000","body":{"stringValue":"hello"}}`, event("a", "gen_ai.client.operation.exception", "1000000000", ""))
	f("caller=app named messages=1 last=\"{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"x\\\"}\"\ncaller=app named messages=1 last=\"{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"y\\\"}\"",
		event("", "gen_ai.user.message", "1000000000", member("content", "x")), event("", "gen_ai.user.message", "1000000000", member("content", "y")))
}

func TestOtherLiteLLM(t *testing.T) {
	f := func(format, record, want string) {
		t.Helper()
		areRequests(t, format, record, want)
	}
	spend := func(members string) string {
		return `{"request_id":"r","spend":0.5,"startTime":"1970-01-01T00:00:01Z"` + members + `}`
	}
	f("litellm-spend", spend(``), `id=r cost=0.5`)
	f("litellm-spend", spend(`,"endTime":"1970-01-01 00:00:01.5","api_key":"h","user":"k","end_user":"e","model":"openai/m","model_group":"m","custom_llm_provider":"openai","session_id":"s"`),
		`took=500ms id=r caller=h user=e session=s model=m backend=openai cost=0.5`)
	f("litellm-spend", spend(`,"user":"k","end_user":"","cache_hit":"True","status":"failure","metadata":"{\"error_information\":{\"error_code\":\"503\",\"error_class\":\"E\"}}"`),
		`id=r user=k tool_calls=0 status=503 error=E cost=0.5 cached=true`)
	f("litellm-spend", spend(`,"prompt_tokens":30,"metadata":"{\"usage_object\":{\"prompt_tokens\":1,\"cache_read_input_tokens\":20}}"`), `id=r tokens_in=30 tokens_cached=20 cost=0.5`)
	// Columns of JSON, as texts or not; {} is what LiteLLM writes for nothing.
	for _, empty := range []string{`{}`, `"{}"`, `null`, `"[]"`} {
		f("litellm-spend", spend(`,"messages":`+empty+`,"response":`+empty+`,"proxy_server_request":`+empty), `id=r cost=0.5`)
	}
	f("litellm-spend", spend(`,"session_id":"s","proxy_server_request":{"messages":[{"role":"user"}],"metadata":{"session_id":"m"}},"response":{"choices":[{"message":{"tool_calls":[{"function":{"name":"f"}}]}}]}`),
		`id=r session=m messages=1 last="{\"role\":\"user\"}" has_tools=false tool_calls=1 name=f cost=0.5 stream=false metadata.session_id=m`)
	// A session that the request does not name, and that looks made up, is LiteLLM's own.
	const made = `,"session_id":"d7dd5070-c68c-4984-818b-de494549fe8f"`
	stored := func(members string) string { return `,"proxy_server_request":{"messages":[]` + members + `}` }
	f("litellm-spend", spend(made), `id=r session=d7dd5070-c68c-4984-818b-de494549fe8f cost=0.5`)
	const sent = ` messages=0 has_tools=false tool_calls=0 cost=0.5 stream=false`
	f("litellm-spend", spend(made+stored(`,"metadata":{"headers":{"accept":"*/*"}}`)), `id=r`+sent+` header:accept=*/*`)
	f("litellm-spend", spend(made+stored(`,"metadata":{"user_id":"x"},"litellm_metadata":{"headers":{"x-litellm-session-id":"s"}}`)), `id=r session=s`+sent+` header:x-litellm-session-id=s`)
	f("litellm-spend", spend(made+stored(`,"litellm_session_id":"d7dd5070-c68c-4984-818b-de494549fe8f","metadata":{"headers":{}}`)), `id=r session=d7dd5070-c68c-4984-818b-de494549fe8f`+sent)
	f("litellm-spend", spend(`,"session_id":"t"`+stored(`,"metadata":{"trace_id":"t","headers":{}}`)), `id=r`+sent)
	f("litellm-spend", spend(made+stored(``)), `id=r session=d7dd5070-c68c-4984-818b-de494549fe8f`+sent)
	f("litellm-spend", spend(`,"session_id":"t"`+stored(``)), `id=r session=t`+sent)
	f("litellm-spend", spend(made+stored(`,"litellm_trace_id":"d7dd5070-c68c-4984-818b-de494549fe8f","metadata":{"headers":{}}`)), `id=r session=d7dd5070-c68c-4984-818b-de494549fe8f`+sent)
	// Of responses that follow each other all have that of the first.
	f("litellm-spend", spend(made+stored(`,"previous_response_id":"p","metadata":{"headers":{}}`)),
		`id=r session=d7dd5070-c68c-4984-818b-de494549fe8f messages=0 has_tools=false tool_calls=0 cost=0.5 stream=false lost="history kept by the provider, not in the request"`)
	f("litellm-spend", spend(stored(`,"user":"\u00fc","metadata":{"headers":{"x-a":"\u0062c"}}`)), `id=r user=ü`+sent+` header:x-a=bc`)
	// What was cut beside what was said takes nothing of it away.
	f("litellm-spend", spend(`,"proxy_server_request":{"messages":[{"role":"user"}],"metadata":{"traceback":"a ... (litellm_truncated skipped 99 chars) ... b"}},"response":{"choices":[{"message":{"content":"a ... (litellm_truncated skipped 99 chars) ... b","tool_calls":[{"function":{"name":"f"}}]}}]}`),
		`id=r messages=1 last="{\"role\":\"user\"}" has_tools=false tool_calls=1 name=f cost=0.5 stream=false`)

	// The messages of a realtime call.
	f("litellm-spend", spend(`,"messages":[{"role":"user"}]`), `id=r messages=1 last="{\"role\":\"user\"}" cost=0.5`)

	bedrock := func(members string) string {
		return `{"schemaType":"ModelInvocationLog","timestamp":"1970-01-01T00:00:01Z","modelId":"m","requestId":"r"` + members + `}`
	}
	f("bedrock", bedrock(`,"errorCode":"ThrottlingException"`), `id=r model=m status=429 error=ThrottlingException`)
	f("bedrock", bedrock(`,"errorCode":"ServiceUnavailableException"`), `id=r model=m status=503 error=ServiceUnavailableException`)
	f("bedrock", bedrock(`,"input":{"inputTokenCount":3,"cacheReadInputTokenCount":20,"cacheWriteInputTokenCount":5},"output":{"outputTokenCount":9}`), `id=r model=m tokens_in=28 tokens_out=9 tokens_cached=20`)
	f("bedrock", bedrock(`,"input":{"inputTokenCount":3}`), `id=r model=m tokens_in=3`)
	f("bedrock", bedrock(`,"errorCode":"NewException"`), `id=r model=m error=NewException`)

	stdout := func(message, component string) string {
		return `{"message":"` + message + `","level":"INFO","timestamp":"1970-01-01T00:00:01","component":"` + component + `"}`
	}
	f("litellm-stdout", stdout(`10.0.0.1:4000 - \"POST /v1/x?a=1 HTTP/1.1\" 200`, "uvicorn.access"), `method=POST path=/v1/x query=a=1 caller=10.0.0.1 named status=200`)
	f("litellm-stdout", stdout(`10.0.0.1:4000 - \"POST /v1/x HTTP/1.1\" 200`, "uvicorn.error"), "column 0: no request in it")
	f("litellm-stdout", stdout(`Started`, "uvicorn.access"), "column 0: no request in it")

	f("claude-code-router", `{"level":30,"time":1000,"pid":1,"hostname":"h","type":"request body","data":{"model":"m","messages":[],"metadata":{"user_id":"{\"session_id\":\"j\"}"}}}`,
		`caller=h named session=j model=m messages=0 has_tools=false stream=false metadata.user_id=j`)
	f("claude-code-router", `{"level":30,"time":1000,"pid":1,"hostname":"h","reqId":"req-1","msg":"incoming request"}`, "column 0: no request in it")
	f("claude-code-router", `{"level":30,"time":1000,"pid":1,"hostname":"h","type":"request body","data":null}`, "column 0: no request in it")
}

func TestOtelPhoenix(t *testing.T) {
	f := func(members, want string) {
		t.Helper()
		line := `{"id":"U3Bhbjox","name":"n","context":{"trace_id":"t","span_id":"a"},"parent_id":null,"start_time":"1970-01-01T00:00:01+00:00","end_time":"1970-01-01T00:00:02+00:00",` + members + `}`
		areRequests(t, "otel", line, want)
	}
	const request, none = `took=1s id=a named model=m`, "column 0: no request in it"
	f(`"span_kind":"LLM","status_code":"OK","status_message":"","attributes":{"llm.model_name":"m"}`, request)
	f(`"attributes":{"llm.model_name":"m"},"span_kind":"EMBEDDING"`, request)
	f(`"span_kind":"LLM","status_code":"ERROR","status_message":"Error code: 503 - overloaded","attributes":{"llm.model_name":"m"}`, request+` status=503 error="Error code: 503 - overloaded"`)
	f(`"attributes":{"gen_ai.operation.name":"chat","gen_ai.request.model":"m"},"events":[{"name":"gen_ai.user.message","timestamp":"1970-01-01T00:00:01Z","attributes":{"content":"hi"}}]`, request+` messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}"`)
	f(`"span_kind":"TOOL","attributes":{"llm.model_name":"m"}`, none)
	// LlamaIndex's _prepare_chat_with_tools.
	f(`"attributes":{"output.value":"{\"messages\": [\"ChatMessage(role='user')\"]}"},"span_kind":"LLM"`, none)
}

// idsOfLibraries are the ids of the calls in one export of the spans of two libraries.
func idsOfLibraries(t *testing.T, one string, spans []string, other string, more []string) string {
	t.Helper()
	scope := func(name string, spans []string) string {
		return `{"scope":{"name":"` + name + `"},"spans":[` + strings.Join(spans, ",") + `]}`
	}
	var ids []string
	for r := range strings.SplitSeq(requests(t, "otel", `{"resourceSpans":[{"scopeSpans":[`+scope(one, spans)+`,`+scope(other, more)+`]}]}`), "\n") {
		_, rest, _ := strings.Cut(r, "id=")
		id, _, _ := strings.Cut(rest, " ")
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

// TestOtelTwins: LangChain's span of a call is not around that of the OpenAI
// library.
func TestOtelTwins(t *testing.T) {
	span := func(id, times, text string) string {
		start, end, _ := strings.Cut(times, "-")
		return `{"traceId":"t","spanId":"` + id + `","parentSpanId":"p","startTimeUnixNano":"` + start + `000000000","endTimeUnixNano":"` + end + `000000000",` +
			otelAttributes("openinference.span.kind", "LLM", "llm.model_name", "m", "llm.input_messages.0.message.role", "user", "llm.input_messages.0.message.content", text) + `}`
	}
	f := func(want string, outer, inner []string) {
		t.Helper()
		if got := idsOfLibraries(t, "openinference.instrumentation.openai", inner, "openinference.instrumentation.langchain", outer); got != want {
			t.Errorf("%q in %q: %s, want %s", inner, outer, got, want)
		}
	}
	f("a", []string{span("a", "1-4", "x")}, []string{span("b", "2-3", "x")})
	f("c a", []string{span("a", "1-4", "x")}, []string{span("b", "2-3", "x"), span("c", "2-4", "x")}) // one of them each
	f("a c", []string{span("a", "1-4", "x"), span("c", "2-6", "x")}, []string{span("b", "2-3", "x"), span("d", "3-5", "x")})
	f("b a", []string{span("a", "1-4", "x")}, []string{span("b", "2-3", "y")}) // other messages
	f("b a", []string{span("a", "1-4", "x")}, []string{span("b", "2-5", "x")}) // another time
	f("a b", []string{span("a", "1-4", "x"), span("b", "2-3", "x")}, nil)      // one library
}

// TestOtelNeighbours: two libraries wrote spans of a call, none around the other, which
// have neither the response's id nor words of OpenInference's in common.
func TestOtelNeighbours(t *testing.T) {
	span := func(id, parent, times, model, more string) string {
		start, end, _ := strings.Cut(times, "-")
		return `{"traceId":"t` + parent + `","spanId":"` + id + `","parentSpanId":"` + parent + `","startTimeUnixNano":"` + start + `000000000","endTimeUnixNano":"` + end + `000000000",` + more +
			otelAttributes("gen_ai.operation.name", "chat", "gen_ai.request.model", model) + `}`
	}
	f := func(want string, outer, inner []string) {
		t.Helper()
		if got := idsOfLibraries(t, "outer", outer, "inner", inner); got != want {
			t.Errorf("%q in %q: %s, want %s", inner, outer, got, want)
		}
	}
	says := func(s string) string {
		return strings.Replace(s, `"attributes":[`, `"attributes":[{"key":"gen_ai.input.messages","value":{"stringValue":"[]"}},`, 1)
	}
	const failed = `"status":{"code":2},`
	one, other := []string{says(span("a", "p", "1-4", "m", ""))}, []string{says(span("b", "p", "2-3", "m", ""))}
	f("b", one, other)
	f("a", one, []string{span("b", "p", "2-3", "m", "")}) // says nothing
	f("a b", append(one, other...), nil)                  // one library
	f("a b", one, []string{says(span("b", "p", "2-3", "n", ""))})
	f("a b", one, []string{says(span("b", "q", "2-3", "m", ""))})
	f("a b", one, []string{says(span("b", "p", "2-5", "m", ""))})
	f("b d", []string{one[0], says(span("c", "p", "1-4", "m", ""))}, []string{other[0], says(span("d", "p", "2-3", "m", ""))})
	// Calls that ran at once: none that is in one may be around the next.
	f("b d", []string{one[0], says(span("c", "p", "2-3", "m", ""))}, []string{says(span("b", "p", "1-4", "m", "")), says(span("d", "p", "2-3", "m", ""))})
	f("b", []string{says(span("b", "p", "1-3", "m", ""))}, []string{says(span("a", "p", "1-4", "m", ""))}) // the inner is first
	// In traces of their own.
	root := []string{says(span("a", "", "1-4", "m", failed))}
	f("a", root, []string{span("b", "", "2-3", "m", failed)})
	f("a b", root, []string{span("b", "", "2-3", "m", "")})
	f("a b", root, []string{says(span("b", "", "2-3", "m", failed))})
}
