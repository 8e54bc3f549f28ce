package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// ccr reads what claude-code-router logs, lines of pino. Of the six that a
// request has, and one more for each piece of a streamed answer, it is the one
// that carries the client's body. What the model answers stands in another
// line, and in the next request.
type ccr struct{ access }

func isCCR(m wrap.Members) bool {
	return m.Has("level", "time", "pid", "hostname") && m.Any("msg", "type")
}

func (p *ccr) Parse(record []byte, r *fingerprint.Request) (int, string) {
	isBody := false
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "time":
			r.Time = readMillis(s, r.Time)
		case "type":
			isBody = string(s.Text(nil)) == "request body"
		case "data":
			p.request = s.Value() // it has been parsed and written again
		case "hostname": // the router serves one machine
			r.Caller, r.CallerIsName = s.Text(r.Caller), true
		}
	}
	if column, why := wrap.Failure(s); why != "" {
		return column, why
	}
	if !isBody || p.request == nil {
		return 0, NoRequest
	}
	return p.finish(r)
}
