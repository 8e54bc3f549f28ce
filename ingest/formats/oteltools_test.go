package formats

import (
	"strings"
	"testing"
)

// TestOtelTools: each run of a tool that Codex or Claude Code writes is a request,
// also where all are of one span.
func TestOtelTools(t *testing.T) {
	f := func(want string, records ...string) {
		t.Helper()
		line := `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"app"}}]},"scopeLogs":[{"scope":{"name":"x"},"logRecords":[` + strings.Join(records, ",") + `]}]}]}`
		areRequests(t, "otel", line, want)
	}
	codex := func(event string, attributes ...string) string {
		return `{"timeUnixNano":"0","observedTimeUnixNano":"1000000000","traceId":"t","spanId":"s",` +
			otelAttributes(append([]string{"event.name", event, "conversation.id", "c", "user.account_id", "u", "model", "m"}, attributes...)...) + `}`
	}
	const id = "call_ZsKc3vj8CPWrnUFiUzDf64xs"
	run := codex("codex.tool_result", "tool_name", "exec_command", "call_id", id, "arguments", `{"cmd":"ls"}`, "duration_ms", "250", "success", "true", "output", "a\nb")
	const ran = `1970-01-01T00:00:00.750000Z took=250ms id=` + id + ` user=u session=c model=m messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"` + id + `\",\"content\":\"a\\nb\"}" tail success=true`
	f(ran, strings.ReplaceAll(run, "\n", `\n`))
	f(ran+"\n"+ran, strings.ReplaceAll(run, "\n", `\n`), strings.ReplaceAll(run, "\n", `\n`))
	f(none, codex("codex.tool_decision", "tool_name", "exec_command", "call_id", id, "decision", "approved"), codex("codex.api_request"))
	// An id that may come again is none, and an empty output is one.
	f(`user=u session=c model=m messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"\"}" tail`,
		codex("codex.tool_result", "tool_name", "apply_patch", "call_id", "call_1", "arguments", "*** Begin Patch …[", "output", ""))
	// Codex does not know the tool, or was told to say nothing of it.
	const lost = ` lost="parts of the messages lost by the logger"`
	f(`user=u session=c model=m`+lost, codex("codex.tool_result", "tool_name", "f", "output", "unsupported call: f"))

	claude := func(attributes ...string) string {
		return `{"timeUnixNano":"1000000000","body":{"stringValue":"claude_code.tool_result"},` +
			otelAttributes(append([]string{"event.name", "tool_result", "session.id", "s", "user.id", "u", "user.email", "a@b", "event.sequence", `{"intValue":9}`}, attributes...)...) + `}`
	}
	const use = "toolu_01A09q90qw90lq917835lq9a"
	f(`1970-01-01T00:00:00.938000Z took=62ms id=`+use+` user=u session=s tool_calls=1 call=`+use+` name=Bash arguments="{\"command\":\"env\",\"description\":\"d\"}" success=true`,
		claude("tool_name", "Bash", "tool_use_id", use, "success", "true", "duration_ms", "62", "tool_parameters", `{"bash_command":"env","full_command":"env | sort"}`, "tool_input", `{"command":"env","description":"d"}`))
	f(`user=u session=s agent=a tool_calls=1 name=Bash arguments="{\"command\":\"env | sort\"}"`,
		claude("tool_name", "Bash", "agent_id", "a", "tool_parameters", `{"bash_command":"env","full_command":"env | sort"}`))
	f(`user=u session=s tool_calls=1 name=Bash arguments="{\"command\":\"env | sort\"}"`, claude("tool_parameters", `{"bash_command":"env | sort"}`, "tool_name", "Bash"))
	f(`user=u session=s tool_calls=1 name=mcp__jira__get arguments={}`, claude("tool_name", "mcp_tool", "tool_parameters", `{"mcp_server_name":"jira","mcp_tool_name":"get"}`, "tool_input", `{}`))
	// Without OTEL_LOG_TOOL_DETAILS all calls of a tool look alike.
	f(`user=u session=s`+lost, claude("tool_name", "Read", "tool_use_id", "1", "tool_parameters", `{"skill_name":"x"}`))
	for _, cut := range []string{`{"content":"begins…[600 chars]"}`, `{"edits":[{"a":"<nested>"}]}`, `{"a":1,"…":"30 keys"}`, `{"content":"beg…[truncated]`, `{"content":"beg`} {
		f(`user=u session=s lost="content truncated by the logger"`, claude("tool_name", "Write", "tool_input", cut))
	}
	f(`user=u session=s lost="content truncated by the logger"`, claude("tool_name", "Bash", "tool_parameters", `{"bash_command":"env","full_command":"env | so`))
	f(none, `{"timeUnixNano":"1000000000","body":{"stringValue":"claude_code.tool_decision"},`+otelAttributes("event.name", "tool_decision", "tool_name", "Bash")+`}`)
}
