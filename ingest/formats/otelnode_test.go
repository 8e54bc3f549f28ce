package formats

import "testing"

// TestOtelNode: log records and spans as Node's SDK has them in memory.
func TestOtelNode(t *testing.T) {
	f := func(want, record string) {
		t.Helper()
		areRequests(t, "otel", record, want)
		if want != none && !ByName("otel").Detect(NewLine([]byte(record))) {
			t.Errorf("not known: %s", record)
		}
	}
	const resource = `"resource":{"_rawAttributes":[["a","b"],["service.name","app"]]},"instrumentationScope":{"name":"x"},`
	details := func(body, more string) string {
		return `{"hrTime":[1,0],"spanContext":{"traceId":"t","spanId":"s"},` + resource + `"attributes":{"event.name":"gen_ai.client.inference.operation.details","session.id":"c","gen_ai.request.model":"m","gen_ai.input.messages":"[]"` + more + `},"_body":"` + body + `"}`
	}
	// Gemini CLI's: the span is that of a whole turn.
	const answer = `,"gen_ai.output.messages":"[{\"role\":\"system\",\"parts\":[{\"type\":\"tool_call\",\"name\":\"f\",\"arguments\":\"{}\"}]}]","gen_ai.usage.input_tokens":8`
	const issued = ` tool_calls=1 name=f arguments={}`
	const call = issued + ` tokens_in=8`
	f(`caller=app named session=c model=m messages=0`+call, details("GenAI operation details from m. Status: 200.", answer))
	f(none, details("GenAI operation request details from m.", ""))
	f(none, `{"hrTime":[1,0],`+resource+`"attributes":{"event.name":"gemini_cli.tool_call","function_name":"f","function_args":"{}"},"_body":"Tool call: f."}`)
	// Qwen Code's have what was asked alone.
	f(`caller=app named session=c model=m messages=2 last="{\"content\":[{\"type\":\"tool_use\",\"id\":\"f\",\"name\":\"f\",\"input\":{}}],\"role\":\"assistant\"}"`,
		`{"hrTime":[1,0],"spanContext":{"traceId":"t","spanId":"s"},`+resource+`"attributes":{"event.name":"qwen-code.api_request","session.id":"c","model":"m","request_text":"[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]},{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":{}}}]}]"},"_body":"API request to m."}`)
	f(none, `{"hrTime":[1,0],`+resource+`"attributes":{"event.name":"qwen-code.api_response","session.id":"c","model":"m","status_code":200,"input_token_count":8},"_body":"API response from m."}`)
	// Of others it is that of the call.
	f(`id=s caller=app named session=c model=m messages=0`+call, details("GenAI inference: m", answer))
	f(`id=s named model=m`, `{"resource":{},"attributes":{"gen_ai.request.model":"m"},"_hrTimeObserved":[1,0],"_hrTime":null,"_spanContext":{"traceId":"t","spanId":"s"},"_eventName":"gen_ai.client.inference.operation.details"}`)
	f(`id=s named messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}"`, `{"hrTime":[1,0],"spanContext":{"traceId":"t","spanId":"s"},"attributes":{"event.name":"gen_ai.user.message"},"body":{"content":"hi"}}`)
	// A span, of this version of the SDK or the one before.
	for _, parent := range []string{`"parentSpanContext":{"traceId":"t","spanId":"p"}`, `"parentSpanId":"p"`} {
		f(`took=500ms id=s caller=app named session=c model=m messages=0`+issued+` error=no tokens_in=8`,
			`{"_spanContext":{"traceId":"t","spanId":"s"},`+parent+`,"kind":2,"name":"chat m","attributes":{"gen_ai.operation.name":"chat","gen_ai.conversation.id":"c","gen_ai.request.model":"m","gen_ai.input.messages":"[]"`+answer+`},"startTime":[1,0],`+resource+`"status":{"code":2,"message":"no"},"endTime":[1,500000000]}`)
	}
	f(none, `{"_spanContext":{"traceId":"t","spanId":"s"},"name":"llm_call","attributes":{"gen_ai.operation.name":"llm_call","gen_ai.request.model":"m"`+answer+`},"startTime":[1,0],"endTime":[2,0]}`)
	f(none, `{`+resource+`"scopeMetrics":[{"metrics":[]}]}`)
	f("column 0: no time", `{"hrTime":[1],"attributes":{"event.name":"gen_ai.client.inference.operation.details"}}`)
}

const none = "column 0: no request in it"
