package formats

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// content reads the messages and the calls from the best place that there is.
func (p *otelCall) content(sp *otelSpan, r *fingerprint.Request) {
	switch {
	case p.input != nil:
		if isOpenLLMetryJS(sp.library) {
			p.input = first(itemsSaid(&p.body, p.input), p.input)
		}
		p.in.messages(p.input, r, p.reads)
		r.Messages.System = p.system
		if isOpenLIT(sp.library) && r.Lost == fingerprint.Computable && p.lacksItems(sp, r) {
			r.Lost = fingerprint.LossyContent
		}
	case p.request != nil && (len(p.in.found) == 0 || isBody(&p.body, p.request)) && p.whole(r):
	case len(p.in.found) > 0:
		tail := sp.dropped && p.in.cutHead()
		p.in.flatMessages(r)
		// Who drops the newest attributes keeps the first message, and no answer.
		tailless := sp.dropped && !tail && len(p.out.found) == 0 && p.answer == nil && !r.ToolCallsLogged
		switch {
		case r.Lost != fingerprint.Computable:
		case tailless, len(r.Messages.Items) == 0, p.lacksItems(sp, r):
			r.Lost = fingerprint.LossyContent
		default:
			r.Messages.Tail = tail
		}
	}
	r.Dropped = sp.dropped
	if sp.excerpt && r.Messages.Logged && r.Lost == fingerprint.Computable {
		r.Lost = fingerprint.LossyContent
	}
	if p.sentRaw != nil && (!r.Messages.Logged || r.Lost == fingerprint.LossyContent || sp.responses) {
		r.Messages, r.Lost = fingerprint.Messages{Items: r.Messages.Items[:0]}, fingerprint.Computable
		p.request = p.sentRaw
		p.whole(r)
	}
	switch {
	case p.output != nil:
		p.out.issued(p.output, r, p.reads)
		if !r.ToolCallsLogged && r.Lost == fingerprint.Computable && len(p.out.found) > 0 {
			p.out.flatCalls(r)
			r.ToolCallsLogged = len(r.ToolCalls) > 0
		}
		if isOpenLLMetryJS(sp.library) {
			forgetJSCalls(p.output, r)
		}
	case p.calls != nil:
		p.out.sdkCalls(p.calls, r)
	case len(p.out.found) > 0:
		p.out.flatCalls(r)
	case p.answer != nil:
		if p.issued(r); len(r.ToolCalls) == 0 {
			p.mlflowChunks(sp, r)
		}
	case p.failed(sp, r) && r.Messages.Logged:
		r.ToolCallsLogged = true // and it issued none
	}
	if p.called && len(r.ToolCalls) == 0 && p.reads&fingerprint.ReadsResponse != 0 {
		r.ToolCallsLogged = false // which it issued is not there
	}
	if p.in.mute { // the calls have no arguments then
		r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
	}
	if r.Lost == fingerprint.Computable && startsWithResult(&p.body, r.Messages.Items) {
		r.Lost = fingerprint.HistoryElsewhere
	}
	switch {
	case r.Lost != fingerprint.Computable:
		r.Span.Says = fingerprint.SaysPart
	case r.Messages.Logged || r.ToolCallsLogged:
		r.Span.Says = fingerprint.SaysAll
	}
}

// failed tells a call that came to nothing. Spans of some gateways have no status,
// and log events have none at all.
func (p *otelCall) failed(sp *otelSpan, r *fingerprint.Request) bool {
	return sp.failed || len(p.errorType) > 0 || r.Status >= 400
}

// lacksItems tells a call of the Responses API with tools whose input has neither
// calls nor results: OpenLLMetry to 0.52, OpenLIT and LiteLLM's otel leave them out, so
// that all requests of an agent look alike.
func (p *otelCall) lacksItems(sp *otelSpan, r *fingerprint.Request) bool {
	return sp.responses && r.HasTools != fingerprint.No && !slices.ContainsFunc(p.in.found, func(f flat) bool {
		return f.kind == flatCall || string(f.name) == "role" && string(f.value) == "tool"
	})
}

