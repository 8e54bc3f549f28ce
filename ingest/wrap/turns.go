package wrap

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// turns puts the calls of tools and their results together that Claude Code
// writes on lines of their own in the file of a session:
//
//	{"type":"assistant",...,"message":{"id":"msg_1","content":[{"type":"tool_use","id":"toolu_1",...}]}}
//	{"type":"user",...,"message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1",...}]}}
//
// becomes the second with the first as its member call. So do those of Qwen Code, whose
// content is Google's, those of pi, and those of GitHub's Copilot CLI. Of several calls
// on a line whose results come on lines of their own, each result gets what there was
// before as its member. A call without a result comes alone, as soon as the same agent
// has gone on without it. Codex writes its own in the words of the Responses API, and the
// tokens of a response behind its calls or behind their results: they become the member
// usage of the first.
type turns struct {
	gather[turnLine]
	now  turnLine
	scan rawjson.Scanner
	text []byte
}

type turnLine struct {
	kind, agent, message []byte   // type, agentId or parent_tool_use_id, and message.id
	role                 []byte   // message.role
	item, callID         []byte   // payload.type and payload.call_id
	usage                bool     // payload.info or payload.usage is there
	side                 bool     // isSidechain
	uses, results        [][]byte // ids of the calls and results on it
	tokens               bool     // it has those of the response whose calls came before
	counted              bool     // a call: the tokens of its response are known, or on its line
	answered             bool     // a call: its results are known
}

func isOfSession(m Members) bool {
	return (IsTurn(m) || IsRollout(m) || IsEntry(m) || IsEvent(m)) && !m.Has("call")
}

// IsTurn tells a line of a session by the names of its members, or one of what Claude
// Code prints. Observations of Langfuse, too, have a type and a session, and a startTime.
func IsTurn(m Members) bool {
	return m.Has("type") && !m.Has("startTime") && (m.Has("sessionId") || m.Has("leafUuid", "summary") || m.Has("messageId", "snapshot") ||
		m.Has("session_id", "parent_tool_use_id") || m.Has("session_id", "subtype", "uuid"))
}

// IsEntry tells a line of a session of pi by the names of its members and the value of
// its type.
func IsEntry(m Members) bool {
	switch string(m["type"]) {
	case `"session"`:
		return m.Has("id", "timestamp", "cwd")
	case `"message"`:
		return m.Has("id", "parentId", "timestamp", "message")
	case `"custom"`, `"custom_message"`:
		return m.Has("id", "parentId", "timestamp", "customType")
	case `"model_change"`, `"thinking_level_change"`, `"compaction"`, `"branch_summary"`, `"label"`, `"session_info"`:
		return m.Has("id", "parentId", "timestamp")
	}
	return false
}

// IsEvent tells a line of a session of GitHub's Copilot CLI likewise. Events of others
// have such names, too, and types of their own.
func IsEvent(m Members) bool {
	of, _, dotted := bytes.Cut(m["type"], []byte("."))
	switch string(of) {
	case `"assistant`, `"hook`, `"session`, `"subagent`, `"system`, `"tool`, `"user`:
		return dotted && m.Has("id", "parentId", "timestamp", "data")
	}
	return false
}

func (p *turns) Unwrap(line Line, next func(Line)) string {
	if !p.read(line.Text) {
		next(line)
		return ""
	}
	now := &p.now
	if len(now.message) > 0 {
		p.release(next, func(held *turnLine) bool {
			return held.side == now.side && bytes.Equal(held.agent, now.agent) && !bytes.Equal(held.message, now.message)
		})
	}
	counted := now.tokens && p.count(line.Text) // they are a call's now
	if len(now.results) == 0 {
		p.release(next, func(held *turnLine) bool { return held.answered })
	}
	switch {
	case len(now.uses) > 0:
		p.hold(line, now.clone())
	case len(now.results) > 0:
		p.answered(line, next)
	case !counted:
		next(line)
	}
	if p.waited() {
		p.release(next, func(*turnLine) bool { return true })
	}
	return ""
}

