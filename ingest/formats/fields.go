package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// Each of these takes the value that the field has so far: null, and what
// cannot be read, does not erase it.

func readTri(s *rawjson.Scanner, old fingerprint.Tri) fingerprint.Tri {
	if value, ok := s.Bool(); ok {
		return fingerprint.TriOf(value)
	}
	return old
}

// parseTri is readTri of a text, which may be Python's.
func parseTri(text []byte, old fingerprint.Tri) fingerprint.Tri {
	switch string(text) {
	case "true", "True":
		return fingerprint.Yes
	case "false", "False":
		return fingerprint.No
	}
	return old
}

// maxCount is more tokens than any one call has; sums of it stay in bounds.
const maxCount = 1e10

// readCount reads a number that is not negative.
func readCount(s *rawjson.Scanner, old int64) int64 { return parseCount(s.Text(nil), old) }

func parseCount(text []byte, old int64) int64 {
	if n, ok := rawjson.ParseInt(text); ok && n >= 0 && n <= maxCount {
		return n
	}
	return old
}

func readStatus(s *rawjson.Scanner, old int) int { return parseStatus(s.Text(nil), old) }

func parseStatus(text []byte, old int) int {
	if n, ok := rawjson.ParseInt(text); ok && n >= 100 && n <= 999 {
		return int(n)
	}
	return old
}

// readAttribute keeps the member that comes next under its own name, if
// attributes are read.
func readAttribute(s *rawjson.Scanner, r *fingerprint.Request, reads fingerprint.Field) {
	if reads&fingerprint.ReadsAttributes == 0 {
		s.Skip()
		return
	}
	name := s.Key
	setAttribute(r, name, value(s, nil), reads)
}

// maxCost is more than any one call has cost, in USD. Beyond it stands rubbish,
// and sums of it would be infinite.
const maxCost = 1e9

func readCost(s *rawjson.Scanner, old float64) float64 { return parseCost(s.Text(nil), old) }

func parseCost(text []byte, old float64) float64 {
	if f, ok := rawjson.ParseFloat(text); ok && f >= 0 && f <= maxCost {
		return f
	}
	return old
}

// readMessages notes where each message stands. A single string, which the
// Completions and Responses APIs allow, is one message.
func readMessages(s *rawjson.Scanner, r *fingerprint.Request, reads fingerprint.Field) {
	kind := s.Kind()
	if kind != rawjson.Array && kind != rawjson.String {
		s.Skip()
		return
	}
	r.Messages.Logged = true
	switch {
	case reads&fingerprint.ReadsMessages == 0:
		s.Skip()
	case kind == rawjson.String:
		r.Messages.Items = append(r.Messages.Items[:0], s.Value())
	default:
		r.Messages.Items = onlyBatch(s.Elements(r.Messages.Items[:0]))
	}
}

// onlyBatch takes the messages out of a list of lists of them, in which LangChain
// has those of one call.
func onlyBatch(items []rawjson.Value) []rawjson.Value {
	if len(items) != 1 || !isBatch(items[0]) {
		return items
	}
	var s rawjson.Scanner
	s.Reset(items[0])
	return s.Elements(items[:0])
}

// isBatch tells a list of objects: one of numbers has tokens.
func isBatch(v rawjson.Value) bool {
	return v.Kind() == rawjson.Array && bytes.HasPrefix(bytes.TrimLeft(v[1:], " \t\r\n"), []byte("{"))
}

// roleOf is whose a message is.
func roleOf(s *rawjson.Scanner, message rawjson.Value) (role []byte) {
	s.Reset(message)
	for s.Object(); s.NextNamed("role"); {
		role = s.Text(role)
	}
	return role
}

// readArguments gives the JSON text of arguments, logged as a text or as the
// value itself.
func readArguments(s *rawjson.Scanner, old []byte) []byte {
	if s.Kind() == rawjson.String {
		return s.Text(old)
	}
	if v := s.Value(); v != nil {
		return v
	}
	return old
}

// readAttributes reads an object of texts as attributes.
func readAttributes(s *rawjson.Scanner, r *fingerprint.Request, reads fingerprint.Field) {
	if reads&fingerprint.ReadsAttributes == 0 {
		s.Skip()
		return
	}
	for s.Object(); s.NextKey(); {
		name := s.Key
		setAttribute(r, name, s.Text(nil), reads)
	}
}

// maxAttributes is how many attributes of a record are kept, because each name
// is looked for among them. No gateway writes as many headers and claims.
const maxAttributes = 1000

// setAttribute notes an attribute, if attributes are read. Of a name given twice
// the last value counts that says something.
func setAttribute(r *fingerprint.Request, name, value []byte, reads fingerprint.Field) {
	if value == nil || reads&fingerprint.ReadsAttributes == 0 {
		return
	}
	for i := range r.Attributes {
		if a := &r.Attributes[i]; bytes.Equal(a.Name, name) {
			if len(value) > 0 {
				a.Value = value
			}
			return
		}
	}
	if len(r.Attributes) < maxAttributes {
		r.Attributes = append(r.Attributes, fingerprint.Attribute{Name: name, Value: value})
	}
}

// value reads a variable. nginx writes "" or "-" for one that is not set.
func value(s *rawjson.Scanner, old []byte) []byte {
	if t := s.Text(nil); len(t) > 0 && string(t) != "-" {
		return t
	}
	return old
}

// readBody reads a body that is a text, or was written into the log as it was.
func readBody(s *rawjson.Scanner, old []byte) []byte {
	if s.Kind() == rawjson.Object {
		return s.Value()
	}
	return value(s, old)
}

// readText gives the JSON text of a value, logged as a text or as itself.
func readText(s *rawjson.Scanner, old []byte) []byte {
	text := readArguments(s, old)
	if len(text) == 0 {
		return old
	}
	return text
}

// first is the first text that says something, or nil.
func first(texts ...[]byte) []byte {
	for _, t := range texts {
		if len(t) > 0 {
			return t
		}
	}
	return nil
}
