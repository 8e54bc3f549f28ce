package formats

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// keys are a record's members, for detection.
type keys map[string]rawjson.Value

// has tells that all of these are there.
func (k keys) has(names ...string) bool {
	for _, n := range names {
		if _, ok := k[n]; !ok {
			return false
		}
	}
	return true
}

func (k keys) any(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return k.has(n) })
}

// anyTime tells that one of the members is a time as parse reads it: names of
// times are the same in many logs, and what stands there is not.
func (k keys) anyTime(parse func([]byte) (int64, bool), names ...string) bool {
	var s rawjson.Scanner
	for _, n := range names {
		s.Reset(k[n])
		if _, ok := parse(s.Text(nil)); ok {
			return true
		}
	}
	return false
}

// Line is a line that formats are asked about: its members are listed once for all.
type Line struct {
	text []byte
	keys keys
}

// NewLine is the line of a text.
func NewLine(text []byte) Line { return Line{text, keysOf(text)} }

// keysOf lists the members of the record on a line, or of the first record if
// the line is an array.
func keysOf(line []byte) keys {
	k := keys{}
	wrap.EachMember(line, func(s *rawjson.Scanner) {
		name := string(s.Key)
		k[name] = s.Value()
	})
	return k
}

// MembersOf are the names of the members of the record on a line: empty for
// text.
func MembersOf(line []byte) map[string]bool {
	var p nginxJSON
	names := map[string]bool{}
	for name := range keysOf(p.unescape(line)) {
		names[name] = true
	}
	return names
}
