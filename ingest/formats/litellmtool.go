package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// litellmTool is what LiteLLM's MCP gateway says of a tool that a client has had run
// there. It is no call of a model, but a request all the same, as in the files of the
// agents' sessions.
type litellmTool struct {
	server, name []byte
	arguments    rawjson.Value
	session      []byte // of the client with the gateway
}

func (t *litellmTool) read(s *rawjson.Scanner) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "mcp_server_name":
			t.server = s.Text(t.server)
		case "name":
			t.name = s.Text(t.name)
		case "arguments":
			t.arguments = s.Value()
		case "mcp_session_id":
			t.session = readSession(s, t.session)
		}
	}
}

// ranTool puts the call of the tool and what came of it in the place of the messages,
// as the model is sent them next. LiteLLM has a word for none there.
func (p *litellm) ranTool(r *fingerprint.Request) {
	t := &p.tool
	r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
	r.Messages = fingerprint.Messages{Items: r.Messages.Items[:0]}
	if t.name == nil || t.arguments == nil { // it was not allowed
		r.Lost = fingerprint.LossyContent
		return
	}
	call := fingerprint.ToolCall{ID: r.ID, Name: appendMCPName(nil, t.server, t.name), Arguments: t.arguments}
	p.json = toolTurn(p.json[:0], r, call, t.arguments, p.toolResult(), p.reads)
}

// toolResult is what a tool has returned, or why it failed; nil where that is not
// logged.
func (p *litellm) toolResult() (content rawjson.Value) {
	s := &p.texts[3]
	s.Reset(p.response)
	for s.Object(); s.NextNamed("content"); {
		content = s.Value()
	}
	if content == nil && len(p.errorStr) > 0 {
		content = rawjson.AppendString(nil, p.errorStr)
	}
	return content
}
