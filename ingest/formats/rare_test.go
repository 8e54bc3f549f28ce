package formats

import (
	"strconv"
	"testing"
)

// TestRare: what is seldom in a log is read as it should be, or left out.
func TestRare(t *testing.T) {
	f := func(format, record, want string) {
		t.Helper()
		areRequests(t, format, record, want)
	}
	calls := `[{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`
	f("azure-apim", `{"CorrelationId":"c","SequenceNumber":1,"TimeGenerated":1,"ResponseMessages":`+strconv.Quote(calls)+`}`, `id=c`) // cut
	f("claude-code", `{"type":"assistant","sessionId":"s","timestamp":"1970-01-01T00:00:01Z","message":"text"}`, `column 0: no request in it`)
	f("codex", `{"type":"response_item","timestamp":"1970-01-01T00:00:01Z","payload":"text"}`, `column 0: no request in it`)
	f("kong", `{"started_at":1000,"request":{},"tries":[],"consumer":{"id":"i","custom_id":"c"}}`, `caller=c named`)
	f("langsmith", `{"run_type":"llm","start_time":"1970-01-01T00:00:01Z","trace_id":"t","error":"RateLimitError\nTraceback"}`, `status=429 error=RateLimitError`)
	f("litellm-v1", `{"startTime":"1970-01-01 00:00:01","modelParameters":"{}","messages":"[]","metadata":"{'user_id': 'user_a_account__session_s1', 'headers': {}}"}`, `named session=s1 messages=0 has_tools=false metadata.user_id=s1`)
	f("litellm-v1", `{"startTime":"1970-01-01 00:00:01","modelParameters":"{}","messages":"[]","metadata":"{'session_id': 's1'}"}`, `named session=s1 messages=0 has_tools=false metadata.session_id=s1`) // of a program that calls LiteLLM itself
	f("litellm-v1", `{"startTime":"1970-01-01 00:00:01","modelParameters":"{'prompt_cache_key': 's1'}","messages":"[]"}`, `named session=s1 messages=0 has_tools=false prompt_cache_key=s1`)
	f("portkey", `{"time":"1/1/1970, 12:00:01 AM","endpoint":"/v1","requestOptions":[{"response":"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n"}]}`, `path=/v1 tool_calls=1 call=c name=f arguments={}`)
	f("har", `{"startedDateTime":"1970-01-01T00:00:01Z","request":{"url":"/v1beta/models/m:generateContent","postData":{"text":"{\"contents\":7}"}},"response":{"content":{"text":"{\"usageMetadata\":{\"totalTokenCount\":9}}"}}}`, `path=/v1beta/models/m:generateContent body="{\"contents\":7}" model=m has_tools=false tool_calls=0 stream=false`)
	f("har", `{"startedDateTime":"1970-01-01T00:00:01Z","request":{"url":"/v1beta/models/m:generateContent","postData":{"text":"{\"contents\":[{\"role\":\"system\",\"parts\":[{\"text\":\"t\"}]}]}"}}}`, `path=/v1beta/models/m:generateContent body="{\"contents\":[{\"role\":\"system\",\"parts\":[{\"text\":\"t\"}]}]}" model=m messages=1 last="{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"role\":\"system\"}" has_tools=false stream=false`)
	f("har", `{"startedDateTime":"1970-01-01T00:00:01Z","request":{"url":"/v1","postData":{"text":"{\"model\":\"m\",\"metadata\":{\"user_id\":\"{\\\"session_id\\\":7}\"}}"}}}`, `path=/v1 body="{\"model\":\"m\",\"metadata\":{\"user_id\":\"{\\\"session_id\\\":7}\"}}" model=m has_tools=false stream=false`)
	span := func(attributes ...string) string {
		return otelSpans(`{"spanId":"a","startTimeUnixNano":"1000000000",` + otelAttributes(append([]string{"gen_ai.operation.name", "chat"}, attributes...)...) + `}`)
	}
	f("otel", span("gen_ai.input.messages", `{"model":"m"}`), `id=a named`)
	f("otel", span("gen_ai.input.messages", `"hello"`), `id=a named messages=1 last="\"hello\""`)
	f("otel", span("gen_ai.input.messages", `"hel`), `id=a named messages=0 lost="content truncated by the logger"`)
	f("otel", span("input.value", ` `), `id=a named`)
	f("otel", span("output.value", `{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}`), `id=a named tool_calls=1 name=f arguments={}`)
	f("otel", span("gen_ai.input.messages", `[{"role":"user","name":"n","parts":[{"type":"text","content":"t"}]}]`), `id=a named messages=1 last="{\"role\":\"user\",\"name\":\"n\",\"content\":[{\"type\":\"text\",\"text\":\"t\"}]}"`)
}
