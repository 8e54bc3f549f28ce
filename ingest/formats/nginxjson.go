package formats

import (
	"bytes"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// nginxJSON reads a log_format of nginx or OpenResty, or a LogFormat of Apache,
// that is written as a JSON object, with variables under their own names or under
// usual short ones. With escape=json a line is JSON; with nginx's default escaping it
// is not, because quotes and everything beyond ASCII are written as \xHH.
type nginxJSON struct {
	access
	escaped  []byte          // a line whose \xHH have become JSON
	enquoted []byte          // one in which JSON lay in quotes as it is
	inside   rawjson.Scanner // of that
}

func isNginx(m wrap.Members) bool {
	request := m["request"].Kind() == rawjson.String // the line of a request: others have an object there
	return (request || m.Any("method", "request_method")) &&
		(request || m.Any("uri", "request_uri") || m.Any("path", "url") && m.Any("request_time", "remote_addr", "remote_ip", "client_ip", "clientip")) &&
		anyTime(m, parseZonedTime, "time", "time_iso8601", "time_local", "msec", "timestamp", "@timestamp", "date", "_time") && m.Has("status") &&
		!m.Any("ts", "start_time", "startTime", "resp_headers", "logger") && !isHAProxy(m)
}

func detectNginxJSON(line Line) bool {
	var p nginxJSON
	if isNginx(wrap.MembersOf(p.unescape(line.text))) {
		return true
	}
	quoted := p.enquote(line.text)
	return quoted != nil && isNginx(wrap.MembersOf(p.unescape(quoted)))
}

func (p *nginxJSON) Parse(record []byte, r *fingerprint.Request) (int, string) {
	column, why := p.parse(record, r)
	if why == "" {
		return column, why
	}
	quoted := p.enquote(record)
	if quoted == nil {
		return column, why
	}
	r.Reset()
	_, why = p.parse(quoted, r)
	return 0, why // of the line that was made of it
}

func (p *nginxJSON) parse(record []byte, r *fingerprint.Request) (int, string) {
	var seconds, msec, stamped, dated int64 = fingerprint.NoTime, fingerprint.NoTime, fingerprint.NoTime, fingerprint.NoTime
	var requested, uri, path, args, named, keyed []byte
	var size sizes
	line := p.unescape(record)
	s := p.begin(line)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "time", "time_iso8601", "time_local":
			seconds = readZonedTime(s, seconds)
		case "timestamp", "@timestamp": // or that of a collector, which put its members beside the line's
			stamped = readZonedTime(s, stamped)
		case "msec":
			msec = readZonedTime(s, msec)
		case "date", "_time": // that a collector or a store took out of the record, or its own
			dated = readZonedTime(s, dated)
		case "request_time":
			if d, ok := nginxSpan(s.Text(nil)); ok && d >= 0 {
				p.lasted = d
			}
		case "request_id":
			r.ID = value(s, r.ID)
		case "method", "request_method":
			r.Method = value(s, r.Method)
		case "request_uri":
			requested = value(s, requested)
		case "uri": // without the query, and rewritten
			uri = value(s, uri)
		case "path", "url":
			path = value(s, path)
		case "args", "query_string", "request_query", "query":
			args = bytes.TrimPrefix(value(s, args), []byte("?")) // which Apache's %q has
		case "request":
			line := value(s, nil)
			if method, target, ok := requestLine(line); ok {
				r.Method, requested = method, target
			} else if bytes.HasPrefix(line, []byte("/")) { // Apache's %U
				path = line
			}
		case "status":
			r.Status = readStatus(s, r.Status)
		case "session", "session_id":
			p.session.other(ownField, value(s, nil))
		case "remote_addr":
			p.address = value(s, p.address)
		case "remote_ip", "remoteIP", "remote-address", "remoteAddress", "client_ip", "clientip", "client": // whatever the log's owner takes for it
			named = first(named, host(value(s, nil)))
		case "remote_user":
			p.name = value(s, p.name)
		case "api_key": // of a variable that was made of whichever header has it, and in Tyk's access log
			name, key := s.Key, value(s, nil)
			setAttribute(r, name, key, p.reads)
			keyed = first(key, keyed)
		case "body", "request_body":
			r.Body, size.body = readBody(s, r.Body), true
		case "response_body", "resp_body": // which OpenResty gathers
			p.response = readText(s, p.response)
		case "request_length", "bytes_in", "content_length", "http_content_length", "request_body_file":
			p.size(s, r, &size)
		default:
			p.other(r)
		}
	}
	if column, why := wrap.Failure(s); why != "" {
		if len(line) != len(record) {
			column = 0 // of the unescaped line, not of the one in the log
		}
		if strings.HasPrefix(why, "expected ") && bytes.HasSuffix(bytes.TrimSpace(record), []byte("}")) {
			why += unquoted
		}
		return column, why
	}
	// msec has the milliseconds that the others lack. All are the end.
	for _, other := range []int64{stamped, dated} {
		if seconds == fingerprint.NoTime {
			seconds = other
		}
	}
	if r.Time = msec; msec == fingerprint.NoTime {
		r.Time = seconds
	}
	began(r, p.lasted)
	splitTarget(r, first(requested, uri, path))
	if len(args) > 0 {
		r.Query.Raw = args
	}
	if seconds != fingerprint.NoTime && msec == fingerprint.NoTime && r.Method == nil && r.Path == nil && r.Status == fingerprint.Unknown && !size.body {
		return 0, notNginx
	}
	if r.Body == nil && size.body && size.spooled {
		r.Lost = fingerprint.SpooledBody
	}
	if p.key == nil && tells(keyed) {
		p.key = keyed
	}
	p.address = first(p.address, named)
	return p.finish(r)
}

