package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// exchanged is an entry of an archive with these bodies.
func exchanged(tb testing.TB, url, request, response string) *fingerprint.Request {
	tb.Helper()
	text := func(s string) string {
		out, err := json.Marshal(s)
		if err != nil {
			tb.Fatal(err)
		}
		return string(out)
	}
	return parse(tb, "har", `{"startedDateTime":"1970-01-01T00:00:01Z","request":{"method":"POST","url":`+text(url)+
		`,"postData":{"text":`+text(request)+`}},"response":{"status":200,"content":{"text":`+text(response)+`}}}`)
}

const googleURL = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:"

// canonical is what the identity says of r, or why it says nothing.
func canonical(tb testing.TB, identity string, r *fingerprint.Request) (all []string) {
	tb.Helper()
	id, err := fingerprint.New(identity, fingerprint.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	w := fingerprint.NewWriter(nil)
	w.Keep = true
	if cause := id.Compute(r, w); cause != fingerprint.Computable {
		return []string{cause.String()}
	}
	for _, p := range w.Prints() {
		all = append(all, string(p.Canonical))
	}
	return all
}

// TestGemini: a turn as Google's documentation of function calling has it.
func TestGemini(t *testing.T) {
	r := exchanged(t, googleURL+"generateContent?alt=json", `{
		"system_instruction": {"parts": {"text": "You are a helpful lighting system bot."}},
		"tools": [{"functionDeclarations": [{"name": "set_light_values", "parameters": {"type": "object"}}]}],
		"contents": [
			{"parts": [{"text": "Turn the lights down to a romantic level"}]},
			{"role": "model", "parts": [{"functionCall": {"id": "fc-1", "name": "set_light_values", "args": {"color_temp": "warm", "brightness": 25}}, "thoughtSignature": "EsUC"}]},
			{"role": "user", "parts": [{"functionResponse": {"name": "set_light_values", "response": {"brightness": 25, "colorTemperature": "warm"}}}]}
		],
		"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
		"generationConfig": {"temperature": 0, "maxOutputTokens": 400}
	}`, `{
		"candidates": [{
			"content": {"parts": [
				{"text": "**Brightness** It is not dark yet.", "thought": true},
				{"functionCall": {"name": "set_light_values", "args": {"brightness": 20, "color_temp": "warm"}}, "thoughtSignature": "CoUD"},
				{"functionCall": {"name": "stop_lights"}}
			], "role": "model"},
			"finishReason": "STOP", "index": 0
		}],
		"usageMetadata": {"promptTokenCount": 54, "cachedContentTokenCount": 32, "candidatesTokenCount": 15, "totalTokenCount": 162, "thoughtsTokenCount": 93},
		"modelVersion": "gemini-2.5-flash", "responseId": "l_b"
	}`)
	r.Body = nil
	want := `1970-01-01T00:00:01.000000Z method=POST path=/v1beta/models/gemini-2.5-flash:generateContent query=alt=json model=gemini-2.5-flash` +
		` system="[{\"type\":\"text\",\"text\":\"You are a helpful lighting system bot.\"}]" messages=3 last=140/75397e25 has_tools=true` +
		` tool_calls=2 name=set_light_values arguments="{\"brightness\": 20, \"color_temp\": \"warm\"}" name=stop_lights arguments={} status=200` +
		` tokens_in=54 tokens_out=108 tokens_cached=32 stream=false max_tokens=400`
	if diff := cmp.Diff(want, render(r, 0, "")); diff != "" {
		t.Error(diff)
	}
	for identity, want := range map[string]string{
		"tool-call-result": `[["tool_call_result",{"arguments":{"brightness":25,"color_temp":"warm"},"name":"set_light_values","result":{"other":[{"brightness":25,"colorTemperature":"warm"}]}}]]`,
		"tool-call":        `[["tool_call",{"arguments":{"brightness":20,"color_temp":"warm"},"name":"set_light_values"}]]`,
		"prompt": `[["messages",[{"system":{"text":"You are a helpful lighting system bot."}},{"role":"user","text":"Turn the lights down to a romantic level"},` +
			`{"calls":[{"arguments":{"brightness":25,"color_temp":"warm"},"name":"set_light_values"}],"role":"assistant"},` +
			`{"results":[{"other":[{"brightness":25,"colorTemperature":"warm"}]}],"role":"user"}]]]`,
		"openrouter": "set_light_values\n" + `{"brightness":20,"color_temp":"warm"}`,
		"aisg":       "no messages", // it knows what is called messages
	} {
		if got := canonical(t, identity, r); got[0] != want {
			t.Errorf("%s\ngot  %s\nwant %s", identity, got[0], want)
		}
	}
	if got := canonical(t, "stuck-step", r); len(got) != 1 || !strings.Contains(got[0], `"last_turn"`) {
		t.Errorf("stuck-step: %s", got)
	}
}

// TestGeminiContents: contents in the forms that Google's service and its
// libraries take.
func TestGeminiContents(t *testing.T) {
	f := func(contents string, want ...string) {
		t.Helper()
		r := exchanged(t, googleURL+"generateContent", `{"contents":`+contents+`}`, `{}`)
		var got []string
		for _, m := range r.Messages.Items {
			got = append(got, string(m))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", contents, diff)
		}
	}
	const hi = `{"content":[{"type":"text","text":"hi"}],"role":"user"}`
	// A list may be its only entry, and a text stands for what has it.
	f(`[{"parts":[{"text":"hi"}]}]`, hi)
	f(`{"parts":{"text":"hi"}}`, hi)
	f(`[{"parts":{"text":"hi"},"role":"USER"}]`, hi)
	f(`[{"parts":["hi"]}]`, hi)
	f(`["hi",{"role":"model","parts":[{"text":"ho"}]}]`, `{"content":"hi","role":"user"}`, `{"content":[{"type":"text","text":"ho"}],"role":"assistant"}`)
	f(`"hi"`, `{"content":"hi","role":"user"}`)
	f(`[]`)
	f(`[{"role":"model","parts":null}]`, `{"role":"assistant"}`)
	f(`[{"role":"model"}]`, `{"role":"assistant"}`)
	// What the SDK writes of what there is not, and what the model keeps to itself.
	f(`[{"role":"model","parts":[{"text":null,"function_call":null,"inline_data":null,"thought_signature":"cw=="},{"thought":null,"text":"ho","video_metadata":null},{"text":"hm","thought":true}]}]`,
		`{"content":[{"type":"thinking"},{"type":"text","text":"ho"},{"type":"thinking"}],"role":"assistant"}`)
	// All else stays, but for signatures.
	f(`[{"parts":[{"fileData":{"fileUri":"gs://b/o"},"videoMetadata":{"fps":1},"thoughtSignature":"cw=="},{"executableCode":{"code":"1"}}]}]`,
		`{"content":[{"fileData":{"fileUri":"gs://b/o"},"videoMetadata":{"fps":1}},{"executableCode":{"code":"1"}}],"role":"user"}`)

	// Calls and results are tied by ids where all have one.
	call := func(id, name string) string {
		return `{"type":"tool_use","id":` + id + `,"name":"` + name + `","input":{}}`
	}
	result := func(id, content string) string {
		return `{"type":"tool_result","tool_use_id":` + id + `,"content":` + content + `}`
	}
	turn := func(calls, results string) []string {
		return []string{`{"content":[` + calls + `],"role":"assistant"}`, `{"content":[` + results + `],"role":"user"}`}
	}
	f(`[{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{}}},{"functionCall":{"id":"b","name":"f"}}]},{"role":"user","parts":[{"functionResponse":{"id":"b","name":"f","response":{"x":1}}}]}]`,
		turn(call(`"a"`, "f")+","+call(`"b"`, "f"), result(`"b"`, `{"x":1}`))...)
	// Else names do it, those of one name in their order.
	f(`[{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{}}},{"function_call":{"id":null,"name":"g","args":null}}]},{"role":"function","parts":[{"function_response":{"id":"","name":"f","response":{"x":1}}}]}]`,
		turn(call(`"f"`, "f")+","+call(`"g"`, "g"), result(`"f"`, `{"x":1}`))...)

	// What came out, and what went wrong.
	answered := func(response, want string) {
		t.Helper()
		f(`[{"parts":[{"functionResponse":{"id":"a","name":"f","response":`+response+`}}]}]`, `{"content":[{"type":"tool_result","tool_use_id":"a"`+want+`}],"role":"user"}`)
	}
	answered(`{"output":"no"}`, `,"content":"no"`)
	answered(`{"result":"no"}`, `,"content":"no"`)
	answered(`{"error":"no"}`, `,"is_error":true,"content":"no"`)
	answered(`{"output":{"x":1}}`, `,"content":{"output":{"x":1}}`)
	answered(`{"output":["a"]}`, `,"content":{"output":["a"]}`)
	answered(`{"output":"no","more":1}`, `,"content":{"output":"no","more":1}`)
	answered(`{}`, `,"content":{}`)
	answered(`null`, `,"content":null`)
	answered(`{"image":"see below"},"parts":[{"inlineData":{"data":"aW1n"}}]`, `,"content":[{"response":{"image":"see below"}},{"parts":[{"inlineData":{"data":"aW1n"}}]}]`)
}

// TestGeminiBody: what else a body has, in all its spellings.
func TestGeminiBody(t *testing.T) {
	f := func(path, body, want string) {
		t.Helper()
		r := exchanged(t, "http://gw"+path, body, ``)
		r.Body, r.Path = nil, nil
		want = "1970-01-01T00:00:01.000000Z method=POST " + want
		if got := render(r, 0, ""); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
		}
	}
	const contents = `"contents":[{"parts":[{"text":"hi"}]}]`
	const asked = `messages=1 last="{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],\"role\":\"user\"}"`
	f("/v1beta/models/gemini-2.5-pro:streamGenerateContent", `{`+contents+`,"tools":{"googleSearch":{}}}`,
		`model=gemini-2.5-pro `+asked+` has_tools=true status=200 stream=true`)
	f("/v1/projects/p/locations/us-central1/publishers/google/models/gemini-2.0-flash-001:generateContent", `{`+contents+`,"generation_config":{"max_output_tokens":9}}`,
		`model=gemini-2.0-flash-001 `+asked+` has_tools=false status=200 stream=false max_tokens=9`)
	f("/v1/projects/p/locations/l/endpoints/42%3AgenerateContent", `{`+contents+`,"cachedContent":"cachedContents/c"}`,
		`model=42 `+asked+` status=200 stream=false`)
	// Another name for the URL's work.
	f("/gemini", `{"model":"models/gemini-2.5-pro",`+contents+`}`, `model=models/gemini-2.5-pro `+asked+` has_tools=false status=200`)
	// What the Python SDK was called with.
	f("/", `{"model":"gemini-2.5-flash","contents":"hi","config":{"system_instruction":"Be good.","tools":[{"function_declarations":[]}],"max_output_tokens":7}}`,
		`model=gemini-2.5-flash system="\"Be good.\"" messages=1 last="{\"content\":\"hi\",\"role\":\"user\"}" has_tools=true status=200 max_tokens=7`)
	f("/", `{"contents":[],"config":{"system_instruction":["Be good.",{"text":"Be quick."}]}}`,
		`system="[{\"type\":\"text\",\"text\":\"Be good.\"},{\"type\":\"text\",\"text\":\"Be quick.\"}]" messages=0 has_tools=false status=200`)
	// Gemini CLI wraps it.
	f("/v1internal:streamGenerateContent", `{"model":"gemini-2.5-pro","project":"p","request":{`+contents+`,"tools":[{}],"session_id":"s","generationConfig":{"maxOutputTokens":8}}}`,
		`session=s model=gemini-2.5-pro `+asked+` has_tools=true status=200 stream=true max_tokens=8 metadata.session_id=s`)
	// Anthropic's models on Vertex AI: the body is Anthropic's, without the model.
	f("/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4@20250514:streamRawPredict", `{"anthropic_version":"vertex-2023-10-16","messages":[]}`,
		`model=claude-sonnet-4@20250514 messages=0 has_tools=false status=200 stream=true`)
	f("/v1beta/models/gemini-2.5-pro:generateContent", `{"contents":[{"parts":[{"te`, `status=200 lost="content truncated by the logger"`)
}

