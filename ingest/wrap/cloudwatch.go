package wrap

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// cloudWatch undoes CloudWatch Logs: a subscription's batch with logEvents, a
// command's answer with events, one event a line, and exports to S3 and aws logs
// tail, which put a time in front of each line.
type cloudWatch struct {
	scan  rawjson.Scanner
	found bool // of the record under way, what may hold lines
	timed bool // there was a line with a time in front: one without goes on
}

func detectCloudWatch(line []byte) bool {
	if _, ok := cutExported(line); ok {
		return true
	}
	m := MembersOf(line)
	return m["logEvents"].Kind() == rawjson.Array || m["events"].Kind() == rawjson.Array ||
		m["message"].Kind() == rawjson.String && m.Has("timestamp") && m.Any("ingestionTime", "eventId", "id", "logStreamName")
}

// cutExported reads the time in front of a line, with a Z in exports, and none
// where aws logs tail writes it short. Else that has UTC's zone, and the name of the
// stream behind, which holds no colon: HAProxy's format iso has the line there.
// kubectl logs --timestamps has the zone of the node.
func cutExported(line []byte) (text []byte, ok bool) {
	const short = "2026-11-21T03:51:29"
	stamp, text, ok := bytes.Cut(line, []byte(" "))
	if !ok || !isStamp(stamp) {
		return nil, false
	}
	if len(stamp) == len(short) || !bytes.HasSuffix(stamp, []byte("+00:00")) {
		return text, true
	}
	stream, behind, ok := bytes.Cut(text, []byte(" "))
	if bytes.IndexByte(stream, ':') >= 0 {
		return text, true
	}
	return behind, ok && len(stream) > 0
}

func (p *cloudWatch) Unwrap(line Line, next func(Line)) string {
	if text, ok := cutExported(line.Text); ok {
		p.timed = true
		next(line.inner(text))
		return ""
	}
	s := &p.scan
	s.Reset(line.Text)
	control := false // a message of CloudWatch's own: whether somebody listens
	p.found = false
	isObject := s.Kind() == rawjson.Object
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "messageType":
			control = string(s.Text(nil)) == "CONTROL_MESSAGE"
		case "logEvents", "events":
			p.found = true
			if control {
				continue
			}
			for s.Array(); s.NextElement(); {
				for s.Object(); s.NextKey(); {
					p.message(line, next)
				}
			}
		default:
			p.message(line, next)
		}
	}
	why := failure(s)
	switch {
	case p.timed && !p.found:
		next(line)
		return ""
	case why != "":
	case !isObject:
		return NoObject
	case !p.found:
		return noLine + "message, logEvents or events"
	}
	return why
}

func (p *cloudWatch) message(line Line, next func(Line)) {
	s := &p.scan
	if string(s.Key) != "message" {
		return
	}
	if s.Kind() == rawjson.Object {
		p.found = true
		next(line.made(s.Value()))
	} else if text := s.Text(nil); text != nil {
		p.found = true
		next(line.made(bytes.TrimRight(text, "\r\n")))
	}
}
