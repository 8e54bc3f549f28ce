package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// haproxyJSON reads an HAProxy log-format that is written as a JSON object,
// with usual names for what HAProxy calls %ci, %HM, %HP, %ST and so on, or its
// own. The start of a request, %tr, has no zone; that of the end, %T or ts, may
// lend it its own.
type haproxyJSON struct {
	access
	zoned
}

// isHAProxy goes by what no other proxy writes: how a session ended, its times,
// and a date without a zone.
func isHAProxy(m wrap.Members) bool {
	return m.Has("method") && m.Any("path", "uri") && m.Has("status") &&
		(m.Any("accept_ms", "term", "Ta") || anyTime(m, parseZonelessCLF, "tr", "time"))
}

func (p *haproxyJSON) Parse(record []byte, r *fingerprint.Request) (int, string) {
	accepted := int64(fingerprint.NoTime)
	var start, named, end, stamp, address, target []byte
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "tr":
			start = value(s, start)
		case "time":
			named = value(s, named)
		case "ts":
			end = value(s, end)
		case "timestamp", "@timestamp":
			stamp = value(s, stamp)
		case "accept_ms":
			accepted = readMillis(s, accepted)
		case "time_ms", "Ta":
			p.lasted = readMillis(s, p.lasted)
		case "client":
			p.address = host(value(s, p.address))
		case "client_ip", "remote_addr", "src":
			address = value(s, address)
		case "method":
			r.Method = first(p.requested(), r.Method)
		case "path":
			setPath(r, p.requested())
		case "uri":
			target = first(p.requested(), target)
		case "query":
			if query := p.requested(); query != nil {
				r.Query.Raw = bytes.TrimPrefix(query, []byte("?"))
			}
		case "status":
			r.Status = readStatus(s, r.Status)
		case "session", "session_id":
			p.session.other(ownField, value(s, nil))
		case "body", "request_body":
			r.Body = readBody(s, r.Body)
		default:
			p.other(r)
		}
	}
	if r.Path == nil {
		setPath(r, target)
	}
	p.address = first(p.address, address)
	p.times(r, first(start, named), end, stamp, accepted)
	return p.finish(r)
}

// requested reads a part of the request, which HAProxy escapes as in its text.
// All parts of what is no request are <BADREQ>.
func (p *haproxyJSON) requested() []byte {
	text := value(&p.scan, nil)
	if string(text) == "<BADREQ>" {
		return nil
	}
	return unescapeHAProxy(&p.scan, text)
}

// times settles when the request began. That of the connection is earlier by
// as long as it was kept alive.
func (p *haproxyJSON) times(r *fingerprint.Request, start, end, stamp []byte, accepted int64) {
	if t, ok := parseZonelessCLF(start); ok {
		offset, hasZone := zone(end[max(0, len(end)-len("+0000")):])
		if !hasZone {
			r.Time = p.inZone(t)
			return
		}
		r.Time = t - offset*1_000_000
		const halfHour = 30 * 60 * 1_000_000
		if ended, ok := parseZonedTime(end); ok && p.lasted != fingerprint.NoTime {
			if began := ended - p.lasted; began < r.Time-halfHour || began > r.Time+halfHour { // clocks were set in between
				r.Time = began
			}
		}
		return
	}
	for _, text := range [][]byte{start, end, stamp} {
		if t, ok := parseZonedTime(text); ok {
			r.Time = t
			return
		}
	}
	r.Time = accepted
}
