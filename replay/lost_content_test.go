package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// What a logger lost, cut, hid or put something else in the place of looks the
// same in every line. It is no loop: each request is accounted for, and not
// computable for the cause that there is.

// lost replays ten lines of one kind. In a line, # is its number. Causes are
// those of the rules, in their order: tool-call-result, stuck-step,
// last-messages, tool-call, and aisg where it is given: it looks at text
// alone, and so sees nothing wrong with an image that was cut. last-exchange
// looks at none of them, for whatever cause comes first.
func lost(t *testing.T, name, format, line string, causes ...fingerprint.Cause) {
	t.Helper()
	looking := []string{"loopgauge/tool-call-result", "loopgauge/stuck-step", "loopgauge/last-messages", "tool-call", "aisg"}
	p, err := policy.FromProfiles(append(looking[:len(causes)], "loopgauge/last-exchange"))
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for i := range 10 {
		log.WriteString(strings.ReplaceAll(line, "#", fmt.Sprint(i)) + "\n")
	}
	path := filepath.Join(t.TempDir(), "20261121T100000Z_20261121T100030Z_1.log") // as Cloudflare names them
	if err := os.WriteFile(path, []byte(log.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	stream := openLog(t, path)
	if stream.Format().Name != format {
		t.Errorf("%s: read as %s", name, stream.Format().Name)
	}
	episodes := 0
	result, err := replay.Run(t.Context(), replay.Options{Streams: []ingest.Stream{stream}, PipelineOptions: replay.PipelineOptions{
		Plan:     window.NewPlan(p.Rules, nil),
		Lateness: 10 * time.Second, Duplicates: window.DefaultDuplicates,
		Since: fingerprint.NoTime, Until: fingerprint.NoTime,
		Episode: func(*window.Episode) error { episodes++; return nil },
	}})
	if err != nil {
		t.Fatal(err)
	}
	if a := result.Account; a.Judged != 10 || a.Lines != 10 {
		t.Errorf("%s: %s", name, a)
	}
	if episodes > 0 {
		t.Errorf("%s: %d loops", name, episodes)
	}
	for i, rule := range result.Rules {
		if i == len(causes) {
			if rule.Counted > 0 {
				t.Errorf("%s: %s counted %d", name, rule.Rule.Name, rule.Counted)
			}
			continue
		}
		want := causes[i]
		if got := rule.NotComputable[want]; got != 10 {
			t.Errorf("%s: %s: %d not computable for %q, want 10; counted %d", name, rule.Rule.Name, got, want, rule.Counted)
		}
	}
}

// The causes that lines are made for.
const (
	noResponse = fingerprint.NoResponse
	noCall     = fingerprint.NoToolCall
	noMessages = fingerprint.NoMessages
	noTurn     = fingerprint.NoToolTurn
	redacted   = fingerprint.RedactedContent
	truncated  = fingerprint.TruncatedContent
	lossy      = fingerprint.LossyContent
	elsewhere  = fingerprint.HistoryElsewhere
	spooled    = fingerprint.SpooledBody
	encrypted  = fingerprint.EncryptedContent
	dropped    = fingerprint.DroppedAttributes
)

func TestLostContentOfLiteLLM(t *testing.T) {
	litellm := func(messages, response, parameters string) string {
		return `{"litellm_call_id":"#","startTime":179523240#,"endTime":179523240#.5,"call_type":"acompletion","status":"success","model_group":"m",` +
			`"metadata":{"user_api_key_hash":"h","requester_custom_headers":{"x-session-id":"s"}},"model_parameters":{` + parameters + `},"messages":` + messages + `,"response":` + response + `}`
	}
	call := func(arguments string) string {
		return `{"choices":[{"message":{"tool_calls":[{"id":"c#","function":{"name":"f","arguments":` + arguments + `}}]}}]}`
	}
	hidden := `[{"role":"user","content":"redacted-by-litellm"}]`
	lost(t, "messages and arguments redacted", "litellm", litellm(hidden, call(`"redacted-by-litellm"`), ``), redacted, redacted, redacted, redacted, redacted)
	for _, placeholder := range []string{
		"[REDACTED]", "<redacted>", "***", "[PII]", "{{REDACTED}}", "REDACTED", "(redacted)", "[MASKED EMAIL]", "[EMAIL_REDACTED]", "<PERSON>", "<EMAIL_ADDRESS_1> <PERSON>", "{NAME}", "{{EMAIL_ADDRESS_1}}",
		"<fully masked due to failed mask function>", "[Scrubbed due to 'password']", "[Filtered]", `\u003credacted\u003e`, "<elided>", "readacted", "[sensitive_data]",
		"[PERSON_NAME]", "[US_SOCIAL_SECURITY_NUMBER]", "{CA_SOCIAL_INSURANCE_NUMBER}", "{US_INDIVIDUAL_TAX_IDENTIFICATION_NUMBER}", "{CA_HEALTH_NUMBER}", "{UK_UNIQUE_TAXPAYER_REFERENCE_NUMBER}", "{UK_NATIONAL_INSURANCE_NUMBER}",
		"{UK_NATIONAL_HEALTH_SERVICE_NUMBER}", "{US_SOCIAL_SECURITY_NUMBER_1}",
	} {
		lost(t, "all "+placeholder, "litellm", litellm(`[{"role":"user","content":"`+placeholder+`"}]`, call(`"`+placeholder+`"`), ``), redacted, redacted, redacted, redacted, redacted)
	}
	lost(t, "messages in one word", "litellm", litellm(`"REDACTED"`, call(`"{\"query\":\"[REDACTED]\"}"`), ``), redacted, redacted, redacted, redacted, redacted)
	turn := func(arguments, result string) string {
		return `[{"role":"user","content":"Find it."},{"role":"assistant","tool_calls":[{"id":"c#","function":{"name":"f","arguments":` + arguments + `}}]},{"role":"tool","tool_call_id":"c#","content":` + result + `}]`
	}
	lost(t, "results redacted", "litellm", litellm(turn(`"{\"a\":1}"`, `"[REDACTED]"`), call(`"[REDACTED]"`), ``), redacted, redacted, redacted, redacted, redacted)
	lost(t, "arguments redacted in the history", "litellm", litellm(turn(`"{\"a\":\"[PII]\"}"`, `"ok"`), call(`"[REDACTED]"`), ``), redacted, redacted, redacted, redacted)
	lost(t, "Anthropic's result redacted", "litellm", litellm(`[{"role":"assistant","content":[{"type":"tool_use","id":"c#","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c#","content":[{"type":"text","text":"[REDACTED]"}]}]}]`, call(`"***"`), ``),
		redacted, redacted, redacted, redacted)
	for _, cut := range []string{
		"[truncated]", "Find what was said of ... [truncated]", "Find what was said of...\\n(truncated)", "a <truncated 513 bytes>", "<truncated due to size exceeding limit>",
		"[This value has been dropped because this span's size exceeds the 1MB size limit.]",
		"Fin... (litellm_truncated 99 chars)", "Fin... (litellm_truncated skipped 99 chars. Truncation is a DB storage safeguard.) ...it", "See ![it](data:image/png;base64,[base64_data truncated: 513B]) there",
	} {
		lost(t, "cut: "+cut, "litellm", litellm(turn(`"{\"a\":1}"`, `"`+cut+`"`), call(`"<truncated>"`), ``), truncated, truncated, truncated, truncated, truncated)
	}
	for _, image := range []string{
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,..."}}`, `{"type":"image_url","image_url":{"url":"data:image/png;base64,<truncated 513 bytes>"}}`, `{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0K…"}}`,
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,"}}`, `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0K... [truncated]"}}`,
	} {
		lost(t, "cut: "+image, "litellm", litellm(`[{"role":"user","content":[{"type":"text","text":"What is it?"},`+image+`]}]`, `{}`, ``), noTurn, noCall, truncated, noCall)
	}
	for _, image := range []string{
		`{"type":"image_url"}`, `{"type":"image_url","image_url":{"url":"","detail":"auto"}}`, `{"type":"image","source":{"type":"base64","media_type":"image/png","data":""}}`, `{"type":"input_audio","input_audio":{"format":"wav"}}`, `{"type":"image_url","image_url":{"url":"<image omitted>"}}`,
	} {
		lost(t, "left out: "+image, "litellm", litellm(`[{"role":"user","content":[{"type":"text","text":"What is it?"},`+image+`]}]`, `{}`, ``), noTurn, noCall, lossy, noCall)
	}
	lost(t, "image redacted", "litellm", litellm(`[{"role":"user","content":[{"type":"text","text":"What is it?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"[REDACTED]"}}]}]`, `{}`, ``), noTurn, noCall, redacted, noCall)
	for _, empty := range []string{`[]`, `""`, `null`, `" "`, `[{"type":"text","text":""}]`} {
		lost(t, "content "+empty, "litellm", litellm(`[{"role":"user","content":`+empty+`}]`, `{}`, ``), noTurn, noCall, lossy, noCall)
	}
	lost(t, "calls and results by their names alone", "litellm", litellm(`[{"role":"user","content":"Find it."},{"role":"assistant","content":"[tool: f][tool: g]"},{"role":"tool","content":"[tool-result: f][tool-result: g]"}]`, `{}`, ``), lossy, noCall, lossy, noCall)
	lost(t, "roles alone", "litellm", litellm(`[{"role":"system","content":""},{"role":"assistant","content":""}]`, `{}`, ``), noTurn, noCall, lossy, noCall)
	lost(t, "response redacted", "litellm", litellm(hidden, `{"text":"redacted-by-litellm"}`, ``), redacted, noResponse, redacted, redacted, redacted)
	lost(t, "request not readable", "litellm", litellm(`[{"role":"user","content":"default-message-value"}]`, `{}`, ``), redacted, noCall, redacted, noCall, redacted)
	lost(t, "images cut", "litellm", litellm(`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,[base64_data truncated: 513B]"}}]}]`, `{}`, ``),
		noTurn, noCall, truncated, noCall)
	lost(t, "history kept by the provider", "litellm", litellm(`[{"type":"function_call_output","call_id":"c","output":"no data"}]`, `{}`, `"previous_response_id":"resp_#"`),
		elsewhere, noCall, elsewhere, noCall, elsewhere)
	lost(t, "no content", "litellm", litellm(`null`, `null`, ``), noMessages, noCall, noMessages, noCall, noMessages)
}

