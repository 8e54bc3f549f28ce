package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// envoyText reads the access log that Envoy writes when no format is set, and
// Istio's, which has reasons between the flags and the bytes:
//
//	[start] "method path protocol" status flags received sent duration upstream
//	"forwarded for" "user agent" "request id" "authority" "upstream host"
//
// and the client's address, behind the cluster and two of Envoy's own, at the end.
type envoyText struct{ access }

func (p *envoyText) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.begin(nil)
	f := words{text: record}
	start, ok := f.between('[', ']')
	t, isTime := parseRFC3339(start)
	if !ok || !isTime {
		return 1, "expected [time] like 2026-11-21T10:00:00.000Z"
	}
	r.Time = t
	line, ok := f.between('"', '"')
	if !ok {
		return f.column(), "expected the request in quotes"
	}
	status := f.word()
	code, ok := number(status)
	if !ok || len(status) > 3 {
		return f.column() - len(status), "expected a status"
	}
	if code >= 100 { // 0 where there was no response
		r.Status = int(code)
	}
	flags := f.word()
	for f.next() == '"' || f.next() > '9' || f.next() == '-' {
		if f.next() != '"' {
			f.word()
		} else if _, ok := f.between('"', '"'); !ok {
			return f.column(), "quotes not closed"
		}
	}
	f.word()
	f.word()
	duration := f.word()
	if _, ok := parseSeconds(duration); !ok {
		return f.column(), "expected a duration"
	}
	p.lasted = parseMillis(duration, p.lasted)
	f.word() // of the upstream
	forwarded, _ := f.between('"', '"')
	agent, _ := f.between('"', '"')
	id, _ := f.between('"', '"')
	f.between('"', '"')
	f.between('"', '"')
	for range 3 {
		f.word()
	}
	client := f.word()
	address := withoutPort(client)
	if len(address) == len(client) { // a word of somebody's own
		address = nil
	}
	if method, target, ok := requestLine(line); ok {
		r.Method = method
		splitTarget(r, target)
	}
	left(r, status, flags)
	agent = set(agent)
	p.header(r, []byte("user-agent"), agent)
	p.header(r, []byte("x-request-id"), set(id))
	p.address = first(firstOf(set(forwarded)), address, agent)
	return p.finish(r)
}

// left notes that the client went before there was an answer to its request, for which
// Envoy has the status 0 and a flag, and nginx 499.
func left(r *fingerprint.Request, status, flags []byte) {
	if string(status) == "0" && len(r.Method) > 0 && bytes.Contains(flags, []byte("DC")) {
		r.Status = 499
	}
}
