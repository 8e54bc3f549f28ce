package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// logs reads the events of a call.
func (p *otelCall) logs(sp *otelSpan, r *fingerprint.Request) {
	if r.End == r.Time {
		r.End = fingerprint.NoTime
	}
	s := &p.scan
	detailed := false
	for i := range sp.logs {
		switch l := &sp.logs[i]; {
		case l.kind == sentLog:
			s.Then(l.attributes)
			p.asksFor(s)
			return
		case l.kind == detailsLog && p.output == nil && !r.ToolCallsLogged: // the answer may be in one of its own
			s.Then(l.attributes)
			p.attributes(s, r)
			detailed = true
		}
	}
	if detailed {
		return
	}
	b := &p.said
	b.Reset(nil)
	for i := range sp.logs {
		l := &sp.logs[i]
		if l.plain {
			p.event(l.kind, l.body, r)
			continue
		}
		b.Then(l.body)
		p.event(l.kind, p.value(b), r) // of Semantic Kernel a text of JSON
	}
	p.eventsEnd(r)
}

// asksFor reads what Qwen Code asks a model: Google's contents, whatever API it speaks.
func (p *otelCall) asksFor(s *rawjson.Scanner) {
	eachAttribute(s, func(key []byte) {
		switch string(key) {
		case "model":
			p.asked = otelText(s)
		case "request_text":
			p.request = p.value(s)
		}
	})
}

// events reads the events of a span that hold what was said: messages, one
// each, whose body is their attributes, or a JSON text in one of them; all
// messages, as before version 1.28 of the semantic conventions; or a part of
// the details of the call.
func (p *otelCall) events(sp *otelSpan, r *fingerprint.Request) {
	if p.input != nil || p.output != nil {
		return
	}
	if p.listed != nil {
		p.list(r)
		return
	}
	if !bytes.Contains(sp.events, []byte("gen_ai.")) {
		return
	}
	p.kinds = p.kinds[:0]
	s := &p.happened
	s.Reset(sp.events)
	for s.Array(); s.NextElement(); {
		kind := otherLog
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "name":
				kind = kindOfLog(s.Text(nil))
			case "fields": // Jaeger's, the name among them
				eachAttribute(s, func(key []byte) {
					if string(key) == "event" {
						kind = kindOfLog(s.Text(nil))
					}
				})
			}
		}
		p.kinds = append(p.kinds, kind)
	}
	some := false
	s.Reset(sp.events)
	s.Array()
	for i := 0; s.NextElement(); i++ {
		kind := p.kinds[i]
		for s.Object(); nextDetails(s); {
			switch kind {
			case otherLog:
			case detailsLog:
				p.attributes(s, r)
			default:
				if body := p.eventBody(s); body != nil {
					some = true
					p.event(kind, body, r)
				}
			}
		}
	}
	if some {
		p.eventsEnd(r)
	}
}

// nextDetails goes on to the attributes of a span's event, which are fields with Jaeger.
func nextDetails(s *rawjson.Scanner) bool {
	for s.NextKey() {
		if string(s.Key) == "attributes" || string(s.Key) == "fields" {
			return true
		}
	}
	return false
}

// eachDetail calls f at the value of each attribute of all of a span's events.
func eachDetail(s *rawjson.Scanner, events rawjson.Value, f func(key []byte)) {
	s.Reset(events)
	for s.Array(); s.NextElement(); {
		for s.Object(); nextDetails(s); {
			eachAttribute(s, f)
		}
	}
}

// list reads the events of a call that are one attribute, each a body with its name
// in it, as Pydantic AI's first version writes them.
func (p *otelCall) list(r *fingerprint.Request) {
	s := &p.happened
	s.Reset(p.listed)
	for s.Array(); s.NextElement(); {
		body := s.Value()
		b := &p.body
		b.Reset(body)
		kind := otherLog
		for b.Object(); b.NextNamed("event.name"); {
			kind = kindOfLog(b.Text(nil))
		}
		p.event(kind, body, r)
	}
	p.eventsEnd(r)
}

// eventBody is what the attributes of an event say, as the body of a log record
// has it; nil if they say nothing.
func (p *otelCall) eventBody(s *rawjson.Scanner) (body []byte) {
	from := len(p.json)
	eachAttribute(s, func(key []byte) {
		switch string(key) {
		case "gen_ai.prompt":
			p.input = p.value(s)
		case "gen_ai.completion":
			p.output = p.value(s)
		case "gen_ai.event.content": // of Azure and Semantic Kernel
			body = otelText(s)
		case "content", "message", "id", "role", "tool_calls", "finish_reason":
			text := otelText(s)
			p.json = append(rawjson.AppendString(append(p.json, start(len(p.json)-from, "{")...), key), ':')
			// A list of parts, or of calls, was written as a JSON text.
			if list := bytes.TrimSpace(text); bytes.HasPrefix(list, []byte("[{")) && isJSON(&p.in.part, list) {
				p.json = append(p.json, list...)
			} else {
				p.json = rawjson.AppendString(p.json, text)
			}
		}
	})
	if len(p.json) > from {
		p.json = append(p.json, '}')
		return p.made(from)
	}
	return body
}

