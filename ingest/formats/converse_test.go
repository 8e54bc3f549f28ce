package formats

import "testing"

// TestConverse: Bedrock's own words for calls and results are read as
// Anthropic's, and a loop in one is a loop in the other.
func TestConverse(t *testing.T) {
	f := func(message, want string) {
		t.Helper()
		r := parse(t, "bedrock", `{"timestamp":"2026-11-21T10:00:00Z","input":{"inputBodyJson":{"messages":[`+message+`]}}}`)
		if got := string(r.Messages.Items[0]); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", message, got, want)
		}
	}
	f(`{"role":"user","content":[{"text":"hi"}]}`, `{"role":"user","content":[{"text":"hi"}]}`)
	f(`{"role":"assistant","content":[{"text":"hm"},{"toolUse":{"toolUseId":"t1","name":"f","input":{"x":[1]}}}]}`,
		`{"role":"assistant","content":[{"text":"hm"},{"type":"tool_use","id":"t1","name":"f","input":{"x":[1]}}]}`)
	f(`{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"text":"no"}],"status":"error"}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"text":"no"}],"is_error":true}]}`)
	f(`{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":null,"status":"success"}}],"x":"\ud83d\u00e9"}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":null,"is_error":false}],"x":"\ud83d\u00e9"}`)
	f(`{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"cw=="}}},{"text":"hm"}]}`, `{"role":"assistant","content":[{"type":"thinking"},{"text":"hm"}]}`)
	f(`{"role":"user","content":"toolUse"}`, `{"role":"user","content":"toolUse"}`)
}

// TestConverseBody: what was sent to Bedrock itself, in a log of any kind.
func TestConverseBody(t *testing.T) {
	f := func(path, request, response, want string) {
		t.Helper()
		r := exchanged(t, "https://bedrock-runtime.us-east-1.amazonaws.com"+path, request, response)
		r.Body, r.Path = nil, nil
		want = "1970-01-01T00:00:01.000000Z method=POST " + want
		if got := render(r, 0, ""); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", request, got, want)
		}
	}
	const tools = `"toolConfig":{"tools":[{"toolSpec":{"name":"top_song","inputSchema":{"json":{"type":"object"}}}}]}`
	f("/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/converse", `{"system":[{"text":"Be good."}],"messages":[
		{"role":"user","content":[{"text":"Which song is it on WZPZ?"}]},
		{"role":"assistant","content":[{"toolUse":{"toolUseId":"tooluse_1","name":"top_song","input":{"sign":"WZPZ"}}}]},
		{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_1","content":[{"json":{"song":"Elemental Hotel"}}]}}]}],
		`+tools+`,"inferenceConfig":{"maxTokens":512,"temperature":0.5}}`,
		`{"metrics":{"latencyMs":1191},"output":{"message":{"role":"assistant","content":[{"text":"Again."},{"toolUse":{"toolUseId":"tooluse_2","name":"top_song","input":{"sign":"WZPZ"}}}]}},"stopReason":"tool_use",
		"usage":{"inputTokens":30,"outputTokens":12,"totalTokens":142,"cacheReadInputTokens":70,"cacheWriteInputTokens":30}}`,
		`model=anthropic.claude-3-5-sonnet-20240620-v1:0 system="[{\"text\":\"Be good.\"}]" messages=3 last=124/055eb6b6 has_tools=true`+
			` tool_calls=1 call=tooluse_2 name=top_song arguments="{\"sign\":\"WZPZ\"}" status=200 tokens_in=130 tokens_out=12 tokens_cached=70 stream=false max_tokens=512`)
	f("/model/us.amazon.nova-lite-v1:0/converse-stream", `{"messages":[{"role":"user","content":[{"text":"hi"}]}],"inferenceConfig":{}}`, ``,
		`model=us.amazon.nova-lite-v1:0 messages=1 last="{\"role\":\"user\",\"content\":[{\"text\":\"hi\"}]}" has_tools=false status=200 stream=true`)
	// InvokeModel takes the body of the model's maker, without the model.
	f("/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fx/invoke-with-response-stream",
		`{"anthropic_version":"bedrock-2023-05-31","max_tokens":9,"messages":[]}`, ``,
		`model=arn:aws:bedrock:us-east-1:123456789012:inference-profile/x messages=0 has_tools=false status=200 stream=true max_tokens=9`)
	f("/model/anthropic.claude-v2/invoke", `{"anthropic_version":"bedrock-2023-05-31","messages":[]}`, ``,
		`model=anthropic.claude-v2 messages=0 has_tools=false status=200 stream=false`)
	f("/model/%4/invoke", `{"messages":[]}`, ``, `model=%4 messages=0 has_tools=false status=200 stream=false`)
	// Titan has a text and no messages.
	f("/model/amazon.titan-text-express-v1/invoke", `{"inputText":"User: hi\nBot:","textGenerationConfig":{"maxTokenCount":512,"stopSequences":["User:"],"temperature":0}}`,
		`{"inputTextTokenCount":5,"results":[{"tokenCount":4,"outputText":"hello","completionReason":"FINISH"}]}`,
		`model=amazon.titan-text-express-v1 messages=1 last="\"User: hi\\nBot:\"" has_tools=false tool_calls=0 status=200 stream=false max_tokens=512`)
	// Another's URL names none.
	f("/v1/models/x:y", `{"messages":[]}`, ``, `messages=0 has_tools=false status=200 stream=false`)
	f("/model/x", `{"messages":[]}`, ``, `messages=0 has_tools=false status=200 stream=false`)
}
