package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// ranTool is what a log record or a span says of a tool that an agent has run. It is no call
// of a model, but a request all the same, as in the files of the agents' sessions.
type ranTool struct {
	name, server, inner []byte // of tools of MCP whose name is hidden, the server and its name there
	id                  []byte
	arguments           []byte
	output              []byte
	cut                 bool // arguments are
	took                int64
}

// tool fills a request from the record of a tool that Codex or Claude Code has run.
func (p *otelCall) tool(l *otelLog, r *fingerprint.Request) {
	ran := ranTool{took: fingerprint.NoTime}
	p.json = p.json[:0]
	r.Time, r.Session, r.User, r.Agent = l.time, l.session, l.user, first(l.agent, l.agentID)
	s := &p.scan
	s.Reset(l.attributes)
	eachAttribute(s, func(key []byte) {
		switch string(key) {
		case "tool_name":
			ran.name = otelText(s)
		case "call_id", "tool_use_id":
			ran.id = otelText(s)
		case "arguments":
			ran.arguments = otelText(s)
		case "tool_input":
			ran.arguments = otelText(s)
			ran.cut = isCutInput(ran.arguments) || len(ran.arguments) > 0 && !isWhole(&p.said, ran.arguments)
		case "tool_parameters":
			p.toolParameters(otelText(s), &ran)
		case "output":
			ran.output = otelText(s)
		case "duration_ms":
			ran.took = parseMillis(otelText(s), ran.took)
		case "model":
			r.Model = otelText(s)
		case "conversation.id":
			if t := otelText(s); fingerprint.NamesSession(t) {
				r.Session = first(r.Session, t)
			}
		case "user.account_id", "user.email":
			r.User = first(r.User, otelText(s))
		case "agent_id":
			r.Agent = first(r.Agent, otelText(s))
		case "success":
			setAttribute(r, key, otelText(s), p.reads)
		}
	})
	r.Session, r.User = l.unlessNamed(r.Session, r.User)
	began(r, ran.took)
	if drawn(ran.id, "toolu_") || drawn(ran.id, "call_") {
		r.ID = ran.id
	}
	p.ran(&ran, r)
}

// toolSpan fills a request from the span of a tool.
func (p *otelCall) toolSpan(sp *otelSpan, r *fingerprint.Request) {
	var ran ranTool
	p.json = p.json[:0]
	r.ID, r.Time, r.End = sp.id, sp.start, sp.end
	r.Session, r.User, r.Agent = sp.session, sp.user, first(sp.agent, sp.agentID)
	r.Caller, r.CallerIsName = sp.service, true
	s := &p.scan
	s.Reset(sp.attributes)
	eachAttribute(s, func(key []byte) {
		switch string(key) {
		case "spring.ai.tool.definition.name", "gen_ai.tool.name":
			ran.name = otelText(s)
		case "spring.ai.tool.call.id", "gen_ai.tool.call.id":
			ran.id = otelText(s)
		case "spring.ai.tool.call.arguments", "gen_ai.tool.call.arguments":
			ran.arguments = otelText(s)
			ran.cut = !isWhole(&p.said, ran.arguments)
		case "spring.ai.tool.call.result", "gen_ai.tool.call.result":
			ran.output = otelText(s)
		}
	})
	// The span that names the session is exported later than most inside it. The tools of
	// one run are in one trace.
	if r.Session == nil && len(sp.parent) > 0 {
		r.Session = sp.trace
	}
	ran.id = first(ran.id, sp.id) // Spring AI 1.1 has none
	p.ran(&ran, r)
	if isCopilot(sp.library) { // that it was called stands in the call of the model
		r.ToolCallsLogged = true
	}
}

// toolParameters reads what Claude Code said of a tool before it wrote its input, and
// says beside it: the command of a shell, and which tool of which server.
func (p *otelCall) toolParameters(text []byte, ran *ranTool) {
	var command, head []byte
	b := &p.said
	b.Reset(text)
	for b.Object(); b.NextKey(); {
		switch string(b.Key) {
		case "full_command":
			command = b.Text(command)
		case "bash_command": // all of it in versions without the other
			head = b.Text(head)
		case "mcp_server_name":
			ran.server = b.Text(ran.server)
		case "mcp_tool_name":
			ran.inner = b.Text(ran.inner)
		}
	}
	if command = first(command, head); command != nil && ran.arguments == nil {
		from := len(p.json)
		p.json = rawjson.AppendString(append(p.json, `{"command":`...), command)
		p.json = append(p.json, '}')
		ran.arguments, ran.cut = p.made(from), b.End() != nil
	}
}

// ran writes the call of a tool, with what came of it as the model is sent it next
// where that was logged.
func (p *otelCall) ran(ran *ranTool, r *fingerprint.Request) {
	if string(ran.name) == "mcp_tool" && ran.inner != nil {
		from := len(p.json)
		p.json = appendMCPName(p.json, ran.server, ran.inner)
		ran.name = p.made(from)
	}
	switch {
	case ran.name == nil || ran.arguments == nil:
		r.Lost = fingerprint.LossyContent // it was not to be logged
	case ran.cut:
		r.Lost = fingerprint.TruncatedContent
	default:
		call := fingerprint.ToolCall{ID: ran.id, Name: ran.name, Arguments: ran.arguments}
		arguments, output := p.quoted(ran.arguments), p.quoted(ran.output)
		p.json = toolTurn(p.json, r, call, arguments, output, p.reads)
	}
}

// isCutInput tells an input that Claude Code has cut: long texts and lists to their
// beginning, what lies deep to a word, all of it at its end. The limit that the SDK can
// be given for attributes leaves no sign, and no end.
func isCutInput(input []byte) bool {
	return bytes.Contains(input, []byte("…[")) || bytes.Contains(input, []byte(`"…":`)) || bytes.Contains(input, []byte(`"<nested>"`))
}
