package formats

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

func TestLiteLLM(t *testing.T) {
	f := func(fields, want string) {
		t.Helper()
		if want != "" {
			want = " " + want
		}
		isRead(t, "litellm", `{"startTime":1`+fields+`}`, nativeAt+want)
	}
	f(``, `named`)
	f(`,"endTime":1.5`, `took=500ms named`)

	// The gateway's own id of the call, not the provider's of the response,
	// which a cached answer repeats.
	f(`,"id":"chatcmpl-1","litellm_call_id":"c"`, `id=c named`)
	f(`,"litellm_call_id":"c","id":"chatcmpl-1"`, `id=c named`)
	f(`,"id":"chatcmpl-1"`, `id=chatcmpl-1 named`)
	f(`,"id":"chatcmpl-1","litellm_call_id":""`, `id=chatcmpl-1 named`)
	f(`,"id":"chatcmpl-1","litellm_call_id":null`, `id=chatcmpl-1 named`)

	f(`,"model":"openai/gpt-4o","model_group":"gpt"`, `named model=gpt`)
	f(`,"model":"openai/gpt-4o","model_group":""`, `named model=openai/gpt-4o`)
	f(`,"custom_llm_provider":"openai"`, `named backend=openai`)

	// Callers: the hash, else the alias. Users: of the request before the key's.
	f(`,"metadata":{"user_api_key_hash":"8f","user_api_key_alias":"bob"}`, `caller=8f user_api_key_alias=bob`)
	f(`,"metadata":{"user_api_key_hash":null,"user_api_key_alias":"bob"}`, `caller=bob named user_api_key_alias=bob`)
	f(`,"end_user":"e","metadata":{"user_api_key_user_id":"k","user_api_key_end_user_id":"ke"}`, `named user=e`)
	f(`,"end_user":null,"metadata":{"user_api_key_user_id":"k","user_api_key_end_user_id":"ke"}`, `named user=ke`)
	f(`,"end_user":"","metadata":{"user_api_key_user_id":"k","user_api_key_end_user_id":""}`, `named user=k`)
	f(`,"metadata":{"user_api_key_team_id":"t","user_api_key_team_alias":null,"user_api_key_org_id":"o","user_api_key_request_route":"/v1/messages"}`,
		`path=/v1/messages named user_api_key_team_id=t user_api_key_org_id=o`)

	// Status and error.
	f(`,"status":"success"`, `named status=200`)
	f(`,"status":"success","error_information":{"error_code":"499"}`, `named status=200`) // the client went, the call did not fail
	f(`,"status":"failure","error_information":{"error_code":"429","error_class":"RateLimitError"},"error_str":"slow down"`, `named status=429 error=RateLimitError`)
	f(`,"status":"failure","error_information":{"error_code":503}`, `named status=503`)
	f(`,"status":"failure","error_information":{"error_code":"","error_class":""},"error_str":"slow down"`, `named error="slow down"`)
	f(`,"status":"failure","error_information":{"error_code":"","error_class":"APIConnectionError"}`, `named status=500 error=APIConnectionError`)
	f(`,"status":"failure","error_str":"litellm.RateLimitError: slow down"`, `named status=429 error="litellm.RateLimitError: slow down"`) // of older versions
	f(`,"status":"failure","error_information":null`, `named`)
	f(`,"status":"pending"`, `named`)

	f(`,"stream":null,"cache_hit":null`, `named stream=false cached=false`)
	f(`,"stream":true,"cache_hit":true`, `named stream=true cached=true`)
	f(`,"stream":true,"stream":null`, `named stream=true`)
	f(`,"model_parameters":{"previous_response_id":"p"}`, `named has_tools=false lost="history kept by the provider, not in the request"`)
	f(`,"model_parameters":{"previous_response_id":null}`, `named has_tools=false`)
	f(`,"response_cost":0.25,"prompt_tokens":3,"completion_tokens":0`, `named tokens_in=3 tokens_out=0 cost=0.25`)
	f(`,"response_cost":null,"prompt_tokens":null`, `named`)
	// What the provider had in its cache stands in its usage alone.
	f(`,"prompt_tokens":30,"metadata":{"usage_object":{"prompt_tokens":1,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":20}}},"response":{"usage":{"prompt_tokens_details":{"cached_tokens":9}}}`,
		`named tool_calls=0 tokens_in=30 tokens_cached=20`)
	f(`,"metadata":{"usage_object":null},"response":{"usage":{"input_tokens":1,"cache_read_input_tokens":20}},"prompt_tokens":30`,
		`named tool_calls=0 tokens_in=30 tokens_cached=20`)
	f(`,"metadata":{"usage_object":{}},"response":{"usage":{"prompt_tokens_details":null}}`, `named tool_calls=0`)
	f(`,"model_parameters":{}`, `named has_tools=false`)
	f(`,"model_parameters":null`, `named`)
	f(`,"model_parameters":{"tools":[]}`, `named has_tools=false`)
	f(`,"model_parameters":{"tools":[{}],"max_completion_tokens":9}`, `named has_tools=true max_tokens=9`)
	f(`,"model_parameters":{"tools":true}`, `named has_tools=true`)
	f(`,"model_parameters":{"functions":[{}]}`, `named has_tools=true`)
	f(`,"model_parameters":{"tools":[{}],"functions":[]}`, `named has_tools=true`)
	// A prompt of Responses is instructions and input.
	f(`,"model_parameters":{"instructions":"be good"},"messages":"hi"`, `named system="\"be good\"" messages=1 last="\"hi\"" has_tools=false`)
	f(`,"model_parameters":{"instructions":null},"messages":"hi"`, `named messages=1 last="\"hi\"" has_tools=false`)

	// Messages that the logger redacted are there; an identity says that they say nothing.
	f(`,"messages":[{"role":"user","content":"redacted-by-litellm"}]`,
		`named messages=1 last="{\"role\":\"user\",\"content\":\"redacted-by-litellm\"}"`)
	f(`,"messages":null`, `named`)

	// Responses in three dialects. One that is there without calls has none.
	f(`,"response":{}`, `named tool_calls=0`)
	f(`,"response":null`, `named tool_calls=0`)
	f(`,"response":"hello"`, `named tool_calls=0`)
	f(`,"response":{"text":"hello"}`, `named tool_calls=0`)
	f(`,"response":{"text":"redacted-by-litellm"}`, `named lost="content redacted by the logger"`)
	f(`,"response":{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}},{"id":"2","function":{"name":"g","arguments":"{}"}}]}}]}`,
		`named tool_calls=2 call=1 name=f arguments={} call=2 name=g arguments={}`)
	f(`,"response":{"choices":[{"message":{"tool_calls":null,"function_call":null}},{"message":{"function_call":{"name":"f","arguments":"{}"}}}]}`,
		`named tool_calls=1 name=f arguments={}`)
	f(`,"response":{"choices":[{"message":{"tool_calls":[{"function":{"name":"f"}}]}},{"message":{"tool_calls":[{"function":{"name":"g"}}]}}]}`,
		`named tool_calls=2 name=f name=g`)
	f(`,"response":{"content":[{"type":"text","text":"hm"},{"type":"tool_use","id":"t","name":"f","input":{"a":1}}]}`,
		`named tool_calls=1 call=t name=f arguments="{\"a\":1}"`)
	f(`,"response":{"choices":[{"message":{"tool_calls":[{"id":"1","type":"custom","custom":{"name":"f","input":"ls -l"}}]}}]}`,
		`named tool_calls=1 call=1 name=f arguments="ls -l"`)
	f(`,"response":{"output":[{"type":"custom_tool_call","id":"i","call_id":"t","name":"f","input":"ls -l"}]}`,
		`named tool_calls=1 call=t name=f arguments="ls -l"`)
	f(`,"response":{"output":[{"type":"shell_call","id":"i","call_id":"t","action":{"commands":["ls"]}},{"type":"web_search_call","id":"w","action":{"query":"q"}}]}`,
		`named tool_calls=1 call=t name=shell_call arguments="{\"commands\":[\"ls\"]}"`)
	f(`,"response":{"output":[{"type":"reasoning"},{"type":"function_call","call_id":"t","name":"f","arguments":"{}"},{"type":"message","name":"no"}]}`,
		`named tool_calls=1 call=t name=f arguments={}`)
	// The one before stands in the answer alone.
	f(`,"response":{"previous_response_id":"resp_1","output":[]}`, `named tool_calls=0 lost="history kept by the provider, not in the request"`)
	f(`,"response":{"previous_response_id":null,"output":[]}`, `named tool_calls=0`)
	// JSON that an export wrote as a text. What a client said may be JSON, too.
	f(`,"metadata":"{\"user_api_key_hash\":\"8f\"}","model_parameters":"{\"tools\":[{}]}"`, `caller=8f has_tools=true`)
	f(`,"messages":"[{\"role\":\"user\",\"content\":\"q\"}]"`, `named messages=1 last="{\"role\":\"user\",\"content\":\"q\"}"`)
	f(`,"messages":"[{\"role\":\"user\",\"content\":\"q"`, `named messages=1 lost="content truncated by the logger"`)
	f(`,"messages":"{}"`, `named`)
	f(`,"messages":"{\"task\":1}"`, `named messages=1 last="\"{\\\"task\\\":1}\""`)
	// syslog-ng's json-parser keeps lists as texts.
	f(`,"response":{"choices":"[{\"message\":{\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]"}`,
		`named tool_calls=1 call=1 name=f arguments={}`)
	f(`,"response":{"choices":"[{\"message\":{\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"f"}`, `named`)
	f(`,"response":"{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}"`,
		`named tool_calls=1 call=1 name=f arguments={}`)
	f(`,"response":"{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"f"`, `named`)
	// What is not in the messages may be all that two calls differ in.
	const partly = ` lost="parts of the messages lost by the logger"`
	f(`,"call_type":"agenerate_content_stream","messages":[{"role":"user","content":"q"}]`, `named messages=1 last="{\"role\":\"user\",\"content\":\"q\"}"`+partly)
	f(`,"call_type":"arerank","messages":[{"role":"user","content":"q"}]`, `named messages=1 last="{\"role\":\"user\",\"content\":\"q\"}"`+partly)
	f(`,"messages":[{"role":"user","content":"q"}],"call_type":"aimage_edit"`, `named messages=1 last="{\"role\":\"user\",\"content\":\"q\"}"`+partly)
	f(`,"call_type":"aimage_generation","messages":[{"role":"user","content":"q"}]`, `named messages=1 last="{\"role\":\"user\",\"content\":\"q\"}"`)
	f(`,"call_type":"atranscription","messages":[{"role":"user","content":"a.wav"}]`, `named messages=1 last="{\"role\":\"user\",\"content\":\"a.wav\"}"`+partly)
	digest := strings.Repeat("0f", 32)
	f(`,"call_type":"atranscription","messages":[{"role":"user","content":"`+digest+`"}]`, `named messages=1 last="{\"role\":\"user\",\"content\":\"`+digest+`\"}"`)
	// What failed has null for a stream.
	f(`,"stream":null,"model_parameters":{"stream":true}`, `named has_tools=false stream=true`)
	f(`,"stream":true,"model_parameters":{"stream":false}`, `named has_tools=false stream=false`)
	f(`,"stream":null`, `named stream=false`)
}