func TestLostContentOfOlderLiteLLM(t *testing.T) {
	v1 := func(messages, response string) string {
		return `{"id":"#","startTime":"2026-11-21 03:46:3#.5","model":"m","modelParameters":"{}","messages":"` + messages + `","response":"` + response + `","metadata":"{'user_api_key_hash': 'h', 'headers': {'x-session-id': 's'}}"}`
	}
	lost(t, "Python cut", "litellm-v1", v1(`[{'role': 'user', 'content': 'wha`, `ModelResponse(id='x', choi`), truncated, noResponse, truncated, truncated, truncated)
	lost(t, "Python redacted", "litellm-v1", v1(`[{'role': 'user', 'content': 'redacted-by-litellm'}]`, `ModelResponse(choices=[Choices(message=Message(tool_calls=[Call(function=Function(arguments='redacted-by-litellm', name='f'))]))])`),
		redacted, redacted, redacted, redacted, redacted)

	spend := func(request, response string) string {
		return `{"request_id":"#","call_type":"acompletion","api_key":"h","spend":0,"startTime":"2026-11-21T03:44:5#Z","endTime":"2026-11-21T03:44:5#Z","model":"m","metadata":"{}","messages":"{}","session_id":"s","status":"success","response":"` + response + `","proxy_server_request":"` + request + `"}`
	}
	lost(t, "prompts not stored", "litellm-spend", spend(`{}`, `{}`), noMessages, noResponse, noMessages, noMessages, noMessages)
	lost(t, "prompts cut by the database", "litellm-spend", spend(`{\"messages\":[{\"role\":\"user\",\"content\":\"what ... (litellm_truncated 99 chars) ... is\"}]}`, `{}`), noTurn, noCall, truncated, noCall, truncated)
	lost(t, "images cut by the database", "litellm-spend", spend(`{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,iVBORw0K... (litellm_truncated skipped 99 chars) ...ggg=\"}}]}]}`, `{}`), noTurn, noCall, truncated, noCall)
	cut := `\"{\\\"path\\\":\\\"a.go\\\",\\\"text\\\":\\\"package a ... (litellm_truncated skipped 99 chars. Truncation is a DB storage safeguard. To increase the truncation limit, set MAX_STRING_LENGTH_PROMPT_IN_DB in your env.) ... }\\\"}\"`
	lost(t, "arguments cut by the database", "litellm-spend", spend(`{\"messages\":[{\"role\":\"user\",\"content\":\"Write it.\"},{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c#\",\"function\":{\"name\":\"f\",\"arguments\":`+cut+`}}]},{\"role\":\"tool\",\"tool_call_id\":\"c#\",\"content\":\"ok\"}]}`,
		`{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"d\",\"function\":{\"name\":\"f\",\"arguments\":`+cut+`}}]}}]}`), truncated, truncated, truncated, truncated)
}

