package formats

import (
	"bytes"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// eachAttribute calls f at the value of each attribute in the list of keys and values,
// or the object, that comes next, and returns all of it. Columns of a data frame of
// Phoenix's begin with attributes.
func eachAttribute(s *rawjson.Scanner, f func(key []byte)) rawjson.Value {
	kind := s.Kind() // skips white space
	start := s.Offset()
	if kind == rawjson.Object {
		for s.Object(); s.NextKey(); {
			f(bytes.TrimPrefix(s.Key, []byte("attributes.")))
		}
		return s.Since(start)
	}
	for s.Array(); s.NextElement(); {
		wrap.Pair(s, func(key []byte) {
			if key != nil {
				f(key)
			}
		})
	}
	return s.Since(start)
}

// otelText is the text of the scalar that comes next: plain JSON, or an AnyValue.
func otelText(s *rawjson.Scanner) (text []byte) {
	if s.Kind() != rawjson.Object {
		return s.Text(nil)
	}
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "stringValue", "intValue", "doubleValue", "boolValue":
			text = s.Text(text)
		}
	}
	return text
}

// written is the text of a value, plain or an AnyValue, as it stands in the JSON however
// that is laid out: up to the end of the value, and with its escapes.
func written(v rawjson.Value) []byte {
	for _, around := range []string{"{", `"stringValue"`, ":", `"`} {
		v = bytes.TrimPrefix(bytes.TrimLeft(v, " \t\r\n"), []byte(around))
	}
	return v
}

// onlyText is the text of a value that is one, or a list of one, as headers are: as a
// text, too, as Jaeger, ClickHouse and Azure Monitor keep a list.
func onlyText(s *rawjson.Scanner) (text []byte) {
	var in rawjson.Scanner
	switch s, _ = jsonIn(s, &in, `["`); s.Kind() {
	case rawjson.Array:
		for s.Array(); s.NextElement(); {
			text = onlyText(s)
		}
	case rawjson.Object:
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "stringValue", "arrayValue", "values":
				text = onlyText(s)
			}
		}
	default:
		text = s.Text(nil)
	}
	return text
}

// value is the JSON of a value, plain or an AnyValue: of a text what it says, which is
// JSON with most instrumentations.
func (p *otelCall) value(s *rawjson.Scanner) []byte {
	switch s.Kind() {
	case rawjson.Object:
	case rawjson.String:
		return s.Text(nil)
	default:
		return s.Value()
	}
	start, plain := s.Offset(), false
	var out []byte
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "stringValue":
			out = s.Text(nil)
		case "arrayValue", "kvlistValue":
			from := len(p.json)
			p.json = wrap.AppendAnyList(p.json, s, 1)
			out = p.made(from)
		case "intValue", "doubleValue", "boolValue", "bytesValue":
		default:
			plain = true
		}
	}
	if plain {
		return s.Since(start)
	}
	return out
}

// made is what was appended to p.json.
func (p *otelCall) made(from int) []byte { return p.json[from:len(p.json):len(p.json)] }

// quoted is the JSON of a text, nil if there is none.
func (p *otelCall) quoted(text []byte) rawjson.Value {
	if text == nil {
		return nil
	}
	from := len(p.json)
	p.json = rawjson.AppendString(p.json, text)
	return p.made(from)
}

// longestName bounds the names of attributes in lists of messages: those that are read
// are shorter, and each is written anew for all that is inside.
const longestName = 96

// inside reads each scalar in the value that comes next, which are messages of the
// request or of the response, by the name that it has as an attribute of its own:
// 0.message.role of [{"message.role":"user"}].
func (p *otelCall) inside(s *rawjson.Scanner, name []byte, answered bool, r *fingerprint.Request) {
	kind := s.Kind()
	switch {
	case len(name) > longestName:
		s.Skip()
	case kind == rawjson.Array:
		n := 0
		for s.Array(); s.NextElement(); n++ {
			from := p.dotted(name)
			p.names = strconv.AppendInt(p.names, int64(n), 10)
			p.named(s, from, answered, r)
		}
	case kind == rawjson.Object:
		for s.Object(); s.NextKey(); {
			from := p.dotted(name)
			p.names = append(p.names, s.Key...)
			p.named(s, from, answered, r)
		}
	case answered:
		p.reply(name, s, r)
	default:
		p.question(name, s, r)
	}
}

// dotted begins a name that goes on behind another, and returns where in p.names.
func (p *otelCall) dotted(name []byte) (from int) {
	from = len(p.names)
	if p.names = append(p.names, name...); len(name) > 0 {
		p.names = append(p.names, '.')
	}
	return from
}

// named reads what is inside the value of the last of p.names, and drops that name where
// nothing was found by it.
func (p *otelCall) named(s *rawjson.Scanner, from int, answered bool, r *fingerprint.Request) {
	found := len(p.in.found) + len(p.out.found)
	p.inside(s, p.names[from:len(p.names):len(p.names)], answered, r)
	if len(p.in.found)+len(p.out.found) == found {
		p.names = p.names[:from]
	}
}
