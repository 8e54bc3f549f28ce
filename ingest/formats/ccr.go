package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// ccr reads what claude-code-router logs, lines of pino. Of the six that a
// request has, and one more for each piece of a streamed answer, it is the one
// that carries the client's body. What the model answers stands in another
// line, and in the next request.
type ccr struct {
	reads fingerprint.Field
	scan  rawjson.Scanner
	body  requestBody
}

func newCCR(reads fingerprint.Field) Parser { return &ccr{reads: reads} }

func isCCR(k keys) bool {
	return k.has("level") && k.has("time") && k.has("pid") && k.has("hostname") && k.any("msg", "type")
}

func (p *ccr) Parse(record []byte, r *fingerprint.Request) (int, string) {
	s := &p.scan
	s.Reset(record)
	isBody := false
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "time":
			r.Time = readMillis(s, r.Time)
		case "type":
			isBody = string(s.Text(nil)) == "request body"
		case "data":
			r.Body = s.Value()
		case "hostname": // the router serves one machine
			r.Caller, r.CallerIsName = s.Text(r.Caller), true
		}
	}
	if column, why := failure(s); why != "" {
		return column, why
	}
	if !isBody || r.Body == nil {
		return 0, NoRequest
	}
	var session naming
	p.body.read(r, &session, p.reads)
	r.Body = nil // it has been parsed and written again
	r.Session = session.value
	return 0, ""
}