// whole reads a request of which the instrumentation kept all, or its messages,
// or the text of a prompt. It is false if these are not messages that are known.
func (p *otelCall) whole(r *fingerprint.Request) bool {
	text := bytes.TrimSpace(p.request)
	if len(text) == 0 {
		return false
	}
	if batch := p.onlyBatch(text); batch != nil {
		text = batch
	}
	switch text[0] {
	case '[':
		if cause := fingerprint.Placeholder(text); cause != fingerprint.Computable { // in brackets
			r.Lost = cause
			return true
		}
		if areContents(&p.body, text) {
			p.sent.gemini.bare(text, &r.Messages, p.reads)
		} else {
			p.in.messages(text, r, p.reads)
		}
	case '{':
		r.Body = text
		p.sent.read(r, &p.session, p.reads)
		r.Body = nil // it has been put together again
		p.in.reword(r)
	default:
		from := len(p.in.json)
		p.in.json = append(p.in.json, `{"role":"user","content":`...)
		p.in.json = append(rawjson.AppendString(p.in.json, text), '}')
		r.Messages.Logged = true
		r.Messages.Items = append(r.Messages.Items[:0], p.in.json[from:])
	}
	switch items := r.Messages.Items; {
	case rawjson.IsPythonObject(bytes.TrimPrefix(text, []byte{'['})), len(items) > 0 && areObjects(items[0]):
		r.Lost = fingerprint.LossyContent // ids of calls are among it, and addresses
	case len(items) > 0 && items[0].Kind() == rawjson.Array:
		r.Messages = fingerprint.Messages{Items: items[:0]} // of several calls of LangChain
	}
	return r.Messages.Logged || r.Lost != fingerprint.Computable
}

// onlyBatch is the list of messages in a list of lists of one, nil if text is none.
func (p *otelCall) onlyBatch(text []byte) []byte {
	s := &p.body
	s.Reset(text)
	if s.Array(); !s.NextElement() {
		return nil
	}
	batch := s.Value()
	if !isBatch(batch) || s.NextElement() || s.End() != nil {
		return nil
	}
	return batch
}

// isAddress tells what Python prints of an object that says nothing of itself, in
// quotes or not, as of a stream: <async_generator object f at 0x7f>.
func isAddress(text []byte) bool {
	text = bytes.Trim(text, `"`)
	return bytes.HasPrefix(text, []byte("<")) && bytes.HasSuffix(text, []byte(">")) && bytes.Contains(text, []byte(" object ")) && bytes.Contains(text, []byte(" at 0x"))
}

// areObjects tells messages each of which is a text with Python's repr of it by
// the first.
func areObjects(first rawjson.Value) bool {
	return first.Kind() == rawjson.String && rawjson.IsPythonObject(first[1:])
}

// issued reads the calls in an answer of which the instrumentation kept all, or
// the message, or the items. One that is a text has none.
func (p *otelCall) issued(r *fingerprint.Request) {
	text := bytes.TrimSpace(p.answer)
	if r.ToolCallsLogged = fingerprint.Placeholder(text) == fingerprint.Computable && !isAddress(text); !r.ToolCallsLogged {
		return
	}
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return
	}
	b := &p.said
	b.Reset(text)
	if text[0] == '{' {
		readAnswer(b, r, p.reads)
		r.ToolCallsLogged = len(r.ToolCalls) > 0 || saysMore(&p.body, text)
	} else {
		for b.Array(); b.NextElement(); {
			readAnswer(b, r, p.reads)
		}
	}
	wholeCalls(b, r)
}

// saysMore tells an answer from one of which nothing but the role was kept, as LiteLLM
// leaves a legacy function_call out.
func saysMore(s *rawjson.Scanner, answer []byte) bool {
	some := false
	s.Reset(answer)
	for s.Object(); s.NextKey(); {
		if string(s.Key) != "role" && s.Kind() != rawjson.Null {
			some = string(s.Value()) != `""` || some
		}
	}
	return some
}

// startsWithResult tells messages whose first is the result of a call that is
// not among them: the provider keeps what came before.
func startsWithResult(s *rawjson.Scanner, items []rawjson.Value) bool {
	for _, item := range items {
		s.Reset(item)
		result, instructs := false, false
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "role":
				switch string(s.Text(nil)) {
				case "tool":
					result = true
				case "system", "developer":
					instructs = true
				}
			case "type":
				switch string(s.Text(nil)) {
				case "function_call_output", "custom_tool_call_output":
					result = true
				}
			}
		}
		if !instructs {
			return result
		}
	}
	return false
}

// isBody tells a request from the text of its last message alone, which may be
// JSON as well.
func isBody(s *rawjson.Scanner, text []byte) bool {
	model, said := false, false
	s.Reset(text)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "model":
			model = true
		case "messages", "input", "contents", "prompt":
			said = true
		}
	}
	return model && said
}