// TestGeminiAnswer: calls and tokens of an answer, whole or streamed.
func TestGeminiAnswer(t *testing.T) {
	f := func(response, want string) {
		t.Helper()
		r := exchanged(t, googleURL+"generateContent", ``, response)
		got := render(r, 0, "")
		_, got, _ = strings.Cut(got, "generateContent")
		if want = " body=\"\"" + want; got != want {
			t.Errorf("%s\ngot  %s\nwant %s", response, got, want)
		}
	}
	const said, called, asked = `{"candidates":[{"content":{"parts":[{"text":"Let me "}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"x":1}}},{"functionCall":{"id":"b","name":"f","args":{"x":2}}}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"totalTokenCount":12}}`,
		`{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"cw=="}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":20,"thoughtsTokenCount":5,"totalTokenCount":34}}`
	const calls = ` tool_calls=2 name=f arguments="{\"x\":1}" call=b name=f arguments="{\"x\":2}" status=200 tokens_in=9 tokens_out=25`
	f("data: "+said+"\r\n\r\ndata: "+called+"\r\n\r\ndata: "+asked+"\r\n\r\n", calls)
	f("["+said+"\n,\n"+called+"\n,\n"+asked+"\n]", calls)
	wrapped := strings.NewReplacer("{\"candidates", "{\"response\":{\"candidates", "}\r\n", "}}\r\n")
	f(wrapped.Replace("data: "+said+"\r\n\r\ndata: "+called+"\r\n\r\ndata: "+asked+"\r\n\r\n"), calls)
	f(`{"response":`+called+`}`, ` tool_calls=2 name=f arguments="{\"x\":1}" call=b name=f arguments="{\"x\":2}" status=200 tokens_in=9 tokens_out=3`)
	// Cut off, in events and in a list.
	f("data: "+said+"\r\n\r\ndata: "+called+"\r\n\r\n", ` status=200 tokens_in=9 tokens_out=3`)
	f("["+said+"\n,\n"+called, ` status=200 tokens_in=9 tokens_out=3`)
	f(called[:len(called)-1], ` status=200 tokens_in=9 tokens_out=3`)
	// Arguments in parts are not put together.
	f(`data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$.x","numberValue":1}]}}]},"finishReason":"STOP"}]}`+"\n\n", ` status=200`)
	f(`data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]}`+"\n\n"+
		`data: {"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.x","numberValue":1}]}}]},"finishReason":"STOP"}]}`+"\n\n", ` status=200`)
	// Nothing was answered.
	f(`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`, ` tool_calls=0 status=200 tokens_in=9`)
	f(`data: {"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`, ` tool_calls=0 status=200 tokens_in=9`)
	f(`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}`, ` tool_calls=0 status=200`)
	// The tokens: of Google's own tools, of thoughts that were counted as said, by the SDK's names.
	f(`{"candidates":[],"usageMetadata":{"promptTokenCount":9,"toolUsePromptTokenCount":4,"candidatesTokenCount":3,"thoughtsTokenCount":5,"totalTokenCount":21}}`, ` tool_calls=0 status=200 tokens_in=13 tokens_out=8`)
	f(`{"candidates":[],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":8,"thoughtsTokenCount":5,"totalTokenCount":17}}`, ` tool_calls=0 status=200 tokens_in=9 tokens_out=8`)
	f(`{"candidates":[{"content":{"parts":[{"function_call":{"id":null,"args":{},"name":"f"}}]}}],"usage_metadata":{"prompt_token_count":9,"candidates_token_count":3,"thoughts_token_count":null,"total_token_count":12,"cached_content_token_count":7}}`,
		` tool_calls=1 name=f arguments={} status=200 tokens_in=9 tokens_out=3 tokens_cached=7`)
}

// TestGeminiRedacted: an object of which all was redacted is no result.
func TestGeminiRedacted(t *testing.T) {
	f := func(response, want string) {
		t.Helper()
		r := exchanged(t, googleURL+"generateContent", `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{"x":1}}}]},{"parts":[{"functionResponse":{"name":"f","response":`+response+`}}]}]}`, `{}`)
		if got := canonical(t, "tool-call-result", r)[0]; !strings.Contains(got, want) {
			t.Errorf("%s: %s", response, got)
		}
	}
	f(`{"result":"[REDACTED]"}`, "content redacted by the logger")
	f(`{"weather":"[REDACTED]"}`, "content redacted by the logger")
	f(`{"weather":"[REDACTED]","degrees":21}`, `"other":[{"degrees":21,"weather":"[REDACTED]"}]`)
	f(`{"weather":"fair"}`, `"other":[{"weather":"fair"}]`)
	f(`{}`, `"result":{"other":[{}]}`)
}