// read looks into a line. It is false for what is no object.
func (p *turns) read(line []byte) bool {
	now, s := &p.now, &p.scan
	*now = turnLine{uses: now.uses[:0], results: now.results[:0]}
	var uuid, id []byte
	s.Reset(line)
	if s.Kind() != rawjson.Object {
		return false
	}
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "type":
			now.kind = s.Text(nil)
		case "uuid":
			uuid = s.Text(nil)
		case "id":
			id = s.Text(nil)
		case "agentId", "parent_tool_use_id":
			now.agent = s.Text(nil)
		case "isSidechain":
			now.side, _ = s.Bool()
		case "payload":
			p.payload()
		case "data":
			p.event()
		case "message":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "id":
					now.message = s.Text(nil)
				case "role":
					now.role = s.Text(nil)
				case "toolCallId":
					now.results = append(now.results, s.Text(nil))
				case "content":
					p.content()
				case "parts":
					p.googles()
				}
			}
		}
	}
	if s.End() != nil {
		return false
	}
	kind := now.kind
	if string(kind) == "message" { // of pi
		kind, uuid = now.role, id
	}
	switch string(kind) {
	case "assistant", "assistant.message":
		now.results = now.results[:0]
		if now.message == nil { // of Qwen Code, whose messages are on one line
			now.message = uuid
		}
	case "user", "tool_result", "toolResult", "tool.execution_complete":
		now.message, now.uses = nil, now.uses[:0]
	default:
		now.message, now.uses, now.results = nil, now.uses[:0], now.results[:0]
		now.rollout()
	}
	return true
}

// content notes the ids in a list of content blocks.
func (p *turns) content() {
	s := &p.scan
	for s.Array(); s.NextElement(); {
		var kind, id, of []byte
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "type":
				kind = s.Text(nil)
			case "id":
				id = s.Text(nil)
			case "tool_use_id":
				of = s.Text(nil)
			}
		}
		switch string(kind) {
		case "tool_use", "toolCall":
			p.now.uses = append(p.now.uses, id)
		case "tool_result":
			p.now.results = append(p.now.results, of)
		}
	}
}

// event notes the ids in what a line of Copilot is about.
func (p *turns) event() {
	now, s := &p.now, &p.scan
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "messageId":
			now.message = s.Text(nil)
		case "toolCallId":
			now.results = append(now.results, s.Text(nil))
		case "toolRequests":
			for s.Array(); s.NextElement(); {
				for s.Object(); s.NextNamed("toolCallId"); {
					now.uses = append(now.uses, s.Text(nil))
				}
			}
		}
	}
}

// googles notes the ids in a list of Google's parts.
func (p *turns) googles() {
	s := &p.scan
	for s.Array(); s.NextElement(); {
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "functionCall":
				for s.Object(); s.NextNamed("id"); {
					p.now.uses = append(p.now.uses, s.Text(nil))
				}
			case "functionResponse":
				for s.Object(); s.NextNamed("id"); {
					p.now.results = append(p.now.results, s.Text(nil))
				}
			}
		}
	}
}

// clone copies what lies in the memory of the scanner.
func (t *turnLine) clone() turnLine {
	c := turnLine{agent: bytes.Clone(t.agent), message: bytes.Clone(t.message), side: t.side, counted: t.item == nil}
	for _, id := range t.uses {
		c.uses = append(c.uses, bytes.Clone(id))
	}
	return c
}

// answered hands on the results on a line with the calls that they belong to,
// or as they are if there are none. Calls on one line wait for the results of all, and
// a call whose tokens are not known for the next line that is no result.
func (p *turns) answered(line Line, next func(Line)) {
	found := false
	slices.SortFunc(p.now.results, bytes.Compare) // a line may hold any number of them
	for i := 0; i < len(p.held); {
		call := &p.held[i]
		if !call.key.take(p.now.results) {
			i++
			continue
		}
		found = true
		p.text = withMember(p.text[:0], "call", call.text, line.Text)
		call.text = append(call.text[:0], p.text...)
		if call.key.answered = len(call.key.uses) == 0; !call.key.answered || !call.key.counted {
			i++
			continue
		}
		next(call.line())
		p.remove(i)
	}
	if !found {
		next(line)
	}
}

// MaxResults is for how many calls on one line the results are put together, each of
// which is copied with those before: no response has as many.
const MaxResults = 64

// take forgets the calls on the line that one of the results, which are sorted, is of,
// and tells whether there were any. Of too many the first result is that of all.
func (t *turnLine) take(results [][]byte) bool {
	of := func(id []byte) bool {
		_, found := slices.BinarySearchFunc(results, id, bytes.Compare)
		return found
	}
	before := len(t.uses)
	if before > MaxResults && slices.ContainsFunc(t.uses, of) {
		t.uses = nil
	}
	t.uses = slices.DeleteFunc(t.uses, of)
	return len(t.uses) < before
}

func (p *turns) Drop(next func(Line), _ func(fingerprint.Position)) {
	p.release(next, func(*turnLine) bool { return true })
	p.lines = 0
}
