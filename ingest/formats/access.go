package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// access is what parsers of gateways' logs share: a line about a call over
// HTTP, with headers and perhaps the bodies. A parser begins, reads the members in
// whatever order they come, and finishes. Session and caller it does not write into
// the request: it notes here what names them, and finish decides.
type access struct {
	reads  fingerprint.Field
	scan   rawjson.Scanner // of the line
	body   requestBody
	answer answer
	json   []byte // a call of a tool and its result, as messages

	accessRecord
}

// accessRecord is what is gathered over a record.
type accessRecord struct {
	session        naming // header, or other(ownField, ...)
	name           []byte // of whom the gateway knows by name
	key            []byte // that the client sent
	address        []byte
	authentication bool  // key is of the Authorization header
	lasted         int64 // how long the call did, in microseconds

	request, response []byte // the bodies, where they are JSON and not the bytes that were sent
}

// accessParser makes a parser that embeds access.
func accessParser[T any, P interface {
	*T
	Parser
	reading(fingerprint.Field)
}](reads fingerprint.Field) Parser {
	p := P(new(T))
	p.reading(reads)
	return p
}

func (a *access) reading(reads fingerprint.Field) { a.reads = reads }

// begin forgets the record before, and returns the scanner at the start of this one:
// nil stands for a line of text, of which that holds the names of headers alone.
func (a *access) begin(record []byte) *rawjson.Scanner {
	a.accessRecord = accessRecord{lasted: fingerprint.NoTime}
	a.body.tool = mcpCall{}
	a.scan.Reset(record)
	return &a.scan
}

// keyHeaders carry the caller's key where it is not in Authorization.
var keyHeaders = []string{"x-api-key", "api-key", "x-goog-api-key"}

// isHidden tells what a logger wrote in the place of a header's value.
func isHidden(value []byte) bool { return fingerprint.Placeholder(value) != fingerprint.Computable }

// header notes a request header, of any case, as the attribute header:name in
// lower case, and what it says of session and caller.
func (a *access) header(r *fingerprint.Request, name, value []byte) {
	if len(value) == 0 || isHidden(value) {
		return
	}
	a.session.header(r, name, value)
	if equalFold(name, "authorization") {
		if key := authorizationKey(value); tells(key) && !isScheme(key) {
			a.key, a.authentication = key, true
		}
	} else if !a.authentication {
		for _, h := range keyHeaders {
			if equalFold(name, h) && tells(value) {
				a.key = value
			}
		}
	}
	if a.reads&fingerprint.ReadsAttributes == 0 {
		return
	}
	lowered := a.scan.Join("header:", name)
	for i, c := range lowered {
		if 'A' <= c && c <= 'Z' {
			lowered[i] = c + 'a' - 'A'
		}
	}
	setAttribute(r, lowered, value, a.reads)
}

// authorizationKey is the key in the header Authorization, of Amazon's the access
// key: its signature is another with each request.
func authorizationKey(value []byte) []byte {
	if _, credential, ok := bytes.Cut(value, []byte(" Credential=")); ok && bytes.HasPrefix(value, []byte("AWS4-")) {
		key, _, _ := bytes.Cut(credential, []byte("/"))
		return key
	}
	return value[bytes.LastIndexByte(value, ' ')+1:]
}

// attribute keeps the member that comes next under its own name.
func (a *access) attribute(r *fingerprint.Request) { readAttribute(&a.scan, r, a.reads) }

// other keeps what else the owner of a log that is JSON by hand chose to write:
// request headers, as variables are named ($http_x_team) or by their names (x_team,
// x-team), as header:x-team, the rest by its own name.
func (a *access) other(r *fingerprint.Request) {
	name, isHeader := bytes.CutPrefix(a.scan.Key, []byte("http_"))
	if !isHeader && !bytes.HasPrefix(name, []byte("x_")) && !bytes.HasPrefix(name, []byte("x-")) && string(name) != "user_agent" && string(name) != "authorization" {
		a.attribute(r)
		return
	}
	a.variable(r, name, value(&a.scan, nil))
}

// variable notes a request header that is named as in a variable.
func (a *access) variable(r *fingerprint.Request, name, text []byte) {
	name = a.scan.Join("", name)
	for i, c := range name {
		if c == '_' {
			name[i] = '-'
		}
	}
	a.header(r, name, text)
}

// metadata notes what a client sent along with its request, under the name that
// it has there.
func (a *access) metadata(r *fingerprint.Request, name, text []byte) {
	if string(name) == "session_id" {
		a.session.other(metadataField, text)
	}
	setAttribute(r, name, text, a.reads)
}

// finish is what Parse returns once all members were read: it settles what they say
// of the call, unless the record is broken.
func (a *access) finish(r *fingerprint.Request) (column int, why string) {
	if column, why = wrap.Failure(&a.scan); why == "" {
		a.settle(r)
	}
	return column, why
}

// settle settles when the call ended, who called and in which session, and takes the
// bodies apart. What the record itself counted goes before what its response says.
func (a *access) settle(r *fingerprint.Request) {
	ended(r, a.lasted)
	if a.response != nil {
		in, out, cached := r.TokensIn, r.TokensOut, r.TokensCached
		a.answer.read(a.response, r, a.reads)
		keepTokens(r, in, out, cached)
	}
	if a.request != nil && r.Body == nil {
		a.bodyValue(r, a.request)
	}
	switch {
	case tells(a.name):
		r.Caller, r.CallerIsName = a.name, true
	case tells(a.key):
		r.Caller = a.key
	case tells(a.address):
		r.Caller, r.CallerIsName = withoutPort(a.address), true
	}
	if isNone(r.Body) {
		r.Body = nil
	}
	if r.Body != nil {
		a.body.read(r, &a.session, a.reads)
	}
	if a.body.tool.isCall() {
		a.ran(&a.body.tool, r)
	}
	r.Session = a.session.value
}

// ended notes the end of a call that has begun at r.Time.
func ended(r *fingerprint.Request, micros int64) {
	if r.Time != fingerprint.NoTime && micros >= 0 && r.Time < maxTime && micros < maxTime {
		r.End = r.Time + micros
	}
}

// began notes the start of a call that has ended at r.Time.
func began(r *fingerprint.Request, micros int64) {
	if r.Time != fingerprint.NoTime && micros >= 0 && r.Time < maxTime && micros < maxTime {
		r.End = r.Time
		r.Time -= micros
	}
}

// bodyValue takes a request body apart that the log has as JSON and not as the
// bytes that were sent.
func (a *access) bodyValue(r *fingerprint.Request, body rawjson.Value) {
	sent := r.Body
	r.Body = body
	a.body.read(r, &a.session, a.reads)
	r.Body = sent
}

// firstOf is the first of a list of addresses: the client's own.
func firstOf(list []byte) []byte {
	address, _, _ := bytes.Cut(bytes.TrimLeft(list, ", "), []byte(","))
	return bytes.TrimSpace(address)
}