// TestLiteLLMPassThrough: the body is the text of a message, and so is the
// answer of a provider that LiteLLM does not know.
func TestLiteLLMPassThrough(t *testing.T) {
	f := func(fields, want string) {
		t.Helper()
		const record = `{"startTime":1,"trace_id":"493ada4d-431a-4055-9db8-27156a9bee49","metadata":{"requester_custom_headers":{}},"prompt_tokens":0,"completion_tokens":0,`
		isRead(t, "litellm", record+fields+`}`, nativeAt+want)
	}
	const passed = `"call_type":"pass_through_endpoint",`
	body := `"messages":[{"role":"user","content":"{\"model\":\"m\",\"system\":\"be good\",\"tools\":[{}],\"metadata\":{\"user_id\":\"user_1_account__session_u\"},\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"}],`
	const parts = ` session=u model=m system="\"be good\"" messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}"`
	// A provider that is known: the answer has become one of Chat Completions.
	f(passed+body+`"response":{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}}]}`,
		` named`+parts+` has_tools=true tool_calls=1 call=1 name=f arguments={} tokens_in=0 tokens_out=0 stream=false metadata.user_id=u`)
	// Any other, wherever the type of the call stands.
	f(body+`"response":{"response":"{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}"},`+passed[:len(passed)-1],
		` named`+parts+` has_tools=true tool_calls=1 call=1 name=f arguments={} tokens_in=3 tokens_out=2 stream=false metadata.user_id=u`)
	// A stream is a list of its lines, in Python's words; and the model is in the body alone.
	f(passed+`"model":"unknown","model_group":"",`+body+`"response":{"response":"cannot parse chunks to standard response object. Chunks=['data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}', 'data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}', 'data: [DONE]']"}`,
		` named`+parts+` has_tools=true tool_calls=1 call=1 name=f arguments={} tokens_in=3 tokens_out=2 stream=false metadata.user_id=u`)
	f(passed+body+`"response":{"response":"not JSON"}`, ` named`+parts+` has_tools=true stream=false metadata.user_id=u`)
	// No body of a model's, or none that is left.
	f(passed+`"messages":[{"role":"user","content":"redacted-by-litellm"}],"response":{}`,
		` named messages=1 last="{\"role\":\"user\",\"content\":\"redacted-by-litellm\"}" tool_calls=0 tokens_in=0 tokens_out=0`)
	f(passed+`"messages":[{"role":"user","content":"{\"model\":\"m\",\"mess"}],"response":{}`,
		` named messages=1 last="{\"role\":\"user\",\"content\":\"{\\\"model\\\":\\\"m\\\",\\\"mess\"}" tool_calls=0 tokens_in=0 tokens_out=0 lost="content truncated by the logger"`)
	// What somebody says to a model is no body.
	f(`"call_type":"acompletion","messages":[{"role":"user","content":"{\"model\":\"m\"}"}]`,
		` named messages=1 last="{\"role\":\"user\",\"content\":\"{\\\"model\\\":\\\"m\\\"}\"}" tokens_in=0 tokens_out=0`)
}

// TestLiteLLMSession: trace_id is the session that a client named, or made up
// by LiteLLM for one call, which would make every request its own session.
func TestLiteLLMSession(t *testing.T) {
	f := func(fields, want string) {
		t.Helper()
		r := parse(t, "litellm", `{"startTime":1,`+fields+`}`)
		if got := string(r.Session); got != want || (r.Session == nil) != (want == "") {
			t.Errorf("%s\nsession %q, want %q", fields, got, want)
		}
	}
	const sent = `"metadata":{"requester_custom_headers":{}},` // what the client sent is logged
	// Without what the client sent, a record is taken at its word.
	f(`"trace_id":"t"`, "t")
	f(`"trace_id":"t","session_id":"s"`, "s")
	f(`"trace_id":"t","session_id":""`, "t")
	f(`"trace_id":"t","metadata":{"requester_custom_headers_2":{}}`, "t")
	// With it, a trace id that LiteLLM or OpenTelemetry made is none.
	for _, id := range []string{"493ada4d-431a-4055-9db8-27156a9bee49", "942C444e3235c6925ac37888c1074314"} {
		f(sent+`"trace_id":"`+id+`"`, "")
		f(sent+`"trace_id":"`+id+`","session_id":""`, "")
		f(sent+`"trace_id":"`+id+`","session_id":"`+id+`"`, "") // request_correlation_in_logs copies it
		f(`"trace_id":"`+id+`","metadata":{"requester_metadata":{}}`, "")
		f(`"trace_id":"`+id+`","metadata":{"requester_custom_headers":null}`, "")
	}
	// Of litellm_session_id in a body nothing else is left.
	f(sent+`"trace_id":"t"`, "t")
	f(sent+`"trace_id":"942c444e-3235"`, "942c444e-3235")
	f(sent+`"trace_id":"t","session_id":"t"`, "t")
	f(sent+`"trace_id":"t","session_id":"s"`, "s")
	f(`"trace_id":"t","metadata":{"requester_metadata":{}}`, "t")
	f(`"metadata":{"requester_metadata":{"session_id":"m"}},"trace_id":"t"`, "m")
	// What the client sent names it, in this order, wherever it stands.
	header := func(name, value string) string {
		return `"metadata":{"requester_custom_headers":{"` + name + `":"` + value + `"}},`
	}
	for _, name := range sessionHeaders {
		f(header(name, "h")+`"trace_id":"t"`, "h")
	}
	f(header("X-Acme-Session-Id", "h")+`"trace_id":"493ada4d-431a-4055-9db8-27156a9bee49"`, "h")
	f(header("x-acme-session-id", "h")+`"session_id":""`, "h")
	f(`"metadata":{"requester_custom_headers":{"x-acme-session-id":"b","session_id":"a"}}`, "a")
	f(`"metadata":{"requester_metadata":{"session_id":"m"},"requester_custom_headers":{"x-acme-session-id":"b"}}`, "b")
	f(header("x-session-id-2", "h")+`"session_id":""`, "")
	f(header("X-Session-ID", "h")+`"trace_id":"t"`, "h")
	f(header("x-session-idx", "h")+`"session_id":""`, "")
	f(header("x-session-id", "")+`"session_id":""`, "")
	const codex = `"requester_custom_headers":{"x-codex-window-id":"c:0","x-codex-turn-metadata":"{\"installation_id\":\"i\",\"session_id\":\"c\"}"}`
	f(`"trace_id":"01a21300-c6d4-7d70-910b-31fda4ed70c9","metadata":{`+codex+`}`, "c")
	f(`"metadata":{`+codex+`},"model_parameters":{"prompt_cache_key":"k"}`, "k")
	f(`"metadata":{`+codex+`},"model_parameters":{"prompt_cache_key":"k","conversation":{"id":"conv_1"}}`, "conv_1")
	f(`"metadata":{"requester_custom_headers":{"x-codex-turn-metadata":"-"}}`, "")
	f(`"metadata":{"requester_custom_headers":{"Mcp-Session-Id":"m"}}`, "m")
	f(`"metadata":{"requester_custom_headers":{"mcp-session-id":"m","x-acme-session-id":"a"}}`, "a")
	f(`"metadata":{"requester_custom_headers":{"mcp-session-id":"m"}},"model_parameters":{"prompt_cache_key":"k"}`, "k")
	f(`"metadata":{"requester_custom_headers":{"x-session-id":"b","x-litellm-session-id":"a"}}`, "a")
	f(`"metadata":{"requester_custom_headers":{"x-litellm-session-id":"a","x-session-id":"b"}}`, "a")
	f(`"metadata":{"requester_metadata":{"session_id":"m"},"requester_custom_headers":{"x-session-id":"b"}}`, "b")
	f(`"metadata":{"requester_metadata":{"headers":{"x-session-id":"b"},"session_id":"m"}}`, "b")
	f(`"metadata":{"requester_metadata":{"session_id":"m","user_id":"user_1_account__session_u"}}`, "m")
	f(`"metadata":{"requester_metadata":{"user_id":"user_1_account__session_u"}}`, "u")
	f(`"metadata":{"requester_metadata":{"user_id":"{\"device_id\":\"d\",\"session_id\":\"j\"}"}}`, "j")
	f(`"metadata":{"requester_metadata":{"user_id":"alice"}}`, "")
	f(`"metadata":{"requester_metadata":{"trace_id":"t"}},"trace_id":"t"`, "")
}

