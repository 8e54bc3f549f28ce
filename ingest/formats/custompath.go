package formats

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// decodedText is a string of the record with its text.
type decodedText struct {
	json rawjson.Value
	text []byte
}

// heldJSON is a text of the record with what [jsonWithin] finds in it.
type heldJSON struct {
	text []byte
	json rawjson.Value
}

// enteredObject is an object in the record with its members.
type enteredObject struct {
	json    rawjson.Value
	members []member
}

// found is a value: JSON, or plain text.
type found struct {
	json rawjson.Value
	text []byte // if json is nil
}

type member struct {
	name  []byte
	value found
}

// open is a scanner at the start of a text.
func (p *custom) open(text []byte) *rawjson.Scanner {
	if p.used == len(p.opened) {
		p.opened = append(p.opened, &rawjson.Scanner{})
	}
	s := p.opened[p.used]
	p.used++
	s.Reset(text)
	return s
}

// HasIndex tells a path that has an index in brackets, as JSONPath writes it; a name
// may be called timestamp [UTC].
func HasIndex(path string) bool { return strings.Contains(strings.ReplaceAll(path, " [", ""), "[") }

// among follows a path from some members.
func (p *custom) among(members []member, path string) (best found, ok bool) {
	longest := -1
	for i := range members {
		m := &members[i]
		p.step(m.name, m.value, path, &best, &longest)
	}
	return best, longest >= 0
}

// step follows a path through a named value. The longest name counts, of those
// that lead to a value; of a name given twice the last.
func (p *custom) step(name []byte, v found, path string, best *found, longest *int) {
	if len(name) < *longest || len(name) > len(path) || string(name) != path[:len(name)] {
		return
	}
	switch rest := path[len(name):]; {
	case rest == "":
		if p.says(v) {
			*best, *longest = v, len(name)
		}
	case rest[0] == '.':
		if in, ok := p.into(v, rest[1:]); ok {
			*best, *longest = in, len(name)
		}
	}
}

// into follows a path inside a value.
func (p *custom) into(v found, path string) (best found, ok bool) {
	inside := p.container(v)
	if inside == nil {
		return best, false
	}
	if inside.Kind() == rawjson.Array {
		return p.element(inside, path)
	}
	return p.among(p.membersOf(inside), path)
}

// element follows a path that begins with the place of an element in a list.
func (p *custom) element(list rawjson.Value, path string) (best found, ok bool) {
	place, _, _ := strings.Cut(path, ".")
	at, err := strconv.Atoi(place)
	if err != nil || at < 0 || strconv.Itoa(at) != place {
		return best, false
	}
	s, longest := p.open(list), -1
	for s.Array(); s.NextElement(); at-- {
		if at > 0 {
			s.Skip()
			continue
		}
		if value := s.Value(); value != nil {
			p.step([]byte(place), found{json: value}, path, &best, &longest)
		}
		break
	}
	return best, longest >= 0
}

// same tells whether two values stand in the same place.
func same(a, b []byte) bool { return len(a) == len(b) && &a[0] == &b[0] }

// membersOf lists the members of an object that are not null.
func (p *custom) membersOf(object rawjson.Value) []member {
	for i := range p.entered {
		if same(p.entered[i].json, object) {
			return p.entered[i].members
		}
	}
	n := len(p.entered)
	p.entered = slices.Grow(p.entered, 1)[:n+1]
	e := &p.entered[n] // with the memory of one of an earlier record
	e.json, e.members = object, appendMembers(e.members[:0], p.open(object))
	return e.members
}

// appendMembers appends the members of the object that comes next, but for null.
func appendMembers(list []member, s *rawjson.Scanner) []member {
	for s.Object(); s.NextKey(); {
		name := s.Key
		if value := s.Value(); value != nil {
			list = append(list, member{name, found{json: value}})
		}
	}
	return list
}

// container is the JSON object or list that a value is, or that its text holds.
func (p *custom) container(v found) rawjson.Value {
	switch v.json.Kind() {
	case rawjson.Object, rawjson.Array:
		return v.json
	}
	text := p.text(v)
	if len(text) == 0 {
		return nil
	}
	for i := range p.held {
		if same(p.held[i].text, text) {
			return p.held[i].json
		}
	}
	inside := rawjson.Value(jsonWithin(text))
	p.held = append(p.held, heldJSON{text, inside})
	return inside
}

// text is a value as text, nil for an object or a list.
func (p *custom) text(v found) []byte {
	if v.json == nil {
		return v.text
	}
	if v.json.Kind() != rawjson.String {
		return p.open(v.json).Text(nil)
	}
	for i := range p.decoded {
		if same(p.decoded[i].json, v.json) {
			return p.decoded[i].text
		}
	}
	text := p.open(v.json).Text(nil)
	p.decoded = append(p.decoded, decodedText{v.json, text})
	return text
}

// says tells a value from what stands for none.
func (p *custom) says(v found) bool {
	if len(p.c.Missing) == 0 || v.json.Kind() == rawjson.Object || v.json.Kind() == rawjson.Array {
		return true
	}
	text := p.text(v)
	return !slices.ContainsFunc(p.c.Missing, func(none string) bool { return string(text) == none })
}

// list is a scanner at a value that is a list, or whose text is one.
func (p *custom) list(v found) *rawjson.Scanner {
	if inside := p.container(v); inside.Kind() == rawjson.Array {
		return p.open(inside)
	}
	if v.json != nil {
		return p.open(v.json)
	}
	return p.open(rawjson.AppendString(nil, v.text))
}

// scalar is a scanner at a value whose text is a number or a truth value.
func (p *custom) scalar(v found) *rawjson.Scanner { return p.open(bytes.ToLower(p.text(v))) }
