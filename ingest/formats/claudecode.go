package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// claudeCode reads the files of Claude Code's sessions, or what it prints of one, whose
// results alone have times, and Qwen Code's, whose messages are Google's contents. A
// request is a call of a tool: the line of the assistant that issued it or, where the
// wrapper turns has put the two together, the line with the result, which has that one
// as its member call. The other lines, text and thinking of the same response among
// them, are no requests.
type claudeCode struct {
	sessionLines
	reads   fingerprint.Field
	content rawjson.Scanner
	gemini  gemini
	parts   bool // the message that was read last has parts, as a content
	said    []rawjson.Value
	all     []byte // these
}

// agentID is the name that a file of a session has for a subagent.
var agentID = []byte("agentId")

func newClaudeCode(reads fingerprint.Field) Parser { return &claudeCode{reads: reads} }

func (p *claudeCode) Parse(record []byte, r *fingerprint.Request) (int, string) {
	if column, why := p.read(record, func() { p.field(r) }); why != "" {
		return column, why
	}
	last := &p.lines[len(p.lines)-1]
	if string(last.kind) != "user" && string(last.kind) != "tool_result" { // it is no result
		p.lines = p.lines[len(p.lines)-1:]
	}
	asked := &p.lines[0]
	if string(asked.kind) != "assistant" || !p.asks(asked.message, r) {
		return 0, NoRequest
	}
	r.Time, r.ID = asked.time, first(r.ID, asked.id)
	r.Session, r.Agent = first(last.session, asked.session), first(last.agent, asked.agent)
	if asked == last {
		return 0, ""
	}
	if r.End = last.time; r.Time == fingerprint.NoTime {
		r.Time, r.End = r.End, fingerprint.NoTime
	}
	p.said, p.all = p.said[:0], p.all[:0]
	for i := range p.lines {
		p.said = append(p.said, p.lines[i].message)
		p.all = append(append(p.all, start(i, "[")...), p.lines[i].message...)
	}
	answered(r, p.said, p.reads)
	if p.all = append(p.all, ']'); p.parts && areContents(&p.content, p.all) {
		p.gemini.bare(p.all, &r.Messages, p.reads)
		r.Messages.Tail = true
	}
	return 0, ""
}

// field reads a member of a line.
func (p *claudeCode) field(r *fingerprint.Request) {
	line, s := &p.now, &p.scan
	switch string(s.Key) {
	case "uuid":
		line.id = value(s, line.id)
	case "sessionId", "session_id":
		line.session = value(s, line.session)
	case "message":
		line.message = s.Value()
	case "model":
		r.Model = s.Text(r.Model)
	case "usageMetadata":
		readUsageMetadata(s, r)
	case "agentId", "parent_tool_use_id": // of a subagent
		line.agent = value(s, line.agent)
		setAttribute(r, agentID, line.agent, p.reads)
	case "isSidechain", "version", "gitBranch", "cwd":
		readAttribute(s, r, p.reads)
	}
}

// asks reads a message of the assistant and tells whether it calls a tool. What
// is gone back on in a session is written into its file again, with lines' ids
// that are new: Anthropic's id of the call tells that it is the same. That of the
// response tells which calls were made side by side, each with the usage of all.
func (p *claudeCode) asks(message rawjson.Value, r *fingerprint.Request) bool {
	if message.Kind() != rawjson.Object {
		return false
	}
	calls := false
	p.parts = false
	s := &p.content
	s.Reset(message)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "id":
			if id := value(s, nil); drawn(id, "msg_") {
				r.Response = id
			}
		case "model":
			r.Model = value(s, r.Model)
		case "usage":
			readUsage(s, r)
		case "content":
			for s.Array(); s.NextElement(); {
				item := readItem(s)
				if !calls && item.isCall() {
					if calls = true; drawn(item.call.ID, "toolu_") {
						r.ID = item.call.ID
					}
				}
				if p.reads&fingerprint.ReadsResponse != 0 {
					item.keep(r)
				}
			}
		case "parts":
			p.parts = true
			for s.Array(); s.NextElement(); {
				call, ok := readFunctionCall(s)
				calls = calls || ok
				if ok && p.reads&fingerprint.ReadsResponse != 0 {
					r.ToolCalls = append(r.ToolCalls, call)
				}
			}
		}
	}
	r.ToolCallsLogged = true
	return calls
}