// TestLiteLLMV1: the str() of an answer of the Responses API names no class. One
// that was cut takes the calls along, and not what was asked.
func TestLiteLLMV1(t *testing.T) {
	f := func(response, want string) {
		t.Helper()
		got := read("litellm-v1", `{"startTime":"1970-01-01 00:00:01","modelParameters":"{}","messages":"[{'role': 'user'}]","response":"`+response+`"}`)
		if want = nativeAt + ` named messages=1 last="{\"role\":\"user\"}" has_tools=false` + want; got != want {
			t.Errorf("%s\ngot  %s\nwant %s", response, got, want)
		}
	}
	f(`id='r' error=None output=[Call(arguments='{}', call_id='c', name='f', type='function_call')] previous_response_id=None store=True`,
		` tool_calls=1 call=c name=f arguments={}`)
	f(`id='r' output=[Message(type='message', content=[])] previous_response_id='q'`, ` tool_calls=0 lost="history kept by the provider, not in the request"`)
	f(`id='r' output=[Call(arguments='{}`, ``)
	f(`ModelResponse(choices=[`, ``)
	f(`RerankResponse(results=[])","call_type":"arerank`, ` tool_calls=0 lost="parts of the messages lost by the logger"`)
	got := read("litellm-v1", `{"startTime":"1970-01-01 00:00:01","modelParameters":"{}","messages":"[{'role': 'us","response":"ModelResponse(choices=[])"}`)
	if want := nativeAt + ` named has_tools=false tool_calls=0 lost="content truncated by the logger"`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLiteLLMHeaders(t *testing.T) {
	// The headers come twice, all of them and those with x-: each is one attribute.
	got := read("litellm", `{"startTime":1,"metadata":{"requester_custom_headers":{"x-a":"1","x-b":null},"requester_metadata":{"headers":{"x-a":"1","host":"h"}}}}`)
	if want := nativeAt + " named header:x-a=1 header:host=h"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNginxJSON(t *testing.T) {
	f := func(record, want string) {
		t.Helper()
		isRead(t, "nginx-json", record, want)
	}
	const at = nativeAt
	// Times: msec is exact, and all are the end.
	f(`{"msec":1}`, at)
	f(`{"msec":"1.000"}`, at)
	f(`{"_time":"1970-01-01T00:00:01Z","status":200}`, at+" status=200")
	f(`{"_time":"1970-01-01T00:00:09Z","time_iso8601":"1970-01-01T00:00:01Z","status":200}`, at+" status=200")
	f(`{"time":"1970-01-01T00:00:01+00:00","method":"GET"}`, at+" method=GET")
	f(`{"time_iso8601":"1970-01-01T01:00:01+01:00","method":"GET"}`, at+" method=GET")
	f(`{"time_local":"01/Jan/1970:00:00:01 +0000","method":"GET"}`, at+" method=GET")
	f(`{"timestamp":"1970-01-01T01:00:01+01:00","method":"GET"}`, at+" method=GET")
	f(`{"@timestamp":"01/Jan/1970:00:00:01 +0000","method":"GET"}`, at+" method=GET")
	// A collector's stands beside it, as where Vector parses a line into its own event.
	f(`{"method":"GET","time_iso8601":"1970-01-01T00:00:01Z","timestamp":"1970-01-01T00:00:09Z"}`, at+" method=GET")
	f(`{"@timestamp":"1970-01-01T00:00:09Z","date":9,"method":"GET","time":"1970-01-01T00:00:01Z"}`, at+" method=GET")
	f(`{"date":9,"method":"GET","@timestamp":"1970-01-01T00:00:01Z"}`, at+" method=GET")
	f(`{"msec":1.25,"time":"1970-01-01T00:00:01Z","request_time":0.25}`, nativeAt+" took=250ms")
	f(`{"request_time":"0.250","time":"1970-01-01T00:00:01Z","msec":"1.250"}`, nativeAt+" took=250ms")
	f(`{"msec":1,"request_time":"-"}`, at)
	f(`{"msec":1,"request_time":-3}`, at)
	f(`{"msec":1,"request_time":"99999999999999.0"}`, at) // longer than there are times
	f(`{"request_time":1}`, "column 0: no time")
	f(`{"time":"1970-01-01T00:00:01Z","level":"INFO","msg":"started"}`, "column 0: neither method, target nor status")
	f(`{"msec":"-","time":"noon"}`, "column 0: no time")
	f(`{"msec":1,"request_time":2.0}`, "column 0: time out of range")
	f(`{"msec":1,"request_time":"1210123"}`, at) // Apache's %D

	// Requests: whole, or in parts.
	f(`{"msec":1,"request":"POST /v1/chat?a=1 HTTP/1.1","status":200}`, nativeAt+" method=POST path=/v1/chat query=a=1 status=200")
	f(`{"msec":1,"request_method":"GET","request_uri":"/a?b=c","status":"404"}`, nativeAt+" method=GET path=/a query=b=c status=404")
	f(`{"msec":1,"method":"GET","uri":"/a","args":"b=c"}`, nativeAt+" method=GET path=/a query=b=c")
	f(`{"msec":1,"method":"GET","uri":"/a","args":"","query_string":"-"}`, nativeAt+" method=GET path=/a")
	// What was requested goes before what nginx made of it.
	f(`{"msec":1,"request_uri":"/a?b=c","uri":"/x"}`, nativeAt+" path=/a query=b=c")
	f(`{"msec":1,"uri":"/x","path":"/y","request":"GET /a?b=c HTTP/1.1"}`, nativeAt+" method=GET path=/a query=b=c")
	f(`{"msec":1,"method":"GET","path":"/a","request_query":"b=c"}`, nativeAt+" method=GET path=/a query=b=c")
	f(`{"msec":1,"method":"GET","url":"/a?b=c"}`, nativeAt+" method=GET path=/a query=b=c")
	f(`{"msec":1,"request":"\u0016\u0003\u0001","status":400}`, at+" status=400")
	// Apache's %t, %a, %U and %q.
	f(`{"time":"[01/Jan/1970:00:00:01 +0000]","remoteIP":"::1","method":"GET","request":"/a","query":"?b=c","status":"200"}`,
		nativeAt+" method=GET path=/a query=b=c caller=::1 named status=200")
	for _, stamp := range []string{"1795859652299", "1795859652299000", `"1795859652299000000"`} { // Apache's %{msec}t, %{usec}t
		for _, name := range []string{"timestamp", "msec"} {
			isRead(t, "nginx-json", `{"`+name+`":`+stamp+`,"request":"/a"}`, "2026-11-28T09:54:12.299000Z path=/a")
		}
	}
	f(`{"timestamp":1e30,"request":"/a"}`, "column 0: time out of range")
	f(`{"msec":1,"request":"-","status":"-"}`, at)
	f(`{"msec":1,"request_id":"r"}`, nativeAt+" id=r")
	f(`{"msec":1,"request_id":"-"}`, at)

	// Callers and sessions.
	f(`{"msec":1,"remote_addr":"::1","remote_user":"-"}`, nativeAt+" caller=::1 named")
	f(`{"msec":1,"remote_addr":"::1","remote_user":"bob"}`, nativeAt+" caller=bob named")
	f(`{"msec":1,"client_ip":"::1"}`, nativeAt+" caller=::1 named")
	f(`{"msec":1,"client":"192.0.2.1:80"}`, nativeAt+" caller=192.0.2.1 named")
	f(`{"msec":1,"remote_addr":"::1","client_ip":"::2","client":"::3"}`, nativeAt+" caller=::1 named")
	f(`{"msec":1,"client_ip":"::2","remote_ip":"::3","client":"-"}`, nativeAt+" caller=::2 named")
	f(`{"msec":1,"clientip":"::1"}`, nativeAt+" caller=::1 named")
	f(`{"msec":1,"remote-address":"::1"}`, nativeAt+" caller=::1 named") // Gravitee's
	f(`{"msec":1,"client_ip":"::1","api_key":"****ab12"}`, nativeAt+" caller=****ab12 api_key=****ab12")
	f(`{"msec":1,"client_ip":"::1","api_key":"--"}`, nativeAt+" caller=::1 named api_key=--") // Tyk's for none
	f(`{"msec":1,"http_x_api_key":"k","api_key":"no"}`, nativeAt+" caller=k header:x-api-key=k api_key=no")
	f(`{"msec":1,"http_authorization":"Bearer k","http_x_api_key":"no","client":"::1"}`, nativeAt+" caller=k header:authorization=\"Bearer k\" header:x-api-key=no")
	f(`{"msec":1,"http_authorization":"AWS4-HMAC-SHA256 Credential=AK/20261121/r/s/aws4_request, Signature=f0"}`,
		nativeAt+" caller=AK header:authorization=\"AWS4-HMAC-SHA256 Credential=AK/20261121/r/s/aws4_request, Signature=f0\"")
	f(`{"msec":1,"session":"s"}`, nativeAt+" session=s")
	f(`{"msec":1,"session_id":"s"}`, nativeAt+" session=s")
	f(`{"msec":1,"session":"-","http_x_session_id":"h"}`, nativeAt+" session=h header:x-session-id=h")
	f(`{"msec":1,"session":"s","session":"t","session":"-","session":""}`, nativeAt+" session=t")
	f(`{"msec":1,"session":"s","x_session_id":"h"}`, nativeAt+" session=h header:x-session-id=h")
	f(`{"msec":1,"http_x_team":"a","x_team":"","user_agent":"u","upstream_addr":"b","bytes":5}`,
		nativeAt+" header:x-team=a header:user-agent=u upstream_addr=b bytes=5")
	f(`{"msec":1,"http_x_team":"a","x_team":"b"}`, nativeAt+" header:x-team=b")
	f(`{"msec":1,"x-session-id":"s","authorization":"Bearer k"}`, nativeAt+" caller=k session=s header:x-session-id=s header:authorization=\"Bearer k\"")

	// A body that nginx had in a file.
	f(`{"msec":1,"request_body":"","request_body_file":"/var/lib/nginx/body/1"}`, at+` request_body_file=/var/lib/nginx/body/1 lost="body spooled to disk, not in the log"`)
	f(`{"msec":1,"request_body":"","http_content_length":"8192"}`, at+` header:content-length=8192 lost="body spooled to disk, not in the log"`)
	f(`{"msec":1,"request_body":"","http_content_length":"8191"}`, at+` header:content-length=8191`)

	// The response, where OpenResty logs it: whole, cut, a stream, none.
	f(`{"msec":1,"response_body":"{\"choices\":[{\"message\":{\"content\":\"ok\"}}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}"}`, nativeAt+" tool_calls=0 tokens_in=3 tokens_out=4")
	f(`{"msec":1,"resp_body":"{\"choices\":[{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"f\""}`, at)
	f(`{"msec":1,"resp_body":"data: {\"choices\":[{\"index\":0,\"delta\":{}}]}\n\ndata: [DONE]\n\n"}`, nativeAt+" tool_calls=0")
	f(`{"msec":1,"resp_body":"data: {\"choices\":[{\"ind"}`, at)
	f(`{"msec":1,"resp_body":"<html>"}`, at)
	f(`{"msec":1,"resp_body":"-"}`, at)
}

func TestNginxBody(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		r := parse(t, "nginx-json", `{"msec":1,"request_body":`+body+`}`)
		r.Body = nil
		if got := render(r, 0, ""); got != nativeAt+want {
			t.Errorf("%s\ngot  %s\nwant %s%s", body, got, nativeAt, want)
		}
	}
	f(`"{\"model\":\"m\",\"messages\":[{\"role\":\"user\"}],\"stream\":true,\"max_tokens\":5,\"user\":\"u\",\"tools\":[{}]}"`,
		` user=u model=m messages=1 last="{\"role\":\"user\"}" has_tools=true stream=true max_tokens=5`)
	f(`"{\"model\":\"m\",\"system\":[{\"type\":\"text\"}],\"messages\":[]}"`, ` model=m system="[{\"type\":\"text\"}]" messages=0 has_tools=false stream=false`)
	f(`"{\"instructions\":\"be good\",\"input\":\"hi\"}"`, ` system="\"be good\"" messages=1 last="\"hi\"" has_tools=false stream=false`)
	f(`"{\"prompt\":\"hi\"}"`, ` messages=1 last="\"hi\"" has_tools=false stream=false`)
	f(`"{\"metadata\":{\"user_id\":\"user_1_account__session_u\"},\"prompt_cache_key\":\"k\"}"`, ` session=u has_tools=false stream=false metadata.user_id=u prompt_cache_key=k`)
	f(`"{\"metadata\":{\"user_id\":\"user_1_account__session_u\",\"session_id\":\"m\"}}"`, ` session=m has_tools=false stream=false metadata.session_id=m metadata.user_id=u`)
	f(`"{\"prompt_cache_key\":\"k\"}"`, ` session=k has_tools=false stream=false prompt_cache_key=k`)
	// A conversation that OpenAI keeps, and what others call so.
	const elsewhere = ` lost="history kept by the provider, not in the request"`
	f(`"{\"conversation\":\"conv_1\",\"prompt_cache_key\":\"k\"}"`, ` session=conv_1 agent=conv_1 has_tools=false stream=false conversation=conv_1 prompt_cache_key=k`+elsewhere)
	f(`"{\"conversation\":{\"id\":\"conv_1\"}}"`, ` session=conv_1 agent=conv_1 has_tools=false stream=false conversation=conv_1`+elsewhere)
	f(`"{\"conversation\":\"conv_1\",\"metadata\":{\"session_id\":\"m\"}}"`, ` session=m agent=conv_1 has_tools=false stream=false metadata.session_id=m conversation=conv_1`+elsewhere)
	for _, said := range []string{`\"hello\"`, `\"conv_ and on\"`, `{\"id\":\"hello\"}`, `{\"id\":{\"id\":\"conv_1\"}}`, `[\"conv_1\"]`, `{}`} {
		f(`"{\"conversation\":`+said+`,\"stream\":true}"`, ` has_tools=false stream=true`+elsewhere)
	}
	f(`"{\"conversation\":null}"`, ` has_tools=false stream=false`)
	// Cut by the logger: nothing of it can be trusted to be all.
	f(`"{\"model\":\"m\",\"messages\":[{\"role\":\"us"`, ` lost="content truncated by the logger"`)
	f(`"{\"model\":\"m\"} and more"`, ` lost="content truncated by the logger"`)
	// No JSON object, so no request of a model.
	f(`"a=1&b=2"`, ``)
	f(`"[1,2]"`, ``)
	f(`"-"`, ``)
	f(`""`, ``)
	f(`null`, ``)
	f(`{"model":"m"}`, ` model=m has_tools=false stream=false`) // without quotes, with escape=none
	f(`{}`, ` has_tools=false stream=false`)
	f(`["m"]`, ``)
	// The empty one of two does not erase, as Caddy and twice the same variable give.
	f(`"{\"model\":\"m\"}","body":"","request_body":"-"`, ` model=m has_tools=false stream=false`)
	// nginx's default escaping, with a backslash, a line end and bytes beyond ASCII.
	f(`"{\x22model\x22:\x22a\x5C\x22b\x22,\x22messages\x22:[\x22\xC5\x81\x5Cn\x0A\x22]}"`,
		" model=\"a\\\"b\" messages=1 last=\"\\\"Ł\\\\n\\n\\\"\" has_tools=false stream=false")
	f(`"{\x22model\x22:\x22\x5C\x5Cx41\x22}"`, ` model="\\x41" has_tools=false stream=false`)
	f(`"{\x22model\x22:\x22\xE2\x82\x22}"`, " model=\uFFFD\uFFFD has_tools=false stream=false")
}

// TestNginxEscapesOfJSON: in a line with escape=json, \\x is a backslash and an x.
func TestNginxEscapesOfJSON(t *testing.T) {
	got := read("nginx-json", `{"msec":1,"http_x_a":"c:\\x41","http_x_b":"\\\\x41","http_x_c":"\"\\x2"}`)
	if want := nativeAt + ` header:x-a="c:\\x41" header:x-b="\\\\x41" header:x-c="\"\\x2"`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	isRead(t, "nginx-json", `{"msec":1,"http_x_a":"\x22","http`, "column 0: string not closed: the line is cut") // that of the unescaped line says nothing
}

func TestCombined(t *testing.T) {
	const at = "2026-11-21T10:00:00.000000Z"
	f := func(line, want string) {
		t.Helper()
		isRead(t, "combined", line, want)
	}
	const stamp = ` [21/Nov/2026:10:00:00 +0000] `
	// The common format, and what stands behind it.
	f(`192.0.2.1 - - [21/Nov/2026:10:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 5`, at+" method=GET path=/a query=b=c caller=192.0.2.1 named status=200")
	f(`192.0.2.1 - - [21/Nov/2026:05:00:00 -0500] "GET /a HTTP/1.1" 200 - "-" "curl \"8\"" 0.003`, at+` method=GET path=/a caller=192.0.2.1 named status=200 header:user-agent="curl \"8\""`)
	f(`192.0.2.1 - - [21/Nov/2026:05:00:00 -0500] "GET /a HTTP/1.1" 200 5 "-" "-" rt=0.5 rid=4cf6 uct=-`, "2026-11-21T09:59:59.500000Z took=500ms id=4cf6 method=GET path=/a caller=192.0.2.1 named status=200")
	f(`::1 - -`+stamp+`"GET / HTTP/1.1" 200 5 "-" "-" request_time=0.5 request_id=4cf6`, "2026-11-21T09:59:59.500000Z took=500ms id=4cf6 method=GET path=/ caller=::1 named status=200")
	f(`::1 - -`+stamp+`"GET / HTTP/1.1" 200 5 "-" "-" rt=1210123`, at+" method=GET path=/ caller=::1 named status=200") // Apache's %D
	f(`::1 - -`+stamp+`"GET / HTTP/1.1" 200 5 "-" "-" rt="0.5" urt="0.1, 0.2" rid="4cf6" uct="-" uht="\"" x="0`,
		`2026-11-21T09:59:59.500000Z took=500ms id=4cf6 method=GET path=/ caller=::1 named status=200 urt="0.1, 0.2" uht="\"" x="\"0"`)
	f(`192.0.2.1 - - [21/Nov/2026:05:00:00 -0500] "GET /a HTTP/1.1" 200 5 "-" "-" 7 "r@file" "http://up" 202ms`, at+" took=202ms method=GET path=/a caller=192.0.2.1 named status=200")
	f(`::1 - -`+stamp+`"GET / HTTP/2.0" 200 5`, at+" method=GET path=/ caller=::1 named status=200")
	f(`2001:db8::7 - bob`+stamp+`"GET / HTTP/2.0" 200 5`, at+" method=GET path=/ caller=bob named status=200")
	f(`::1 ident bob`+stamp+`"GET / HTTP/2.0" 200 5`, at+" method=GET path=/ caller=bob named status=200")
	f(`::1 - bob the builder`+stamp+`"GET / HTTP/2.0" 200 5`, at+` method=GET path=/ caller="bob the builder" named status=200`)
	f(`::1 - ""`+stamp+`"GET / HTTP/2.0" 200 5`, at+" method=GET path=/ caller=::1 named status=200")
	f(`unix: - -`+stamp+`"GET / HTTP/1.1" 200 5`, at+" method=GET path=/ caller=unix: named status=200")
	// Times with a fraction, of Apache, and nginx's $time_iso8601.
	f(`::1 - - [21/Nov/2026:10:00:00.120 +0000] "GET / HTTP/2.0" 200 5`, "2026-11-21T10:00:00.120000Z method=GET path=/ caller=::1 named status=200")
	f(`::1 - - [21/Nov/2026:15:30:00.123456 +0530] "GET / HTTP/2.0" 200 5`, "2026-11-21T10:00:00.123456Z method=GET path=/ caller=::1 named status=200")
	f(`::1 - - [2026-11-21T11:00:00+01:00] "GET / HTTP/2.0" 200 5`, at+" method=GET path=/ caller=::1 named status=200")
	// Sessions and bodies, as nginx's default escaping, its escape=json and Apache write them.
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" sess="s" body="{\x22model\x22:\x22a\x5C\x22\x22,\x22messages\x22:[]}" x=1`,
		at+` method=POST path=/v1 body="{\"model\":\"a\\\"\",\"messages\":[]}" caller=::1 named session=s model="a\"" messages=0 has_tools=false status=200 stream=false x=1`)
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" session=- session_id=s request_body="{\n\t\"model\":\"a\\nb\"}"`,
		at+` method=POST path=/v1 body="{\n\t\"model\":\"a\\nb\"}" caller=::1 named session=s model="a\nb" has_tools=false status=200 stream=false`)
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" sess="" body="-"`, at+" method=POST path=/v1 caller=::1 named status=200")
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" body="{\x22model\x22:\x22 a`,
		at+` method=POST path=/v1 body="{\"model\":\" a" caller=::1 named status=200 lost="content truncated by the logger"`)
	// As escape=none writes a body, and without a name, which a response has neither.
	const body, read = `{"model": "a \"b\" c=d","messages":[]}`, ` method=POST path=/v1 body="{\"model\": \"a \\\"b\\\" c=d\",\"messages\":[]}" caller=::1 named model="a \"b\" c=d" messages=0 has_tools=false status=200 stream=false`
	const answer, escaped = `{"id": "x", "model": "a", "choices": []}`, `{\x22id\x22: \x22x\x22, \x22model\x22: \x22a\x22, \x22choices\x22: []}`
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" body="`+body+`" x=1`, at+read+` x=1`)
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" body=`+body+` x=1`, at+read+` x=1`)
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" "-" "`+body+`" "`+answer+`" x=1`, at+read+` x=1`)
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" `+body, at+read)
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" "{\x22model\x22: \x22a \x5C\x22b\x5C\x22 c=d\x22,\x22messages\x22:[]}" "`+escaped+`" x=1`, at+read+` x=1`)
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" "{\x22a\x22:1}" "{\x22model\x22: \x22a \x5C\x22b\x5C\x22 c=d\x22,\x22messages\x22:[]}" x=1`, at+read+` x=1`) // X-Forwarded-For
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" "-" "`+answer+`" x=1`, at+` method=POST path=/v1 caller=::1 named status=200 x=1`)
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" "-" "`+escaped+`" x=1`, at+` method=POST path=/v1 caller=::1 named status=200 x=1`)
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" "{\x22model\x22: \x22a`, at+` method=POST path=/v1 caller=::1 named status=200`) // cut
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" "{" {x y={z`, at+` method=POST path=/v1 caller=::1 named status=200 y={z`)
	// Headers by the names of nginx's variables.
	f(`::1 - -`+stamp+`"GET / HTTP/1.1" 200 5 "-" "-" x_session_id="s" http_x_team="t" http_authorization="Bearer k" xff="-"`,
		at+` method=GET path=/ caller=k session=s status=200 header:x-session-id=s header:x-team=t header:authorization="Bearer k"`)
	f(`::1 - -`+stamp+`"POST /v1 HTTP/1.1" 200 5 "-" "-" "{\x22messages\x22:[" x=1`, at+` method=POST path=/v1 body="{\"messages\":[" caller=::1 named status=200 x=1 lost="content truncated by the logger"`)
	// vhost_combined.
	f(`llm.example:443 192.0.2.1 - -`+stamp+`"GET / HTTP/1.1" 200 5 "-" "-"`, at+" method=GET path=/ caller=192.0.2.1 named status=200")
	f(`llm.example:443 2001:db8::7 - bob`+stamp+`"GET / HTTP/1.1" 200 5 "-" "-"`, at+" method=GET path=/ caller=bob named status=200")
	// APISIX, HAProxy's "option httplog clf", and Apache's logio.
	f(`::1 - -`+stamp+`llm.example:9080 "GET /a HTTP/1.1" 200 5 0.500 "-" "a/1" 10.0.0.9:80 200 0.499 "http://up/a" "4cf6"`,
		"2026-11-21T09:59:59.500000Z took=500ms method=GET path=/a caller=::1 named status=200 header:user-agent=a/1")
	f(`::1 - -`+stamp+`"GET /a HTTP/1.1" -1 0 "" "" 59222 690 "f" "b" "s" 0 0 0 -1 1001 CD-- 2 2 0 0 0 0 0 "" ""`, at+" method=GET path=/a caller=::1 named")
	f(`::1 - -`+stamp+`"GET /a HTTP/1.1" 200 300 500 "-" "a/1"`, at+" method=GET path=/a caller=::1 named status=200 header:user-agent=a/1")
	// X-Forwarded-For in the place of the address.
	f(`192.0.2.1, 10.0.0.9 - -`+stamp+`"GET / HTTP/1.1" 200 5`, at+" method=GET path=/ caller=192.0.2.1 named status=200")
	f(`192.0.2.1, 10.0.0.8,10.0.0.7, 10.0.0.9 - -`+stamp+`"GET / HTTP/1.1" 200 5`, at+" method=GET path=/ caller=192.0.2.1 named status=200")
	f(`llm.example:443 192.0.2.1, 10.0.0.9 - bob`+stamp+`"GET / HTTP/1.1" 200 5`, at+" method=GET path=/ caller=bob named status=200")
	f(`llm.example:443 192.0.2.1, 10.0.0.9 - -`+stamp+`"GET / HTTP/1.1" 200 5`, at+" method=GET path=/ caller=192.0.2.1 named status=200")
	f(`- - -`+stamp+`"GET / HTTP/1.1" 200 5`, at+" method=GET path=/ status=200") // strangers
	// Lists as clients may send them.
	f(`, 192.0.2.1 - -`+stamp+`"GET / HTTP/1.1" 200 5`, at+" method=GET path=/ caller=192.0.2.1 named status=200")
	f(`,,192.0.2.1, 10.0.0.9 - bob`+stamp+`"GET / HTTP/1.1" 200 5`, at+" method=GET path=/ caller=bob named status=200")
	f(`192.0.2.1, - bob`+stamp+`"GET / HTTP/1.1" 200 5`, at+" method=GET path=/ caller=bob named status=200")
	f(`llm.example:443 192.0.2.1, - bob`+stamp+`"GET / HTTP/1.1" 200 5`, at+" method=GET path=/ caller=bob named status=200")
	f(`, - -`+stamp+`"GET / HTTP/1.1" 200 5`, at+" method=GET path=/ status=200")
	// Brackets in them, as a time or not.
	f(`::1 - a [b`+stamp+`"GET / HTTP/1.1" 200 5`, at+` method=GET path=/ caller="a [b" named status=200`)
	f(`::1 - a [20/Nov/2026:10:00:00 +0000] b`+stamp+`"GET / HTTP/1.1" 200 5`, at+` method=GET path=/ caller="a [20/Nov/2026:10:00:00 +0000] b" named status=200`)
	f(`::1 - [`+stamp+`llm.example "GET / HTTP/1.1" 200 5`, at+" method=GET path=/ caller=[ named status=200")
	// Whatever a client sends instead of a request.
	f(`::1 - -`+stamp+`"-" 400 0`, at+" caller=::1 named status=400")
	f(`::1 - -`+stamp+`"" 408 0`, at+" caller=::1 named status=408")
	f(`::1 - -`+stamp+`"\x16\x03\x01\x00" 400 0`, at+" caller=::1 named status=400")
	f(`::1 - -`+stamp+`"GET" 400 0`, at+" caller=::1 named status=400")
	f(`::1 - -`+stamp+`"hello there" 400 0`, at+" caller=::1 named status=400")
	f(`::1 - -`+stamp+`"GET /a b HTTP/1.1" 200 0`, at+` method=GET path="/a b" caller=::1 named status=200`)
	f(`::1 - -`+stamp+`"GET /old" 200 0`, at+" method=GET path=/old caller=::1 named status=200")
	f(`::1 - -`+stamp+`"M-SEARCH * HTTP/1.1" 400 0`, at+" method=M-SEARCH path=* caller=::1 named status=400")
	// Escapes of Apache and nginx; quotes in the request do not end it.
	f(`::1 - -`+stamp+`"GET /\"q\"?x=\x22y\x22 HTTP/1.1" 200 0`, at+` method=GET path="/\"q\"" query="x=\"y\"" caller=::1 named status=200`)
	f(`::1 - -`+stamp+`"GET /\\ HTTP/1.1" 200 0`, at+` method=GET path="/\\" caller=::1 named status=200`)
	f(`::1 - -`+stamp+`"GET /\xC5\x81\xZZ HTTP/1.1" 200 0`, at+` method=GET path=/ŁxZZ caller=::1 named status=200`)
	// Statuses.
	f(`::1 - -`+stamp+`"GET / HTTP/1.1" - -`, at+" method=GET path=/ caller=::1 named")
	f(`::1 - -`+stamp+`"GET / HTTP/1.1" 000 0`, at+" method=GET path=/ caller=::1 named")
	f(`::1 - -`+stamp+`"GET / HTTP/1.1" 499`, at+" method=GET path=/ caller=::1 named status=499")
	f(`::1 - -`+stamp+`"GET / HTTP/1.1" 1000 0`, "column 55: expected a status")
	f(`::1 - -`+stamp+`"GET / HTTP/1.1" OK 0`, "column 55: expected a status")
	f(`::1 - -`+stamp+`"GET / HTTP/1.1"`, "column 54: expected a status")
	// What is no such line says where it stops being one.
	f(``, "column 1: expected a host")
	f(`::1`, "column 1: expected a host")
	f(` - - `, "column 1: expected a host")
	f(`::1 - - "GET / HTTP/1.1" 200 5`, "column 5: expected [time]")
	f(`::1 - - [21/Nov/2026:10:00:00 +0000`, "column 9: expected [time]")
	f(`::1 - - [2026-11-21T10:00:00] "GET / HTTP/1.1" 200 5`, "column 10: expected a time like 21/Nov/2026:10:00:00 +0000")
	f(`::1 - - [21/Nov/2026:10:00:00.1] "GET / HTTP/1.1" 200 5`, "column 10: expected a time like 21/Nov/2026:10:00:00 +0000")
	f(`::1 - - [21/Nov/2026:10:00:00.x +0000] "GET / HTTP/1.1" 200 5`, "column 10: expected a time like 21/Nov/2026:10:00:00 +0000")
	f(`::1 - - [31/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5`, "column 10: expected a time like 21/Nov/2026:10:00:00 +0000")
	f(`::1 - - [21/nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5`, "column 10: expected a time like 21/Nov/2026:10:00:00 +0000")
	f(`::1 - - [21/Nov/9026:10:00:00 +0000] "GET / HTTP/1.1" 200 5`, "column 0: time out of range")
	f(`::1 - -`+stamp+`GET / HTTP/1.1 200 5`, "column 38: expected the request in quotes")
	f(`::1 - -`+stamp+`"GET / HTTP/1.1 200 5`, "column 38: quotes not closed")
	f(`::1 - -`+stamp+`"GET / HTTP/1.1\" 200 5`, "column 38: quotes not closed")
	f(`::1 - - [21/Nov/2026:10:00:00 +0000]`, "column 37: expected the request in quotes")
}

