package formats

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// NotRead says why the time of a record that has none, or one out of range, was not read
// where that can be seen, else it is "". In formats whose times may lack a zone, or be
// anywhere, it cannot.
func (f *Format) NotRead(record []byte) (why string) {
	if !f.JSON || f.Zoneless || f.named != nil {
		return ""
	}
	times := namesOf("time")
	wrap.EachMember(record, func(s *rawjson.Scanner) {
		if name := string(s.Key); why == "" && slices.Contains(times, folded(name)) {
			why = notRead(name, s.Text(nil))
		}
	})
	return why
}

// NotNative is NotRead of a line that would be of the native format but for that, or
// says which of its members go by another name, if most others, three in four, are of
// the native format.
func NotNative(line []byte) string {
	const time = "time"
	m := wrap.MembersOf(line)
	if why := misnamed(maps.Clone(m)); why != "" {
		return why
	}
	var s rawjson.Scanner
	s.Reset(m[time])
	why := notRead(time, s.Text(nil))
	if m[time] = rawjson.Value("0"); !isNative(m) {
		return ""
	}
	return why
}

// misnamed takes those members out.
func misnamed(m wrap.Members) (why string) {
	for _, field := range toldApart {
		for _, name := range renamed(m, field) {
			delete(m, name)
			why += ", and " + strconv.Quote(name) + " is " + strconv.Quote(field) + " there"
		}
	}
	if needsHeaders(m) {
		delete(m, "headers")
		why += `, and "headers" are not read there: "caller" and "session" are`
	}
	native := 0
	for name := range m {
		if slices.Contains(NativeFields, name) {
			native++
		}
	}
	if why == "" || 4*native < 3*len(m) || !isNative(m) {
		return ""
	}
	return strings.TrimPrefix(why, ", and ")
}

// notRead says why the time that has this name is none where seconds since 1970 or RFC 3339
// are asked for.
func notRead(name string, text []byte) (why string) {
	seconds, ok := parseTime(text)
	zoned, isZoned := parseZonedTime(text)
	_, _, isZoneless := parseZoneless(text)
	switch _, lacksZone := parseRFC3339(append(slices.Clone(text), 'Z')); {
	case ok && (seconds < maxTime || zoned >= maxTime):
		return ""
	case ok && seconds < outOfRange:
		why = "is in milliseconds, not seconds"
	case ok:
		why = "is in micro- or nanoseconds, not seconds"
	case lacksZone:
		why = "has no zone, as Z"
	case isZoned, isZoneless:
		why = "is not as 2026-11-21T10:00:00Z"
	default:
		return ""
	}
	return strconv.Quote(name) + " " + why
}
