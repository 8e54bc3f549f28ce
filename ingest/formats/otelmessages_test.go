package formats

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// FuzzIsJSON: what isJSON says is what encoding/json does, but for raw control
// characters, which loggers write, and great depth.
func FuzzIsJSON(f *testing.F) {
	for _, seed := range []string{`[{"a":[1.5e3,-0,true,false,null,"\u0141\ud83d",{}]}]`, `[{name}]`, `[{'a': 1}]`, `[{"a":01}]`, `[{"a":nul}]`, `[{"a":tru,"b":1}]`, `[{"a":1},]`, `[{"\q":1}]`, `[{"a":1}] x`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var s rawjson.Scanner
		got, want := isJSON(&s, in), json.Valid(in)
		raw := bytes.ContainsFunc(in, func(r rune) bool { return r < ' ' })
		deep := bytes.Count(in, []byte("["))+bytes.Count(in, []byte("{")) > rawjson.MaxDepth
		if got && !want && !raw || want && !got && !deep {
			t.Errorf("%q: %t, and encoding/json says %t", in, got, want)
		}
	})
}

// TestOtelBlocks: LlamaIndex's messages, as MLflow keeps them and of requests and answers.
func TestOtelBlocks(t *testing.T) {
	span := func(name, inputs, outputs string) string {
		attributes := `"mlflow.spanType":"\"CHAT_MODEL\"","mlflow.llm.model":"\"m\"","mlflow.spanInputs":` + strconv.Quote(inputs)
		if outputs != "" {
			attributes += `,"mlflow.spanOutputs":` + strconv.Quote(outputs)
		}
		return `{"info":{"trace_id":"t"},"data":{"spans":[{"trace_id":"t","span_id":"a","name":"` + name + `","start_time_unix_nano":1000000000,"end_time_unix_nano":2000000000,"status":{"code":"STATUS_CODE_OK"},"attributes":{` + attributes + `}}]}}`
	}
	f := func(record, want string) {
		t.Helper()
		areRequests(t, "otel", record, want)
	}
	const (
		user   = `{"role":"user","additional_kwargs":{},"blocks":[{"block_type":"text","text":"hi"}]}`
		called = `{"role":"assistant","additional_kwargs":{"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},"blocks":[{"block_type":"tool_call","tool_call_id":"c","tool_name":"f","tool_kwargs":"{\"x\":1}"}]}`
		older  = `{"role":"assistant","additional_kwargs":{"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},"blocks":[]}`
		result = `{"role":"tool","additional_kwargs":{"tool_call_id":"c"},"blocks":[{"block_type":"text","text":"ok"}]}`
		head   = `took=1s id=a named model=m `
		asked  = head + `messages=1 last="{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"`
		issued = ` tool_calls=1 call=c name=f arguments="{\"x\":1}"`
		stream = `"<async_generator object f.<locals>.gen at 0x7ff898309b90>"`
	)
	f(span("OpenAI.achat", `{"messages":[`+user+`],"kwargs":{}}`, `{"message":`+called+`,"raw":null}`), asked+issued)
	f(span("OpenAI.achat", `{"messages":[`+user+`],"kwargs":{}}`, `{"message":`+older+`,"raw":null}`), asked+issued)
	f(span("OpenAI.achat", `{"messages":[`+user+`],"kwargs":{}}`, `{"message":{"role":"assistant","blocks":[{"block_type":"text","text":"hi"}]}}`), asked+` tool_calls=0`)
	f(span("OpenAI.astream_chat", `{"messages":[`+user+`],"kwargs":{}}`, stream), asked) // what came of it is not there
	for _, call := range []string{called, older} {
		f(span("OpenAI.achat", `{"messages":[`+user+`,`+call+`,`+result+`]}`, ""), head+`messages=3 last="{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}"`)
		r := parse(t, "otel", span("OpenAI.achat", `{"messages":[`+user+`,`+call+`,`+result+`]}`, ""))
		if got := canonical(t, "tool-call-result", r); len(got) != 1 || got[0] != `[["tool_call_result",{"arguments":{"x":1},"name":"f","result":{"text":"ok"}}]]` {
			t.Errorf("%s: the turn is %s", call, got)
		}
	}
	f(span("OpenAI._prepare_chat_with_tools", `{"chat_history":[`+user+`]}`, `{"messages":[`+user+`],"tools":[]}`), none)
}
