package formats

import (
	"bytes"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// caddy reads Caddy's access log, and fields that its log_append adds to it:
// of request_body, which Caddy writes twice, the one that says something. Where
// the log goes to is for its owner to say; all that Caddy has to tell goes to
// standard error, of a request that failed with what was wrong besides.
type caddy struct{ access }

// httpLogger is what the names of loggers begin with that tell of requests.
var httpLogger = []byte(`"http.`)

func isCaddy(m wrap.Members) bool {
	own := bytes.HasPrefix(m["logger"], httpLogger) || m.Has("resp_headers") // what others do not have
	return m["request"].Kind() == rawjson.Object && m.Any("status", "size", "duration") &&
		(m.Has("ts") && (own || m.Has("msg")) || m.Any("time", "timestamp", "@timestamp", "date", "_time") && own)
}

func (p *caddy) Parse(record []byte, r *fingerprint.Request) (int, string) {
	isAccess := false
	var logger []byte
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "ts", "time", "timestamp", "@timestamp", "date", "_time":
			own := string(s.Key) == "ts" // the others may be a collector's, beside it
			if t := readZonedTime(s, fingerprint.NoTime); t != fingerprint.NoTime && (own || r.Time == fingerprint.NoTime) {
				r.Time = t
			}
		case "duration":
			p.lasted = readSpan(s, p.lasted)
		case "status":
			r.Status = readStatus(s, r.Status)
		case "logger":
			logger = s.Text(logger)
		case "request":
			isAccess = s.Kind() == rawjson.Object
			for s.Object(); s.NextKey(); {
				p.asked(r)
			}
		case "user_id":
			p.name = value(s, p.name)
		case "session", "session_id":
			p.session.other(ownField, value(s, nil))
		case "body", "request_body":
			r.Body = readBody(s, r.Body)
		case "level", "severity", "msg", "message", "resp_headers":
		default:
			p.attribute(r)
		}
	}
	if column, why := wrap.Failure(s); why != "" {
		return column, why
	}
	if !isAccess || len(logger) > 0 && !bytes.HasPrefix(logger, []byte("http.log.access")) {
		return 0, NoRequest
	}
	began(r, p.lasted)
	return p.finish(r)
}

func (p *caddy) asked(r *fingerprint.Request) {
	s := &p.scan
	switch string(s.Key) {
	case "method":
		r.Method = value(s, r.Method)
	case "uri":
		splitTarget(r, value(s, nil))
	case "client_ip": // behind a trusted proxy not that of the connection
		p.address = value(s, p.address)
	case "remote_ip":
		p.address = first(p.address, value(s, nil))
	case "remote_addr": // before 2.5, with the port
		p.address = first(p.address, host(value(s, nil)))
	case "headers":
		for s.Object(); s.NextKey(); {
			name := s.Key
			if s.Kind() == rawjson.String { // what syslog-ng's json-parser makes of a list of one
				p.header(r, name, value(s, nil))
				continue
			}
			for s.Array(); s.NextElement(); {
				p.header(r, name, value(s, nil))
			}
		}
	}
}

// readSpan reads a duration of zap, the logger of Caddy: a number of seconds, an
// integer of milliseconds or nanoseconds, or a text such as 1m2.5s. Seconds have
// a fraction; of the integers those are nanoseconds that would be a call of a
// quarter of an hour if they were milliseconds.
func readSpan(s *rawjson.Scanner, old int64) int64 {
	text := s.Text(nil)
	if digitsOnly(text) {
		switch n, ok := rawjson.ParseInt(text); {
		case ok && n < 1e6:
			return n * 1e3
		case ok:
			return n / 1e3
		}
	}
	if d, ok := parseSeconds(text); ok && d >= 0 {
		return d
	}
	if d, err := time.ParseDuration(string(text)); err == nil && d >= 0 {
		return d.Microseconds()
	}
	return old
}