func TestLostContentOfSpans(t *testing.T) {
	span := func(attributes string) string {
		return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}}]},"scopeSpans":[{"spans":[{"traceId":"t#","spanId":"s#","startTimeUnixNano":"179523332776820986#","endTimeUnixNano":"179523332790029956#",` +
			attributes + `}]}]}]}`
	}
	attributes := func(texts ...string) string {
		out := `"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"m"}},{"key":"session.id","value":{"stringValue":"s"}}`
		for i := 0; i < len(texts); i += 2 {
			out += `,{"key":"` + texts[i] + `","value":{"stringValue":"` + texts[i+1] + `"}}`
		}
		return out + `]`
	}
	said := `[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"ok\"}]}]`
	lost(t, "no content captured", "otel", span(attributes()), noMessages, noResponse, noMessages, noMessages, noMessages)
	lost(t, "images as empty parts", "otel", span(attributes("gen_ai.input.messages", `[{\"role\":\"user\",\"parts\":[]}]`, "gen_ai.output.messages", said)), lossy, noCall, lossy, noCall, lossy)
	lost(t, "images without data", "otel", span(attributes("gen_ai.input.messages", `[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"What is it?\"},{\"type\":\"blob\",\"mime_type\":\"image/png\",\"modality\":\"image\"}]}]`, "gen_ai.output.messages", said)), noTurn, noCall, lossy, noCall)
	lost(t, "redacted parts", "otel", span(attributes("gen_ai.input.messages", `[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"<redacted>\"}]}]`, "gen_ai.output.messages", said)), noTurn, noCall, redacted, noCall, redacted)
	lost(t, "text cut", "otel", span(attributes("gen_ai.input.messages", `[{\"role\":\"user\",\"parts\":[{\"type\":\"te`, "gen_ai.output.messages", `[{\"role\":\"assist`)), truncated, noResponse, truncated, truncated, truncated)
	lost(t, "oldest attributes dropped", "otel", span(`"droppedAttributesCount":12,`+attributes("gen_ai.prompt.8.role", "user", "gen_ai.prompt.8.content", "go on", "gen_ai.completion.0.role", "assistant", "gen_ai.completion.0.content", "ok")), noTurn, noCall, dropped, noCall, dropped)
	lost(t, "hidden by OpenInference", "otel", span(attributes("input.value", "__REDACTED__", "output.value", "__REDACTED__")), redacted, noResponse, redacted, noCall, redacted)
	lost(t, "history kept by the provider", "otel", span(attributes("gen_ai.input.messages", `[{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c\",\"response\":\"no data\"}]}]`, "gen_ai.output.messages", said)), elsewhere, noCall, elsewhere, noCall, elsewhere)

	event := func(name, body string) string {
		return `{"timeUnixNano":"179523281394353812#","traceId":"t#","spanId":"s#","body":{"kvlistValue":{"values":[` + body + `]}},"attributes":[{"key":"event.name","value":{"stringValue":"` + name + `"}},{"key":"gen_ai.request.model","value":{"stringValue":"m"}}]}`
	}
	lost(t, "events without content", "otel", `{"resourceLogs":[{"resource":{},"scopeLogs":[{"logRecords":[`+
		event("gen_ai.user.message", ``)+`,`+
		event("gen_ai.choice", `{"key":"message","value":{"kvlistValue":{"values":[{"key":"tool_calls","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"function","value":{"kvlistValue":{"values":[{"key":"name","value":{"stringValue":"f"}}]}}}]}}]}}}]}}}`)+
		`]}]}]}`, lossy, noResponse, lossy, lossy, lossy)
}

