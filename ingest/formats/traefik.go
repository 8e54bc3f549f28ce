package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// traefik reads Traefik's access log as JSON. It counts in nanoseconds, and
// writes the headers that it was told to keep as request_NAME. Of the start it
// writes nothing where it was told to drop it; the time of the line is the end.
type traefik struct{ access }

func isTraefik(m wrap.Members) bool {
	return m.Any("StartUTC", "StartLocal") && m.Any("RequestMethod", "RequestPath", "DownstreamStatus") || m.Has("time", "DownstreamStatus")
}

func (p *traefik) Parse(record []byte, r *fingerprint.Request) (int, string) {
	written := int64(fingerprint.NoTime)
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "StartUTC":
			r.Time = readZonedTime(s, r.Time)
		case "StartLocal":
			if t := readZonedTime(s, fingerprint.NoTime); r.Time == fingerprint.NoTime {
				r.Time = t
			}
		case "time":
			written = readTime(s, written)
		case "Duration":
			if n, ok := s.Int(); ok && n >= 0 {
				p.lasted = n / 1000
			}
		case "RequestMethod":
			r.Method = value(s, r.Method)
		case "RequestPath":
			splitTarget(r, value(s, nil))
		case "DownstreamStatus":
			r.Status = readStatus(s, r.Status)
		case "ClientUsername":
			p.name = value(s, p.name)
		case "ClientHost":
			p.address = value(s, p.address)
		case "ServiceName":
			r.Backend = value(s, r.Backend)
		default:
			if name, ok := bytes.CutPrefix(s.Key, []byte("request_")); ok {
				p.header(r, name, value(s, nil))
			}
		}
	}
	if r.Time == fingerprint.NoTime {
		r.Time = written
		began(r, p.lasted)
	}
	return p.finish(r)
}
