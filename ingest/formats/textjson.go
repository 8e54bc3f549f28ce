package formats

import (
	"bytes"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// jsonWithin is the object or list that a text is: of JSON or of Python's
// repr; or the object that it ends with, behind words; or that in base64. Else it
// is nil. What begins as JSON is taken for it, whole or cut.
func jsonWithin(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) < 2 {
		return nil
	}
	switch {
	case rawjson.IsPython(text), rawjson.IsPythonObject(text):
		if out, ok := rawjson.AppendPython(nil, text); ok {
			return out
		}
		return nil
	case text[0] == '{', text[0] == '[' && strings.IndexByte(`{["]`, afterBracket(text)) >= 0:
		return text
	}
	_, text = cutHead(wrap.Unencoded(text))
	return inWords(text)
}

// inWords is the object that a text ends with, or is, also laid out over lines.
func inWords(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[len(text)-1] != '}' {
		return nil
	}
	if text[0] == '{' {
		return text
	}
	if at := objectAt(text, `"`); at > 0 {
		return text[at:]
	}
	return nil
}

// objectAt is where in a text the first object begins that has a name, in one of the
// quotes; -1 if none does.
func objectAt(text []byte, quotes string) int {
	for at, c := range text {
		if c == '{' && strings.IndexByte(quotes, afterBracket(text[at:])) >= 0 {
			return at
		}
	}
	return -1
}

// afterBracket is what follows the first bracket of a text, 0 if nothing does.
func afterBracket(text []byte) byte {
	if inner := bytes.TrimLeft(text[1:], " \t\r\n"); len(inner) > 0 {
		return inner[0]
	}
	return 0
}

// jsonIn is where to read what comes next. Databases and warehouses export the
// JSON of a member as a text: of one that begins so, or is {}, it is what stands
// in the text, by the scanner in. whole tells that it was not cut.
func jsonIn(s, in *rawjson.Scanner, begins string) (_ *rawjson.Scanner, whole bool) {
	if s.Kind() != rawjson.String {
		return s, true
	}
	start := s.Offset()
	text := s.Text(nil)
	if !bytes.HasPrefix(text, []byte(begins)) && string(text) != "{}" {
		in.Reset(s.Since(start))
		return in, true
	}
	in.Reset(text)
	in.Skip()
	whole = in.End() == nil
	in.Reset(text)
	return in, whole
}

// isWhole tells an object of JSON that has its end.
func isWhole(s *rawjson.Scanner, body []byte) bool {
	s.Reset(body)
	return s.Kind() == rawjson.Object && s.Check(body) == nil
}

// isJSON tells JSON from a text that only has brackets like it, which is all that
// a Scanner looks at where it skips.
func isJSON(s *rawjson.Scanner, text []byte) bool {
	s.Reset(text)
	return isValue(s) && s.End() == nil
}

func isValue(s *rawjson.Scanner) bool {
	switch s.Kind() {
	case rawjson.Object:
		for s.Object(); s.NextKey(); {
			if !isValue(s) {
				return false
			}
		}
	case rawjson.Array:
		for s.Array(); s.NextElement(); {
			if !isValue(s) {
				return false
			}
		}
	case rawjson.String:
		s.Text(nil)
	case rawjson.Number:
		return rawjson.ValidNumber(s.Value())
	default:
		return s.Word("null") || s.Word("true") || s.Word("false")
	}
	return true
}

// start is what stands in front of the i-th of a list that is written.
func start(i int, opening string) string {
	if i == 0 {
		return opening
	}
	return ","
}

// apart appends the texts that were written one behind the other from a place on, each
// with its end: not before all are, as what they lie in may move until then.
func apart(texts []rawjson.Value, written []byte, from int, ends []int) []rawjson.Value {
	for _, end := range ends {
		texts = append(texts, written[from:end:end])
		from = end
	}
	return texts
}

// fill appends a text of JSON in which each % stands for the next of the values: null
// where there is none.
func fill(dst []byte, text string, values ...rawjson.Value) []byte {
	for _, v := range values {
		at := strings.IndexByte(text, '%')
		dst = append(append(dst, text[:at]...), orNull(v)...)
		text = text[at+1:]
	}
	return append(dst, text...)
}

var null = []byte("null")

// orNull is a value as it is written, null if there is none.
func orNull(v rawjson.Value) rawjson.Value {
	if v == nil {
		return null
	}
	return v
}
