package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// combined reads the common and combined log formats of Apache and nginx:
//
//	host ident user [time] "request" status bytes "referer" "user agent" ...
//
// Apache's vhost_combined has the virtual host in front. Behind the user agent
// anything may stand; known are names with a value, as nginx is often told to
// write them (rt=0.123 sess="s1" body="$request_body"), and Traefik's duration,
// 202ms.
type combined struct {
	access
	text   []byte          // what was unescaped of a line
	json   rawjson.Scanner // of what lies in the line as it is
	object []byte          // the first request to a model that stands in the line without a name
	cooked bool            // JSON in the line is escaped
}

func detectCombined(line Line) bool {
	r, ok := parsed(&combined{}, line.text)
	return ok && !inFront(r.Caller)
}

// inFront tells that something stands in front of the line, since a caller ends
// in a host, the dash of ident and a user: taken for a user's blanks it would
// make a caller of its own of each line. A user may be called so as well, which
// is for Parse to believe.
func inFront(caller []byte) bool {
	words := bytes.Fields(caller)
	return len(words) > 1 && string(words[len(words)-2]) == "-"
}

func (p *combined) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.begin(nil)
	p.text, p.object, p.cooked = p.text[:0], nil, false
	host, rest := client(record)
	if len(rest) == 0 || record[0] == ' ' {
		return 1, "expected a host"
	}
	from := len(record) - len(rest)
	open := bytes.Index(rest, []byte(" ["))
	if open < 0 {
		return from + 1, "expected [time]"
	}
	t, f, why := dated(record, from+open+1)
	// ident and user may hold blanks, and such brackets if a client wants.
	for at := open; why != ""; {
		next := bytes.Index(rest[at+2:], []byte(" ["))
		if next < 0 {
			return f.column(), why
		}
		at += 2 + next
		if t2, f2, why2 := dated(record, from+at+1); why2 == "" {
			open, t, f, why = at, t2, f2, ""
		}
	}
	ident, user, _ := bytes.Cut(rest[:open], []byte(" "))
	if bytes.ContainsAny(ident, ".:") && bytes.IndexByte(user, ' ') >= 0 {
		host, user = client(rest[:open]) // the first was the virtual host
		_, user, _ = bytes.Cut(user, []byte(" "))
	}
	r.Time = t
	line, ok := f.between('"', '"')
	if !ok {
		return f.column(), "quotes not closed"
	}
	status := f.word()
	code, ok := number(status)
	// Where there was none, nginx writes 000, and HAProxy -1.
	if string(status) != "-" && string(status) != "-1" && (!ok || len(status) != 3) {
		return f.column() - len(status), "expected a status"
	}
	if code >= 100 {
		r.Status = int(code)
	}
	if method, target, ok := requestLine(p.unescape(line)); ok {
		r.Method = method
		splitTarget(r, target)
	}
	if string(user) != `""` { // which Apache writes for a user without a name
		p.name = set(user)
	}
	p.address = set(host)
	if p.tail(f, r); r.Body == nil {
		r.Body = p.object
	}
	return p.finish(r)
}

// longestTime is more than any time in brackets takes, in bytes.
const longestTime = 64

// dated reads the time in the brackets that open at a place in a line, and finds the
// request behind them, or what is wrong and where.
func dated(line []byte, open int) (t int64, f words, why string) {
	inside, _, ok := bytes.Cut(line[open+1:min(open+longestTime, len(line))], []byte("]"))
	if !ok {
		return 0, words{line, open}, "expected [time]"
	}
	t, ok = parseCLF(inside)
	if !ok { // $time_iso8601 of nginx
		t, ok = parseRFC3339(inside)
	}
	if !ok {
		return 0, words{line, open + 1}, "expected a time like 21/Nov/2026:10:00:00 +0000"
	}
	f = words{line, open + 1 + len(inside) + 1}
	if behind := f; f.next() != '"' && len(behind.word()) > 0 && behind.next() == '"' {
		f = behind // APISIX writes the host in front of the request
	}
	if f.next() != '"' {
		return 0, f, "expected the request in quotes"
	}
	return t, f, ""
}

// client is the address that text begins with, and what follows. Of a list of
// them, as X-Forwarded-For has it, the first is the client's. A client may send
// one that begins or ends with a comma: the dash of ident is none.
func client(text []byte) (address, rest []byte) {
	word, rest, _ := bytes.Cut(text, []byte(" "))
	address = firstOf(word)
	for bytes.HasSuffix(word, []byte(",")) && !bytes.HasPrefix(rest, []byte("- ")) {
		word, rest, _ = bytes.Cut(rest, []byte(" "))
		address = first(address, firstOf(word))
	}
	return address, rest
}

// tail reads what stands behind the status.
func (p *combined) tail(f words, r *fingerprint.Request) {
	_ = f.word()           // the size
	if isDigit(f.next()) { // a second size of Apache's, or the time that APISIX took
		p.took(r, f.word())
	}
	if referer, ok := f.between('"', '"'); ok {
		p.header(r, []byte("referer"), set(p.unescape(referer)))
		agent, _ := f.between('"', '"')
		p.header(r, []byte("user-agent"), set(p.unescape(agent)))
	}
	for f.next() != 0 {
		if object := p.raw(&f); object != nil {
			p.unnamed(object)
			continue
		}
		if f.next() == '"' {
			inside, ok := f.between('"', '"')
			if !ok {
				return
			}
			if len(inside) > 0 && inside[0] == '{' && p.object == nil {
				p.unnamed(p.unescape(inside))
			}
			continue
		}
		word := f.word()
		if ms, ok := bytes.CutSuffix(word, []byte("ms")); ok && f.next() == 0 && digitsOnly(ms) {
			ended(r, parseMillis(ms, fingerprint.NoTime)) // of Traefik, whose time is the start
			return
		}
		name, value, ok := bytes.Cut(word, []byte("="))
		if len(value) > 0 && (value[0] == '"' || value[0] == '{') {
			f.pos -= len(value)
			if object := p.raw(&f); object != nil {
				value = object
			} else if inside, closed := f.between('"', '"'); closed {
				value = p.unescape(inside)
			} else if value[0] == '"' && namesBody(name) { // of a line that was cut
				value, f.pos = p.unescape(f.text[f.pos+1:]), len(f.text)
			} else {
				f.word()
			}
		}
		switch {
		case !ok:
		case string(name) == "rt", string(name) == "request_time":
			p.took(r, value)
		case string(name) == "rid", string(name) == "request_id":
			r.ID = set(value)
		case string(name) == "sess", string(name) == "session", string(name) == "session_id":
			p.session.other(ownField, set(value))
		case namesBody(name):
			r.Body = set(value)
		case bytes.HasPrefix(name, []byte("http_")):
			p.variable(r, name[len("http_"):], set(value))
		case bytes.HasPrefix(name, []byte("x_")):
			p.variable(r, name, set(value))
		default:
			setAttribute(r, name, set(value), p.reads)
		}
	}
}

// took notes how long a call took by nginx, whose time is the end.
func (p *combined) took(r *fingerprint.Request, text []byte) {
	if d, ok := nginxSpan(text); ok && r.End == fingerprint.NoTime {
		began(r, d)
	}
}

func namesBody(name []byte) bool { return string(name) == "body" || string(name) == "request_body" }

// unescape undoes \" \\ \n and \xHH as Apache and nginx write them.
func (p *combined) unescape(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	from := len(p.text)
	p.text = appendUnquoted(p.text, text)
	return p.text[from:len(p.text):len(p.text)]
}