// TestCombinedForgets: a line without a session has not that of the one before.
func TestCombinedForgets(t *testing.T) {
	p := accessParser[combined](fingerprint.AllFields)
	for _, want := range []string{"s", ""} {
		line := `::1 - - [21/Nov/2026:10:00:00 +0000] "POST /v1 HTTP/1.1" 200 5 "-" "-" sess="` + want + `"`
		var r fingerprint.Request
		r.Reset()
		if _, why := p.Parse([]byte(line), &r); why != "" || string(r.Session) != want {
			t.Errorf("%s: session %q, %s", line, r.Session, why)
		}
	}
}

func TestMooncake(t *testing.T) {
	f := func(record, want string) {
		t.Helper()
		isRead(t, "mooncake", record, want)
	}
	f(`{"timestamp":1000,"input_length":7,"output_length":2,"hash_ids":[0, 1,2]}`, nativeAt+" digest=[0,1,2] tokens_in=7 tokens_out=2")
	f(`{"timestamp":1000.0004,"hash_ids":[ 0,1 , 2 ]}`, nativeAt+" digest=[0,1,2]")
	f(`{"chat_id":159,"parent_chat_id":-1,"timestamp":1.001,"input_length":7,"output_length":2,"type":"text","turn":1,"hash_ids":[0,1]}`, "1970-01-01T00:00:01.001000Z digest=[0,1] tokens_in=7 tokens_out=2") // Bailian's
	f(`{"timestamp":1000,"hash_ids":[]}`, nativeAt+" digest=[]")
	f(`{"timestamp":1000}`, nativeAt)
	f(`{"timestamp":1000,"hash_ids":null}`, nativeAt)
	f(`{"timestamp":1000,"hash_ids":[1],"hash_ids":null,"hash_ids":7}`, nativeAt+" digest=[1]")
	f(`{"timestamp":1000,"hash_ids":[1],"hash_ids":[2]}`, nativeAt+" digest=[2]")
	f(`{"timestamp":"1000","timestamp":null,"input_length":-1}`, nativeAt)
	f(`{"hash_ids":[1]}`, "column 0: no time")
	f(`{"timestamp":-1}`, "column 0: time out of range")
	f(`{"timestamp":1e300}`, "column 0: time out of range")
	f(`{"timestamp":-1e300}`, "column 0: time out of range")
	f(`{"timestamp":1000,"hash_ids":[1,2`, "column 34: unexpected end of the value: the line is cut")
}

