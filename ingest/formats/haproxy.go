package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// haproxy reads what HAProxy's "option httplog" writes:
//
//	client:port [start] frontend backend/server TR/Tw/Tc/Tr/Ta status bytes
//	cookies termination connections queues {request|headers} {response} "request"
//
// The start has no zone. Captured headers have no names: they are kept by
// their number. What may not stand in a request or a header is written as #22,
// and # itself too; a backslash is a character like others.
type haproxy struct {
	access
	zoned
}

func (p *haproxy) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.begin(nil)
	f := words{text: record}
	client := f.word()
	start, ok := f.between('[', ']')
	t, isTime := parseZonelessCLF(start)
	if isTime {
		t = p.inZone(t)
	} else { // %Tl and %T have a zone
		t, isTime = parseCLF(start)
	}
	if !ok || !isTime {
		return f.column(), "expected [time] like 21/Nov/2026:10:00:00.000"
	}
	r.Time = t
	f.word() // frontend
	backend, _, _ := bytes.Cut(f.word(), []byte("/"))
	timers := f.word()
	if bytes.Count(timers, []byte("/")) != 4 {
		return f.column() - len(timers), "expected five timers"
	}
	p.lasted = parseMillis(bytes.TrimPrefix(timers[bytes.LastIndexByte(timers, '/')+1:], []byte("+")), p.lasted)
	status := f.word()
	if code, ok := number(status); ok && code >= 100 && code <= 999 {
		r.Status = int(code)
	} else if string(status) != "-1" { // of a connection that broke off
		return f.column() - len(status), "expected a status"
	}
	for range 6 { // bytes, cookies, termination, connections, queues
		f.word()
	}
	if captured, ok := f.upTo('{', '}'); ok {
		p.captured(r, captured)
	}
	f.upTo('{', '}') // of the response
	line, ok := f.upTo('"', '"')
	switch next := f.next(); {
	case !ok && (next == '"' || next == '{'):
		return f.column(), "the line is cut: raise the len of HAProxy's log"
	case !ok:
		return f.column(), "expected the request in quotes"
	}
	line = unescapeHAProxy(&p.scan, line)
	if len(line) >= maxRequestLine && !bytes.Contains(line, []byte(" HTTP/")) {
		return f.column(), "the request is cut: raise HAProxy's tune.http.logurilen"
	}
	if method, target, ok := requestLine(line); ok {
		r.Method = method
		splitTarget(r, target)
	}
	r.Backend = backend
	p.address = client
	if i := bytes.LastIndexByte(client, ':'); i > 0 { // also behind an IPv6 address, which has no brackets
		p.address = client[:i]
	}
	return p.finish(r)
}

// maxRequestLine is how much of a request line HAProxy keeps if it is not told
// otherwise. It closes the quotes behind what it has cut.
const maxRequestLine = 1023

// unescapeHAProxy undoes #22 and the like, in the memory of s.
func unescapeHAProxy(s *rawjson.Scanner, text []byte) []byte {
	if bytes.IndexByte(text, '#') < 0 {
		return text
	}
	text = s.Join("", text)
	return appendUnescaped(text[:0], text, '#')
}

// captured notes the values between bars as capture:1, capture:2 and so on.
func (p *haproxy) captured(r *fingerprint.Request, list []byte) {
	if p.reads&fingerprint.ReadsAttributes == 0 {
		return
	}
	digit := [1]byte{'0'}
	for more := true; more && digit[0] < '9'; {
		var value []byte
		value, list, more = bytes.Cut(list, []byte("|"))
		if digit[0]++; len(value) > 0 {
			setAttribute(r, p.scan.Join("capture:", digit[:]), unescapeHAProxy(&p.scan, value), p.reads)
		}
	}
}
