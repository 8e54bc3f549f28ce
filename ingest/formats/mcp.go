package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// mcpCall is a tool that a client of MCP has had run, as the body of its request has
// it: JSON-RPC's method tools/call. The other methods, and those of other protocols in
// JSON-RPC, are no calls.
type mcpCall struct {
	version, method []byte
	id              rawjson.Value
	name            []byte
	arguments       rawjson.Value
}

// field reads a member of the body.
func (c *mcpCall) field(s *rawjson.Scanner) {
	switch string(s.Key) {
	case "jsonrpc":
		c.version = s.Text(c.version)
	case "method":
		c.method = s.Text(c.method)
	case "id":
		c.id = s.Value()
	case "params":
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "name":
				c.name = s.Text(c.name)
			case "arguments":
				c.arguments = s.Value()
			}
		}
	}
}

// isRPC tells a body of JSON-RPC, which is none for a model.
func (c *mcpCall) isRPC() bool { return c.version != nil && c.method != nil }

func (c *mcpCall) isCall() bool {
	return c.isRPC() && string(c.method) == "tools/call" && len(c.name) > 0
}

// ran makes a request of the call, with what came of it where the response has that:
// of one that failed on the way, what it says.
func (a *access) ran(c *mcpCall, r *fingerprint.Request) {
	content := a.answer.mcp(a.response)
	a.json = a.json[:0]
	if content == nil && a.response != nil && r.Status >= 400 {
		a.json = rawjson.AppendString(a.json, a.response)
		content = a.json
	}
	if content == nil {
		r.Lost = fingerprint.NoResponse
	}
	if c.arguments == nil {
		c.arguments = noArguments
	}
	r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
	call := fingerprint.ToolCall{ID: c.id, Name: c.name, Arguments: c.arguments}
	a.json = toolTurn(a.json, r, call, c.arguments, content, a.reads)
}

// mcp is what a tool of MCP has returned, or why it failed, of a response that is JSON
// or events; nil if it is neither. In front of the event with that may be others, of
// how far it is, and of what the server wants to know.
func (p *answer) mcp(body []byte) (content rawjson.Value) {
	if body = bytes.TrimLeft(body, " \t\r\n"); !wrap.IsEvents(body) {
		return p.mcpResult(body)
	}
	for data := range eventData(body) {
		if content = p.mcpResult(data); content != nil {
			break
		}
	}
	return content
}

// mcpResult is the content of a result, or what stands for it, or the message of an error.
func (p *answer) mcpResult(body []byte) (content rawjson.Value) {
	var structured rawjson.Value
	s := &p.calls
	s.Reset(body)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "result":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "content":
					content = s.Value()
				case "structuredContent":
					structured = s.Value()
				}
			}
		case "error":
			for s.Object(); s.NextNamed("message"); {
				content = s.Value()
			}
		}
	}
	if s.End() != nil { // cut
		return nil
	}
	if structured != nil && len(content) <= len(`[]`) { // a server should write the same as text, and need not
		return structured
	}
	return content
}
