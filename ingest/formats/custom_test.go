package formats

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// asNative is what a parser makes of a record, in the native format.
func asNative(p Parser, record string) string {
	var r fingerprint.Request
	r.Reset()
	if _, why := p.Parse([]byte(record), &r); why != "" {
		return why
	}
	var parts []string
	for _, w := range Write(&r, true) {
		value, err := json.Marshal(w.Value)
		if err != nil {
			return err.Error()
		}
		parts = append(parts, w.Name+"="+string(value))
	}
	return strings.Join(parts, " ")
}

func pathTo(name string, paths ...string) CustomField { return CustomField{Name: name, Paths: paths} }

func TestCustomPaths(t *testing.T) {
	f := func(record, want string, paths ...string) {
		t.Helper()
		p := newCustom(&Custom{Missing: []string{"-"}, Fields: []CustomField{pathTo("id", paths...)}}, fingerprint.AllFields)
		if got := asNative(p, record); got != want {
			t.Errorf("%v in %s\ngot  %s\nwant %s", paths, record, got, want)
		}
	}
	f(`{"a":"1"}`, `id="1"`, "a")
	f(`{"a":7}`, `id="7"`, "a")
	f(`{"a":{"b":"1"}}`, `id="1"`, "a.b")
	f(`{"a":{"b":"nested"},"a.b":"literal"}`, `id="literal"`, "a.b")
	f(`{"a.b":"literal","a":{"b":"nested"}}`, `id="literal"`, "a.b")
	f(`{"a.b":null,"a":{"b":"nested"}}`, `id="nested"`, "a.b")
	f(`{"a.b":{"c":"1"},"a":{"b.c":"2"}}`, `id="1"`, "a.b.c")
	f(`{"a":[{"b":"0"},{"b":"1"}]}`, `id="1"`, "a.1.b")
	f(`{"a":[]}`, ``, "a.0")
	f(`{"a":["0","1"]}`, ``, "a.-1")
	f(`{"a":"{\"b\":{\"c\":\"in \\\"text\\\"\"}}"}`, `id="in \"text\""`, "a.b.c")
	f(`{"a":"{\"b\":"}`, ``, "a.b.c")
	f(`{"a":"eyJiIjogIjEifQ=="}`, `id="1"`, "a.b")                         // base64
	f(`{"a":"UE9TVCAvIEhUVFAvMS4xDQoNCnsiYiI6IjEifQ=="}`, `id="1"`, "a.b") // of a request with its head
	f(`{"a":"{'b': {'c': None, 'd': 'x'}}"}`, `id="x"`, "a.b.d")           // Python's repr
	f(`{"a":"[{'b': '1'}]"}`, `id="1"`, "a.0.b")
	f(`{"a":"done in 5 ms: {\"b\":\"1\"}"}`, `id="1"`, "a.b") // behind words
	f(`{"a":"[INFO] done {\"b\":\"1\"}"}`, `id="1"`, "a.b")
	f(`{"a":"done {a: 1}\n- body: {\n \"b\":\"1\"\n}\n"}`, `id="1"`, "a.b") // laid out
	f(`{"a":"done {\"b\":\"1\"} at last"}`, ``, "a.b")
	f(`{"a":"-","b":"2"}`, `id="2"`, "a", "b")
	f(`{"a":null,"b":"2"}`, `id="2"`, "a", "b")
	f(`{"a":{"b":1}}`, ``, "a")
	f(`{"a":"1","a":"2"}`, `id="2"`, "a")
	f(`{"a":`, "unexpected end of the value: the line is cut", "a")
	f(`{"abc":"1"}`, ``, "a.b")
}

func TestCustomTimes(t *testing.T) {
	f := func(layout, text, want string) {
		t.Helper()
		p := newCustom(&Custom{Fields: []CustomField{{Name: "time", Paths: []string{"t"}, Layout: layout}}}, 0)
		p.In(time.FixedZone("", 3600))
		if got := asNative(p, `{"t":`+text+`}`); got != want {
			t.Errorf("%s of %s is %s, want %s", text, layout, got, want)
		}
		if why := CheckLayout(layout); layout != "" && why != "" {
			t.Errorf("%s %s", layout, why)
		}
	}
	f("", `1795255200.25`, `time="2026-11-21T10:00:00.25Z"`)
	f("rfc3339", `"2026-11-21T11:00:00+01:00"`, `time="2026-11-21T10:00:00Z"`)
	f("unix_s", `"1795255200"`, `time="2026-11-21T10:00:00Z"`)
	f("unix_ms", `1795255200123`, `time="2026-11-21T10:00:00.123Z"`)
	f("unix_ms", `1795255200123.5`, `time="2026-11-21T10:00:00.1235Z"`)
	f("unix_us", `1795255200123456`, `time="2026-11-21T10:00:00.123456Z"`)
	f("unix_ns", `"1795255200123456789"`, `time="2026-11-21T10:00:00.123456Z"`)
	f("unix_ms", `9e300`, ``)
	f("2006-01-02 15:04:05", `"2026-11-21 11:00:00,5"`, `time="2026-11-21T10:00:00.5Z"`)
	f("02/Jan/2006:15:04:05 -0700", `"21/Nov/2026:12:00:00 +0200"`, `time="2026-11-21T10:00:00Z"`)
	f("2006-01-02 15:04:05", `"soon"`, ``)
	for _, layout := range []string{"", "%Y-%m-%d", "15:04:05", "2006-01-02", "yyyy-MM-dd HH:mm:ss"} {
		if CheckLayout(layout) == "" {
			t.Errorf("%q is taken for a layout", layout)
		}
	}
	for _, layout := range layoutsOfText { // what is guessed can be read
		if why := CheckLayout(layout); why != "" {
			t.Errorf("%s %s", layout, why)
		}
	}
	for layout, want := range map[string]zoneOf{
		"2006-01-02 15:04:05": noZone, "2006-01-02T15:04:05Z07:00": offset, "unix_ms": offset, "": offset,
		"2006-01-02 15:04:05 MST": nickname, "2006-01-02 15:04:05 -0700 MST": offset,
	} {
		if got := zoneOfLayout(layout); got != want {
			t.Errorf("the zone of %q is %d, want %d", layout, got, want)
		}
	}
}

// TestNicknames: package time takes CEST for UTC where it does not know it, and so would
// fold the hour that comes twice.
func TestNicknames(t *testing.T) {
	f := func(zone, layout, text, want string) {
		t.Helper()
		p := newCustom(&Custom{Fields: []CustomField{{Name: "time", Paths: []string{"t"}, Layout: layout}}}, 0)
		if in, err := time.LoadLocation(zone); err != nil {
			t.Fatal(err)
		} else if zone != "" {
			p.In(in)
		}
		var r fingerprint.Request
		r.Reset()
		_, got := p.Parse([]byte(`{"t":"`+text+`"}`), &r)
		if got == "" {
			got = time.UnixMicro(r.Time).UTC().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%s in %q is %s, want %s", text, zone, got, want)
		}
	}
	const short, both = "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700 MST"
	f("", short, "2026-10-25 02:30:00 CEST", unknownZone)
	f("America/New_York", short, "2026-10-25 02:30:00 CEST", unknownZone)
	f("Europe/Warsaw", short, "2026-10-25 02:30:00 CEST", "2026-10-25T00:30:00Z")
	f("Europe/Warsaw", short, "2026-10-25 02:30:00 CET", "2026-10-25T01:30:00Z")
	f("Europe/Warsaw", short, "2026-10-25 02:30:00 UTC", "2026-10-25T02:30:00Z")
	f("Europe/Lisbon", short, "2026-10-25 02:30:00 WET", "2026-10-25T02:30:00Z")
	f("", short, "2026-10-25 02:30:00 UTC", "2026-10-25T02:30:00Z")
	f("", short, "2026-10-25 02:30:00 GMT", "2026-10-25T02:30:00Z")
	f("Asia/Kolkata", short, "2026-10-25 02:30:00 GMT", "2026-10-25T02:30:00Z")
	f("", both, "2026-10-25 02:30:00 +0200 CEST", "2026-10-25T00:30:00Z")
	f("", both, "2026-10-25 02:30:00 +0000 WET", "2026-10-25T02:30:00Z")
}

