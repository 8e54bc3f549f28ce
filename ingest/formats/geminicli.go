package formats

import (
	"bytes"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// geminiCLI reads the files of Gemini CLI's sessions. A request is a response of the model
// that calls tools, which is written anew once they have run, with what came of them: that
// line alone has the calls. No line but the first says whose session it is; the name of
// the file does. Older versions keep the same messages in a document.
type geminiCLI struct {
	sessionFile
	reads   fingerprint.Field
	scan    rawjson.Scanner
	gemini  gemini
	calls   []fingerprint.ToolCall
	results []byte // parts, with a comma before each
	said    []byte // contents, the calls and their results
}

func newGeminiCLI(reads fingerprint.Field) Parser {
	return &geminiCLI{sessionFile: sessionFile{named: geminiCLISession}, reads: reads}
}

func isGeminiCLI(m wrap.Members) bool {
	return m.Has("id", "timestamp", "content") && speaks(m["type"], m["content"]) || m.Has("$set") && len(m) == 1 || m.Has("sessionId", "projectHash", "startTime")
}

// speaks tells the type of a message. What people say in the chats of others is a text,
// not Google's list of parts.
func speaks(kind, content rawjson.Value) bool {
	return string(kind) == `"gemini"` || string(kind) == `"user"` && bytes.HasPrefix(content, []byte("["))
}

// geminiCLISession is what the session's id begins with, in
// session-2026-11-21T03-27-1a384d08.jsonl.
func geminiCLISession(name string) string {
	stem := stemOf(name)
	if !strings.HasPrefix(stem, "session-") {
		return ""
	}
	return stem[strings.LastIndexByte(stem, '-')+1:]
}

func (p *geminiCLI) Parse(record []byte, r *fingerprint.Request) (int, string) {
	var kind []byte
	s := &p.scan
	s.Reset(record)
	p.calls, p.results = p.calls[:0], p.results[:0]
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "type":
			kind = s.Text(kind)
		case "id":
			r.ID = value(s, r.ID)
		case "timestamp":
			r.Time = readTime(s, r.Time)
		case "model":
			r.Model = value(s, r.Model)
		case "tokens":
			p.tokens(r)
		case "toolCalls":
			for s.Array(); s.NextElement(); {
				p.toolCall(r)
			}
		}
	}
	if column, why := wrap.Failure(s); why != "" {
		return column, why
	}
	if string(kind) != "gemini" || len(p.calls) == 0 {
		return 0, NoRequest
	}
	r.Session = p.session
	if len(p.results) == 0 {
		issued(r, p.reads, p.calls...)
		return 0, ""
	}
	p.said = append(p.said[:0], `[{"role":"model","parts":[`...)
	for i := range p.calls {
		call := &p.calls[i]
		p.said = rawjson.AppendString(append(append(p.said, start(i, "")...), `{"functionCall":{"id":`...), call.ID)
		p.said = rawjson.AppendString(append(p.said, `,"name":`...), call.Name)
		p.said = fill(p.said, `,"args":%}}`, call.Arguments)
	}
	p.said = fill(p.said, `]},{"role":"user","parts":[%]}]`, p.results[1:])
	p.gemini.bare(p.said, &r.Messages, p.reads)
	r.Messages.Tail = true
	return 0, ""
}

// toolCall reads a call, and what came of it.
func (p *geminiCLI) toolCall(r *fingerprint.Request) {
	var call fingerprint.ToolCall
	s := &p.scan
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "result":
			for s.Array(); s.NextElement(); {
				p.results = fill(p.results, `,%`, s.Value())
			}
		case "timestamp":
			r.End = max(r.End, readTime(s, r.End))
		default:
			readCallMember(s, &call)
		}
	}
	p.calls = keepCall(p.calls, call)
}

// tokens reads those of the response. Those of its own tools' results are tokens that it
// read, thoughts are tokens that it wrote.
func (p *geminiCLI) tokens(r *fingerprint.Request) {
	const none = fingerprint.Unknown
	input, tool, output, thoughts := int64(none), int64(0), int64(none), int64(0)
	s := &p.scan
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "input":
			input = readCount(s, input)
		case "tool":
			tool = readCount(s, tool)
		case "output":
			output = readCount(s, output)
		case "thoughts":
			thoughts = readCount(s, thoughts)
		case "cached":
			r.TokensCached = readCount(s, r.TokensCached)
		}
	}
	if input != none {
		r.TokensIn = input + tool
	}
	if output != none {
		r.TokensOut = output + thoughts
	}
}
