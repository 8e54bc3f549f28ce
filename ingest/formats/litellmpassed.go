package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// passedBodies reads what LiteLLM logs of a request to a pass-through endpoint:
// the whole body as the text of one user's message, and the answer, where it
// does not know the provider, as one text.
type passedBodies struct {
	sent, got rawjson.Scanner // hold the texts
	body      requestBody
	answer    answer
	lines     rawjson.Scanner // of a stream
	json      []byte          // of them, as a list
	events    []byte          // and as they came
}

func (p *passedBodies) read(messages, response rawjson.Value, r *fingerprint.Request, session *naming, reads fingerprint.Field) {
	if text := p.text(&p.got, response); text != nil {
		// LiteLLM counts nothing there, and writes 0.
		r.TokensIn, r.TokensOut = fingerprint.Unknown, fingerprint.Unknown
		r.ToolCallsLogged = false
		p.answer.read(text, r, reads)
	}
	s := &p.sent
	s.Reset(messages)
	var body []byte
	for s.Array(); s.NextElement(); {
		for s.Object(); s.NextNamed("content"); {
			body = s.Text(body)
		}
	}
	if len(body) > 0 && body[0] == '{' {
		if string(r.Model) == "unknown" { // to LiteLLM
			r.Model = nil
		}
		r.Body = body
		p.body.read(r, session, reads)
		r.Body = nil // LiteLLM has written it anew
	}
}

// text is the answer as it came.
func (p *passedBodies) text(s *rawjson.Scanner, response rawjson.Value) (text []byte) {
	s.Reset(response)
	for s.Object(); s.NextNamed("response"); {
		text = s.Text(text)
	}
	if list, ok := bytes.CutPrefix(text, []byte("cannot parse chunks to standard response object. Chunks=")); ok {
		return p.stream(list)
	}
	return text
}

// stream is one of which LiteLLM wrote the lines, in Python's words.
func (p *passedBodies) stream(list []byte) []byte {
	p.json, _ = rawjson.AppendPython(p.json[:0], list)
	p.events = p.events[:0]
	s := &p.lines
	s.Reset(p.json)
	for s.Array(); s.NextElement(); {
		p.events = append(append(p.events, s.Text(nil)...), '\n')
	}
	return p.events
}