func TestCustomFields(t *testing.T) {
	post := "POST"
	f := func(fields []CustomField, record, want string) {
		t.Helper()
		if got := asNative(newCustom(&Custom{Fields: fields}, fingerprint.AllFields), record); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", record, got, want)
		}
	}
	list := func(fields ...CustomField) []CustomField { return fields }
	f(list(CustomField{Name: "method", Const: &post}), `{}`, `method="POST"`)
	f(list(pathTo("time", "t"), CustomField{Name: "duration", Paths: []string{"d"}, Unit: time.Millisecond}), `{"t":10,"d":1500}`,
		`time="1970-01-01T00:00:10Z" end="1970-01-01T00:00:11.5Z"`)
	f(list(pathTo("end", "t"), pathTo("duration", "d")), `{"t":10,"d":"1.5 s"}`, `time="1970-01-01T00:00:08.5Z" end="1970-01-01T00:00:10Z"`)
	f(list(pathTo("end", "t")), `{"t":10}`, `time="1970-01-01T00:00:10Z"`)
	f(list(pathTo("url", "u"), pathTo("status", "s"), pathTo("stream", "x")), `{"u":"/v1?a=1","s":"200","x":"True"}`, `path="/v1" query="a=1" status=200 stream=true`)
	f(list(pathTo("caller_name", "c")), `{"c":"192.0.2.7:49702"}`, `caller="192.0.2.7"`)
	f(list(pathTo("caller_name", "c")), `{"c":"team:7"}`, `caller="team:7"`)
	f(list(pathTo("url", "u")), `{"u":"POST /v1?a=1 HTTP/1.1"}`, `method="POST" path="/v1" query="a=1"`)
	f(list(pathTo("status", "s"), pathTo("tokens_in", "n")), `{"s":"ok","n":-5}`, ``)
	f(list(pathTo("tokens_in", "n"), pathTo("tokens_cached", "c")), `{"n":5,"c":3}`, `tokens_in=5 tokens_cached=3`)
	f(list(pathTo("body", "b"), pathTo("url", "u")), `{"b":{"contents":[],"generationConfig":{"maxOutputTokens":9}},"u":"/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"}`,
		`path="/v1beta/models/gemini-2.5-pro:streamGenerateContent" query="alt=sse" model="gemini-2.5-pro" messages=[] has_tools=false stream=true max_tokens=9`)
	f(list(pathTo("body", "b"), pathTo("model", "m")), `{"b":{"model":"inside","messages":[{"role":"user","content":"hi"}],"stream":true},"m":"outside"}`,
		`model="outside" messages=[{"role":"user","content":"hi"}] has_tools=false stream=true`)
	f(list(pathTo("status", "s"), pathTo("error", "e")), `{"s":"error","e":"RateLimitError"}`, `status=429 error="RateLimitError"`) // a status that is none
	f(list(pathTo("status", "s"), pathTo("error", "e")), `{"s":503,"e":"Error code: 429"}`, `status=503 error="Error code: 429"`)
	f(list(pathTo("error", "e")), `{"e":{"message":"Error code: 429","data":{}}}`, `status=429 error="Error code: 429"`)
	f(list(pathTo("error", "e")), `{"e":{"data":{}}}`, ``)
	f(list(pathTo("messages", "m"), pathTo("tool_calls", "c")), `{"m":"[{\"role\":\"user\"}]","c":"[{\"name\":\"f\",\"arguments\":{\"x\":1}}]"}`,
		`messages=[{"role":"user"}] tool_calls=[{"arguments":"{\"x\":1}","name":"f"}]`)
	f(list(pathTo("tool_calls", "c")), `{"c":[{"name":"f","args":{"x":1},"id":"1","type":"tool_call"}]}`, `tool_calls=[{"arguments":"{\"x\":1}","name":"f"}]`) // LangChain's
	f(list(pathTo("tool_calls", "c")), `{"c":[{"toolCallId":"1","toolName":"f","input":{"x":1}}]}`, `tool_calls=[{"arguments":"{\"x\":1}","name":"f"}]`)       // the AI SDK's
	f(list(pathTo("response", "r")), `{"r":{"content":[{"type":"tool_use","name":"f","input":{"x":1}}],"usage":{"input_tokens":3,"output_tokens":4}}}`,
		`tool_calls=[{"arguments":"{\"x\":1}","name":"f"}] tokens_in=3 tokens_out=4`)
	const said = `{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]}`
	f(list(pathTo("response", "r")), `{"r":"`+base64.StdEncoding.EncodeToString([]byte(said))+`"}`, `tool_calls=[{"arguments":"{}","name":"f"}]`)
	f(list(pathTo("body", "b")), `{"b":"{'model': 'm', 'stream': True}"}`, `model="m" has_tools=false stream=true`)
	f(list(pathTo("body", "b")), `{"b":"sent {\"model\":\"m\"}"}`, `body="{\"model\":\"m\"}" model="m" has_tools=false stream=false`)
	sent := func(message string) string {
		return base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(message, "\n", "\r\n")))
	}
	const posted = "POST /v1 HTTP/1.1\nHost: a\nX-Config: {\"b\":1}\nAuthorization: Bearer sk-secret-1\nX-Session-Id:s1\n\n"
	f(list(pathTo("body", "b")), `{"b":"`+sent(posted+`{"model":"m"}`)+`"}`, `body="{\"model\":\"m\"}" caller="key-07fd32658335" session="s1" model="m" has_tools=false stream=false `+
		`attributes={"header:authorization":"key-8e7a54ed7e6b","header:host":"a","header:x-config":"{\"b\":1}","header:x-session-id":"s1"}`)
	f(list(pathTo("body", "b")), `{"b":"`+sent(posted+"a=b")+`"}`, `body="a=b" caller="key-07fd32658335" session="s1" `+
		`attributes={"header:authorization":"key-8e7a54ed7e6b","header:host":"a","header:x-config":"{\"b\":1}","header:x-session-id":"s1"}`)
	f(list(pathTo("body", "b")), `{"b":"`+sent("GET http://a/v1 HTTP/1.0\nX-Team: t\n goes: on\nmy words: b\n\n{}")+`"}`, `body="{}" has_tools=false stream=false attributes={"header:x-team":"t"}`)
	for _, said := range []string{"please explain HTTP/1.1", "EXPLAIN what HTTP/1.1", "POST /v1 HTTP/1.1 is", "HTTP/1.1 says"} { // by a person
		text := sent(said + "\nPassword: b\n\n{}")
		f(list(pathTo("body", "b")), `{"b":"`+text+`"}`, `body="`+text+`"`)
	}
	f(list(pathTo("response", "r")), `{"r":"`+sent("HTTP/1.1 200 OK\nX-Config: {\"b\":1}\n\n"+said)+`"}`, `tool_calls=[{"arguments":"{}","name":"f"}]`)
	f(list(pathTo("response", "r")), `{"r":`+strconv.Quote("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":3}}}\n\n"+
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"f\",\"input\":{}}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")+`}`, `tool_calls=[{"arguments":"{}","name":"f"}] tokens_in=3`) // of which an object is the end
	f(list(pathTo("response", "r")), `{"r":"`+sent("HTTP/1.1 200 OK\n\ndata: "+strings.Replace(said, "message", "delta", 1)+"\n\ndata: [DONE]\n\n")+`"}`, `tool_calls=[{"arguments":"{}","name":"f"}]`)
	f(list(pathTo("headers", "h")), `{"h":{"X-Session-Id":["s1"],"Authorization":"Bearer sk-secret-1"}}`,
		`caller="key-07fd32658335" session="s1" attributes={"header:authorization":"key-8e7a54ed7e6b","header:x-session-id":"s1"}`)
}

// TestCustomAnswer: what a program keeps of a response is often not all of its body.
func TestCustomAnswer(t *testing.T) {
	p := newCustom(&Custom{Fields: []CustomField{pathTo("response", "r")}}, fingerprint.AllFields)
	const called, silent, unknown = `tool_calls=[{"arguments":"{\"x\":1}","name":"f"}]`, `tool_calls=[]`, ``
	f := func(answer, want string) {
		t.Helper()
		if got := asNative(p, `{"r":`+answer+`}`); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", answer, got, want)
		}
	}
	const (
		message = `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]}`
		block   = `{"type":"tool_use","id":"1","name":"f","input":{"x":1}}`
		item    = `{"type":"function_call","id":"fc_1","call_id":"1","name":"f","arguments":"{\"x\":1}"}`
		content = `{"role":"model","parts":[{"text":"t"},{"functionCall":{"name":"f","args":{"x":1}}}]}`
	)
	f(message, called)
	f(`{"role":"assistant","content":"t","function_call":{"name":"f","arguments":"{\"x\":1}"}}`, called)
	f(`{"role":"assistant","content":"t"}`, silent)
	f(`{"role":"assistant","content":[{"type":"text","text":"t"},`+block+`]}`, called)
	f(`{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":"f","input":{"x":1}}}]}`, called)
	f(`{"role":"assistant","content":[{"type":"tool-call","toolCallId":"1","toolName":"f","input":{"x":1}}]}`, called) // the AI SDK's
	f(`{"role":"assistant","parts":[{"type":"tool_call","id":"1","name":"f","arguments":{"x":1}}]}`, called)           // OpenTelemetry's
	f(`{"index":0,"finish_reason":"tool_calls","message":`+message+`}`, called)
	f(`{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant"}}`, unknown)
	f(`{"finishReason":"STOP","content":`+content+`}`, called)
	f(content, called)
	f(item, called)
	for _, listed := range []string{message, block, item, content, `{"index":0,"message":` + message + `,"finish_reason":"tool_calls"}`, `{"content":` + content + `,"finishReason":"STOP"}`} {
		f(`[`+listed+`]`, called)
	}
	f(`[{"type":"reasoning","summary":[]},`+item+`]`, called)
	f(`[{"role":"assistant","content":"t"}]`, silent)
	const earlier, result = `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"0","toolName":"g","input":{}}]}`, `{"role":"tool","content":[{"type":"tool-result","toolCallId":"0","toolName":"g","output":{"type":"text","value":"r"}}]}`
	f(`[`+earlier+`,`+result+`,`+message+`,`+result+`]`, called) // the steps before are in front
	f(`[`+earlier+`,`+result+`,{"role":"assistant","content":"t"}]`, silent)
	// What Python prints of a response of a library, as in AG2's log.
	f(`"ChatCompletion(id='r', choices=[Choice(finish_reason='tool_calls', index=0, message=ChatCompletionMessage(content=None, role='assistant', tool_calls=[ChatCompletionMessageFunctionToolCall(id='1', function=Function(arguments='{\"x\":1}', name='f'), type='function')]))], usage=CompletionUsage(completion_tokens=4, prompt_tokens=3))"`, called+` tokens_in=3 tokens_out=4`)
	f(`"Message(id='m', content=[ToolUseBlock(id='1', input={'x': 1}, name='f', type='tool_use')], role='assistant', usage=Usage(input_tokens=3, output_tokens=4))"`, called+` tokens_in=3 tokens_out=4`)
	f(`"ChatCompletion(id='r', choices=[Choice(finish_reason='tool_c"`, unknown)
	// Whole responses, as OpenAI's Agents SDK keeps them, with their tokens.
	f(`[{"id":"r","object":"chat.completion","choices":[{"index":0,"message":`+message+`,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}]`, called+` tokens_in=3 tokens_out=4`)
	f(`[{"object":"response","output":[],"usage":{"input_tokens":3,"output_tokens":4,"input_tokens_details":{"cached_tokens":1}}},{"object":"response","output":[`+item+`],"usage":{"input_tokens":5,"output_tokens":6}}]`, called+` tokens_in=8 tokens_out=10 tokens_cached=1`)
	f(`[{"id":"r","object":"response","output":[`+item+`],"usage":{"input_tokens":3,"output_tokens":4}}]`, called+` tokens_in=3 tokens_out=4`)
	f(`[]`, unknown)
	f(`["t"]`, unknown)
	f(`[{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":"{\"x\""}}]}}]}]`, unknown) // a stream that breaks off
	f(strconv.Quote(`[`+message+`,{"ro`), unknown)                                                                                       // a text that was cut
}

