package wrap

import (
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// maxAnyDepth bounds the recursion into a value of OpenTelemetry.
const maxAnyDepth = 100

// AppendAny appends the JSON of the AnyValue that comes next: {"intValue":"8"}
// is 8, a kvlistValue is an object. What JSON has no word for is null.
func AppendAny(dst []byte, s *rawjson.Scanner, depth int) []byte {
	if depth > maxAnyDepth || s.Kind() != rawjson.Object {
		s.Skip()
		return append(dst, "null"...)
	}
	from := len(dst)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "stringValue", "bytesValue":
			dst = append(dst[:from], s.Value()...)
		case "intValue", "doubleValue":
			dst = dst[:from]
			if text := s.Text(nil); rawjson.ValidNumber(text) { // not NaN, or Infinity
				dst = append(dst, text...)
			}
		case "boolValue":
			yes, ok := s.Bool()
			dst = strconv.AppendBool(dst[:from], ok && yes)
		case "arrayValue", "kvlistValue":
			dst = AppendAnyList(dst[:from], s, depth+1)
		}
	}
	if len(dst) == from {
		return append(dst, "null"...)
	}
	return dst
}

// AppendAnyList appends the list of an arrayValue or the members of a kvlistValue,
// whose value comes next.
func AppendAnyList(dst []byte, s *rawjson.Scanner, depth int) []byte {
	appendOne, open, end := appendMember, byte('{'), byte('}')
	if string(s.Key) == "arrayValue" {
		appendOne, open, end = AppendAny, '[', ']'
	}
	dst = append(dst, open)
	for s.Object(); s.NextNamed("values"); {
		dst = appendEach(dst, s, depth, appendOne)
	}
	return append(dst, end)
}

// appendMembers appends the object that the attributes, which come next, are.
func appendMembers(dst []byte, s *rawjson.Scanner) []byte {
	return append(appendEach(append(dst, '{'), s, 0, appendMember), '}')
}

// appendEach appends what lies in the list that comes next, behind what opens it or
// more of it.
func appendEach(dst []byte, s *rawjson.Scanner, depth int, appendOne func([]byte, *rawjson.Scanner, int) []byte) []byte {
	for s.Array(); s.NextElement(); {
		if last := dst[len(dst)-1]; last != '{' && last != '[' {
			dst = append(dst, ',')
		}
		dst = appendOne(dst, s, depth)
	}
	return dst
}

// appendMember appends the {"key", "value"} that comes next as a member.
func appendMember(dst []byte, s *rawjson.Scanner, depth int) []byte {
	from := len(dst)
	key := Pair(s, func(key []byte) {
		dst = AppendAny(append(rawjson.AppendString(dst[:from], key), ':'), s, depth)
	})
	if len(dst) == from { // no value
		return append(rawjson.AppendString(dst, key), ":null"...)
	}
	return dst
}
