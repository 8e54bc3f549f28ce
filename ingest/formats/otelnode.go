package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// nodeObject is a log record or a span as the SDK for Node has it in memory, which
// Gemini CLI (telemetry.outfile) writes into a file as it is. Older versions of the
// SDK have some names without the underscore.
type nodeObject struct {
	observed  int64
	logged    bool // it is a log record
	body      rawjson.Value
	eventName []byte
}

// field reads a member that spans do not have, of a log record that is read as one so
// far. It is false at any other.
func (n *nodeObject) field(s *rawjson.Scanner, sp *otelSpan) bool {
	switch string(s.Key) {
	case "hrTime", "_hrTime":
		sp.start, n.logged = readHrTime(s, sp.start), true
	case "hrTimeObserved", "_hrTimeObserved":
		n.observed, n.logged = readHrTime(s, n.observed), true
	case "body", "_body":
		n.body = s.Value()
	case "eventName", "_eventName":
		n.eventName = s.Text(n.eventName)
	default:
		return false
	}
	return true
}

// readHrTime reads [seconds, nanoseconds], or a number, which is microseconds with Jaeger.
func readHrTime(s *rawjson.Scanner, old int64) int64 {
	if s.Kind() == rawjson.Number {
		if n, ok := s.Int(); ok && n > 0 {
			return n
		}
		return old
	}
	var parts [2]int64
	n := 0
	for s.Array(); s.NextElement(); n++ {
		if i, ok := s.Int(); ok && i >= 0 && n < len(parts) {
			parts[n] = i
		}
	}
	if n != len(parts) || parts[0] == 0 || parts[0] >= maxTime/1e6 || parts[1] >= 1e9 {
		return old
	}
	return parts[0]*1e6 + parts[1]/1e3
}

// log is the log record that was read as a span.
func (n *nodeObject) log(s *rawjson.Scanner, sp *otelSpan) otelLog {
	l := otelLog{
		trace: sp.trace, span: sp.id, origin: sp.origin, library: sp.library,
		time: sp.start, kind: kindOfLog(n.eventName), body: n.body, attributes: sp.attributes, plain: true, whose: sp.whose,
	}
	if l.time == fingerprint.NoTime {
		l.time = n.observed
	}
	s.Reset(sp.attributes)
	eachAttribute(s, func(key []byte) {
		if string(key) == "event.name" {
			l.kind = max(l.kind, kindOfLog(s.Text(nil)))
		}
	})
	l.settle()
	return l
}
