package wrap

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// envelope takes a line out of a JSON object, where it is a text, or a JSON
// value that the collector has parsed.
type envelope struct {
	scan    rawjson.Scanner
	members []string // that may hold the line, best first
}

// eventOriginal is the name that the Elastic Common Schema gives a line, as one
// member or as one inside of another.
const eventOriginal = "event.original"

// noLine is why an object that has no line in it cannot be read, before the names of
// those that may.
const noLine = "no line in it: expected "

// NoObject is why what should be a JSON object cannot be read.
const NoObject = "expected an object"

// noter is shown the members of an envelope that are not the line.
type noter interface{ note(s *rawjson.Scanner) }

// open finds the line, and shows the other members to one who asks for them. A text
// without quotes, which all formats have, is none if another may be: it is what a
// logger was told in words. An object that has no line is not passed over in silence:
// why says so.
func (e *envelope) open(line []byte, others noter) (text []byte, isText bool, why string) {
	rank, found := 2*len(e.members), false
	s := &e.scan
	s.Reset(line)
	isObject := s.Kind() == rawjson.Object
	take := func(i int) {
		switch s.Kind() {
		case rawjson.String:
			line := s.Text(nil)
			if bytes.IndexByte(line, '"') < 0 {
				i += len(e.members)
			}
			if i <= rank {
				text, isText, rank, found = line, true, i, true
			}
		case rawjson.Object, rawjson.Array:
			text, isText, rank, found = s.Value(), false, i, true
		}
	}
	for s.Object(); s.NextKey(); {
		i := slices.Index(e.members, string(s.Key))
		inside := i < 0 && string(s.Key) == "event"
		if inside {
			i = slices.Index(e.members, eventOriginal)
		}
		switch {
		case i >= 0 && i <= rank && inside:
			for s.Object(); s.NextNamed("original"); {
				take(i)
			}
		case i >= 0 && i <= rank:
			take(i)
		case others != nil:
			others.note(s)
		}
	}
	switch why = failure(s); {
	case why != "":
	case !isObject:
		why = NoObject
	case !found:
		why = noLine + strings.Join(e.members[:min(3, len(e.members))], " or ")
		if len(e.members) > 3 {
			why += " ..."
		}
	}
	return text, isText, why
}

// failure is what is wrong with what was read to its end, or "".
func failure(s *rawjson.Scanner) string {
	_, why := Failure(s)
	return why
}

// Failure is where what was read to its end cannot be read, as a column from 1, and why;
// why is empty if it can. What ends too early was cut by what logged or collected it.
func Failure(s *rawjson.Scanner) (column int, why string) {
	if s.End() == nil {
		return 0, ""
	}
	offset, why := s.Failure()
	switch why {
	case rawjson.NotClosed:
		why = rawjson.NotClosed + cut
	case rawjson.EndsEarly:
		why = rawjson.EndsEarly + cut
	}
	return offset + 1, why
}

const cut = ": the line is cut"

// Members are those of a JSON object by name: what wrappers and formats are told by.
// Null is there, and no value.
type Members map[string]rawjson.Value

// MembersOf lists the members of the record on a line, as EachMember finds them. Of a
// value that is cut it has what there is.
func MembersOf(line []byte) Members {
	m := Members{}
	EachMember(line, func(s *rawjson.Scanner) {
		s.Kind() // skips white space
		name, start := string(s.Key), s.Offset()
		if m[name] = s.Value(); s.Err() != nil {
			m[name] = line[start:]
		}
	})
	return m
}

// mostMembers is how many members of an object are listed to tell what it is, which
// every wrapper does anew. No record has as many.
const mostMembers = 1 << 12

// EachMember calls f at the value of each member of the object on a line, or of the
// first element if the line is an array: of a document of records by their ids, at
// those of the first. A line that is cut short gives what there is.
func EachMember(line []byte, f func(*rawjson.Scanner)) {
	var s rawjson.Scanner
	s.Reset(line)
	if s.Kind() == rawjson.Array {
		if s.Array(); !s.NextElement() {
			return
		}
	}
	s.Object()
	for n := 0; n < mostMembers && s.NextKey(); n++ {
		f(&s)
	}
}

// Has tells that all of these are there.
func (m Members) Has(names ...string) bool {
	for _, n := range names {
		if _, ok := m[n]; !ok {
			return false
		}
	}
	return true
}

// Any tells that one of these is there.
func (m Members) Any(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return m.Has(n) })
}

// message undoes envelopes of which each holds a whole line, perhaps in base64, as
// what carries bytes has it.
type message struct{ envelope }

// lineIn makes unwrappers of envelopes that have it in one of these, the best first.
func lineIn(members ...string) func() Unwrapper {
	return func() Unwrapper { return &message{envelope{members: members}} }
}

func (p *message) Unwrap(line Line, next func(Line)) string {
	text, _, why := p.open(line.Text, nil)
	if why == "" {
		next(line.made(Unencoded(text)))
	}
	return why
}

// Unencoded is what a text in base64 stands for, and any other as it is.
func Unencoded(text []byte) []byte {
	if len(text)%4 != 0 || bytes.IndexByte(text, ' ') >= 0 {
		return text
	}
	if decoded, err := base64.StdEncoding.AppendDecode(nil, text); err == nil {
		return decoded
	}
	return text
}
