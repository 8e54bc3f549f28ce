package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// answer reads the body of a response: calls and tokens, of JSON or of a
// stream of events. It has scanners of its own, because the body may lie in
// the memory of the line's.
type answer struct {
	usage rawjson.Scanner
	calls rawjson.Scanner
	parts streamed
}

// read takes the body apart. What is neither says nothing.
func (p *answer) read(body []byte, r *fingerprint.Request, reads fingerprint.Field) {
	body = bytes.TrimLeft(body, " \t\r\n")
	switch {
	case isStream(body):
		p.parts.read(body, r, reads)
	case len(body) > 0 && body[0] == '[': // of Google, if it is not asked for events
		p.parts.readList(body, r, reads)
	case len(body) > 0 && body[0] == '{':
		p.tokens(body, r)
		p.calls.Reset(body)
		readResponse(&p.calls, r, reads)
		if p.calls.End() != nil { // cut: the last call may lack its end
			r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
		}
	}
}

func (p *answer) tokens(body []byte, r *fingerprint.Request) {
	s := &p.usage
	s.Reset(body)
	for s.Object(); s.NextKey(); {
		if string(s.Key) != "response" {
			readUsageField(s, r)
			continue
		}
		for s.Object(); s.NextKey(); { // of Gemini CLI
			readUsageField(s, r)
		}
	}
}