// TestHigress: what the plugin ai-statistics adds to Envoy's log.
func TestHigress(t *testing.T) {
	f := func(ai, want string) {
		t.Helper()
		record := `{"start_time":"1970-01-01T00:00:01Z","response_code":"200","method":"POST","ai_log":` + ai + `}`
		areRequests(t, "envoy-json", record, "method=POST"+want)
	}
	f(`"-"`, ` status=200`)
	f(`"{\"tool_calls\":[],\"cost\":{}}"`, ` tool_calls=0 status=200`)
	f(`"{\"messages\":\"[{\\\"role\\\": [truncated] \",\"tool_calls\":\"cut\"}"`, ` status=200 lost="content truncated by the logger"`)
	f(`"{\"system\":\"Be brief.\",\"messages\":[{\"role\":\"user\"}],\"cache_status\":\"hit\"}"`, ` system="\"Be brief.\"" messages=1 last="{\"role\":\"user\"}" status=200 cached=true`)
	f(`"{\"messages\":[{\"role\":\"user\"}]`+`,\"consumer\":\"c\",\"session_id\":\"-\"}"`, ` caller=c named messages=1 last="{\"role\":\"user\"}" status=200`)
}

// TestDetectionOfLooks: lines that are nearly of a format, or of two.
func TestDetectionOfLooks(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		got := ""
		for _, f := range All {
			if f.Detect(NewLine([]byte(line))) {
				got += f.Name
			}
		}
		if got != want {
			t.Errorf("%s is %q, want %q", line, got, want)
		}
	}
	f(`{"time":1,"session":"s"}`, "loopgauge")
	f(`[{"time":1,"session":"s"},{}]`, "loopgauge")
	f(`[[{"time":1,"session":"s"}]]`, "")
	f(`{"time":1}`, "")
	f(`{"time":1,"level":"info","msg":"hello"}`, "")
	// Lines of Go's slog and of bunyan, whose owner named what was asked.
	f(`{"time":"2026-11-21T10:00:00Z","level":"INFO","msg":"m","method":"POST","path":"/","status":200,"requestBody":{"messages":[]}}`, "")
	f(`{"time":"2026-11-21T10:00:00Z","level":"INFO","msg":"m","method":"POST","path":"/","status":200,"session_id":"s"}`, "")
	f(`{"time":"2026-11-21T10:00:00Z","level":"INFO","msg":"m","path":"/","status":200,"api_key":"k"}`, "")
	f(`{"time":"2026-11-21T10:00:00Z","level":"INFO","msg":"m","model":"m","prompt":"hi"}`, "")
	f(`{"time":"2026-11-21T10:00:00Z","model":"m","messages":[],"response":{"choices":[]}}`, "")
	f(`{"time":"2026-11-21T10:00:00Z","model":"m","messages":[],"tool_calls":[],"response":"hi"}`, "loopgauge")
	f(`{"name":"gw","hostname":"h","pid":1,"level":30,"req":{"method":"POST"},"body":{"messages":[]},"msg":"m","time":"2026-11-21T10:00:00Z","v":0}`, "claude-code-router")
	f(`{"level":"info","headers":{"x-session-id":"s"},"body":{"messages":[]},"time":"2026-11-21T10:00:00Z"}`, "")
	f(`{"time":1,"session":"s","messages":[],"toolCalls":[]}`, "")
	f(`{"time":1,"session":"s","messages":[],"response":"data: {}\n"}`, "")
	f(`{"time":1,"session":"s","messages":[],"output":"{\"choices\":[]}"}`, "")
	f(`{"time":1,"session":"s","messages":[],"headers":{}}`, "")
	f(`{"time":"2026-11-21T10:00:00Z","scope":"request","http.method":"POST","http.path":"/","http.status":200,"session":"s"}`, "") // agentgateway's
	f(`{"time":1,"session":"s","gen_ai.prompt":[{"role":"user","content":"a"}]}`, "")
	// What a script writes beside, and nothing that was asked is lost with.
	f(`{"time":1,"session":"s","messages":[],"response":"Done: all is well.","output":null,"choices":1}`, "loopgauge")
	f(`{"time":1,"session":"s","caller":"k","messages":[],"headers":{"x":"y"}}`, "loopgauge")
	f(`{"time":1,"caller":"k","body":"{}","chat":true,"sid":null,"prompt":7,"thread":""}`, "loopgauge")
	f(`{"time":1,"method":"GET","status":200,"http.method":"GET","service.name":"a","gen_ai.request.model":"m"}`, "loopgauge")
	f(`{"time":1,"method":"GET","path":"/","status":200}`, "loopgauge")
	f(`{"time":"2026-11-21T10:00:00Z","method":"GET","uri":"/","status":200}`, "nginx-json")
	f(`{"time":"2026-11-21T10:00:00Z","request":"GET / HTTP/1.1","status":200}`, "nginx-json")
	f(`{"@timestamp":"2026-11-21T10:00:00Z","request_method":"GET","request_uri":"/","status":200}`, "nginx-json")
	f(`{"_msg":"m","_time":"2026-11-21T10:00:00Z","_stream":"{}","request_method":"GET","request_uri":"/","status":"200"}`, "nginx-json") // VictoriaLogs'
	f(`{"@timestamp":"2026-11-21T10:00:00+0000","clientip":"::1","status":200,"url":"/","method":"GET"}`, "nginx-json")
	f(`{"time":"[21/Nov/2026:10:00:00 +0000]","remoteIP":"::1","request":"/","query":"","method":"GET","status":"200"}`, "nginx-json")
	f(`{"timestamp":"2026-11-21T10:00:00Z","method":"GET","uri":"/","status":200}`, "nginx-json")
	// As ingress-nginx's documents have it.
	f(`{"time":"2026-11-21T10:00:00Z","remote_addr":"::1","request_time":0.1,"status":200,"path":"/","request_query":"","method":"GET"}`, "nginx-json")
	f(`{"timestamp":1,"method":"GET","path":"/","status":200}`, "")
	f(`{"timestamp":1,"method":"GET","uri":"/","status":200}`, "nginx-json")
	f(`{"timestamp":1,"client_ip":"::1","method":"GET","path":"/","status":200}`, "nginx-json")
	// Caddy with a time_key of its own, and as a cloud wants it: the request is an object.
	f(`{"timestamp":1,"request":{"method":"GET"},"resp_headers":{},"status":200}`, "caddy")
	f(`{"severity":"info","timestamp":"2026-11-21T10:00:00Z","logger":"http.log.access","message":"handled request","request":{"method":"GET"},"status":200}`, "caddy")
	f(`{"_time":"2026-11-21T10:00:00Z","logger":"http.log.access","request":{"method":"GET"},"status":"200"}`, "caddy")
	f(`{"timestamp":"2026-11-21T10:00:00Z","message":"m","request":{"method":"GET"},"status":200}`, "") // anybody's
	f(`{"time":"2026-11-21T10:00:00Z","method":"GET","request":{"uri":"/"},"status":200}`, "")
	f(`{"ts":1,"msg":"m","request":"GET / HTTP/1.1","status":200}`, "")
	// Envoy's with the time of a collector that put the members of the line beside its own.
	f(`{"time":"2026-11-21T10:00:00Z","start_time":"2026-11-21T10:00:00Z","method":"GET","path":"/","response_code":200}`, "envoy-json")
	f(`{"time":"2026-11-21T10:00:00Z","level":"info","msg":"","DownstreamStatus":200,"RequestMethod":"GET","RequestPath":"/"}`, "traefik")       // all else dropped
	f(`{"time":"2026-11-21T10:00:00Z","level":"INFO","message":"m","RequestId":"1","RequestMethod":"GET","RequestPath":"/"}`, "")                // ASP.NET's
	f(`{"@timestamp":"2026-11-21T10:00:00Z","authority":"gw","method":"GET","path":"/","response_code":200,"response_flags":"-"}`, "envoy-json") // Contour's
	f(`{"_time":"2026-11-21T10:00:00Z","method":"GET","path":"/","response_code":"200","response_flags":"-"}`, "envoy-json")
	f(`{"@timestamp":"2026-11-21T10:00:00Z","method":"GET","path":"/","response_code":200,"duration":0.2}`, "")
	// HAProxy's %tr has no zone, and Ta and the end of a session are its own.
	f(`{"time":"21/Nov/2026:10:00:00.882","ts":"2026-11-21T10:00:00+0530","client_ip":"::1","method":"POST","uri":"/","status":200}`, "haproxy-json")
	f(`{"time":"21/Nov/2026:10:00:00.882","method":"POST","uri":"/","status":200,"session":"s"}`, "haproxy-json")
	f(`{"time":"2026-11-21T10:00:00Z","method":"POST","path":"/","status":200,"term":"----"}`, "haproxy-json")
	f(`{"time":"2026-11-21T10:00:00Z","method":"POST","uri":"/","status":200,"Ta":1}`, "haproxy-json")
	// A verdict of ours, and a request that has a rule's name.
	f(`{"time":"2026-11-21T10:00:00Z","id":"a","rule":"r","fingerprint":"00"}`, "")
	f(`{"time":"2026-11-21T10:00:00Z","id":"a","rule":"r"}`, "loopgauge")
	// Of nobody, rather than of somebody who reads half of it, or no time.
	f(`{"time":"2026-11-21T10:00:00Z","method":"POST","url":"/v1","status_code":200}`, "")
	f(`{"time":"2026-11-21T10:00:00Z","method":"POST","url":"/v1","status":200,"body":"b"}`, "")
	f(`{"time":"2026-11-21T10:00:00Z","request_method":"POST","path":"/v1","status":200}`, "")
	f(`{"time":"2026-11-21T10:00:00Z","remote_addr":"::1","path":"/v1","status":200}`, "")
	f(`{"time":"2026-11-21 10:00:00","method":"POST","path":"/v1","status":200}`, "")
	f(`{"time":"21.11.2026 10:00","method":"POST","uri":"/v1","status":200}`, "")
	f(`{"time":"21.11.2026 10:00","msec":1,"method":"POST","uri":"/v1","status":200}`, "nginx-json")
	f(`{"time":"11/25/2026, 5:24:22 AM","method":"POST","status":200,"duration":18,"requestOptions":[{}]}`, "portkey")
	f(`{"startTime":1,"call_type":"acompletion","messages":[]}`, "litellm")
	f(`{"startTime":1,"time":2,"id":"x","call_type":"acompletion","messages":[]}`, "litellm")
	f(`{"startTime":1,"messages":[]}`, "")
	f(`{"startTime":"2026-11-21T10:00:00Z","modelParameters":"{}","call_type":"acompletion"}`, "litellm-v1")
	f(`{"id":"o","type":"GENERATION","startTime":"2026-11-21T10:00:00Z","modelParameters":{},"input":[],"sessionId":"s"}`, "") // a part of one of Langfuse's
	f(`{"id":"o","traceId":"t","type":"GENERATION","startTime":"2026-11-21T10:00:00Z","modelParameters":{},"input":[],"sessionId":"s"}`, "langfuse")
	f(`{"type":"user","sessionId":"s"}`, "claude-code")
	f(`{"timestamp":"2026-11-21T10:00:00Z","type":"event_msg","payload":{}}`, "codex")
	f(`{"timestamp":"2026-11-21T10:00:00Z","type":"order_placed","payload":{}}`, "")
	// Events and chats of others have the names that coding agents' sessions have.
	f(`{"id":"a","parentId":null,"timestamp":"2026-11-21T10:00:00Z","type":"tool.execution_start","data":{}}`, "copilot")
	f(`{"id":"a","parentId":null,"timestamp":"2026-11-21T10:00:00Z","type":"tool","data":{}}`, "")
	f(`{"id":"a","parentId":null,"timestamp":"2026-11-21T10:00:00Z","type":"example.gateway.line","data":{}}`, "")
	f(`{"id":"a","parentId":null,"timestamp":"2026-11-21T10:00:00Z","type":"message","message":{}}`, "pi")
	f(`{"id":"a","parentId":null,"timestamp":"2026-11-21T10:00:00Z","type":"message","data":{}}`, "")
	f(`{"id":"a","parentId":null,"timestamp":"2026-11-21T10:00:00Z","type":"custom","customType":"c"}`, "pi")
	f(`{"id":"a","parentId":null,"timestamp":"2026-11-21T10:00:00Z","type":"custom","data":{}}`, "")
	f(`{"traceId":"t","spanId":"s","startTime":[1,0],"attributes":{},"instrumentationScope":{}}`, "otel")
	f(`{"traceId":"t","spanId":"s","startTime":"2026-11-21T10:00:00Z","attributes":{},"message":"m"}`, "") // of a program
	f(`{"id":"a","timestamp":"2026-11-21T10:00:00Z","type":"gemini","content":""}`, "gemini-cli")
	f(`{"id":"a","timestamp":"2026-11-21T10:00:00Z","type":"user","content":[{"text":"Hi"}]}`, "gemini-cli")
	f(`{"id":"a","timestamp":"2026-11-21T10:00:00Z","type":"user","content":"Hi"}`, "")
	f(`{"id":"a","timestamp":"2026-11-21T10:00:00Z","type":"error","content":"no"}`, "")
	f(`{"$set":{"lastUpdated":"2026-11-21T10:00:00Z"}}`, "gemini-cli")
	f(`{"sessionId":"s","projectHash":"p","startTime":"2026-11-21T10:00:00Z"}`, "gemini-cli")
	f(`{"sessionId":"s","projectHash":"p","startTime":"2026-11-21T10:00:00Z","messages":[]}`, "gemini-cli")               // nobody answered
	f(`{"uuid":"a","event":"$ai_generation","timestamp":"2026-11-21T10:00:00Z","$set":{"plan":"x"},"properties":{}}`, "") // PostHog's
	f(`{"timestamp":1,"hash_ids":[]}`, "mooncake")
	f(`{"timestamp":1}`, "")
	f(`{"time":1,"session":"cut`, "loopgauge") // the first line of a log that was cut at its start or end
	f(`::1 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200`, "combined")
	f(`::1 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1"`, "")
	f(`a.example:443 ::1 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200`, "combined")
	f(`a.example ::1 - Jo Doe [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200`, "combined")
	f(`2026-11-21T10:00:00.1+00:00 gw ::1 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200`, "")            // aws logs tail
	f(`Sat 2026-11-21 10:00:00 UTC h nginx[12]: ::1 - jo [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200`, "") // journalctl -o short-full
	f(``, "")
	f(`[]`, "")
	f(`{}`, "")
	f(`hello there`, "")
}

