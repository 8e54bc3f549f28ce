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
	"payload", "body", "Body", "record", "records", "Records", "logs", "data", "value", "event", "detail",
}

// pageNames are what APIs call the list that has the records of a page.
var pageNames = []string{"results", "items", "events", "rows"}

// HoldsLines tells whether a member of that name may hold lines.
func HoldsLines(name string) bool {
	return slices.Contains(lineNames, name) || slices.Contains(pageNames, name)
}

// timeNames are what the time of a record is called.
var timeNames = []string{"time", "timestamp", "@timestamp", "ts", "date", "datetime", "created_at", "createdAt", "start_time", "startTime"}

// detectMember knows no more than that, and that a page has no time of its own: what has
// one is a record with a list in it.
func detectMember(line []byte) bool {
	var found, page, timed bool
	EachMember(line, func(s *rawjson.Scanner) {
		name := string(s.Key)
		timed = timed || slices.Contains(timeNames, name)
		switch s.Kind() {
		case rawjson.String, rawjson.Object, rawjson.Array:
			found = found || slices.Contains(lineNames, name)
			page = page || slices.Contains(pageNames, name)
		}
	})
	return found || page && !timed
}