// event reads a message of the request or the answer.
func (p *otelCall) event(kind logKind, body []byte, r *fingerprint.Request) {
	switch kind {
	case otherLog:
	case answerLog:
		p.answerLog(body, r)
	default:
		r.Messages.Logged = true
		if p.reads&fingerprint.ReadsMessages != 0 {
			p.messageLog(kind, body, r)
		}
	}
}

// eventsEnd hands out what the events of a call said.
func (p *otelCall) eventsEnd(r *fingerprint.Request) {
	r.Messages.Items = apart(r.Messages.Items, p.in.json, 0, p.in.ends)
	if r.Lost != fingerprint.Computable { // the calls have no arguments then
		r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
	}
}

// logRoles are the roles in the names of events.
var logRoles = map[logKind]string{
	systemLog: `"role":"system",`, userLog: `"role":"user",`, assistantLog: `"role":"assistant",`, toolLog: `"role":"tool",`,
}

// messageLog makes a chat message of an event's body, whose role may be in the
// event's name.
func (p *otelCall) messageLog(kind logKind, body []byte, r *fingerprint.Request) {
	if kind == userLog && p.googles(body, r) {
		return
	}
	from := len(p.in.json)
	out := append(p.in.json, '{')
	if !bytes.Contains(body, []byte(`"role"`)) { // which says more, such as developer
		out = append(out, logRoles[kind]...)
	}
	b := &p.body
	b.Reset(body)
	some := kind == assistantLog
	for b.Object(); b.NextKey(); {
		switch name := string(b.Key); {
		case name == "id" && kind == toolLog:
			out = append(out, `"tool_call_id":`...)
		case name == "content" || name == "tool_calls" || name == "tool_call_id":
			some = true
			fallthrough
		default:
			if bytes.HasPrefix(b.Key, []byte("gen_ai.")) || bytes.HasPrefix(b.Key, []byte("event.")) { // of an event in a list
				continue
			}
			out = append(rawjson.AppendString(out, b.Key), ':')
		}
		out = fill(out, `%,`, b.Value())
	}
	switch {
	case r.Lost != fingerprint.Computable:
	case !some:
		r.Lost = fingerprint.LossyContent // content was not to be captured
	case isCut(b, body):
		r.Lost = fingerprint.TruncatedContent
	}
	p.in.json = append(bytes.TrimSuffix(out, []byte{','}), '}')
	if message := p.in.json[from:]; hasConverse(message) {
		c := &p.sent.converse
		c.text = c.text[:0]
		c.message(message)
		p.in.json = append(p.in.json[:from], c.text...)
	}
	p.in.ends = append(p.in.ends, len(p.in.json))
}

// googles reads an event whose content is one of Google's contents: its ADK and the
// instrumentation of its library call all of them a user's, whoever said it. It is
// false for others.
func (p *otelCall) googles(body []byte, r *fingerprint.Request) bool {
	var content rawjson.Value
	b := &p.body
	b.Reset(body)
	for b.Object(); b.NextNamed("content"); {
		content = b.Value()
	}
	if content.Kind() != rawjson.Object {
		return false
	}
	from := len(p.json)
	p.json = fill(p.json, `[%]`, content)
	list := p.json[from:]
	if !areContents(b, list) {
		return false
	}
	p.sent.gemini.bare(list, &r.Messages, p.reads)
	for _, message := range r.Messages.Items {
		p.in.json = append(p.in.json, message...)
		p.in.ends = append(p.in.ends, len(p.in.json))
	}
	r.Messages.Items = r.Messages.Items[:0]
	return true
}

// answerLog reads the calls of an answer, which are blocks of Bedrock with
// Strands Agents. LiteLLM writes only that there were some: then they are not
// logged.
func (p *otelCall) answerLog(body []byte, r *fingerprint.Request) {
	b := &p.kept
	b.Then(body)
	called := false // or may have
	for b.Object(); b.NextKey(); {
		switch string(b.Key) {
		case "message":
			if b.Kind() != rawjson.Array {
				readMessageCalls(b, r, fingerprint.AllFields)
				continue
			}
			readItemCalls(b, r)
		case "tool_calls": // beside the message, by the conventions, and as OpenLLMetry has them
			readToolCalls(b, r, len(r.ToolCalls), fingerprint.AllFields)
		case "content": // of Google, in the place of a message
			if b.Kind() == rawjson.Object {
				r.ToolCalls = readParts(b, r.ToolCalls)
			} else {
				called = fingerprint.Placeholder(b.Text(nil)) != fingerprint.Computable || called
			}
		case "finish_reason":
			called = endsInCall(b.Text(nil)) || called
		}
	}
	r.ToolCallsLogged = !called || len(r.ToolCalls) > 0
	if isCut(b, body) {
		r.Lost = fingerprint.TruncatedContent
	}
}

// isCut tells that an event's body, which was read, is a text of JSON without its end.
func isCut(b *rawjson.Scanner, body []byte) bool {
	return bytes.HasPrefix(body, []byte("{")) && b.End() != nil
}
