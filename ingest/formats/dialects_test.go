package formats

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDialects: a turn with two calls of tools, a thought and an image is the
// same turn in Chat Completions, Messages, Responses, Google's generateContent
// and Bedrock's Converse, in whatever log their bodies stand, and so are the
// calls of the answer.
func TestDialects(t *testing.T) {
	text := func(body string) string {
		out, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	answers := map[string]bool{} // formats that carry the answer
	logs := map[string]func(request, answer string) string{}
	f := func(format, line string) {
		answers[format] = strings.Contains(line, "ANSWER")
		logs[format] = func(request, answer string) string {
			return strings.NewReplacer(`"REQUEST TEXT"`, text(request), `"REQUEST"`, request, `"ANSWER TEXT"`, text(answer), `"ANSWER"`, answer).Replace(line)
		}
	}
	f("nginx-json", `{"msec":1,"method":"POST","uri":"/","status":200,"request_body":"REQUEST TEXT","resp_body":"ANSWER TEXT"}`)
	f("caddy", `{"ts":1,"msg":"handled request","status":200,"request":{"method":"POST","uri":"/"},"request_body":"REQUEST TEXT"}`)
	f("envoy-json", `{"start_time":"1970-01-01T00:00:01Z","response_code":200,"method":"POST","request_body":"REQUEST TEXT","response_body":"ANSWER TEXT"}`)
	f("haproxy-json", `{"accept_ms":1000,"method":"POST","path":"/","status":200,"body":"REQUEST TEXT"}`)
	f("claude-code-router", `{"level":20,"time":1000,"pid":1,"hostname":"h","type":"request body","data":"REQUEST"}`)
	f("portkey", `{"time":"1/1/1970, 1:00:00 AM","endpoint":"/v1","requestOptions":[{"requestParams":"REQUEST","response":"ANSWER"}]}`)
	f("portkey-export", `{"created_at":"1970-01-01T00:00:01Z","ai_org":"o","request":"REQUEST","response":"ANSWER"}`)
	f("cloudflare", `{"Gateway":"g","Provider":"p","RequestBody":"REQUEST TEXT","ResponseBody":"ANSWER TEXT"}`)
	f("kong", `{"started_at":1000,"request":{},"latencies":{},"ai":{"proxy":{"payload":{"request":"REQUEST TEXT","response":"ANSWER TEXT"}}}}`)
	f("apisix", `{"start_time":1000,"route_id":"1","request":{"body":"REQUEST TEXT"},"response":{"body":"ANSWER TEXT"}}`)
	f("helicone", `{"request_created_at":"1970-01-01T00:00:01Z","request_id":"q","request_body":"REQUEST","response_body":"ANSWER"}`)
	f("bedrock", `{"timestamp":"1970-01-01T00:00:01Z","modelId":"m","schemaType":"ModelInvocationLog","input":{"inputBodyJson":"REQUEST"},"output":{"outputBodyJson":"ANSWER"}}`)
	f("langsmith", `{"run_type":"llm","start_time":"1970-01-01T00:00:01","trace_id":"t","inputs":"REQUEST","outputs":"ANSWER"}`)
	f("langfuse", `{"type":"GENERATION","startTime":"1970-01-01T00:00:01Z","traceId":"t","projectId":"p","input":"REQUEST","output":"ANSWER TEXT"}`)
	f("har", `{"startedDateTime":"1970-01-01T00:00:01Z","request":{"postData":{"text":"REQUEST TEXT"}},"response":{"content":{"text":"ANSWER TEXT"}}}`)

	const image = "data:image/png;base64,aW1n"
	dialects := map[string][2]string{
		"chat": {
			`{"model":"m","messages":[{"role":"system","content":"You help."},{"role":"user","content":[{"type":"text","text":"Where is it?"},{"type":"image_url","image_url":{"url":"` + image + `"}}]},
			{"role":"assistant","content":null,"reasoning_content":"Let me see.","tool_calls":[{"id":"a","type":"function","function":{"name":"find","arguments":"{\"x\": 1, \"y\":\"ł\"}"}},{"id":"b","type":"function","function":{"name":"look","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"b","content":"dark"},{"role":"tool","tool_call_id":"a","content":"no data"}]}`,
			`{"choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{\"y\":\"ł\",\"x\":1}"}}]}}]}`,
		},
		"messages": {
			`{"model":"m","system":"You help.","messages":[{"role":"user","content":[{"type":"text","text":"Where is it?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aW1n"}}]},
			{"role":"assistant","content":[{"type":"thinking","thinking":"Let me see.","signature":"s"},{"type":"tool_use","id":"a","name":"find","input":{"y":"ł","x":1}},{"type":"tool_use","id":"b","name":"look","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"no data"}]},{"type":"tool_result","tool_use_id":"b","content":"dark"}]}]}`,
			`{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"Again."},{"type":"tool_use","id":"c","name":"find","input":{"x":1,"y":"ł"}}]}`,
		},
		"responses": {
			`{"model":"m","instructions":"You help.","input":[{"role":"user","content":[{"type":"input_text","text":"Where is it?"},{"type":"input_image","image_url":"` + image + `"}]},
			{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"Let me see."}]},{"type":"function_call","id":"fc1","call_id":"a","name":"find","arguments":"{\"x\":1,\"y\":\"ł\"}"},{"type":"function_call","call_id":"b","name":"look","arguments":"{}"},
			{"type":"function_call_output","call_id":"a","output":"no data"},{"type":"function_call_output","call_id":"b","output":"dark"}]}`,
			`{"object":"response","output":[{"type":"reasoning","id":"rs2","summary":[]},{"type":"function_call","id":"fc2","call_id":"c","name":"find","arguments":"{\"x\":1,\"y\":\"ł\"}"}]}`,
		},
		"gemini": {
			`{"systemInstruction":{"parts":[{"text":"You help."}]},"contents":[{"role":"user","parts":[{"text":"Where is it?"},{"inlineData":{"mimeType":"image/png","data":"aW1n"}}]},
			{"role":"model","parts":[{"text":"Let me see.","thought":true},{"functionCall":{"name":"find","args":{"y":"ł","x":1}},"thoughtSignature":"cw=="},{"functionCall":{"name":"look"}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"look","response":{"output":"dark"}}},{"functionResponse":{"name":"find","response":{"result":"no data"}}}]}]}`,
			`{"candidates":[{"content":{"parts":[{"text":"Again.","thought":true},{"functionCall":{"name":"find","args":{"x":1,"y":"ł"}},"thoughtSignature":"dA=="}],"role":"model"},"finishReason":"STOP"}]}`,
		},
		"converse": {
			`{"system":[{"text":"You help."}],"messages":[{"role":"user","content":[{"text":"Where is it?"},{"image":{"format":"png","source":{"bytes":"aW1n"}}}]},
			{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"Let me see.","signature":"s"}}},{"toolUse":{"toolUseId":"a","name":"find","input":{"y":"ł","x":1}}},{"toolUse":{"toolUseId":"b","name":"look","input":{}}}]},
			{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"no data"}],"status":"success"}},{"toolResult":{"toolUseId":"b","content":[{"text":"dark"}]}}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"find"}}]}}`,
			`{"output":{"message":{"role":"assistant","content":[{"text":"Again."},{"toolUse":{"toolUseId":"c","name":"find","input":{"x":1,"y":"ł"}}}]}},"stopReason":"tool_use"}`,
		},
	}
	var turn []string
	for _, name := range []string{"chat", "messages", "responses", "gemini", "converse"} {
		request, answer := strings.NewReplacer("\n", "", "\t", "").Replace(dialects[name][0]), dialects[name][1]
		for format, line := range logs {
			r := parse(t, format, line(request, answer))
			got := canonical(t, "tool-call-result", r)
			if turn == nil {
				if turn = got; len(turn) != 2 {
					t.Fatalf("%s, %s: %q", format, name, got)
				}
			}
			if diff := cmp.Diff(turn, got); diff != "" {
				t.Errorf("%s, %s: the turn is another: %s", format, name, diff)
			}
			want := []string{`[["tool_call",{"arguments":{"x":1,"y":"ł"},"name":"find"}]]`}
			if !answers[format] { // the past ones
				want = append(want, `[["tool_call",{"arguments":{},"name":"look"}]]`)
			}
			if diff := cmp.Diff(want, canonical(t, "tool-call", r)); diff != "" {
				t.Errorf("%s, %s: other calls: %s", format, name, diff)
			}
			// An image is not nothing.
			other := parse(t, format, line(strings.ReplaceAll(request, "aW1n", "aW1o"), answer))
			if x, y := fmt.Sprint(canonical(t, "prompt", r)), fmt.Sprint(canonical(t, "prompt", other)); x == y || strings.Contains(x, "lost") {
				t.Errorf("%s, %s: two images are one: %s", format, name, x)
			}
		}
	}
}