// TestPortkeyOverrides: what a config overrides is not what the client asked for.
func TestPortkeyOverrides(t *testing.T) {
	const record = `{"requestOptions":[{"createdAt":"1970-01-01T00:00:01Z","finalUntransformedRequest":{"body":{"model":"asked"}},"transformedRequest":{"body":{"model":"other"}},"requestParams":{"model":"other"}}]}`
	isRead(t, "portkey", record, nativeAt+" model=asked has_tools=false stream=false")
}

// TestPortkeyResponse: of several tries the first has the answer, and of a stream
// there is none.
func TestPortkeyResponse(t *testing.T) {
	f := func(responses, want string) {
		t.Helper()
		record := `{"requestOptions":[{"createdAt":"1970-01-01T00:00:01Z","response":` + responses + `}]}`
		isRead(t, "portkey", record, nativeAt+want)
	}
	const called = `{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}}]}`
	f(called+`},{"response":{}`, ` tool_calls=1 call=1 name=f arguments={}`)
	f(`{"message":"The response was a stream."}`, ``)
	f("{\n"+strings.Repeat(" ", 64)+`"message": "The response was a stream."}`, ``)
	f(`{"message":"no such model"}`, ` tool_calls=0`)
}

// TestPortkeyURL: older versions say the path in what went to the provider.
func TestPortkeyURL(t *testing.T) {
	f := func(fields, want string) {
		t.Helper()
		record := `{"requestOptions":[{"createdAt":"1970-01-01T00:00:01Z","providerOptions":{"requestURL":"https://api.openai.com/v1/embeddings"}}]` + fields + `}`
		isRead(t, "portkey", record, nativeAt+want)
	}
	f(``, " path=/v1/embeddings")
	f(`,"endpoint":"/v1/chat"`, " path=/v1/chat")
}

