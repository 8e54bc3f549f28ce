package response

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestResponses: what the documents and the code of each gateway say.
func TestResponses(t *testing.T) {
	f := func(c Case, want string) {
		t.Helper()
		got := "null"
		if r := Of(c); r != nil {
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			got = string(b)
		}
		if got != want {
			t.Errorf("%s, %s:\ngot  %s\nwant %s", c.Profile, c.Action, got, want)
		}
	}
	c := Case{Count: 12, Window: time.Minute, Cooldown: 30 * time.Second, Fingerprint: "00c0ffee", Tool: `read"file`}
	with := func(profile string, action window.Action) Case {
		c.Profile, c.Action = profile, action
		return c
	}
	f(with("fairvisor-documented", window.Reject), `{"gateway":"Fairvisor","status":429,"headers":{"RateLimit-Reset":"60","Retry-After":"60","X-Fairvisor-Reason":"loop_detected"},"body":null,"delay_ms":0,"note":"Retry-After is made longer by up to half, by client: 60 to 90"}`)
	f(with("fairvisor", window.Throttle), `{"gateway":"Fairvisor","status":200,"headers":{},"body":null,"delay_ms":1200,"note":"the request goes on after the delay"}`)
	f(with("fairvisor", window.Warn), `null`)
	f(with("aisg", window.Reject), `{"gateway":"AISG","status":429,"headers":{"Content-Type":"application/json"},"body":"{\"detail\":{\"error\":\"recursive_loop_detected\",\"message\":\"Blocked: identical request sent 12 times in 60 seconds. This usually indicates an agent retry loop, infinite recursion, or misconfigured automation.\",\"fingerprint\":\"00c0ffee\",\"hit_count\":12,\"cooldown_seconds\":30}}","delay_ms":0,"note":""}`)
	cooling := with("aisg", window.Reject)
	cooling.Count = -1
	f(cooling, `{"gateway":"AISG","status":429,"headers":{"Content-Type":"application/json"},"body":null,"delay_ms":0,"note":"in a cooldown it does not count, and its pages do not show what the body says then"}`)
	f(with("aisg", window.Warn), `null`)
	f(with("tool-call", window.Warn), `null`)
	f(with("tool-call", window.Break), `{"gateway":"llm-interactive-proxy","status":200,"headers":{},"body":"Tool call loop detected: 'read\"file' invoked with identical params 12 times within 60s. Session stopped to prevent unintended looping.","delay_ms":0,"note":"the text is that of one choice, an assistant's message"}`)
	f(with("tool-call-shipped", window.Break), `{"gateway":"llm-interactive-proxy","status":400,"headers":{"Content-Type":"application/json"},"body":"{\"error\":{\"message\":\"Tool call loop detected: Tool call loop detected: 'read\\\"file' invoked with identical parameters 12 times within 60s. Session stopped to prevent unintended looping. Try changing your inputs or approach.\",\"type\":\"ToolCallLoopError\",\"details\":{\"tool_name\":\"read\\\"file\",\"repetitions\":12,\"mode\":\"break\"}}}","delay_ms":0,"note":"a streamed response has it as its last event"}`)
	f(with("tool-call-shipped", window.Guide), `{"gateway":"llm-interactive-proxy","status":200,"headers":{},"body":"Tool call loop warning: 'read\"file' has been called with identical parameters 12 times. Please modify your approach or parameters. If the next call uses the same parameters, the session will be stopped.","delay_ms":0,"note":"the text goes to the model as the failure of its call"}`)
	f(with("zelyx", window.Warn), `null`)
	f(with("zelyx", window.Reject), `{"gateway":"Zelyx","status":429,"headers":{},"body":null,"delay_ms":0,"note":"its body is not documented, but for a field detail"}`)
	f(with("loopgauge", window.Reject), `null`)
	f(with("", window.Reject), `null`)

	line := func(r *Response, want string) {
		t.Helper()
		if got := r.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	line(Of(with("fairvisor", window.Throttle)), "Fairvisor: 200, after 1200 ms (the request goes on after the delay)")
	c.Tool = "<read>"
	line(Of(with("tool-call-shipped", window.Break)), `llm-interactive-proxy: 400, Content-Type: application/json, {"error":{"message":"Tool call loop detected: Tool call loop detected: '<read>' invoked with identical parameters 12 times within 60s. Session stopped to prevent unintended looping. Try changing your inputs or approach.","type":"ToolCallLoopError","details":{"tool_name":"<read>","repetitions":12,"mode":"break"}}} (a streamed response has it as its last event)`)
	c.Count = 1
	line(Of(with("aisg-article", window.Reject)), `AISG: 429, Content-Type: application/json, {"detail":{"error":"recursive_loop_detected","message":"Blocked: identical request sent 1 times in 60 seconds. This usually indicates an agent retry loop, infinite recursion, or misconfigured automation.","fingerprint":"00c0ffee","hit_count":1,"cooldown_seconds":30}}`)

	c.Count = 1_000_000
	if r := Of(with("fairvisor", window.Throttle)); r.DelayMS != 30_000 {
		t.Errorf("a delay of %d ms", r.DelayMS)
	}
	if r := Of(with("fairvisor", window.Reject)); !strings.Contains(r.Note, "debug session") {
		t.Errorf("what is shipped otherwise is not said: %s", r.Note)
	}
}

// TestEveryGatewayAnswers: every profile of a gateway is known here. What an
// agent does with its own loops no client of a gateway sees, and a limit on a
// session says nothing of loops.
func TestEveryGatewayAnswers(t *testing.T) {
	for _, p := range policy.Profiles() {
		known := slices.ContainsFunc(Gateways, func(g Gateway) bool { return slices.Contains(g.Profiles, p.Name) })
		if known != (p.Kind == policy.OfGateway) {
			t.Errorf("profile %s is of a %s: that Gateways says what its clients see is %t", p.Name, p.Kind, known)
		}
	}
}
