package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// caddy reads Caddy's access log, and fields that its log_append adds to it:
// of request_body, which Caddy writes twice, the one that says something.
type caddy struct{ access }

func newCaddy(reads fingerprint.Field) Parser { return &caddy{access{reads: reads}} }

func detectCaddy(line []byte) bool {
	k := keysOf(line)
	return k.has("ts") && k.has("request") && k.any("status", "size", "duration") && k.any("logger", "msg", "resp_headers")
}

func (p *caddy) Parse(record []byte, r *fingerprint.Request) (int, string) {
	duration := int64(fingerprint.NoTime)
	p.begin()
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "ts":
			r.Time = readTime(s, r.Time)
		case "duration":
			duration = readSpan(s, duration)
		case "status":
			r.Status = readStatus(s, r.Status)
		case "request":
			for s.Object(); s.NextKey(); {
				p.request(r)
			}
		case "user_id":
			p.name = value(s, p.name)
		case "session", "session_id":
			p.session.other(ownField, value(s, nil))
		case "body", "request_body":
			r.Body = value(s, r.Body)
		case "level", "logger", "msg", "resp_headers":
			s.Skip()
		default:
			p.attribute(r)
		}
	}
	if column, why := failure(s); why != "" {
		return column, why
	}
	began(r, duration)
	p.finish(r)
	return 0, ""
}

func (p *caddy) request(r *fingerprint.Request) {
	s := &p.scan
	switch string(s.Key) {
	case "method":
		r.Method = value(s, r.Method)
	case "uri":
		splitTarget(r, value(s, nil))
	case "client_ip": // behind a trusted proxy not that of the connection
		p.address = value(s, p.address)
	case "remote_ip":
		if address := value(s, nil); p.address == nil {
			p.address = address
		}
	case "headers":
		for s.Object(); s.NextKey(); {
			name := s.Key
			for s.Array(); s.NextElement(); {
				p.header(r, name, value(s, nil))
			}
		}
	default:
		s.Skip()
	}
}

// readSpan reads a duration of zap, the logger of Caddy: a number of seconds,
// or a text such as 1.5ms.
func readSpan(s *rawjson.Scanner, old int64) int64 {
	text := s.Text(nil)
	if d, ok := parseSeconds(text); ok && d >= 0 {
		return d
	}
	if d, ok := parseSpan(text); ok {
		return d
	}
	return old
}

// parseSpan reads a duration with one unit, in microseconds.
func parseSpan(text []byte) (micros int64, ok bool) {
	n := 0
	for n < len(text) && (isDigit(text[n]) || text[n] == '.') {
		n++
	}
	if n == 0 {
		return 0, false
	}
	d, ok := parseSeconds(text[:n])
	switch string(text[n:]) {
	case "s":
		return d, ok
	case "ms":
		return d / 1e3, ok
	case "us", "µs":
		return d / 1e6, ok
	case "ns":
		return d / 1e9, ok
	}
	return 0, false
}
