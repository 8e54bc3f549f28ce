package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// rawName is how LiteLLM calls the span inside that of a call in which it keeps
// what went to the provider and what came back: an attribute for each member of
// the two, llm.PROVIDER.NAME, as Python's str() wrote it.
const rawName = "raw_gen_ai_request"

// provider puts the request and the answer together of which the attributes are
// the members.
func (p *otelCall) provider(sp *otelSpan, r *fingerprint.Request) {
	from := len(p.json)
	said := false
	var answer []byte // the member that is it: the others have calls of the past
	p.json = append(p.json, '{')
	s := &p.rawly
	s.Reset(sp.attributes)
	eachAttribute(s, func(key []byte) {
		name, ok := bytes.CutPrefix(key, []byte("llm."))
		backend, name, found := bytes.Cut(name, []byte{'.'})
		if !ok || !found {
			return
		}
		answers := false
		switch string(name) {
		case "messages", "input", "contents", "prompt":
			said = true
		case "choices", "content", "output", "candidates":
			answers = true
		case "usage":
			p.pythonUsage(otelText(s), r)
			return
		}
		r.Backend = first(r.Backend, known(backend))
		if len(p.json) > from+1 {
			p.json = append(p.json, ',')
		}
		member := len(p.json)
		p.json = append(rawjson.AppendString(p.json, name), ':')
		p.python(s)
		if answers {
			answer = p.made(member)
		}
	})
	p.json = append(p.json, '}')
	if said {
		p.sentRaw = p.made(from)
	}
	if answer != nil {
		from = len(p.json)
		p.json = fill(p.json, `{%}`, answer)
		p.answer = first(p.answer, p.made(from))
	}
}

// python appends the JSON of the value that comes next, a text of which may be
// what Python's str() left of another.
func (p *otelCall) python(s *rawjson.Scanner) {
	value := s.Value()
	b := &p.body
	b.Reset(value)
	from := len(p.json)
	if value.Kind() != rawjson.Object {
		p.json = append(p.json, value...)
	} else {
		p.json = wrap.AppendAny(p.json, b, 1)
		b.Reset(value)
	}
	if p.json[from] != '"' {
		return
	}
	text := otelText(b)
	switch {
	case len(text) > 0 && (text[0] == '[' || text[0] == '{'), string(text) == "True", string(text) == "False", string(text) == "None":
		if json, ok := rawjson.AppendPython(p.json[:from], text); ok {
			p.json = json
		} else {
			p.json = rawjson.AppendString(json[:from], text)
		}
	}
}

// pythonUsage reads the tokens, by the provider's names.
func (p *otelCall) pythonUsage(text []byte, r *fingerprint.Request) {
	from := len(p.json)
	json, ok := rawjson.AppendPython(p.json, text)
	if p.json = json[:from]; ok {
		p.usage(json[from:], r)
	}
}
