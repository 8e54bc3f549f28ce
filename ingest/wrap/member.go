package wrap

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// lineNames are what programs and collectors call the member that has the line, the
// best first: loggers, stores and GELF, then what carries messages, which has one of
// them inside perhaps.
var lineNames = []string{
	"message", "msg", "MESSAGE", "Message", "_msg", "@message", "log", "line", "raw", "_raw", "full_message", "short_message",
	"payload", "body", "Body", "record", "records", "Records", "logs", "data", "value", "event", "detail", "results", "items", "events", "rows",
}

// HoldsLines tells whether a member of that name may hold lines.
func HoldsLines(name string) bool { return slices.Contains(lineNames, name) }

// detectMember knows no more than that.
func detectMember(line []byte) (found bool) {
	EachMember(line, func(s *rawjson.Scanner) {
		switch s.Kind() {
		case rawjson.String, rawjson.Object, rawjson.Array:
			found = found || HoldsLines(string(s.Key))
		}
	})
	return found
}
