package formats

import (
	"strings"
	"testing"
)

// TestDecodedLives: what was decoded of one part of a record is not written over
// with what is decoded of another.
func TestDecodedLives(t *testing.T) {
	f := func(format, record string, want ...string) {
		t.Helper()
		got := requests(t, format, record)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %s in\n%s", format, w, got)
			}
		}
	}
	f("cloudflare", `{"Timestamp":1,"Gateway":"g","Provider":"p","Metadata":"{\"session_id\":\"s\\u002d1\",\"team\":\"r\\u0026d\"}",
		"RequestBody":"{\"model\":\"\\u006d1\",\"user\":\"\\u00751\",\"messages\":[]}"}`, `session=s-1`, `team=r&d`, `user=u1`)
	f("portkey-export", `{"created_at":"1970-01-01T00:00:01Z","ai_org":"o","request":{"body":"{\"model\":\"m\",\"messages\":[{\"role\":\"user\"}]}"},
		"response":{"body":"{\"choices\":[{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"f\"}}]}}]}"}}`, `messages=1`, `tool_calls=1 name=f`)
	f("azure-apim", `{"CorrelationId":"c","SequenceNumber":1,"TimeGenerated":1,"ResponseMessages":[
		{"tool_calls":[{"function":{"name":"f","arguments":"{\"a\":1}"}}]},{"tool_calls":[{"function":{"name":"g","arguments":"{\"b\":2}"}}]}]}`, `{\"a\":1}`, `{\"b\":2}`)
	f("litellm-spend", `{"startTime":1,"request_id":"r","spend":0,"status":"failure","metadata":"{\"error_information\":{\"error_class\":\"Rate\\u004cimitError\"}}",
		"proxy_server_request":"{\"model\":\"\\u006dodel\",\"messages\":[]}"}`, `error=RateLimitError`, `model=model`)
	choice := func(name, arguments string) string {
		return `{"timeUnixNano":"1000000000","spanId":"a","eventName":"gen_ai.choice","body":{"kvlistValue":{"values":[{"key":"message","value":{"kvlistValue":{"values":[
			{"key":"tool_calls","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[
			{"key":"name","value":{"stringValue":"` + name + `"}},{"key":"arguments","value":{"stringValue":"` + arguments + `"}}]}}]}}}]}}}]}}}`
	}
	f("otel", `{"resourceLogs":[{"scopeLogs":[{"logRecords":[`+choice("f", `{\"a\":1}`)+","+choice("g", `{\"b\":2}`)+`]}]}]}`, `{\"a\":1}`, `{\"b\":2}`)
	f("otel", otelSpans(`{"spanId":"s","startTimeUnixNano":"1000000000",`+otelAttributes("http.request.method", "POST", "metadata.user_api_key_user_id", `u\1`)+`}`,
		`{"spanId":"a","parentSpanId":"s","name":"raw_gen_ai_request","startTimeUnixNano":"1000000000",`+otelAttributes("gen_ai.request.model", `m\2`, "llm.openai.messages", "[]")+`}`), `user="u\\1"`)
}