// TestNginxEscapeNone: escape=none puts a body between quotes as it was.
func TestNginxEscapeNone(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		isRead(t, "nginx-json", line, want)
	}
	const body = `{"model":"m","messages":[{"role":"user","content":"a \"b\" {"}]}`
	const asked = nativeAt + ` body="{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a \\\"b\\\" {\"}]}" model=m messages=1 last="{\"role\":\"user\",\"content\":\"a \\\"b\\\" {\"}" has_tools=false stream=false`
	f(`{"msec":1,"request_body":"`+body+`"}`, asked)
	f(`{"msec":1,"http_x_a":"{"b":1}","request_body":"`+body+`","http_x_c":"{"}`, asked+` header:x-a="{\"b\":1}" header:x-c={`)
	f(`{"msec":1,"http_x_c":"{"}`, nativeAt+` header:x-c={`)
	f(`{"msec":1,"request_body":"{"model":"m"`, "column 29: expected ',' or '}'") // cut
	if !ByName("nginx-json").Detect(NewLine([]byte(`{"msec":1,"method":"POST","uri":"/","status":200,"request_body":"` + body + `"}`))) {
		t.Error("not told by its line")
	}
}

func TestKong(t *testing.T) {
	f := func(ai, want string) {
		t.Helper()
		isRead(t, "kong", `{"started_at":1000,"request":{},"latencies":{},"ai":`+ai+`}`, nativeAt+want)
	}
	f(`{"meta":{"request_model":"m","provider_name":"p"},"usage":{"prompt_tokens":3},"payload":{"response":"{}"}}`, // of 3.6
		` model=m backend=p tool_calls=0 tokens_in=3`)

	// A plugin that asks a model about the call says nothing of the call itself.
	call := `"meta":{"request_model":"m"},"usage":{"prompt_tokens":30,"completion_tokens":4},"payload":{"response":"{\"choices\":[]}"}`
	other := `"ai-request-transformer":{"meta":{"request_model":"small"},"usage":{"prompt_tokens":5},` +
		`"payload":{"request":"{\"messages\":[{\"role\":\"user\",\"content\":\"Hide names.\"}]}"}},"ai-semantic-cache":{"cache":{"cache_status":"Hit"}}`
	want := ` model=m tool_calls=0 tokens_in=30 tokens_out=4 cached=true`
	f(`{"proxy":{`+call+`},`+other+`}`, want)
	f(`{`+other+`,"ai-proxy":{`+call+`}}`, want)
	f(`{`+other+`,"ai-proxy-advanced":{`+call+`}}`, want)
	f(`{"ai-proxy-advanced":{`+call+`},`+other+`}`, want)
	f(`{`+other+`,"ai-proxy":{`+call+`},"proxy":null}`, want)

	// What the plugin does not count, the answer does, be it a stream or not.
	usage := `{\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":31,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":20}}}`
	for _, answer := range []string{usage, `data: ` + usage} {
		f(`{"proxy":{"usage":{"prompt_tokens":30},"payload":{"response":"`+answer+`"}}}`, ` tool_calls=0 tokens_in=30 tokens_out=4 tokens_cached=20`)
	}
}

