package formats

import (
	"fmt"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestSessionsOfNobody: what stands for no session names none, in no format and
// no place, and the next place is asked.
func TestSessionsOfNobody(t *testing.T) {
	body := `{\"model\":\"m\",\"messages\":[],\"prompt_cache_key\":\"next\"}`
	lines := map[string]string{
		"har":           `{"startedDateTime":"2026-11-21T04:00:18Z","time":1,"request":{"method":"POST","url":"http://gw/v1/chat/completions","headers":[{"name":"X-Session-Id","value":"%s"}],"postData":{"text":"` + body + `"}},"response":{"status":200,"headers":[],"content":{}}}`,
		"nginx-json":    `{"time":"2026-11-21T03:24:39Z","method":"POST","uri":"/v1/chat/completions","status":200,"http_x_session_id":"%s","request_body":"` + body + `"}`,
		"caddy":         `{"ts":1795231666.9,"logger":"http.log.access","msg":"handled request","request":{"method":"POST","uri":"/","headers":{"X-Session-Id":["%s"]}},"status":200,"request_body":"` + body + `"}`,
		"traefik":       `{"StartUTC":"2026-11-21T03:27:46Z","RequestMethod":"POST","RequestPath":"/","DownstreamStatus":200,"request_X-Session-Id":"%s"}`,
		"haproxy-json":  `{"accept_ms":1795231666411,"method":"POST","path":"/","status":200,"session":"%s"}`,
		"envoy-json":    `{"start_time":"2026-11-21T03:27:46Z","method":"POST","response_code":200,"session.id":"%s"}`,
		"litellm":       `{"id":"x","trace_id":"%s","call_type":"acompletion","startTime":1,"model_group":"m","metadata":{}}`,
		"litellm-spend": `{"request_id":"x","spend":1,"startTime":"2026-11-21T03:44:55Z","session_id":"%s"}`,
		"loopgauge":     `{"time":1,"id":"x","session":"%s"}`,
		"otel":          `{"name":"chat","context":{"trace_id":"0x1","span_id":"0x2"},"parent_id":null,"start_time":"2026-11-21T03:27:46Z","end_time":"2026-11-21T03:27:47Z","attributes":{"gen_ai.operation.name":"chat","gen_ai.request.model":"m","session.id":"%s"}}`,
		"helicone":      `{"request_id":"q","request_created_at":"2026-11-21 03:27:45","request_properties":{"Helicone-Session-Id":"%s"}}`,
	}
	session := func(format, text string) (got string) {
		t.Helper()
		var r fingerprint.Request
		line := fmt.Sprintf(lines[format], text)
		f := ByName(format)
		if !f.Detect(NewLine([]byte(line))) {
			t.Errorf("%s does not know its line", format)
		}
		p, requests := f.New(fingerprint.AllFields), 0
		each(p, []byte(line), &r, func(_ int, why string) {
			if requests++; why != "" {
				t.Errorf("%s: %s", format, why)
			}
			got = string(r.Session)
		})
		if requests != 1 {
			t.Errorf("%s: %d requests", format, requests)
		}
		return got
	}
	withBody := map[string]bool{"har": true, "nginx-json": true, "caddy": true}
	for format := range lines {
		if got := session(format, "s-1"); got != "s-1" {
			t.Errorf("%s: session %q", format, got)
		}
		for _, text := range []string{"-", "", " ", "null", "NULL", "undefined", "None", "nil", "<nil>", "[REDACTED]", "********************", "redacted-by-litellm", "<redacted by the gateway>"} {
			want := ""
			if withBody[format] {
				want = "next"
			}
			if got := session(format, text); got != want {
				t.Errorf("%s: %q gives the session %q", format, text, got)
			}
		}
		for _, text := range []string{"none-1", "0", "null-", "--", "[batch 7] of the night"} {
			if got := session(format, text); got != text {
				t.Errorf("%s: %q gives the session %q", format, text, got)
			}
		}
	}
}

// TestResponses: calls that Claude Code writes one by one are of one response, if its
// id is one that Anthropic has drawn.
func TestResponses(t *testing.T) {
	f := func(id, want string) {
		t.Helper()
		call := `{"type":"assistant","sessionId":"s","uuid":"u","timestamp":"2026-11-21T04:00:18Z","message":{"id":"` + id + `","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}}`
		for _, line := range []string{call, `{"type":"user","sessionId":"s","timestamp":"2026-11-21T04:00:19Z","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]},"call":` + call + `}`} {
			var r fingerprint.Request
			r.Reset()
			if _, why := ByName("claude-code").New(0).Parse([]byte(line), &r); why != "" || string(r.Response) != want {
				t.Errorf("%q: response %q, %s; want %q", id, r.Response, why, want)
			}
		}
	}
	f("msg_01ABCDEFGHJKLMNPQRSTUVWX", "msg_01ABCDEFGHJKLMNPQRSTUVWX")
	f("msg_vrtx_01ABCDEFGHJKLMNPQRSTUVWX", "msg_vrtx_01ABCDEFGHJKLMNPQRSTUVWX")
	f("msg_1", "")
	f("chatcmpl-ABCDEFGHJKLMNPQRSTUVWXYZ", "")
}

// TestAgents: subagents are named beside the session that they share, and their
// names are no sessions.
func TestAgents(t *testing.T) {
	f := func(format, line, session, agent string) {
		t.Helper()
		for _, reads := range []fingerprint.Field{0, fingerprint.AllFields} {
			var r fingerprint.Request
			r.Reset()
			if _, why := ByName(format).New(reads).Parse([]byte(line), &r); why != "" || string(r.Session) != session || string(r.Agent) != agent {
				t.Errorf("%s: session %q, agent %q, %s", format, r.Session, r.Agent, why)
			}
		}
	}
	f("nginx-json", `{"msec":1,"http_x_claude_code_session_id":"s","http_x_claude_code_agent_id":"a"}`, "s", "a")
	f("nginx-json", `{"msec":1,"http_x_claude_code_session_id":"s","http_x_claude_code_agent_id":""}`, "s", "")
	f("nginx-json", `{"msec":1,"http_session_id":"s","http_thread_id":"a"}`, "s", "a")
	f("har", `{"startedDateTime":"2026-11-21T04:00:18Z","time":1,"request":{"method":"POST","url":"http://gw/v1/messages","headers":[{"name":"X-Claude-Code-Agent-Id","value":"a"},{"name":"X-Claude-Code-Session-Id","value":"s"}]},"response":{"status":200,"headers":[],"content":{}}}`, "s", "a")
	f("litellm", `{"startTime":1,"metadata":{"requester_custom_headers":{"x-claude-code-session-id":"s","x-claude-code-agent-id":"a"}}}`, "s", "a")
	f("claude-code", `{"type":"assistant","sessionId":"s","agentId":"a","timestamp":"2026-11-21T04:00:18Z","message":{"content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}}`, "s", "a")
	f("loopgauge", `{"time":1,"session":"s","agent":"a"}`, "s", "a")
}