// TestCustomMessages: whosever words they are in, a call and its result are told.
func TestCustomMessages(t *testing.T) {
	const want = `[["tool_call_result",{"arguments":{"x":1},"name":"f","result":`
	p := newCustom(&Custom{Fields: []CustomField{pathTo("messages", "m")}}, fingerprint.AllFields)
	f := func(call, result string) {
		t.Helper()
		r := new(fingerprint.Request)
		r.Reset()
		if _, why := p.Parse([]byte(`{"m":[{"role":"user","content":[{"text":"t"}]},`+call+`,`+result+`]}`), r); why != "" {
			t.Fatal(why)
		}
		if got := canonical(t, "tool-call-result", r); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s, %s\ngot  %s\nwant %s...", call, result, got, want)
		}
	}
	f(`{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":"f","input":{"x":1}}}]}`, `{"role":"user","content":[{"toolResult":{"toolUseId":"1","content":[{"text":"r"}]}}]}`)
	f(`{"role":"assistant","content":[{"type":"tool-call","toolCallId":"1","toolName":"f","input":{"x":1}}]}`, `{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","toolName":"f","output":{"type":"text","value":"r"}}]}`)
	f(`{"role":"assistant","parts":[{"type":"tool_call","id":"1","name":"f","arguments":{"x":1}}]}`, `{"role":"tool","parts":[{"type":"tool_call_response","id":"1","response":"r"}]}`)
	f(`{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]}`, `{"role":"tool","tool_call_id":"1","content":"r"}`)
	f(`{"role":"assistant","content":[{"type":"tool_call","name":"f","arguments":"{\"x\":1}","id":"1"}]}`, `{"role":"user","content":[{"type":"tool_result","name":"f","result":"r","id":"1"}]}`) // TensorZero's
	f(`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"x":1}}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"r"}],"result":"s"}]}`)
	f(`{"role":"assistant","toolCalls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]}`, `{"role":"tool","toolCallId":"1","content":"r"}`)
	f(`{"role":"assistant","blocks":[{"block_type":"tool_call","tool_call_id":"1","tool_name":"f","tool_kwargs":{"x":1}}]}`, `{"role":"tool","additional_kwargs":{"tool_call_id":"1"},"blocks":[{"block_type":"text","text":"r"}]}`)
	// In both that and the body.
	const both = `{"b":{"messages":[{"role":"tool","content":[{"type":"tool-result"}]}]},"m":[{"role":"user","content":"t"},{"role":"tool","content":[{"type":"tool-result","output":"r"}]}]}`
	if got := asNative(newCustom(&Custom{Fields: []CustomField{pathTo("body", "b"), pathTo("messages", "m")}}, fingerprint.AllFields), both); !strings.Contains(got, `messages=[{"role":"user","content":"t"},{"role":"tool","content":"r"}]`) {
		t.Error(got)
	}
	// Also in what was kept for a body.
	sent := newCustom(&Custom{Fields: []CustomField{pathTo("body", "b")}}, fingerprint.AllFields)
	r := new(fingerprint.Request)
	r.Reset()
	sent.Parse([]byte(`{"b":{"model":"m","messages":[{"role":"user","content":"t"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"1","toolName":"f","input":{"x":1}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","toolName":"f","output":{"type":"text","value":"r"}}]}]}}`), r)
	if got := canonical(t, "tool-call-result", r); len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("a body gives %s", got)
	}
	r.Reset()
	p.Parse([]byte(`{"m":[{"role":"user","parts":[{"text":"t"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"x":1}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":"r"}}}]}]}`), r)
	if got := canonical(t, "tool-call-result", r); len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("Google's contents give %s", got)
	}
	// Datadog's results stand beside an empty content. The bug was that each was the same,
	// so that an agent that polled was stuck. Beside an id tool_id is the tool's.
	for _, both := range []string{
		`{"role":"assistant","content":"","tool_calls":[{"name":"f","arguments":{"x":1},"tool_id":"1"},{"name":"g","arguments":{},"tool_id":"2"}]},` +
			`{"role":"tool","content":"","tool_results":[{"name":"","result":"of g","tool_id":"2"}]},{"role":"tool","content":"","tool_results":[{"name":"","result":"of f","tool_id":"1","type":"tool_result"}]}`,
		`{"role":"assistant","tool_calls":[{"id":"1","name":"f","arguments":{"x":1},"tool_id":"9"},{"id":"2","name":"g","arguments":{},"tool_id":"9"}]},` +
			`{"role":"tool","tool_call_id":"2","content":"of g"},{"role":"tool","tool_call_id":"1","content":"of f"}`,
	} {
		r.Reset()
		p.Parse([]byte(`{"m":[{"role":"user","content":"t"},`+both+`]}`), r)
		if got := canonical(t, "tool-call-result", r); len(got) != 2 || !strings.HasPrefix(got[0], want) || !strings.Contains(got[0], `"of f"`) || !strings.Contains(got[1], `"of g"`) {
			t.Errorf("%s gives %s", both, got)
		}
	}
	r.Reset()
	if p.Parse([]byte(`{"m":[{"role":"user","content":"go on","tool_results":[{"result":"r","tool_id":"1"},{"result":"q","tool_id":"2"}]},{"role":"tool","content":"r","tool_results":[]}]}`), r); len(r.Messages.Items) != 4 {
		t.Errorf("two results, what was said beside them and a message without are %s", r.Messages.Items)
	}
	// An argument may have any name.
	r.Reset()
	p.Parse([]byte(`{"m":[{"role":"user","content":[{"text":"t"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":"f","input":{"parts":[]}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"1","content":[{"text":"r"}]}}]}]}`), r)
	if got := canonical(t, "tool-call-result", r); len(got) != 1 || !strings.Contains(got[0], `{"parts":[]}`) {
		t.Errorf("an argument that is called parts gives %s", got)
	}
}

func TestCustomText(t *testing.T) {
	c := &Custom{
		Pattern: regexp.MustCompile(`^(?P<t>\d+) (?P<id>\S+)(?: body=(?P<body>.*))?$`), Missing: []string{"-"},
		Fields: []CustomField{pathTo("time", "t"), pathTo("id", "id"), pathTo("body", "body"), pathTo("user", "body.metadata.who")},
	}
	p := newCustom(c, fingerprint.AllFields)
	f := func(record, want string) {
		t.Helper()
		if got := asNative(p, record); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", record, got, want)
		}
	}
	f(`10 a`, `time="1970-01-01T00:00:10Z" id="a"`)
	f(`10 -`, `time="1970-01-01T00:00:10Z"`)
	f(`10 a body={"model":"m","metadata":{"who":"u"}}`,
		`time="1970-01-01T00:00:10Z" id="a" body="{\"model\":\"m\",\"metadata\":{\"who\":\"u\"}}" user="u" model="m" has_tools=false stream=false`)
	f(`ten a`, `does not match the pattern`)
	f(``, `does not match the pattern`)
	f(`#Fields: t id`, NoRequest)
	w3c := &Custom{Pattern: regexp.MustCompile(`^(?P<t>\S+) (?P<id>\S+)`), Fields: c.Fields[:2]}
	p = newCustom(w3c, fingerprint.AllFields)
	f(`#Fields: t id`, NoRequest) // which matches
	f(`Fields: t`, `id="t"`)
	w3c.Pattern = regexp.MustCompile(`^#(?P<t>\S+) (?P<id>\S+)`)
	p = newCustom(w3c, fingerprint.AllFields)
	f(`#10 a`, `time="1970-01-01T00:00:10Z" id="a"`)
}

// TestCustomEscapedBody: text between quotes has its quotes escaped, as nginx and
// loggers of key=value write them; JSON has not.
func TestCustomEscapedBody(t *testing.T) {
	c := &Custom{Pattern: regexp.MustCompile(`^body="(?P<body>(?:[^"\\]|\\.)*)" said="(?P<said>(?:[^"\\]|\\.)*)"$`), Fields: []CustomField{pathTo("body", "body"), pathTo("response", "said")}}
	p := newCustom(c, fingerprint.AllFields)
	const want = `body="{\"model\":\"a\\\\b\"}" model="a\\b" has_tools=false tool_calls=[] stream=false`
	for _, line := range []string{
		`body="{\"model\":\"a\\\\b\"}" said="{\"choices\":[]}"`,
		`body="{\x22model\x22:\x22a\x5C\x5Cb\x22}" said="{\x22choices\x22:[]}"`,
	} {
		if got := asNative(p, line); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", line, got, want)
		}
	}
}

// TestCustomEscapedColumn: nginx escapes in columns, too.
func TestCustomEscapedColumn(t *testing.T) {
	p := newCustom(&Custom{Columns: []string{"id", "body"}, Separator: '|', Fields: []CustomField{pathTo("id", "id"), pathTo("model", "body.model")}}, fingerprint.AllFields)
	if got := asNative(p, `1|{\x22model\x22:\x22m\x22}`); got != `id="1" model="m"` {
		t.Error(got)
	}
}

// TestAstray: what a file says the place of, and no request has, is told.
func TestAstray(t *testing.T) {
	f := NewCustom(&Custom{Fields: []CustomField{pathTo("time", "ts"), pathTo("duration", "d"), pathTo("body", "b"), pathTo("session", "sid")}})
	if got := f.Astray(map[string]int64{"time": 3, "end": 1, "model": 2}); !slices.Equal(got, []string{"session"}) {
		t.Error(got)
	}
}

// TestCustomTextForgets: what is kept of one line is not kept for all that follow.
func TestCustomTextForgets(t *testing.T) {
	p := newCustom(&Custom{Pattern: regexp.MustCompile(`^(?P<json>.*)$`), Fields: []CustomField{pathTo("headers", "json")}}, fingerprint.AllFields)
	var r fingerprint.Request
	for range 1000 {
		r.Reset()
		p.Parse([]byte(`{"X-Session-Id":"s"}`), &r)
	}
	if string(r.Session) != "s" || p.scan.Memory() > 1000 {
		t.Errorf("session %q, %d bytes kept", r.Session, p.scan.Memory())
	}
}

// TestWriteShowsNoText: without show no text is there, and a key never.
func TestWriteShowsNoText(t *testing.T) {
	const record = `{"time":1,"query":"q=secret","body":"secret","caller":"secret","error":"secret","messages":[{"role":"user","content":"secret"}],
		"tool_calls":[{"name":"f","arguments":"secret"}],"attributes":{"header:x-api-key":"secret","a":"secret"}}`
	var r fingerprint.Request
	r.Reset()
	if _, why := newNative(fingerprint.AllFields).Parse([]byte(record), &r); why != "" {
		t.Fatal(why)
	}
	text, err := json.Marshal(Write(&r, false))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("secret")) {
		t.Errorf("a text is shown: %s", text)
	}
	if got := (&writer{show: true}).text([]byte("Bearer abcdefgh, sk-abcdefgh and AIza" + strings.Repeat("Sy3", 10))); got != "(a key), (a key) and (a key)" {
		t.Errorf("keys are shown: %s", got)
	}
}

// TestNativeFields: a request of which everything is logged is written with all
// fields, in their order.
func TestNativeFields(t *testing.T) {
	const record = `{"time":1,"end":2,"id":"r","method":"POST","path":"/","query":"q","body":"{}","body_hash":"h","caller":"c","user":"u","session":"s","agent":"a",
		"model":"m","backend":"b","messages":[],"has_tools":true,"tool_calls":[],"status":200,"error":"e","tokens_in":2,"tokens_out":1,"tokens_cached":1,
		"cost":1,"stream":true,"cached":true,"max_tokens":1,"attributes":{"a":"b"}}`
	var r fingerprint.Request
	r.Reset()
	if _, why := newNative(fingerprint.AllFields).Parse([]byte(record), &r); why != "" {
		t.Fatal(why)
	}
	var names []string
	for _, w := range Write(&r, false) {
		names = append(names, w.Name)
	}
	if diff := cmp.Diff(NativeFields, names); diff != "" {
		t.Error(diff)
	}
}

// TestShownIsNative: what is JSON in a request is no text of JSON in the native
// format, which would be another query and another prompt.
func TestShownIsNative(t *testing.T) {
	f := func(p Parser, record, want string) {
		t.Helper()
		if got := asNative(p, record); !strings.Contains(got, want) {
			t.Errorf("%s\nhas no %s", got, want)
		}
	}
	f(newNative(fingerprint.AllFields), `{"time":1,"query":{"a":["1","2"]}}`, `query={"a":["1","2"]}`)
	f(newNative(fingerprint.AllFields), `{"time":1,"query":"a=1"}`, `query="a=1"`)
	const line = `{"msec":1,"method":"POST","uri":"/","status":200,"request_body":"{\"system\":%s,\"messages\":[]}"}`
	f(accessParser[nginxJSON](fingerprint.AllFields), fmt.Sprintf(line, `\"Be short.\"`), `messages=[{"content":"Be short.","role":"system"}]`)
	f(accessParser[nginxJSON](fingerprint.AllFields), fmt.Sprintf(line, `[{\"type\":\"text\",\"text\":\"Be short.\"}]`), `messages=[{"content":[{"type":"text","text":"Be short."}],"role":"system"}]`)
}

