package formats

import (
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// codex reads the files of Codex's sessions. As with [claudeCode] a request is a
// call of a tool: its line or, where the wrapper turns has put the two together,
// the line with the result, which has that one as its member call. No line of them
// says whose session it is; the name of the file does.
type codex struct {
	sessionFile
	sessionLines
	reads fingerprint.Field
	item  rawjson.Scanner
	usage rawjson.Value
}

func newCodex(reads fingerprint.Field) Parser {
	return &codex{sessionFile: sessionFile{named: codexSession}, reads: reads}
}

// codexSession is that in rollout-2026-11-21T03-27-40-SESSION.jsonl.
func codexSession(name string) string {
	const front = "rollout-2006-01-02T15-04-05-"
	stem := stemOf(name)
	if !strings.HasPrefix(stem, "rollout-") || len(stem) <= len(front) {
		return ""
	}
	return stem[len(front):]
}

func (p *codex) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.usage = nil
	if column, why := p.read(record, p.field); why != "" {
		return column, why
	}
	last := &p.lines[len(p.lines)-1]
	asked := last
	if len(p.lines) > 1 { // with its result
		asked = &p.lines[len(p.lines)-2]
		r.End = last.time
	}
	p.tokens(r)
	if string(asked.kind) != "response_item" || !p.asks(asked.message, r) {
		return 0, NoRequest
	}
	r.Time, r.Session = asked.time, p.session
	if asked != last {
		answered(r, []rawjson.Value{asked.message, last.message}, p.reads)
	}
	return 0, ""
}

// field reads a member of a line.
func (p *codex) field() {
	s := &p.scan
	switch string(s.Key) {
	case "payload":
		p.now.message = s.Value()
	case "usage": // the line with the tokens, as the wrapper puts it there
		for s.Object(); s.NextNamed("payload"); {
			p.usage = s.Value()
		}
	}
}

// asks reads an item and tells whether it calls a tool. What came before a session
// was forked is in the file of the new one again: OpenAI's id of the call tells that
// it is the same.
func (p *codex) asks(payload rawjson.Value, r *fingerprint.Request) bool {
	if payload.Kind() != rawjson.Object {
		return false
	}
	s := &p.item
	s.Reset(payload)
	item := readItem(s)
	if !item.isCall() {
		return false
	}
	if drawn(item.call.ID, "call_") {
		r.ID = item.call.ID
	}
	if r.ToolCallsLogged = true; p.reads&fingerprint.ReadsResponse != 0 {
		item.keep(r)
	}
	return true
}

// tokens reads those of the response that the call is of, or the first one.
func (p *codex) tokens(r *fingerprint.Request) {
	s := &p.item
	s.Reset(p.usage)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "info":
			for s.Object(); s.NextNamed("last_token_usage"); {
				readTokens(s, r)
			}
		case "usage": // of a token_usage_record
			readTokens(s, r)
		}
	}
}
