package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// Line is a line that formats are asked about: its members are listed once for all.
type Line struct {
	text    []byte
	members wrap.Members
}

// NewLine is the line of a text.
func NewLine(text []byte) Line { return Line{text, wrap.MembersOf(text)} }

// anyTime tells that one of the members is a time as parse reads it: names of
// times are the same in many logs, and what stands there is not.
func anyTime(m wrap.Members, parse func([]byte) (int64, bool), names ...string) bool {
	var s rawjson.Scanner
	for _, n := range names {
		s.Reset(m[n])
		if _, ok := parse(s.Text(nil)); ok {
			return true
		}
	}
	return false
}

// MembersOf are the members of the record on a line: none of text.
func MembersOf(line []byte) wrap.Members {
	var p nginxJSON
	return wrap.MembersOf(p.unescape(line))
}