func TestScaffold(t *testing.T) {
	f := func(log string, want ...string) {
		t.Helper()
		got, err := Scaffold([]byte(log))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(got), w) {
				t.Errorf("%s\nhas no %q:\n%s", log, w, got)
			}
		}
		if strings.Contains(string(got), "secret") {
			t.Errorf("a value of the log is shown:\n%s", got)
		}
	}
	f(`{"Timestamp":"2026-11-21 10:00:00","session_id":"secret","req":{"model":"secret","messages":[]}}`,
		"time: {path: 'Timestamp', layout: '2006-01-02 15:04:05'}", "session: 'session_id'", "body: 'req'")
	f(`{"ts":1795255200123,"asked":{"contents":[{"parts":[{"text":"secret"}]}]},"said":{"candidates":[{"index":0}]}}`, "body: 'asked'", "response: 'said'")
	f(`{"ts":1795255200123,"latency_ms":5}`, "time: {path: 'ts', layout: 'unix_ms'}", "duration: {path: 'latency_ms', unit: ms}")
	// The only time is when calls ended if the records are in its order, and not in that of the ends they would have.
	slowFirst := func(first, second string) string {
		return `{"timestamp":"` + first + `","latency":8,"distinct_id":"secret"}` + "\n" + `{"timestamp":"` + second + `","latency":1}`
	}
	f(slowFirst("2026-11-21T10:00:08Z", "2026-11-21T10:00:09Z"), "  end: 'timestamp' # or time, if that is when calls began", "duration: {path: 'latency', unit: s}", "user: 'distinct_id'")
	f(strings.ReplaceAll(slowFirst("2026-11-21T10:00:08Z", "2026-11-21T10:00:08Z"), `"latency":8`, `"latency":1.9`), "  time: 'timestamp'", "  # end:") // of one second
	f(slowFirst("2026-11-21T10:00:01Z", "2026-11-21T10:00:09Z"), "  time: 'timestamp'", "  # end:")                                                     // either
	f(slowFirst("2026-11-21T10:00:02Z", "2026-11-21T10:00:01Z"), "  time: 'timestamp'", "  # end:")                                                     // neither
	f(strings.ReplaceAll(slowFirst("2026-11-21T10:00:08Z", "2026-11-21T10:00:09Z"), "timestamp", "created_at"), "  time: 'created_at'", "  # end:")
	f(strings.ReplaceAll(slowFirst("2026-11-21T10:00:08Z", "2026-11-21T10:00:09Z"), `"latency"`, `"end_time":"2026-11-21T10:00:20Z","latency"`), "  time: 'timestamp'", "  end: 'end_time'")
	newest := strings.NewReplacer(`"latency":8`, `"latency":1`, `"latency":1}`, `"latency":8}`).Replace(slowFirst("2026-11-21T10:00:09Z", "2026-11-21T10:00:08Z"))
	f(`{"timestamp":"2026-11-21T10:00:20Z","latency":1}`+"\n"+newest, "  end: 'timestamp'") // the newest first
	// The order of the records says more than that a logger wrote them.
	f(strings.ReplaceAll(`{"timestamp":"2026-11-21T10:00:05Z","latency":1}`+"\n"+`{"timestamp":"2026-11-21T10:00:01Z","latency":8}`, `{"`, `{"level":"info","`), "  time: 'timestamp'", "  # end:")
	f("2026-11-21 10:00:05 call model=secret duration=0.5\n2026-11-21 10:00:01 call model=secret duration=9.5", "  time: {path: 'time',", "  # end:")
	f("2026-11-21 10:00:05 call start=2026-11-21T10:00:00Z duration=5.0", "  time: 'start'", "duration: {path: 'duration', unit: s}")
	f(`{"timestamp":"2026-11-21T10:00:05Z","start_time":"2026-11-21T10:00:00Z"}`, "  time: 'timestamp'")
	f(`{"time_start":"2026-11-21T10:00:00Z","time_end":"2026-11-21T10:00:05Z"}`, "  time: 'time_start'", "  end: 'time_end'")
	f(`{"called_ts":1795255200.5,"resp_headers":{"Date":["Sat, 21 Nov 2026 10:00:00 GMT"]}}`, "  time: 'called_ts'")
	// As Weave and Opik call them: the number of errors is none.
	f(`{"started_at":"2026-11-21T10:00:00Z","summary":{"status_counts":{"error":0}},"exception":null}`, "error: 'exception' # null so far")
	f(`{"started_at":"2026-11-21T10:00:00Z","team":null,"prompt":null,"error":null,"trace_id":null,"client_ip":"secret","in":[{"role":"secret"}]}`+"\n"+`{"error":"secret"}`, "error: 'error'\n", "caller_name: 'client_ip'", "messages: 'in'", "# id:")
	f(`{"start_time":"2026-11-21T10:00:00Z","error_info":{"exception_type":"secret","message":"secret"}}`, "error: 'error_info.exception_type'")
	f(`{"start_time":"2026-11-21T10:00:00Z","output":{"role":"secret","content":[{"type":"secret"}]},"metadata":{"id":"secret","model":"secret","usage":{"input_tokens":5}}}`, "response: 'output'", "tokens_in: 'metadata.usage.input_tokens'")
	f(`{"start_time":"2026-11-21T10:00:00Z","metadata":{"parallel_tool_calls":true},"output":{"output":[{"type":"secret"}]}}`, "response: 'output'", "# tool_calls:")
	// PostHog's of streams lack the usage.
	f(`{"timestamp":"2026-11-21T10:00:00Z","properties":{"$ai_input_tokens":5,"$ai_output_tokens":5,"$ai_usage":{"input_tokens":5,"output_tokens":5}}}`, "tokens_in: 'properties.$ai_input_tokens'", "tokens_out: 'properties.$ai_output_tokens'")
	// As cloud gateways, Bifrost, OpenRouter and APISIX call them.
	f(`{"requestTime":"21/Nov/2026:10:00:00 +0000","httpMethod":"POST","resourcePath":"/secret","user":"-"}`, "missing: ['-', '']", "method: 'httpMethod'", "url: 'resourcePath'")
	f(`{"timestamp":"2026-11-21T10:00:00Z","httpRequest":{"requestUrl":"https://secret/","remoteIp":"secret","latency":"0.5s"}}`, "url: 'httpRequest.requestUrl'", "caller_name: 'httpRequest.remoteIp'", "duration: 'httpRequest.latency'")
	f(`{"timestamp":"2026-11-21T10:00:00Z","latency":1200,"virtual_key_name":"secret","input_history":[{"role":"secret"}]}`, "duration: {path: 'latency', unit: ms}", "caller_name: 'virtual_key_name'", "messages: 'input_history'")
	f(`{"startTime":"2026-11-21T10:00:00Z","tags":["secret"],"input":[{"role":"secret"}],"output":[{"role":"secret"}]}`, "messages: 'input'", "response: 'output'")
	f(`{"@timestamp":"2026-11-21T10:00:00Z","url":{"original":"/secret"},"event":{"duration":14524000},"source":{"ip":"192.0.2.7"}}`, "url: 'url.original'", "duration: {path: 'event.duration', unit: ns}", "caller_name: 'source.ip'") // Elastic's common schema
	f(`{"time":"2026-11-21T10:00:10Z","level":"info","tyk-analytics-record":{"method":"POST","path":"/secret","response_code":200,"timestamp":"2026-11-21T10:00:00Z","request_time":381,"expireAt":"2026-11-21T10:00:00Z"}}`, "end: 'tyk-analytics-record.timestamp'", "duration: {path: 'tyk-analytics-record.request_time', unit: ms}")
	f(`{"severity":"info","msg":"{\"method\":\"POST\",\"path\":\"/secret\",\"status\":200,\"timestamp\":\"2026-11-21T10:00:00Z\",\"took\":0.5}"}`, "time: 'msg.timestamp'")
	f(`{"time":"2026-11-21T10:00:10Z","http":{"method":"POST","path":"/secret","status":200}}`, "time: 'time'")
	f(`{"time":"2026-11-21T10:00:10Z","http":{"method":"POST","path":"/secret","status":200,"cached_at":"2026-11-20T10:00:00Z"}}`, "time: 'time'")
	f(`{"start_time":1795255200123,"latency":0.5,"client_ip":"secret","consumer":{"username":"secret"}}`, "duration: {path: 'latency', unit: s}", "caller_name: 'consumer.username'")
	f(`{"start_time":1795255200123,"latency":900.5,"llm_summary":{"model":"secret","request_model":"secret","duration":300}}`, "duration: {path: 'latency', unit: ms}", "model: 'llm_summary.request_model'")
	f(`{"time":"2026-11-21T10:00:00Z","callerIpAddress":"secret","correlationId":"secret","body":{"id":"secret","choices":[]}}`, "id: 'correlationId'", "caller_name: 'callerIpAddress'", "response: 'body'")
	f(`{"time":"2026-11-21T10:00:00Z","answer":{"id":"secret","choices":[]}}`, "# id:", "response: 'answer'") // the provider's
	// A trace has several calls, each in a span, as Datadog has them.
	f(`{"trace_id":"secret","span_id":"secret","start_ns":1795255200123000000,"input":{"messages":[{"role":"secret"}]}}`, "id: 'span_id'", "messages: 'input.messages'")
	// Only the answer says the model, as where OpenHands logs completions.
	f(`{"messages":[{"role":"secret"}],"response":{"model":"secret","choices":[]},"timestamp":1795255200.5,"latency_sec":0.5}`, "model: 'response.model'", "messages: 'messages'")
	f(`{"ts":1795255200123,"asked":{"model":"secret","messages":[]},"said":{"model":"secret","choices":[]}}`, "# model:", "body: 'asked'", "response: 'said'")
	// What is called a request or a response, and is no body of one.
	f(`{"time":"2026-11-21T10:00:00Z","request":{"method":"GET","body":"secret"},"response":{"status":200,"headers":{"a":"secret"}}}`, "body: 'request.body'", "# response:", "status: 'response.status'")
	f(`{"time":"2026-11-21T10:00:00Z","data":{"input":"secret","output":"secret","usage":{"input_tokens":5}}}`, "response: 'data.output'", "tokens_in: 'data.usage.input_tokens'", "#   data.input")
	f(`{"time":"2026-11-21T10:00:00Z","request":{"method":"GET"},"response":{"output":[]}}`, "# body:", "response: 'response'")
	// A message for the response, and a call with both of its sides.
	f(`{"time":"2026-11-21T10:00:00Z","response":{"role":"secret","tool_calls":[{"id":"secret"}]}}`, "response: 'response'", "# tool_calls:")
	f(`{"time":"2026-11-21T10:00:00Z","job":{"usage":{"requests":1}},"call":{"model":"secret","input":[{"role":"secret"}],"output":[{"role":"secret"}],"usage":{"input_tokens":5}}}`,
		"response: 'call.output'", "# body:", "model: 'call.model'", "messages: 'call.input'", "tokens_in: 'call.usage.input_tokens'")
	f("created_at,cost_total,tokens_prompt,tokens_completion,tokens_cached,model_permaslug,streamed\n2026-11-21 10:00:00,0.1,10,5,4,secret,true\n",
		"model: 'model_permaslug'", "tokens_in: 'tokens_prompt'", "tokens_out: 'tokens_completion'", "tokens_cached: 'tokens_cached'", "cost: 'cost_total'", "stream: 'streamed'")
	f(`2026-11-21T10:00:00Z info request endpoint=secret:443 http.path=/secret gen_ai.request.model=secret gen_ai.usage.input_tokens=1`, "url: 'http_path'", "model: 'gen_ai_request_model'", "tokens_in: 'gen_ai_usage_input_tokens'")
	f("2026-11-21T10:00:00Z\tinfo\trequest\tendpoint=secret:443 src.addr=[::1]:5 http.status=200 duration=3ms", "duration: 'duration'", "caller_name: 'src_addr'", "status: 'http_status'") // agentgateway's
	f(`{"timestamp":"2026-11-21T10:00:00Z","episode_id":"secret","processing_time_ms":80}`, "session: 'episode_id'", "duration: {path: 'processing_time_ms', unit: ms}")                    // TensorZero's
	f(`[GIN] 2026/11/21 - 10:00:00 | 200 |  1.25s |       127.0.0.1 | POST     "/secret"`, "layout: '2006/01/02 - 15:04:05'", "status: 'status'", "duration: 'duration'", "caller_name: 'client_ip'", "url: 'url'")
	f("time=2026-11-21T10:00:00Z level=INFO source=secret msg=\"secret\" port=1 model=secret\n[GIN] 2026/11/21 - 10:00:00 | 200 |  1.25s |       127.0.0.1 | POST     \"/secret\"\ntime=2026-11-21T10:00:01Z level=INFO", "layout: '2006/01/02 - 15:04:05'", "url: 'url'") // Ollama's
	// Between the lines of JSON that the program logs, as KrakenD's is.
	const gin = `[GIN] 2026/11/21 - 10:00:00 | 200 |  1.25s |       127.0.0.1 | POST     "/secret"`
	f(`{"@timestamp":"2026-11-21T10:00:00Z","level":"INFO","message":"secret"}`+"\n"+gin, "layout: '2006/01/02 - 15:04:05'", "url: 'url'")
	f(`{"@timestamp":"2026-11-21T10:00:00Z","model":"secret"}`+"\n"+gin, "time: '@timestamp'", "model: 'model'")
	f(`{"@timestamp":"2026-11-21T10:00:00Z","session":"secret"}`+"\nserves POST /secret HTTP/1.1 200", "time: '@timestamp'", "session: 'session'")                                           // no time
	f(`192.0.2.7 - - [21/Nov/2026:10:00:00 +0000] secret:9080 "POST /secret HTTP/1.1" 200 5`, `pattern: '^(?P<client_ip>\S+).*?\[(?P<time>`, "caller_name: 'client_ip'", "status: 'status'") // APISIX
	f(`{"what":"secret"}`, "time: TIME", "#   what")
	f(`[2026-11-21T10:00:00Z] model="secret" status=200`, `pattern: '^\[(?P<time>\S+)\].*?\bmodel="(?P<model>(?:[^"\\]|\\.)*)".*?\bstatus=(?P<status>\S*)'`)
	f(`2026-11-21 10:00:00 time=5 model=secret`, `pattern: '^(?P<time>\S+ [^\s\]]+).*?\bmodel=(?P<model>\S*)'`, "time: {path: 'time', layout: '2006-01-02 15:04:05'}")
	f(`2026-11-21T10:00:00Z time=5 model=secret`, `pattern: '^(?P<time>\S+).*?\bmodel=(?P<model>\S*)'`, "time: 'time'")
	f(`level=info time="2026-11-21 10:00:00" model=secret`, "time: {path: 'time', layout: '2006-01-02 15:04:05'}")
	f(`{"meta":{"ts":"2026-11-21T10:00:00Z","it's":"secret"}}`, "time: 'meta.ts'", "#   meta.it's")
	f(`{"time":0.25,"event":{"when":"2026-11-21T10:00:00Z"}}`, "time: 'event.when'") // that is no time
	f(`{"a":{"b":{"c":{"d":{"e":"2026-11-21T10:00:00Z"}}}}}`, "time: 'a.b.c.d.e'")
	f(`{"visits":[{"at":1795255200123}]}`, "time: {path: 'visits.0.at', layout: 'unix_ms'}")
	f("{\"ts\":\"2026-11-21T10:00:00Z\"}\n{\"at\":{\"ts\":\"2026-11-21T10:00:00Z\"}}", "time: ['ts', 'at.ts']") // two kinds of records
	f(`{"date":"25/12/2026 10:00:00"}`, "time: {path: 'date', layout: '02/01/2006 15:04:05'}")
	f("when;Session ID;note\n2026-11-21 10:00:00;secret;\"secret; \"\"secret\"\"\"\n", "columns: ['when', 'Session ID', 'note']\nseparator: ';'", "time: {path: 'when', layout: '2006-01-02 15:04:05'}")
	f(",when,note\n0,2026-11-21T10:00:00Z,secret\n", "columns: ['', 'when', 'note']", "time: 'when'") // as pandas writes it
	f("2026-11-21T10:00:00Z\t\t[{\"role\":\"user\",\"content\":\"secret=1 b=2\"}]\n", "separator: \"\\t\"", "messages: 'column3'")
	f("ts\trequest\n2026-11-21T10:00:00Z\t{\"messages\":[],\"model\":\"secret\"}\n", "separator: \"\\t\"", "body: 'request'")
	f("2026-11-21T10:00:00Z,secret,200", "columns: ['column1', 'column2', 'column3']", "time: 'column1'")
	f("2026-11-21 10:00:00,250 INFO secret, and secret", `pattern: '^(?P<time>\S+ [^\s\]]+)'`) // a sentence, not CSV
	f("[INFO] [21/Nov/2026:10:00:00 +0000] secret", `pattern: '^.*?\[(?P<time>`, "layout: '02/Jan/2006:15:04:05 -0700'")
	f("[2026-11-21 10:00:00] POST /secret HTTP/1.1 200 12ms", "method: 'method'", "url: 'url'", "status: 'status'", "duration: 'duration'")
	f(`{"level":30,"time":1795999784671,"pid":5865,"req":{"id":1,"method":"POST","url":"/secret","headers":{"x-session-id":"secret"}},"res":{"statusCode":200},"responseTime":1,"msg":"request completed"}`,
		"id: 'req.id' # leave it out if each process counts its own", "method: 'req.method'", "session: 'req.headers.x-session-id'", "status: 'res.statusCode'") // pino-http's
	f(`{"time":"2026-11-21T10:00:00Z","requestId":"secret-1","path":"/"}`, "id: 'requestId'\n")
	// Fastify's, a line as a request comes and one when it is over, among others.
	const coming = `{"level":30,"time":1795999784972,"pid":5865,"reqId":"secret","req":{"method":"POST","url":"/secret","remoteAddress":"secret"},"msg":"incoming request"}` + "\n"
	const over = `{"level":30,"time":1795999784976,"pid":5865,"reqId":"secret","res":{"statusCode":200},"responseTime":4,"msg":"request completed"}` + "\n"
	f(`{"level":30,"time":1795999784544,"pid":5865,"msg":"secret"}`+"\n"+coming+over,
		"Those of requests are\n# jq -c 'arrays[], objects | select(.req.url)' LOG |", "  time: {path: 'time', layout: 'unix_ms'}\n", "url: 'req.url'", "caller_name: 'req.remoteAddress'", "# status:")
	for _, log := range []string{
		coming + coming, `{"time":1,"url":"/","messages":[{"role":"user"}]}` + "\n" + `{"time":1,"messages":[{"role":"user"}]}`,
		`{"time":1,"endpoint":"/","model":"secret"}` + "\n" + `{"time":1,"model":"secret"}`, // a cache's have none
		`{"time":1,"url":"/","tool_calls":[{"name":"secret"}]}` + "\n" + `{"time":1,"tool_calls":[{"name":"secret"}]}`,
	} {
		if got, err := Scaffold([]byte(log)); err != nil || strings.Contains(string(got), "several kinds") {
			t.Errorf("%s: %v\n%s", log, err, got)
		}
	}
	f(`[GIN] 2026/11/21 - 10:00:00 | 2026112110000000000000000secret | 200 |  1.25s |       127.0.0.1 |    POST /secret`, `\| +(?P<request_id>\w{16,}) +\| +(?P<status>[1-5]\d\d) +\| `, "id: 'request_id'", "url: 'url'") // One API's
	f(`[21/Nov/2026:10:00:00 +0000] 192.0.2.7:80 200 "POST /secret HTTP/1.1" 200 5 "{\x22model\x22: \x22secret\x22, \x22n\x22: 5, \x22messages\x22: []}"`, `(?P<status>[1-5]\d\d)\b)?'`)                                   // nginx', of a body that it escaped
	// Labelled values, of nginx and Apache.
	f("time:[21/Nov/2026:10:00:00 +0000]\thost:192.0.2.7\treq:POST /secret HTTP/1.1\tstatus:200\treqtime:0.5\tsession-id:secret\tua:secret: 1 [x]",
		`pattern: '^.*?(?:^|\t)time:\[(?P<time>[^\t\]]*)\].*?(?:^|\t)host:(?P<host>[^\t]*).*?(?:^|\t)req:(?P<req>[^\t]*).*?(?:^|\t)status:(?P<status>[^\t]*).*?(?:^|\t)reqtime:(?P<reqtime>[^\t]*).*?(?:^|\t)session-id:(?P<session_id>[^\t]*)`,
		"time: {path: 'time', layout: '02/Jan/2006:15:04:05 -0700'}", "status: 'status'", "duration: {path: 'reqtime', unit: s}", "session: 'session_id'", "url: 'req'", "caller_name: 'host'", "#   ua")
	f("host:secret\tnothing\ttime=2026-11-21T10:00:00Z", `pattern: '^.*?\btime=(?P<time>\S*)'`) // not all have one
	// Of an object behind words without a time, that is in it.
	f(`INFO:calls:{"messages":[{"role":"user","content":"secret id=7 at 2026-11-20 10:00:00"}],"response":{"created":1795255200,"choices":[]}}`,
		`pattern: '^.*?(?P<json>\{.*\})$'`, "time: 'json.response.created'", "messages: 'json.messages'", "response: 'json.response'")
	f("[2026-11-21 10:00:00] started\n[2026-11-21 10:00:00] call model=secret", `(?:.*?\bmodel=(?P<model>\S*))?'`) // not every line has it
	// Ids that belong to others, or are not each call's own, would make requests one.
	f(`{"@timestamp":"2026-11-21T10:00:00Z","user":{"id":"secret"},"session":{"id":"secret"},"client":{"id":"secret"},"http":{"request":{"id":"secret"}}}`,
		"user: 'user.id'", "session: 'session.id'", "caller_name: 'client.id'", "id: 'http.request.id'")
	f(`{"ts":"2026-11-21T10:00:00Z","req":{"headers":{"x-request-id":"secret"}}}`, "# id:", "headers: 'req.headers'")
	f("{\"ts\":\"2026-11-21T10:00:00Z\",\"trace_id\":\"secret\"}\n{\"ts\":\"2026-11-21T10:00:01Z\",\"trace_id\":\"secret\"}", "# id:", "#   trace_id")
	// Names that end as theirs do, if the values are such.
	f(`{"EdgeEndTimestamp":"2026-11-21T10:00:01Z","EdgeStartTimestamp":"2026-11-21T10:00:00Z","ClientRequestMethod":"POST","ClientRequestURI":"/secret","EdgeResponseStatus":200}`,
		"time: 'EdgeStartTimestamp'", "end: 'EdgeEndTimestamp'", "method: 'ClientRequestMethod'", "url: 'ClientRequestURI'", "status: 'EdgeResponseStatus'")
	f(`{"time":"2026-11-21T10:00:00Z","status":"secret","httpStatusCode":"200","target":"gw::secret","caller":"secret.go:12","apiKey":"secret"}`,
		"status: 'httpStatusCode'", "# url:", "caller: 'apiKey'", "#   caller")
	f(`{"time":"2026-11-21T10:00:00Z","session_id":null,"conversation":"secret","system_prompt":"secret"}`, "session: 'conversation'", "# messages:")
	f("{\"time\":\"2026-11-21T10:00:00Z\",\"elapsed\":80}\n{\"time\":\"2026-11-21T10:00:01Z\",\"elapsed\":2500}", "duration: {path: 'elapsed', unit: ms}")
	f(`{"time":"2026-11-21T10:00:00Z","ElapsedMilliseconds":80.5}`, "duration: {path: 'ElapsedMilliseconds', unit: ms}")
	f(`{"request_time":"2026-11-21T10:00:00Z","execution_duration_ms":80,"requester":"secret"}`, "time: 'request_time'", "duration: {path: 'execution_duration_ms', unit: ms}", "caller_name: 'requester'") // Databricks'
	f(`{"time":"2026-11-21T10:00:00Z","prompt":"secret"}`, "messages: 'prompt'")
	f(`{"time":"2026-11-21T10:00:00Z","said":"data: {\"secret\":1}\n\n"}`, "response: 'said'")
	// Deep, in base64, of Python, behind words, escaped.
	f(`{"time":"2026-11-21T10:00:00Z","http":{"request":{"body":{"content":"{\"model\":\"secret\",\"messages\":[]}"}}}}`, "body: 'http.request.body.content'")
	f(`{"time":"2026-11-21T10:00:00Z","b64":"eyJtb2RlbCI6Im0iLCJtZXNzYWdlcyI6W119"}`, "body: 'b64'")
	f(`2026-11-21 10:00:00 INFO {'sid': 'secret', 'req': {'model': 'secret', 'messages': []}}`, "session: 'json.sid'", "body: 'json.req'")
	f(`{"time":"2026-11-21T10:00:00Z","text":"secret {\"sid\":\"secret\"}"}`, "session: 'text.sid'")
	f(`time=2026-11-21T10:00:00Z req="{\"model\":\"secret\",\"messages\":[]}"`, "body: 'req'")
	f(`2026-11-21T10:00:00Z [sess=secret] model=secret, messages=[{"role": "secret"}] status=200`,
		`\bsess=(?P<sess>[^\s\]]*).*?\bmodel=(?P<model>[^\s,]*).*?\bmessages=(?P<messages>[{\[].*[}\]]).*?\bstatus=(?P<status>\S*)'`)
	f(`[2026-11-21 10:00:00] session: secret, status: 200, secret: no secret, request: {"model":"secret","messages":[]}`, `\bsession: (?P<session>[^\s,;|]*).*?\bstatus: (?P<status>`, "body: 'json'", "session: 'session'", "status: 'status'")
	f("2026-11-21T10:00:00.1Z INFO [main] : HTTP request:\n- headers: [A: secret]\n- body: {\n  \"model\" : \"secret\",\n  \"messages\" : [ {\n  } ]\n}\n\n2026-11-21T10:00:00.2Z INFO [main] : secret", // LangChain4j's
		"# awk '/^\\[?[0-9]", `pattern: '^(?P<time>\S+)(?:.*?(?P<json>\{.*\})$)?'`, "body: 'json'")
	f("2026-11-21T10:00:00.1Z secret {\n  \"model\" : \"secret\",\n  \"messages\" : [ ] }", "# awk", "body: 'json'")
	f(`2026-11-21T10:00:00.1Z secret { "model" : "secret", "messages" : [ ] }`, "body: 'json'")
	f(`{"at":{"$date":"2026-11-21T10:00:00Z"},"session":{"S":"secret"}}`, "time: 'at.$date'", "session: 'session.S'") // of databases
	f(`{"time":"2026-11-21T10:00:00Z","client":"192.0.2.7:80"}`, "caller_name: 'client'")
	// A key tells callers apart that share an address, whatever it is called.
	f(`{"ts":1795255200.5,"client":"192.0.2.7","authorization":"Bearer secret"}`, "caller: 'authorization'", "#   client")
	f(`{"time":"2026-11-21T10:00:00Z","client":"192.0.2.7","authorization":"-"}`, "caller_name: 'client'")
	f(`{"time":"2026-11-21T10:00:00Z","remote_ip":"192.0.2.7","key":"Bearer secret"}`, "caller: 'key'", "#   remote_ip")
	f("2026/11/21 10:00:00.123\tINFO\thandled request\t{\"request\":{\"client_ip\":\"192.0.2.7\",\"uri\":\"/secret\",\"headers\":{\"Authorization\":[\"Bearer secret\"]}}}", "# caller_name:", "headers: 'column4.request.headers'") // Caddy's
	f("{\"ts\":1795255200.5,\"http_authorization\":\"Bearer secret\",\"http_x_api_key\":\"\"}\n{\"ts\":1795255200.5,\"http_authorization\":\"\",\"http_x_api_key\":\"secret\"}", "caller: ['http_x_api_key', 'http_authorization']")
	f("created_at,token_name,model_name,prompt_tokens\n1795255200,secret,secret,5\n", "caller_name: 'token_name'", "model: 'model_name'") // One API's
	f(`{"time":"2026-11-21T10:00:00Z","request":"POST /secret HTTP/1.1"}`, "url: 'request'", "# body:")
	// Keys that few have, that were left out, or are none.
	f(`{"ts":1795255200.5,"request":{"remote_ip":"192.0.2.7","headers":{"Authorization":["REDACTED"]}}}`, "caller_name: 'request.remote_ip'") // Caddy's
	f(`{"ts":1795255200.5,"remote_ip":"192.0.2.7","has_api_key":true}`, "caller_name: 'remote_ip'")
	f(`{"ts":1795255200.5,"remote_ip":"192.0.2.7","api_key":null}`, "caller_name: 'remote_ip'")
	f(`{"ts":1795255200.5,"team":"-"}`, "caller_name: 'team'")
	f(`{"ts":1795255200.5,"api_key":null}`, "caller: 'api_key' # null so far")
	const few = `{"ts":1795255200.5,"remote_ip":"192.0.2.7","authorization":"Bearer secret"}` + "\n" + `{"ts":1795255200.5,"remote_ip":"192.0.2.8"}` + "\n" + `{"ts":1795255200.5,"remote_ip":"192.0.2.9"}`
	f(few, "caller_name: 'remote_ip'")
	f(strings.ReplaceAll(few, "remote_ip", "n"), "caller: 'authorization'")
	f(`{"ts":1795255200.5,"consumer":"sk-secret-1"}`, "caller: 'consumer'") // a name would be shown
	f(`{"ts":1795255200.5,"ip":"192.0.2.7","token":"sk-secret-1"}`, "caller: 'token'")
	// Of platforms: names that begin as a database's types, that are one with dots in
	// it, and columns of which each row is empty.
	f("{\"uuid\":\"secret\",\"timestamp\":\"2026-11-21T10:00:00Z\",\"properties\":{\"$ai_model\":\"secret\",\"$ai_session_id\":\"secret\",\"$ai_input\":[{\"role\":\"secret\"}],\"$ai_output_choices\":[{\"role\":\"secret\"}],\"$ai_latency\":1.5}}",
		"id: 'uuid'", "model: 'properties.$ai_model'", "session: 'properties.$ai_session_id'", "messages: 'properties.$ai_input'", "response: 'properties.$ai_output_choices'", "duration: {path: 'properties.$ai_latency', unit: s}") // PostHog's
	f(`{"timestamp":"2026-11-21T10:00:00Z","gen_ai.request.model":"secret","gen_ai.request.messages":"[{\"role\":\"secret\"}]"}`, "# body:", "model: 'gen_ai.request.model'", "messages: 'gen_ai.request.messages'")
	f(`{"startTime":"2026-11-21T10:00:00Z","messages":{},"sent":{"model":"secret","messages":[]}}`, "body: 'sent'", "# messages:")
	f(`{"start_ns":1795255200123000000,"input":{"messages":[{"role":"secret"}]},"output":{"messages":[{"role":"secret"}]}}`, "messages: 'input.messages'", "response: 'output.messages'") // Datadog's
	f("created\tsent\n2026-11-21 10:00:00\t{\"messages\":[{\"role\":\"user\",\"content\":\"\\\\\"secret\\\\\"\"}],\"model\":\"secret\"}", `separator: "\t"`, "body: 'sent'")              // as COPY and mysql escape it
	f(`{"CREATED_AT":"Sat, 21 Nov 2026 10:00:00 Z"}`, "time: {path: 'CREATED_AT', layout: 'Mon, 02 Jan 2006 15:04:05 Z0700'}")                                                            // Snowflake's
	f(`{"time":"2026-11-21T10:00:00Z","resultSignature":"200"}`, "status: 'resultSignature'")                                                                                             // of Azure's diagnostics
	f(`{"object":"chat.completion","id":"secret","created":1795255200,"model":"secret","request_id":"secret","usage":{"prompt_tokens":1},"choices":[{"message":{"role":"assistant","tool_calls":[{"function":{"name":"secret","arguments":"{}"}}]}}]}`,
		"time: 'created'", "response: 'choices'", "id: 'request_id'", "tokens_in: 'usage.prompt_tokens'") // OpenAI's stored completions
	f("timestamp [UTC],RequestId_s,LatencyMs_d,StatusCode_d,Request_s\n\"11/21/2026, 10:00:00.123 AM\",secret,80,200,\"{\"\"model\"\":\"\"secret\"\",\"\"messages\"\":[]}\"\n",
		"columns: ['timestamp [UTC]',", "time: {path: 'timestamp [UTC]', layout: '1/2/2006, 3:04:05 PM'}", "id: 'RequestId_s'", "duration: {path: 'LatencyMs_d', unit: ms}", "status: 'StatusCode_d'", "body: 'Request_s'") // Azure's portal
	f(`{"time":"2026-11-21T10:00:00Z","latency_s":0.5}`, "duration: {path: 'latency_s', unit: s}")
	// A list that reading looks into, in the answer of an API: Datadog's, Dynatrace's.
	f(`{"data":[{"id":"secret","attributes":{"start_ns":1795255200123000000,"duration":1519000000,"input":{"messages":[{"role":"secret"}]}}}],"meta":{"elapsed":7}}`,
		"time: {path: 'attributes.start_ns', layout: 'unix_ns'}", "duration: {path: 'attributes.duration', unit: ns}", "messages: 'attributes.input.messages'")
	f(`{"records":[{"timestamp":"2026-11-21T10:00:00Z","span.id":"secret"}]}`, "time: 'timestamp'", "id: 'span.id'")
	f(`{"spans":[{"timestamp":"2026-11-21T10:00:00Z"}]}`, "time: 'spans.0.timestamp'", "# jq -c '.spans[]' LOG")
	// What costs, is no response; how many errors there were, and whether, none of them;
	// and a caller that is there goes before one that is not.
	f(`{"data":{"id":"secret","created_at":"2026-11-21T10:00:00Z","model":"secret","usage":0.5,"tokens_prompt":5,"generation_time":1200}}`, "# response:", "id: 'data.id'", "tokens_in: 'data.tokens_prompt'", "duration: {path: 'data.generation_time', unit: ms}")
	f(`{"time":"2026-11-21T10:00:00Z","counts":{"error":0},"error":false}`, "# error:")
	f(`{"requestTime":"21/Nov/2026:10:00:00 +0000","ip":"secret","caller":"-","user":"-"}`, "caller_name: 'ip'", "user: 'user'")
	f(`{"timestamp_ms":1795255200123,"execution_time_ms":80}`, "duration: {path: 'execution_time_ms', unit: ms}") // Databricks'
	// A line that says how long the call took was written when that was over.
	f("[GIN] 2026/11/21 - 10:00:00 | 200 |  1.25s |       127.0.0.1 | POST     \"/secret\"", "end: {path: 'time', layout: '2006/01/02 - 15:04:05'} # or time,")
	f(`{"level":"info","ts":1795255200.5,"msg":"secret","elapsed":0.5}`, "end: 'ts'", "duration: {path: 'elapsed', unit: s}")
	f(`{"level":"info","ts":1795255200.5,"msg":"secret"}`, "time: 'ts'", "# end:")
	f(`{"level":"info","start_time":"2026-11-21T10:00:00Z","elapsed":0.5}`, "time: 'start_time'", "# end:")
	f(`{"logging_time":"2026-11-21 10:00:00.5 UTC","metadata":{"request_latency":"1519"}}`, "end: {path: 'logging_time', layout: '2006-01-02 15:04:05 MST'}", "duration: {path: 'metadata.request_latency', unit: ms}") // Vertex AI's
	f(`{"completed_at":"2026-11-21T10:00:00Z","elapsed":0.5}`, "end: 'completed_at'")
	f("[2026-11-21 10:00:00] Receive: obj=GenerateReqInput(rid='secret', text='secret', sampling_params={'temperature': 0.7}, stream=False)\n[2026-11-21 10:00:00] Decode batch. #running-req: 1, token usage: 0.00, gen throughput (token/s): 90, #queue-req: 0,\n[2026-11-21 10:00:01] INFO:     127.0.0.1:40000 - \"POST /secret HTTP/1.1\" 200 OK",
		`].*?(?P<client_ip>\S+) - "\b(?P<method>`, "time: {path: 'time', layout: '2006-01-02 15:04:05'}", "caller_name: 'client_ip'", "url: 'url'", "status: 'status'", "# stream:") // SGLang's
	f("2026-11-21T10:00:00.123456789Z main: listening, port: 8080, ok\n2026-11-21T10:00:01.123456789Z srv  log_server_r: done request: POST /secret 127.0.0.1 200", "caller_name: 'client_ip'", "status: 'status'", "url: 'url'") // llama.cpp's
	f("2026-11-21T10:00:00Z POST /secret 200\n2026-11-21T10:00:00Z session=secret body={\"messages\":[],\"model\":\"secret\"}", "session: 'session'", "body: 'body'", "# status:")
	f(`2026-11-21T10:00:00Z {"backendLatency":1200,"responseLatency":1519}`, "duration: {path: 'json.responseLatency', unit: ms}") // WSO2's
	// Spans of several kinds, as of Opik and Braintrust.
	f("{\"start_time\":\"2026-11-21T10:00:00Z\",\"a\":{\"type\":\"secret\"}}\n{\"start_time\":\"2026-11-21T10:00:00Z\",\"a\":{\"type\":\"llm\"}}", `# jq -c 'arrays[], objects | select(.a.type == "llm")' LOG | loopgauge`)
	f(`{"data":[{"start_ns":1795255200123000000,"span_kind":"llm"},{"start_ns":1795255200123000000,"span_kind":"secret"}]}`, `# jq -c '.data[] | select(.span_kind == "llm")' LOG`)
	f("{\"timestamp\":\"2026-11-21T10:00:00Z\",\"a\":{\"gen_ai.operation.name\":\"secret\"}}\n{\"timestamp\":\"2026-11-21T10:00:00Z\",\"a\":{\"gen_ai.operation.name\":\"chat\"}}", `select(.a."gen_ai.operation.name" == "chat")`)
	f("{\"timestamp\":\"2026-11-21T10:00:00Z\",\"a\":\"{\\\"type\\\":\\\"secret\\\"}\"}\n{\"timestamp\":\"2026-11-21T10:00:00Z\",\"a\":\"{\\\"type\\\":\\\"llm\\\"}\"}", `select((.a | fromjson).type == "llm")`)
	f(`{"a.b":{"c":[{"timestamp":"2026-11-21T10:00:00Z"}]}}`, `# jq -c '."a.b".c[]' LOG`)
	f("{\"start_time\":\"2026-11-21T10:00:00Z\",\"type\":\"llm\"}", "fields:")
	// Where each stands is asked of the calls alone: others have other things under such names. As of Mastra and of OpenAI's Agents SDK.
	f(`{"startedAt":"2026-11-21T10:00:00Z","spanType":"model_generation","input":{"messages":[{"role":"secret"}]}}`+"\n"+`{"startedAt":"2026-11-21T10:00:00Z","spanType":"model_step","input":[{"role":"secret"}],"output":{"toolCalls":[{"toolName":"secret"}]},"attributes":{"usage":{"inputTokens":5}}}`,
		`select(.spanType == "model_step")`, "messages: 'input'", "tool_calls: 'output.toolCalls'", "tokens_in: 'attributes.usage.inputTokens'")
	f(`{"started_at":"2026-11-21T10:00:00Z","span_data":{"type":"custom","data":{"usage":{"input_tokens":5}}}}`+"\n"+`{"started_at":"2026-11-21T10:00:00Z","span_data":{"type":"generation","input":[{"role":"secret"}],"output":[{"choices":[],"usage":{"prompt_tokens":5}}]}}`,
		`select(.span_data.type == "generation")`, "messages: 'span_data.input'", "response: 'span_data.output'", "# tokens_in:")
	// Columns that a line of the log names, of IIS and CloudFront, and those of Amazon's load balancer.
	f("#Software: secret\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query cs-username c-ip cs(User-Agent) sc-status sc-substatus time-taken\n2026-11-21 10:00:00 10.0.0.4 POST /secret a=b - 10.1.0.5 secret 200 0 1519\n",
		`pattern: '^(?P<time>\S+ \S+) (?P<s_ip>\S+) (?P<cs_method>\S+) (?P<cs_uri_stem>\S+) `, "end: {path: 'time', layout: '2006-01-02 15:04:05'}", "duration: {path: 'time_taken', unit: ms}", "url: 'cs_uri_stem'", "query: 'cs_uri_query'", "caller_name: 'c_ip'", "status: 'sc_status'")
	f("#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status x-edge-request-id time-taken\n2026-11-21\t10:00:00\t10.1.0.5\tPOST\t/secret\t200\tsecret\t0.5\n",
		`(?P<time>[^\t]*\t[^\t]*)\t(?P<c_ip>`, "end: {path: 'time', layout: '2006-01-02\t15:04:05'}", "id: 'x_edge_request_id'", "duration: {path: 'time_taken', unit: s}")
	f(`https 2026-11-21T10:00:00.123456Z app/gw/50dc 10.1.0.5:2817 10.0.0.1:4000 0.001 1.519 0.000 200 200 34 366 "POST https://secret:443/secret HTTP/1.1" "secret secret" x y`,
		"end: 'time'", "duration: {path: 'duration', unit: s}", "url: 'request'", "caller_name: 'client'", "status: 'status'")
	f("{\"timestamp\":\"2026-11-21T10:00:00Z\",\"gen_ai.operation.name\":\"secret\"}\n{\"timestamp\":\"2026-11-21T10:00:00Z\",\"gen_ai.operation.name\":\"chat\"}", `# jq -c 'arrays[], objects | select(."gen_ai.operation.name" == "chat")' LOG`)
	f(`{"client_sent_end_timestamp":"1795255201519","client_received_start_timestamp":"1795255200000","total_response_time":"1519"}`, "time: {path: 'client_received_start_timestamp', layout: 'unix_ms'}", "end: {path: 'client_sent_end_timestamp', layout: 'unix_ms'}") // Apigee's
	f(`{"time":"2026-11-21T10:00:00Z","tokens":{"input":5,"output":6}}`, "tokens_in: 'tokens.input'", "tokens_out: 'tokens.output'")
	// Calls in a list of each trace, as LangWatch has them, and what was said by and to a model in objects of their own.
	const trace = `{"trace_id":"secret","timestamps":{"started_at":1795255200123},"spans":[{"span_id":"secret","timestamps":{"started_at":1795255200123}}]}`
	f(trace+"\n"+trace, `# jq -c '. as $r | .spans[] | . + {record: ($r | del(.spans))}' LOG | loopgauge formats --scaffold -`)
	f(`{"time":"2026-11-21T10:00:00Z","input":{"type":"secret","value":[{"role":"secret"}]},"output":{"type":"secret","value":[{"role":"secret"}]},"record":{"metadata":{"thread_id":"secret"}}}`,
		"messages: 'input.value'", "response: 'output.value'", "session: 'record.metadata.thread_id'")
	f(`{"EventTimestampMs":1795255200123,"WallTimeMs":900,"RayID":"secret"}`, "duration: {path: 'WallTimeMs', unit: ms}", "id: 'RayID'") // of Cloudflare's Workers
	f(`{"timestamp":"2026-11-21T10:00:01.5Z","start_time":"2026-11-21T10:00:00Z","customer_identifier":"secret","thread_identifier":"secret","completion_message":{"role":"secret","tool_calls":[]},"latency":1.5}`,
		"time: 'start_time'", "user: 'customer_identifier'", "session: 'thread_identifier'", "response: 'completion_message'", "duration: {path: 'latency', unit: s}") // of Keywords AI
	f(`{"timestamp":"2026-11-21T10:00:01.5Z","session":{"start_time":"2026-11-21T09:00:00Z"}}`, "time: 'timestamp'")
	// The time is that of the line that a shipper wrapped, as Telegraf and Benthos do, if it has one.
	f(`{"fields":{"value":"{\"time_iso8601\":\"2026-11-21T10:00:00Z\",\"request_method\":\"POST\"}"},"name":"tail","timestamp":1795255200123}`, "  time: 'fields.value.time_iso8601'")
	f(`{"content":"{\"request_uri\":\"/secret\",\"response\":{\"created\":1795255200,\"choices\":[]}}","timestamp":"2026-11-21T10:00:00Z"}`, "  time: 'timestamp'")
	f(`{"time":1795255500,"host":"secret","event":{"time":1795255200123,"req_url":"/secret"}}`, "  time: {path: 'event.time', layout: 'unix_ms'}", "url: 'event.req_url'") // Splunk's collector
	f(`2026-11-21 10:00:00 | secret - {"method":"POST","path":"/secret","status":200,"model":"secret","messages":[],"tool_calls":[],"session":"secret"}`,                  // of Loguru
		"# body:", "messages: 'json.messages'", "tool_calls: 'json.tool_calls'", "status: 'json.status'", "session: 'json.session'")
	f(`{"host":"secret","time":"[21/Nov/2026:10:00:00 +0000]","method":"POST","path":"/secret","statusCode":"200"}`, "time: {path: 'time', layout: '[02/Jan/2006:15:04:05 -0700]'}", "status: 'statusCode'") // Tomcat's
	// The address that stands before a request: of aiohttp, Hypercorn and Spring Cloud Gateway.
	const at = "[21/Nov/2026:10:00:00 +0000] \"POST /secret"
	f("INFO:aiohttp.access:192.0.2.7 "+at+` HTTP/1.1" 200 5 "-" "secret/120.0.0.0"`, "caller_name: 'client_ip'", "status: 'status'")
	f("[2026-11-21 10:00:00 +0000] [7] [INFO] 192.0.2.7:50000 - - "+at+` 1.1" 200 5`, "caller_name: 'client_ip'", "status: 'status'", "layout: '2006-01-02 15:04:05 -0700'")
	f("INFO 7 --- [secret] secret.AccessLog : 192.0.2.7 - - "+at+` HTTP/2.0" 200 5 12`, "caller_name: 'client_ip'", "status: 'status'")
	f("[2026-11-21 10:00:00] build 1.2.3.400 POST /secret HTTP/1.1 200", "# caller_name:")
	// Of structlog: what looks like a time in what was said, and objects of Python's of which one may be None.
	f(`response="{\"id\":\"secret-1795255200123456789\",\"choices\":[]}" status=200 timestamp=2026-11-21T10:00:00Z`, "time: 'timestamp'", "response: 'response'", "status: 'status'")
	f("2026-11-21T10:00:00Z [info] key= request=None response={'status': 'ok'} status=200\n2026-11-21T10:00:00Z [info] key=sk-secret-1 request={'model': 'secret', 'messages': [{'x=': '} y='}]} response={'choices': [], 'a': 1} status=200",
		"body: 'request'", "response: 'response'", "caller: 'key'", "status: 'status'", `request=(?P<request>[{\[].*[}\]]|\S*).*?\bresponse=(?P<response>[{\[].*[}\]]|\S*).*?\bstatus=`)
	// A name that all share is that of the gateway.
	const ofApp = `{"ts":1795255200.5,"app":"secret","authorization":"Bearer secret"}`
	f(ofApp+"\n"+strings.ReplaceAll(ofApp, "Bearer secret", "Bearer secret2"), "caller: 'authorization'")
	f(ofApp+"\n"+ofApp, "caller_name: 'app'")
	f(ofApp, "caller_name: 'app'")
	// What is not known of times.
	f(`{"time":"05/06/2026 10:00:00"}`, "# timezone: Europe/Warsaw", "time: {path: 'time', layout: '01/02/2006 15:04:05'} # or '02/01/2006 15:04:05'?")
	f("2026-11-21 10:00:00.5+00,secret", "time: {path: 'column1', layout: '2006-01-02 15:04:05-07'}")   // PostgreSQL's
	f("when;note;sent\n21/11/2026 10:00;secret;{}\n", "time: {path: 'when', layout: '2/1/2006 15:04'}") // Excel's
	f("when,note,sent\n5/6/2026 10:00,secret,{}\n", "time: {path: 'when', layout: '1/2/2006 15:04'} # or '2/1/2006 15:04'?")
	f("when,note,sent\n2026-11-21 10:00:00.5 Z,secret,{}\n", "time: {path: 'when', layout: '2006-01-02 15:04:05 Z0700'}") // Snowflake's
	f("2026-11-21T10:00:00Z|secret|POST /secret HTTP/1.1|200", "separator: '|'")
	f("2026-11-21T10:00:00Z | INFO | secret", "pattern: ")                                                                            // a logger's
	f("(pid=7) INFO: 192.0.2.7:5 - \"POST /secret HTTP/1.1\" 200 OK", "# No line has a time? docker logs --timestamps", "time: TIME") // vLLM's
	// What a gateway passed on is no other request, and a whole call no body of one.
	f(`{"@timestamp":"2026-11-21T10:00:00Z","entrypoint-request":{"method":"POST","body":"{\"model\":\"secret\",\"messages\":[{\"role\":\"secret\"}]}"},"endpoint-request":{"method":"POST","body":"{\"model\":\"secret\",\"messages\":[{\"role\":\"secret\"}]}"},"entrypoint-response":{"body":"{\"choices\":[],\"usage\":{\"prompt_tokens\":5}}"},"endpoint-response":{"body":"{\"choices\":[],\"usage\":{\"prompt_tokens\":5}}"}}`,
		"body: 'entrypoint-request.body'", "response: 'entrypoint-response.body'", "# model:", "# messages:", "# tokens_in:") // Gravitee's
	f(`{"startTime":"2026-11-21T10:00:00Z","output":{"role":"secret","content":"secret"},"generation":{"model":"secret","messages":[{"role":"secret"}],"inputTokenCount":5,"outputTokenCount":5,"duration":1.5}}`,
		"# body:", "model: 'generation.model'", "messages: 'generation.messages'", "tokens_in: 'generation.inputTokenCount'", "tokens_out: 'generation.outputTokenCount'", "response: 'output'") // Literal AI's
	// Of several of a name the least nested, and of durations the longest.
	f(`{"start_time":"2026-11-21T10:00:00Z","metadata":{"model":"secret"},"model":"secret"}`, "  model: 'model'") // Opik's
	f(`{"@timestamp":"2026-11-21T10:00:00Z","application-id":"secret","remote-address":"192.0.2.7","gateway-latency-ms":5,"endpoint-response-time-ms":1514,"gateway-response-time-ms":1519}`,
		"duration: {path: 'gateway-response-time-ms', unit: ms}", "caller_name: 'application-id'")
	f(`{"created_at":"2026-11-21T10:00:00Z","latency":1016,"generation_time":2940}`, "duration: {path: 'generation_time', unit: ms}") // OpenRouter's
	f(`{"time":"2026-11-21T10:00:00Z","request_time":1795255200123,"latency_ms":80}`, "duration: {path: 'latency_ms', unit: ms}")
	f(`{"event_id":"secret","session_id":"secret","start_time":1795255200123,"end_time":1795255201123,"event_type":"session"}`+"\n"+`{"event_id":"secret2","start_time":1795255200123,"end_time":1795255201123,"event_type":"model","config":{"model":"secret"},"inputs":{"chat_history":[{"role":"secret"}]},"outputs":{"role":"secret","content":"secret"}}`,
		`select(.event_type == "model")`, "id: 'event_id'", "messages: 'inputs.chat_history'", "response: 'outputs'") // HoneyHive's
	f(`{"createdAt":"2026-11-21T10:00:00Z","tokens":{"prompt":5,"cachedPrompt":4,"completion":6}}`, "tokens_in: 'tokens.prompt'", "tokens_out: 'tokens.completion'", "tokens_cached: 'tokens.cachedPrompt'")                                     // Lunary's
	f(`{"START_TIME":"2026-11-21T10:00:00Z","TOKENS":11,"TOKENS_GRANULAR":"{\"input\":5,\"output\":6}"}`, "tokens_in: 'TOKENS_GRANULAR.input'", "tokens_out: 'TOKENS_GRANULAR.output'")                                                          // Snowflake's
	f(`{"created_at":1795255200,"use_time":2,"other":"{\"cache_tokens\":4}"}`, "duration: {path: 'use_time', unit: s}", "tokens_cached: 'other.cache_tokens'")                                                                                   // New API's
	f("when,input,usage\n2026-11-21 10:00:00,\"{'messages': [{'role': user, 'content': secret, secret}]}\",\"{'prompt_tokens': 5}\"\n", "JSON instead (COPY ... TO 'LOG.json'), or leave them out: input\n", "tokens_in: 'usage.prompt_tokens'") // DuckDB's
	// A text of events is read whole, where an answer without a stream is an object.
	f(`{"time":"2026-11-21T10:00:00Z","response":"event: message_start\ndata: {\"message\":{\"content\":[],\"usage\":{\"input_tokens\":5}}}\n\nevent: message_stop\ndata: {\"type\":\"secret\"}\n\n"}`, "  response: 'response'")
	f("created_at,message_unit_price,answer_unit_price,total_price\n2026-11-21 10:00:00,0.1,0.2,0.5\n", "cost: 'total_price'") // Dify's
	f("created_at,message_unit_price\n2026-11-21 10:00:00,0.1\n", "# cost:")
	// The page of an API.
	f(`{"page":1,"content":[{"created_at":1795255200,"model_name":"secret"},{"created_at":1795255201,"model_name":"secret"}]}`,
		"jq -c '.content[]' LOG | loopgauge formats --format THIS.yaml -", "time: 'created_at'", "model: 'model_name'")
	f(`{"count":2,"events":[{"at":1795255200123,"event_type":"session"},{"at":1795255200123,"event_type":"model","model":"secret"}]}`, `jq -c '.events[] | select(.event_type == "model")' LOG`, "time: {path: 'at', layout: 'unix_ms'}")
	f(`{"model":"secret","messages":[{"role":"secret","created_at":"2026-11-21T10:00:00Z","model":"secret"}]}`, "jq -c '.messages[]' LOG | loopgauge formats --scaffold -", "messages: 'messages'")
	const list = `{"visits":[{"at":1795255200123}]}`
	f(list, "jq -c '.visits[]' LOG")
	if got, err := Scaffold([]byte(list + "\n" + list)); err != nil || strings.Contains(string(got), "jq") {
		t.Errorf("records with a list each, which are requests: %v\n%s", err, got)
	}
	for _, log := range []string{"", "\n\n", "{}"} {
		if got, err := Scaffold([]byte(log)); err == nil {
			t.Errorf("%q gives %s", log, got)
		}
	}
}