// TestLostBodies: bodies that are not there, or not whole.
func TestLostBodies(t *testing.T) {
	nginx := func(body string) string {
		return `{"msec":179523240#.5,"request_id":"#","method":"POST","uri":"/v1/chat/completions","status":200,"remote_addr":"10.0.0.7","http_x_session_id":"s","request_body":"` + body + `"}`
	}
	for _, size := range []string{`bytes_in":19125,"`, `request_length":"19125","`, `http_content_length":"19000","`, `request_body_file":"/var/lib/nginx/body/0000000001","`} {
		lost(t, "body spooled to disk", "nginx-json", nginx(`","`+size+`x":"`), spooled, noResponse, spooled, spooled, spooled)
		lost(t, "body spooled to disk", "nginx-json", nginx(`-","`+size+`x":"`), spooled, noResponse, spooled, spooled, spooled)
	}
	lost(t, "no body logged", "nginx-json", nginx(``), noMessages, noResponse, noMessages, noMessages, noMessages)
	lost(t, "no body logged", "nginx-json", nginx(`-","bytes_in":400,"x":"`), noMessages, noResponse, noMessages, noMessages, noMessages)
	lost(t, "body cut", "nginx-json", nginx(`{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"conte`), truncated, noResponse, truncated, truncated, truncated)
	for _, body := range []string{`[REDACTED]`, `***`, `{{REDACTED}}`} {
		lost(t, "body redacted", "nginx-json", nginx(body), redacted, noResponse, redacted, redacted, redacted)
	}
	lost(t, "history kept by the provider", "nginx-json", nginx(`{\"model\":\"m\",\"previous_response_id\":\"resp_#\",\"input\":[{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"x\"}]}`),
		elsewhere, noResponse, elsewhere, elsewhere, elsewhere)
	lost(t, "bodies in files of their own", "bedrock", `{"schemaType":"ModelInvocationLog","timestamp":"2026-11-21T03:27:4#Z","identity":{"arn":"a"},"requestId":"#","operation":"InvokeModel","modelId":"m","requestMetadata":{"session_id":"s"},"input":{"inputBodyS3Path":"s3://b/i#","inputTokenCount":9},"output":{"outputBodyS3Path":"s3://b/o#","outputTokenCount":3}}`,
		noMessages, noResponse, noMessages, noMessages, noMessages)
	lost(t, "a stream that says nothing of its calls", "har", `{"startedDateTime":"2026-11-21T04:00:1#Z","time":1,"request":{"method":"POST","url":"http://gw/v1/messages","headers":[{"name":"x-session-id","value":"s"},{"name":"x-api-key","value":"k"}],"postData":{"text":""}},"response":{"status":200,"content":{"text":"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}}\n\n"}}}`,
		noMessages, noResponse, noMessages, noMessages, noMessages)
	lost(t, "bodies encrypted", "cloudflare", `{"Gateway":"g","Provider":"openai","Model":"m","StatusCode":200,"Metadata":{"type":"encrypted","key":"k","iv":"i","data":"m"},"RequestBody":{"type":"encrypted","key":"k","iv":"i","data":"q"},"ResponseBody":{"type":"encrypted","key":"k","iv":"i","data":"r"}}`,
		encrypted, noResponse, encrypted, encrypted, encrypted)
}
