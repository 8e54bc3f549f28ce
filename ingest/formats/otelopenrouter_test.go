package formats

import (
	"strings"
	"testing"
)

// TestOpenRouter: what OpenRouter's Broadcast sends of a call, a span with spans of
// its attempts inside, which are none.
func TestOpenRouter(t *testing.T) {
	span := func(id, parent, status string, attributes ...string) string {
		return `{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"openrouter"}}]},"scopeSpans":[{"scope":{"name":"openrouter"},"spans":[{"traceId":"t","spanId":"` + id + `","parentSpanId":"` + parent + `","name":"x","startTimeUnixNano":"1000000000",` + status + otelAttributes(append([]string{"gen_ai.operation.name", "chat"}, attributes...)...) + `}]}]}`
	}
	f := func(want string, spans ...string) {
		t.Helper()
		areRequests(t, "otel", `{"resourceSpans":[`+strings.Join(spans, ",")+`]}`, want)
	}
	root := func(id string, attributes ...string) string {
		return span("a", "", "", append([]string{"span.type", "generation", "gen_ai.response.id", id, "gen_ai.request.model", "m", "gen_ai.provider.name", "p"}, attributes...)...)
	}
	attempt := span("b", "a", `"status":{"code":2},`, "span.type", "span", "gen_ai.response.id", "gen-1:attempt-0", "trace.metadata.openrouter.provider_name", "P")
	part := span("c", "a", "", "span.type", "span", "gen_ai.response.id", "gen-1:generation")
	said := []string{
		"user.id", "u", "session.id", "s", "trace.metadata.openrouter.api_key_name", "team key",
		"gen_ai.usage.input_tokens", `{"intValue":9}`, "gen_ai.usage.input_tokens.cached", `{"intValue":4}`, "gen_ai.usage.total_cost", `{"doubleValue":0.5}`,
		"gen_ai.prompt", `{"messages":[{"role":"user","content":"hi"}]}`,
		"gen_ai.completion", `{"completion":"","reasoning":null,"toolCalls":[{"id":"1","index":0,"type":"function","function":{"name":"f","arguments":"{}"}}],"tools":[{}],"rawRequest":{"model":"m","stream":true,"max_tokens":5,"user":"u"}}`,
	}
	const call = ` caller="team key" named user=u session=s model=m backend=p messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}" has_tools=true tool_calls=1 call=1 name=f arguments={} tokens_in=9 tokens_cached=4 cost=0.5 stream=true max_tokens=5`
	f("id=gen-1"+call, root("gen-1", said...), attempt, part)
	f("column 0: no request in it", attempt, part) // in a record of their own
	// Calls in one trace, with the id of that.
	f("id=gen-1"+call+"\nid=gen-2"+call, root("gen-1", said...), root("gen-2", said...))
	// Not to be logged, and without a name of the key: nobody's.
	f("id=gen-1 named model=m backend=p", root("gen-1"), attempt, part)
}