// FuzzCustom: whatever the record, a parser that has read others before makes
// the same of it as a new one.
func FuzzCustom(f *testing.F) {
	acme, err := os.ReadFile(fixtureDir + "/custom/acme.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(acme) {
		f.Add(bytes.TrimSpace(line), "payload.sent.messages.1")
	}
	f.Add([]byte(`{"a":"[{\"b\":1}]","a.b":{}}`), "a.0.b")
	f.Add([]byte(`2026 POST {"model":"m"}`), "body.model")
	pattern := regexp.MustCompile(`^(?P<t>\S+) (?P<method>\S+) (?P<body>.*)$`)
	used := map[bool]Parser{}
	f.Fuzz(func(t *testing.T, record []byte, path string) {
		var fields []CustomField
		for _, x := range CustomFields {
			fields = append(fields, pathTo(x.Name, path, x.Name, "ts", "payload.sent", "http"))
		}
		for _, text := range []bool{false, true} {
			c := &Custom{Fields: fields, Attributes: fields[:2], Missing: []string{"-"}}
			if text {
				c.Pattern = pattern
			}
			if used[text] == nil {
				used[text] = newCustom(c, fingerprint.AllFields)
			}
			used[text].(*custom).c = c
			want := asNative(newCustom(c, fingerprint.AllFields), string(record))
			if diff := cmp.Diff(want, asNative(used[text], string(record))); diff != "" {
				t.Error(diff)
			}
			NewCustom(c).Detect(NewLine(record))
		}
		_, _ = Scaffold(record)
	})
}
