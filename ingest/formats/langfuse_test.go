package formats

import (
	"fmt"
	"strings"
	"testing"
)

func TestLangfuse(t *testing.T) {
	observation := func(kind, more string) string {
		return `{"id":"i","traceId":"t","type":"` + kind + `","startTime":"1970-01-01T00:00:01Z"` + more + `}`
	}
	is := func(want, line string) {
		t.Helper()
		isRead(t, "langfuse", line, want)
	}
	f := func(want, more string) {
		t.Helper()
		is("1970-01-01T00:00:01.000000Z id=i"+want, observation("GENERATION", more))
	}
	for _, kind := range []string{"SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "GUARDRAIL"} {
		is("column 0: no request in it", observation(kind, `,"input":[{"role":"user","content":"hi"}],"model":"m"`))
	}
	// Both sides as they are, and as JSON in a text.
	const hi = ` messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}"`
	for _, input := range []string{`[{"role":"user","content":"hi"}]`, `{"messages":[{"role":"user","content":"hi"}]}`, `"hi"`} {
		f(hi, `,"input":`+input)
		f(hi, `,"input":"`+strings.ReplaceAll(strings.Trim(input, `"`), `"`, `\"`)+`"`)
	}
	for _, output := range []string{
		`{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}`,
		`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}],"tool_calls":[{"name":"f","args":{},"id":"c"}]}`, // of LangChain's
		`[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]`,
		`{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}}]}`,
	} {
		f(" tool_calls=1 call=c name=f arguments={}", `,"output":`+output)
		f(" tool_calls=1 call=c name=f arguments={}", `,"output":"`+strings.ReplaceAll(strings.ReplaceAll(output, `\`, `\\`), `"`, `\"`)+`"`)
	}
	f(" tool_calls=0", `,"output":"hi"`)
	f("", `,"input":null,"output":null`)
	f(hi+" tool_calls=0 error=_OTHER", `,"input":"hi","output":null,"level":"ERROR"`)
	f(hi+` tool_calls=0 status=408 error="Request timed out."`, `,"input":"hi","level":"ERROR","statusMessage":"Request timed out."`)
	f(` messages=1 last=null lost="content truncated by the logger"`, `,"input":"[{\"role\":\"user\""`)
	// Tokens: each kind for itself in the details, summed elsewhere, in any order.
	f(" tokens_in=10 tokens_out=5 tokens_cached=7", `,"usageDetails":{"input":3,"input_cached_tokens":7,"output":4,"output_reasoning_tokens":1,"total":15},"promptTokens":1,"usage":{"input":2}`)
	f(" tokens_in=10 tokens_out=4 tokens_cached=7", `,"usage":{"input":2},"usage_details":"{\"cache_read_input_tokens\":7,\"input\":3,\"output\":4}"`)
	f(" tokens_in=3 tokens_out=4", `,"usage":{"input":3,"output":4,"total":7,"unit":"TOKENS","inputCost":0.1}`)
	f(" tokens_in=3 tokens_out=4", `,"usageDetails":{},"promptTokens":3,"completionTokens":4`)
	f(" cost=0.5", `,"costDetails":{"input":0.2,"total":0.5},"totalCost":0.7`)
	f("", `,"totalCost":0`)
	// Who called: LiteLLM says it in the metadata, else it is the project.
	f(" caller=p named", `,"projectId":"p"`)
	f(" caller=h user_api_key_alias=a user_api_key_hash=h", `,"projectId":"p","metadata":{"user_api_key_alias":"a","user_api_key_hash":"h","deep":{}}`)
	// What stands for no session names none.
	f("", `,"sessionId":""`)
	f("", `,"session_id":"null"`)
}

// TestOpikIsNotLangfuse: the spans of Opik have the members of Langfuse's observations.
func TestOpikIsNotLangfuse(t *testing.T) {
	const span = `{"id":"s","project_id":"p","trace_id":"t","type":"%s","start_time":"2026-11-21T10:00:00Z","end_time":"2026-11-21T10:00:01Z","input":{},"usage":{}}`
	for kind, want := range map[string]bool{"llm": false, "tool": false, "": false, "GENERATION": true, "SPAN": true} {
		if got := ByName("langfuse").Detect(NewLine(fmt.Appendf(nil, span, kind))); got != want {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
	}
}