// nginxSpan reads $request_time, which is in seconds and has three decimals. A
// whole number is in a unit of somebody else's, as Apache's %D, unless it is
// nothing in any: what collectors parse loses its decimals.
func nginxSpan(text []byte) (micros int64, ok bool) {
	if bytes.IndexByte(text, '.') < 0 && string(text) != "0" {
		return 0, false
	}
	return parseSeconds(text)
}

// unquoted is the likely cause in a line that has its end: $upstream_status and
// its kin are empty without an upstream, and lists after a second try.
const unquoted = "; a variable in log_format may lack its quotes"

// notNginx is said of a line that has a time, if not nginx's own msec, and nothing
// else of an access log: that of another program in the same place.
const notNginx = "neither method, target nor status"

// sizes are what tells a body that is not in the line because nginx had it in
// a file from one that was never sent: $request_body has what is in memory.
type sizes struct{ body, spooled bool }

// leastSpooled is nginx's smallest default of client_body_buffer_size. The
// size of the whole request is held against it too: headers are shorter.
const leastSpooled = 8 << 10

// size reads a variable that speaks of the request's size, and keeps it as an
// attribute like any other.
func (p *nginxJSON) size(s *rawjson.Scanner, r *fingerprint.Request, to *sizes) {
	name := s.Key
	text := value(s, nil)
	if text == nil {
		return
	}
	if string(name) == "request_body_file" {
		to.spooled = true
	} else if n, ok := rawjson.ParseInt(text); ok && n >= leastSpooled {
		to.spooled = true
	}
	if string(name) == "http_content_length" {
		name = []byte("header:content-length")
	}
	setAttribute(r, name, text, p.reads)
}

// unescape turns a line with nginx's \xHH into JSON. A backslash of the text
// is itself written as \x5C there, so that every \x is an escape; in JSON, \x
// only ever stands behind another backslash.
func (p *nginxJSON) unescape(line []byte) []byte {
	if !bytes.Contains(line, []byte(`\x`)) {
		return line
	}
	out := p.escaped[:0]
	for {
		n := bytes.IndexByte(line, '\\')
		if n < 0 || n+1 == len(line) {
			break
		}
		out = append(out, line[:n]...)
		line = line[n:]
		c, ok := byte(0), len(line) >= 4 && line[1] == 'x'
		if ok {
			c, ok = hexByte(line[2], line[3])
		}
		switch {
		case !ok: // an escape of JSON: the byte behind it belongs to it
			out = append(out, line[:2]...)
			line = line[2:]
			continue
		case c == '"' || c == '\\' || c < ' ':
			out = rawjson.AppendEscaped(out, c)
		default:
			out = append(out, c)
		}
		line = line[4:]
	}
	out = append(out, line...)
	p.escaped = out
	return out
}

// mostQuoted bounds how often a line is looked at for what lies in quotes as it is.
const mostQuoted = 8

// enquote makes texts of JSON that escape=none put between quotes as it is, which
// ends the scan: "request_body":"{"model":"gpt-4o"}". It is nil if there are none.
func (p *nginxJSON) enquote(line []byte) []byte {
	out := p.enquoted[:0]
	for from, n := 0, 0; n < mostQuoted; n++ {
		i := bytes.Index(line[from:], []byte(`":"{"`))
		if i < 0 {
			break
		}
		begin := from + i + len(`":"`)
		s := &p.inside
		s.Reset(line[begin:])
		s.Skip()
		end := begin + s.Offset()
		if from = begin; s.Err() != nil || end >= len(line) || line[end] != '"' {
			continue
		}
		out = rawjson.AppendString(append(out, line[:begin-1]...), line[begin:end])
		line, from = line[end+1:], 0
	}
	if len(out) == 0 {
		return nil
	}
	p.enquoted = append(out, line...)
	return p.enquoted
}
