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

// TestOtelSpringTools: Spring AI's spans of tools, whose calls of a model have nothing of
// what was said.
func TestOtelSpringTools(t *testing.T) {
	f := func(want string, spans ...string) {
		t.Helper()
		areRequests(t, "otel", otelSpans(spans...), want)
	}
	span := func(id, parent, start, end string, attributes ...string) string {
		return `{"traceId":"t","spanId":"` + id + `","parentSpanId":"` + parent + `","startTimeUnixNano":"` + start + `00000000","endTimeUnixNano":"` + end + `00000000",` + otelAttributes(attributes...) + `}`
	}
	tool := func(id, parent, start, end string, attributes ...string) string {
		return span(id, parent, start, end, append([]string{"gen_ai.operation.name", "execute_tool", "spring.ai.tool.definition.name", "f", "spring.ai.tool.call.id", "c"}, attributes...)...)
	}
	const arguments, result, conversation = "spring.ai.tool.call.arguments", "spring.ai.tool.call.result", "spring.ai.chat.client.conversation.id"
	const from13, ran = "1970-01-01T00:00:01.300000Z took=100ms id=a named", ` messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"no\"}" tail`
	whole := tool("a", "m", "13", "14", arguments, `{"x":1}`, result, "no")
	chat := span("m", "r", "11", "12", "gen_ai.operation.name", "chat")
	const asked = "1970-01-01T00:00:01.100000Z took=100ms id=m named"
	f(from13+" session=s"+ran+"\n"+asked+" session=s", whole, chat, span("r", "", "10", "20", conversation, "s"))
	f(from13+" session=t"+ran, whole)                                                                         // what is around it comes later
	f(from13+" session=t"+ran, whole, span("r", "", "1", "20"), span("m", "r", "2", "19", conversation, "s")) // and calls of it came before
	f(from13+" session=own"+ran, tool("a", "m", "13", "14", arguments, `{"x":1}`, result, "no", "session.id", "own"))
	f(from13+ran, tool("a", "", "13", "14", arguments, `{"x":1}`, result, "no"))
	f(from13+` tool_calls=1 call=c name=f arguments={}`, tool("a", "", "13", "14", arguments, `{}`))
	f(from13+` lost="content truncated by the logger"`, tool("a", "", "13", "14", arguments, `{"x":`, result, "no"))
	f("column 0: no request in it", tool("a", "m", "13", "14"))
	// Of Mastra, by the names of the conventions, beside a call of the model without what was called.
	mastra := span("a", "m", "13", "14", "gen_ai.operation.name", "execute_tool", "mastra.span.type", "tool_call", "gen_ai.tool.name", "f", "gen_ai.tool.call.id", "c",
		"gen_ai.tool.call.arguments", `{"x":1}`, "gen_ai.tool.call.result", "no", "mastra.metadata.sessionId", "s")
	f(from13+" session=s"+ran+"\n"+asked, mastra, span("m", "r", "11", "12", "gen_ai.operation.name", "chat", "mastra.span.type", "model_inference",
		"gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":""}]}]`, "gen_ai.response.finish_reasons", `["tool-calls"]`))
	f("column 0: no request in it", strings.Replace(mastra, "mastra.span.type", "other.span.type", 1))
	// Inside a call, as in a stream.
	f(from13+" session=t"+ran+"\n1970-01-01T00:00:01.100000Z took=900ms id=m named", whole, span("m", "r", "11", "20", "gen_ai.operation.name", "chat"))
	// Also one that is told by its model alone.
	f(from13+" session=t"+ran+"\n1970-01-01T00:00:01.100000Z took=900ms id=m named model=x tokens_in=3", whole, span("m", "r", "11", "20", "gen_ai.request.model", "x", "gen_ai.usage.input_tokens", `{"intValue":3}`))
}

// TestOtelCopilot: GitHub's Copilot CLI writes into a call of a model what is new alone, so
// that a call stands with what came of it on the span of the tool. That it was called is
// not counted again.
func TestOtelCopilot(t *testing.T) {
	f := func(want, library string, attributes string) {
		t.Helper()
		areRequests(t, "otel", `{"type":"span","traceId":"t","spanId":"a","parentSpanId":"b","name":"n","kind":0,"startTime":[1,0],"endTime":[1,500000000],"attributes":{`+attributes+
			`},"status":{"code":0},"events":[],"resource":{"attributes":{"service.name":"github-copilot"}},"instrumentationScope":{"name":"`+library+`"}}`, want)
	}
	const tool = `"gen_ai.operation.name":"execute_tool","gen_ai.conversation.id":"s","gen_ai.tool.name":"bash","gen_ai.tool.call.id":"c"`
	const ran, of = `,"gen_ai.tool.call.arguments":"{\"command\":\"ls\"}"`, "took=500ms id=a caller=github-copilot named session=s"
	f(of+` messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"a\"}" tail tool_calls=0`, "github.copilot", tool+ran+`,"gen_ai.tool.call.result":"a"`)
	f(of+` tool_calls=0 lost="parts of the messages lost by the logger"`, "github.copilot", tool+`,"gen_ai.tool.call.result":"a"`)
	f(none, "github.copilot", tool+ran)
	f(none, "other", tool+ran+`,"gen_ai.tool.call.result":"a"`)
	f(of+` model=m tokens_in=3`, "github.copilot", `"gen_ai.operation.name":"chat","gen_ai.conversation.id":"s","gen_ai.request.model":"m","gen_ai.usage.input_tokens":3`)
	areRequests(t, "otel", `{"type":"metric","name":"n","dataPoints":[],"resource":{"attributes":{}},"instrumentationScope":{"name":"github.copilot"}}`, none)
}
