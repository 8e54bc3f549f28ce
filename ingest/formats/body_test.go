package formats

import (
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// A body that a logger left out is lost for the reason that stands in its place.
func TestPlaceholderForBody(t *testing.T) {
	f := func(body string, want fingerprint.Cause) {
		t.Helper()
		var r fingerprint.Request
		r.Reset()
		line := `{"time":"2026-11-21T03:24:39Z","method":"POST","uri":"/v1/chat/completions","status":200,"request_body":"` + body + `"}`
		if _, why := ByName("nginx-json").New(fingerprint.AllFields).Parse([]byte(line), &r); why != "" || r.Lost != want {
			t.Errorf("%s: lost by %q, want %q; %s", body, r.Lost, want, why)
		}
	}
	f("[REDACTED]", fingerprint.RedactedContent)
	f(" *** ", fingerprint.RedactedContent)
	f("[truncated]", fingerprint.TruncatedContent)
	f("<This value has been dropped>", fingerprint.TruncatedContent)
	f("[body omitted]", fingerprint.LossyContent)
	f("grant_type=password", fingerprint.Computable)
	f(`{\"model\":\"m\"}`, fingerprint.Computable)
}

// What a model was called with has the same names wherever it is kept.
func TestParameters(t *testing.T) {
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens", "maxTokens"} {
		f := func(format, line string) {
			t.Helper()
			if r := parse(t, format, line); r.MaxTokens != 7 || r.Stream != fingerprint.Yes {
				t.Errorf("%s: %s: %d, stream %v", format, name, r.MaxTokens, r.Stream)
			}
		}
		parameters := `{"` + name + `":7,"stream":true}`
		f("langfuse", `{"id":"o","traceId":"t","type":"GENERATION","startTime":"2026-11-21T10:00:00Z","modelParameters":`+parameters+`}`)
		f("langsmith", `{"id":"i","trace_id":"t","run_type":"llm","start_time":"2026-11-21T10:00:00","extra":{"invocation_params":`+parameters+`}}`)
		f("otel", otelSpans(`{"spanId":"a","startTimeUnixNano":"1000000000",`+otelAttributes("gen_ai.operation.name", "chat", "llm.invocation_parameters", parameters)+`}`))
	}
}