// Kong logs of a streamed answer the text alone, and how it ended.
func TestKongStreamed(t *testing.T) {
	f := func(choice, want string) {
		t.Helper()
		answer := strconv.Quote(`{"choices":[` + choice + `]}`)
		isRead(t, "kong", `{"started_at":1000,"request":{},"latencies":{},"ai":{"proxy":{"payload":{"response":`+answer+`}}}}`, nativeAt+want)
	}
	f(`{"finish_reason":"tool_calls","message":{"content":""}}`, ``)
	f(`{"message":{"content":""},"finish_reason":"tool_calls"}`, ``)
	f(`{"finish_reason":"stop","message":{"content":"Done."}}`, ` tool_calls=0`)
	f(`{"finish_reason":"tool_calls","message":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}}`,
		` tool_calls=1 call=1 name=f arguments={}`)
}

func TestAPISIX(t *testing.T) {
	f := func(call, want string) {
		t.Helper()
		isRead(t, "apisix", `{"start_time":1000,"route_id":"","request":{},`+call+`}`, nativeAt+want)
	}
	f(`"llm_summary":{"tool_count":"0","request_model":"","model":"m"}`, ` model=m has_tools=false`)
	f(`"llm_request":{"messages":"hi","stream":true}`, ` messages=1 last="\"hi\"" stream=true`)
	f(`"llm_request":{"stream":false}`, ` stream=false`)
	// Bedrock is called in Converse's words.
	f(`"llm_request":{"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"text":"no"}]}}]}]}`,
		` messages=1 last="{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":[{\"text\":\"no\"}]}]}"`)
}

// Archives write bodies as base64, mitmproxy those that are binary to it.
// TestHARUnanswered: what had no answer has no status, and says why.
func TestHARUnanswered(t *testing.T) {
	f := func(response, want string) {
		t.Helper()
		isRead(t, "har", `{"startedDateTime":"1970-01-01T00:00:01Z","request":{},"response":{`+response+`}}`, nativeAt+want)
	}
	f(`"status":0,"_error":"Client disconnected."`, ` status=499 error="Client disconnected."`)
	f(`"_error":"Client disconnected.","status":200`, ` status=200`) // in the midst of the answer
	f(`"status":0,"_error":"net::ERR_CONNECTION_REFUSED"`, ` error=net::ERR_CONNECTION_REFUSED`)
	f(`"status":0,"_error":null`, ``)
}

func TestHARBase64(t *testing.T) {
	f := func(content, want string) {
		t.Helper()
		isRead(t, "har", `{"startedDateTime":"1970-01-01T00:00:01Z","request":{},"response":{"content":`+content+`}}`, nativeAt+want)
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(`{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}}]}`))
	f(`{"text":"`+encoded+`","encoding":"base64"}`, ` tool_calls=1 call=1 name=f arguments={}`)
	f(`{"encoding":"base64","text":"`+encoded+`"}`, ` tool_calls=1 call=1 name=f arguments={}`)
	f(`{"encoding":"base64","text":"{}"}`, ``)
	f(`{"encoding":"","text":"{}"}`, ` tool_calls=0`)
}

func TestHelicone(t *testing.T) {
	f := func(fields, want string) {
		t.Helper()
		isRead(t, "helicone", `{"request_created_at":"1970-01-01T00:00:01Z","request_id":"q"`+fields+`}`, nativeAt+" id=q"+want)
	}
	f(`,"target_url":"https://api.example/v1/chat/completions?a=1","cost":0.25`, ` path=/v1/chat/completions query=a=1 cost=0.25`)
	f(`,"cache_reference_id":"00000000-0000-0000-0000-000000000000"`, ` cached=false`)
	f(`,"cache_reference_id":"4b7c0f0a-1111-4222-8333-944455556666"`, ` cached=true`)
	f(`,"properties":{"Helicone-Session-Id":"s1"}`, ` session=s1 Helicone-Session-Id=s1`)
	f(`,"response_status":-1`, ` status=504`)
	f(`,"response_status":-2`, ``) // no answer yet
	f(`,"response_status":-3`, ` status=499`)
	f(`,"prompt_tokens":10,"prompt_cache_read_tokens":90,"prompt_cache_write_tokens":5`, ` tokens_in=105 tokens_cached=90`)
	f(`,"prompt_tokens":10,"prompt_cache_read_tokens":0,"prompt_cache_write_tokens":null`, ` tokens_in=10`)

	// What stands in the place of bodies that were not asked for.
	f(`,"request_body":{"helicone_message":"not here"},"response_body":"{\"helicone_message\": \"not here\"}"`, ``)
	f(`,"request_body":{"model":"m","messages":[]},"response_body":{"choices":[]}`, ` model=m messages=0 has_tools=false tool_calls=0 stream=false`)

	// Beside what was put together of a stream are its events, as a text or a list.
	events := `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]},"finishReason":"STOP"}]}`
	for _, streamed := range []string{strconv.Quote("data: " + events + "\n\n"), `[` + events + `]`} {
		f(`,"response_body":{"candidates":[{"content":{"parts":[{"text":"Let me see."}]}}],"streamed_data":`+streamed+`}`, ` tool_calls=1 name=f arguments={}`)
	}

	// Of a streamed answer older versions kept the text, of Responses the last event.
	f(`,"response_body":{"type":"message","content":[{"type":"text","text":"Let me see."}],"stop_reason":"tool_use"}`, ``)
	f(`,"response_body":{"type":"response.completed","response":{"output":[{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}]}}`,
		` tool_calls=1 call=1 name=f arguments={}`)
}

// TestKongTwice: a record may have a body as the client sent it and as a plugin sent it
// on, and a header twice.
func TestKongTwice(t *testing.T) {
	f := func(request, response, ai, want string) {
		t.Helper()
		record := `{"started_at":1000,"latencies":{},"request":{` + request + `},"response":{` + response + `},"ai":` + ai + `}`
		isRead(t, "kong", record, nativeAt+want)
	}
	const payload = `{"proxy":{"payload":{"request":"{\"model\":\"p\",\"messages\":[\"sent\"]}","response":"{\"choices\":[]}"}}}`
	const sent = ` model=p messages=1 last="\"sent\"" has_tools=false`
	const asked = ` model=c messages=1 last="\"asked\"" has_tools=false`
	// What the client sent goes before what the provider was sent, as bytes or as Kong parsed them.
	f(`"body":"{\"model\":\"c\",\"messages\":[\"asked\"]}"`, ``, payload, ` body="{\"model\":\"c\",\"messages\":[\"asked\"]}"`+asked+` tool_calls=0 stream=false`)
	f(`"body":{"model":"c","messages":["asked"]}`, ``, payload, asked+` tool_calls=0 stream=false`)
	f(`"body":{"model":"c","messages":["asked"]}`, ``, `null`, asked+` stream=false`)
	// Not if it was cut, hidden, or was not there.
	for _, body := range []string{`"{\"model\":\"c\",\"messages\":[\"as"`, `"[REDACTED]"`, `"failed to retrieve body"`, `null`, `""`} {
		f(`"body":`+body, ``, payload, sent+` tool_calls=0 stream=false`)
	}
	f(`"body":"{\"model\":\"c\",\"messages\":[\"as"`, ``, `null`, ` body="{\"model\":\"c\",\"messages\":[\"as" lost="content truncated by the logger"`)
	// The answer likewise: of a stream the payload has the text alone.
	const called = ` tool_calls=1 call=1 name=f arguments={}`
	answer := `{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}`
	f(``, `"body":"`+answer+`"`, payload, sent+called+` stream=false`)
	f(``, `"body":`+strings.ReplaceAll(answer, `\"`, `"`), `null`, called)
	f(``, `"body":"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n"`, payload, sent+called+` stream=false`)
	f(``, `"body":"{\"choices\":[{\"mess"`, payload, sent+` tool_calls=0 stream=false`)
	// Of a header given twice the first counts that says something.
	f(`"headers":{"x-session-id":["","s1","s2"],"authorization":["Bearer k1","Bearer k2"],"x-api-key":[]}`, ``, `null`,
		` caller=k1 session=s1 header:x-session-id=s1 header:authorization="Bearer k1"`)
}
