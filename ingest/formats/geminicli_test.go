package formats

import "testing"

func TestGeminiCLI(t *testing.T) {
	f := func(record, want string) {
		t.Helper()
		areRequests(t, "gemini-cli", record, want)
	}
	line := func(kind, more string) string {
		return `{"id":"a","timestamp":"1970-01-01T00:00:01Z","type":"` + kind + `","content":""` + more + `}`
	}
	const call = `{"id":"c","name":"f","args":{"x":1}`
	f(`{"sessionId":"s","projectHash":"p","startTime":"1970-01-01T00:00:01Z","kind":"main"}`, none)
	f(`{"$set":{"messages":[`+line("gemini", `,"toolCalls":[`+call+`}]`)+`]}}`, none)
	f(line("user", ""), none)
	f(line("gemini", `,"tokens":{"input":3}`), none)
	f(line("user", `,"toolCalls":[`+call+`}]`), none)
	f(line("gemini", `,"toolCalls":[`+call+`,"status":"cancelled"}],"tokens":{"input":3,"tool":2,"output":1,"thoughts":4,"cached":2},"model":"m"`),
		`id=a model=m tool_calls=1 call=c name=f arguments="{\"x\":1}" tokens_in=5 tokens_out=5 tokens_cached=2`)
	f(line("gemini", `,"toolCalls":[`+call+`,"result":[{"functionResponse":{"id":"c","name":"f","response":{"output":"no"}}}],"timestamp":"1970-01-01T00:00:01.5Z"},{"id":"d","name":"g","args":{},"timestamp":"1970-01-01T00:00:01.2Z"}]`),
		`took=500ms id=a messages=2 last="{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"no\"}],\"role\":\"user\"}" tail`)
}
