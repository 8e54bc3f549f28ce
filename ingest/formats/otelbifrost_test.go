package formats

import (
	"strings"
	"testing"
)

// TestBifrost: what the gateway Bifrost exports of a request, after its source. The span
// around all has the headers and the last message once more, a retry stands in what it
// repeats, and results of tools do not name their calls.
func TestBifrost(t *testing.T) {
	span := func(id, parent, status string, attributes ...string) string {
		return `{"traceId":"t","spanId":"` + id + `","parentSpanId":"` + parent + `","startTimeUnixNano":"1000000000",` + status + otelAttributes(attributes...) + `}`
	}
	f := func(want string, spans ...string) {
		t.Helper()
		record := `{"resourceSpans":[{"resource":{` + otelAttributes("service.name", "bifrost") + `},"scopeSpans":[{"scope":{"name":"bifrost"},"spans":[` + strings.Join(spans, ",") + `]}]}]}`
		if got := requests(t, "otel", record); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", record, got, want)
		}
	}
	call := func(id, parent, status string, attributes ...string) string {
		return span(id, parent, status, append([]string{
			"gen_ai.operation.name", "chat", "gen_ai.request.model", "m", "bifrost.virtual_key.name", "team", "gen_ai.virtual_key_name", "team",
			"gen_ai.input.messages", `[{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","name":"f","args":"{}"}]},{"role":"tool","content":"no"}]`,
		}, attributes...)...)
	}
	root := span("r", "", "", "gen_ai.input.messages", "no", "gen_ai.request.model", "m", "http.request.header.x-bf-session-id", "s")
	failed := call("a", "r", `"status":{"code":2},`, "error.type", "rate_limit_error", "http.response.status_code", `{"intValue":"429"}`)
	done := []string{"gen_ai.output.messages", `[{"role":"assistant","content":"","tool_calls":[{"id":"2","type":"function","name":"f","args":"{\"x\":1}"}]}]`}

	const asked = ` caller=team named session=s model=m messages=2 last="{\"role\":\"tool\",\"content\":\"no\"}"`
	const answered = asked + ` tool_calls=1 call=2 name=f arguments="{\"x\":1}"`
	f("id=a"+answered, root, call("a", "r", "", done...))
	f("id=b"+answered, root, failed, call("b", "a", "", done...))
	f("id=a"+asked+" tool_calls=0 status=429 error=rate_limit_error", root, failed)
	// Of several headers the one that gateways look for first, in whatever order.
	for _, headers := range [][]string{{"x-session-id", "s", "x-bf-session-id", "t"}, {"x-bf-session-id", "t", "x_session_id", `{"arrayValue":{"values":[{"stringValue":"s"}]}}`}} {
		f("id=a"+answered, span("r", "", "", "http.request.header."+headers[0], headers[1], "http.request.header."+headers[2], headers[3]), call("a", "r", "", done...))
	}
	// A list of one as JSON in a text, of which a collector has hidden the first.
	f("id=a"+answered, span("r", "", "", "http.request.header.x-session-id", `["[REDACTED]"]`, "http.request.header.x-bf-session-id", `["s"]`), call("a", "r", "", done...))
}
