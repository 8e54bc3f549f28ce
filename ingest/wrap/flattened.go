package wrap

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// flattened undoes what stores make of the objects in a record: their members stand side
// by side in it, with dots between the names, and lists may be texts, as all else.
//
//	{"request.method":"POST","request.headers.X-Session-Id":"[\"s1\"]"}
type flattened struct {
	scan   rawjson.Scanner
	object []byte
}

// branch is a member of a record, with the members in it or a value.
type branch struct {
	name  []byte
	value rawjson.Value
	in    []*branch
	named map[string]*branch // of those in it that have others
}

// Flattened is in [All].
var Flattened = &Wrapper{Name: "flattened", Doc: "records whose objects were flattened, dots between names", JSON: true, Detect: IsFlattened, New: fresh[flattened], Loose: true}

// IsFlattened tells a record by dots in its names: more than it has objects, as where a
// body is one, or one that is empty was left.
func IsFlattened(line []byte) bool {
	dots, objects := 0, 0
	EachMember(line, func(s *rawjson.Scanner) {
		if bytes.IndexByte(s.Key, '.') > 0 {
			dots++
		}
		if s.Kind() == rawjson.Object {
			objects++
		}
	})
	return dots > objects
}

func (p *flattened) Unwrap(line Line, next func(Line)) string {
	s := &p.scan
	s.Reset(line.Text)
	if s.Kind() != rawjson.Object {
		return NoObject
	}
	var record branch
	for s.Object(); s.NextKey(); {
		name := bytes.Clone(s.Key)
		record.put(name, s.Value(), 0)
	}
	if why := failure(s); why != "" {
		return why
	}
	p.object = record.append(p.object[:0])
	next(line.made(p.object))
	return ""
}

// deepest is how many names with dots between them are taken apart: no gateway's record
// nests as deep.
const deepest = 16

// put puts a value where its name leads to. Of dots at which nothing stands none is one.
func (b *branch) put(name []byte, value rawjson.Value, depth int) {
	first, rest, dotted := bytes.Cut(name, []byte{'.'})
	if !dotted || len(first) == 0 || len(rest) == 0 || depth == deepest {
		b.in = append(b.in, &branch{name: name, value: value})
		return
	}
	in := b.named[string(first)]
	if in == nil {
		if b.named == nil {
			b.named = map[string]*branch{}
		}
		in = &branch{name: first}
		b.named[string(first)] = in
		b.in = append(b.in, in)
	}
	in.put(rest, value, depth+1)
}

// elements are the members in their order where they are those of a list, each called by
// its number, from 0; else nil.
func (b *branch) elements() []*branch {
	list := make([]*branch, len(b.in))
	for _, member := range b.in {
		if i, err := strconv.ParseUint(string(member.name), 10, 32); err == nil && i < uint64(len(list)) {
			list[i] = member
		}
	}
	if slices.Contains(list, nil) {
		return nil
	}
	return list
}

// append appends the members as an object of JSON.
func (b *branch) append(dst []byte) []byte {
	dst = append(dst, '{')
	for i, member := range b.in {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = member.appendValue(append(rawjson.AppendString(dst, member.name), ':'))
	}
	return append(dst, '}')
}

// isNull tells that nothing is said of it: in a table each row has the names of all.
func (b *branch) isNull() bool {
	return b.value == nil && !slices.ContainsFunc(b.in, func(member *branch) bool { return !member.isNull() })
}

func (b *branch) appendValue(dst []byte) []byte {
	switch list := b.elements(); {
	case b.isNull():
		return append(dst, "null"...)
	case b.in == nil:
		return appendUnquoted(dst, b.value)
	case list == nil:
		return b.append(dst)
	default:
		dst = append(dst, '[')
		for i, element := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = element.appendValue(dst)
		}
		return append(dst, ']')
	}
}

// appendUnquoted appends a value: of the text of a list, or of true or false, what that is.
func appendUnquoted(dst []byte, value rawjson.Value) []byte {
	switch {
	case string(value) == `"true"`, string(value) == `"false"`:
		value = value[1 : len(value)-1]
	case bytes.HasPrefix(value, []byte(`"[`)):
		var s rawjson.Scanner
		s.Reset(value)
		if text := s.Text(nil); json.Valid(text) {
			value = text
		}
	}
	return append(dst, value...)
}
