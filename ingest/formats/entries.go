package formats

import (
	"path"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// entries reads the files of sessions of pi and OpenClaw, which is made with it, and of
// GitHub's Copilot CLI, whose lines hold an entry or event each. As with [claudeCode] a
// request is the line of a response that calls tools or, where the wrapper turns has put
// them together, that of the last result, which has the one before as its member call.
// No line but the first says whose session it is; the name of the file does.
type entries struct {
	sessionFile
	sessionLines
	reads fingerprint.Field
	item  rawjson.Scanner
	calls []fingerprint.ToolCall
	said  []rawjson.Value
	json  []byte // these
	ends  []int  // of each in it
}

func newPi(reads fingerprint.Field) Parser { return newEntries(reads, piSession) }

func newCopilot(reads fingerprint.Field) Parser { return newEntries(reads, copilotSession) }

// newEntries reads sessions that are called by a UUID, and what may follow it.
func newEntries(reads fingerprint.Field, named func(name string) string) *entries {
	return &entries{reads: reads, sessionFile: sessionFile{named: func(name string) string {
		const id = len("019ab3c4-0000-7000-8000-000000000001")
		session := named(name)
		if len(session) < id || !isMadeUp([]byte(session[:id])) {
			return ""
		}
		return session
	}}}
}

// piSession is that in 2026-11-21T03-27-40-123Z_SESSION.jsonl, or OpenClaw's
// SESSION.jsonl, where more may follow a hyphen.
func piSession(name string) string {
	stem := stemOf(name)
	if _, behind, ok := strings.Cut(stem, "_"); ok {
		return behind
	}
	return stem
}

// copilotSession is that in SESSION/events.jsonl, or in another name.
func copilotSession(name string) string {
	if stem := stemOf(name); stem != "events" {
		return stem
	}
	return path.Base(path.Dir(strings.ReplaceAll(name, `\`, "/")))
}

func (p *entries) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.calls = p.calls[:0]
	if column, why := p.read(record, p.field); why != "" {
		return column, why
	}
	asked, last := &p.lines[0], &p.lines[len(p.lines)-1]
	if !p.asks(asked, r) {
		return 0, NoRequest
	}
	r.Time, r.Session = asked.time, p.session
	if r.ID = asked.id; drawn(p.calls[0].ID, "call_") || drawn(p.calls[0].ID, "toolu_") {
		r.ID = p.calls[0].ID
	}
	if asked == last {
		issued(r, p.reads, p.calls...)
		return 0, ""
	}
	r.End = last.time
	p.said = p.said[:0]
	if p.reads&fingerprint.ReadsMessages != 0 {
		p.reword()
	}
	answered(r, p.said, p.reads)
	return 0, ""
}

// field reads a member of a line.
func (p *entries) field() {
	s := &p.scan
	switch string(s.Key) {
	case "id":
		p.now.id = value(s, p.now.id)
	case "message", "data":
		p.now.message = s.Value()
	}
}

// asks reads a line and tells whether it is a response that calls tools. What came
// before a session was forked is in the file of the new one again: the provider's id of
// the call, or that of the line, tells that it is the same.
func (p *entries) asks(line *sessionLine, r *fingerprint.Request) bool {
	role := line.kind
	s := &p.item
	s.Reset(line.message)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "role":
			role = s.Text(nil)
		case "model":
			r.Model = value(s, r.Model)
		case "provider":
			r.Backend = value(s, r.Backend)
		case "usage":
			readPiUsage(s, r)
		case "content":
			for s.Array(); s.NextElement(); {
				if item := readItem(s); item.isCall() {
					p.calls = keepCall(p.calls, item.call)
				}
			}
		case "toolRequests":
			for s.Array(); s.NextElement(); {
				p.calls = readToolCall(s, p.calls)
			}
		}
	}
	return (string(role) == "assistant" || string(role) == "assistant.message") && len(p.calls) > 0
}

// readPiUsage reads the tokens of a response, of which those that a cache had no part in
// stand beside the others, and the cost.
func readPiUsage(s *rawjson.Scanner, r *fingerprint.Request) {
	const none = fingerprint.Unknown
	input, read, written := int64(none), int64(none), int64(none)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "input":
			input = readCount(s, input)
		case "cacheRead":
			read = readCount(s, read)
		case "cacheWrite":
			written = readCount(s, written)
		case "output":
			r.TokensOut = readCount(s, r.TokensOut)
		case "cost":
			for s.Object(); s.NextNamed("total"); {
				r.Cost = readCost(s, r.Cost)
			}
		}
	}
	if input != none {
		r.TokensIn, r.TokensCached = input+max(read, 0)+max(written, 0), read
	}
}

// reword writes the calls and their results in OpenAI's words.
func (p *entries) reword() {
	p.json = append(p.json[:0], `{"role":"assistant","tool_calls":`...)
	p.ends = p.ends[:0]
	for i := range p.calls {
		call := &p.calls[i]
		p.json = appendCall(append(p.json, start(i, "[")...), call)
		p.json = append(rawjson.AppendString(p.json, call.Arguments), "}}"...)
	}
	p.json = append(p.json, "]}"...)
	p.ends = append(p.ends, len(p.json))
	s := &p.item
	for _, line := range p.lines[1:] {
		var id []byte
		var content rawjson.Value
		s.Then(line.message)
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "toolCallId":
				id = s.Text(nil)
			case "content":
				content = s.Value()
			case "result", "error": // of Copilot
				for s.Object(); s.NextKey(); {
					switch string(s.Key) {
					case "content", "message":
						content = s.Value()
					}
				}
			}
		}
		p.json = appendResult(p.json, id, content)
		p.ends = append(p.ends, len(p.json))
	}
	p.said = apart(p.said, p.json, 0, p.ends)
}
