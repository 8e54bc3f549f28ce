package formats

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// native reads the format that any unknown log can be turned into. Every field
// but time may be missing.
type native struct {
	reads fingerprint.Field
	scan  rawjson.Scanner
}

func newNative(reads fingerprint.Field) Parser { return &native{reads: reads} }

// mayHoldLine tells a record of the native format of which it may be that a collector
// made it of a line: one with a body says more of the request than that.
func mayHoldLine(m wrap.Members) bool {
	return !m.Has("body") || !m.Any("method", "query", "caller", "session", "model", "messages", "tool_calls", "status")
}

// isNative wants a time and at least one field that says what the request was, and
// nothing that other formats are known by: what the format does not know is passed over,
// and with it would go path, status, caller or messages. So it would with a field by
// which requests are told apart that has another name, as in the lines that Go's slog,
// pino and bunyan write of what the owner named: some are ours by chance.
func isNative(m wrap.Members) bool {
	return anyTime(m, parseTime, "time") && !isNginx(m) && !isHAProxy(m) && !isOurs(m) &&
		!m.Any("startTime", "requestOptions", "uri", "url", "request", "request_uri", "request_method", "status_code", "client_ip", "remote_addr", "request_body", "response_code", "req") &&
		m.Any("id", "method", "path", "query", "body", "body_hash", "caller", "user", "session", "model", "messages", "tool_calls", "attributes") &&
		!slices.ContainsFunc(toldApart, func(field string) bool { return len(renamed(m, field)) > 0 }) && !needsHeaders(m)
}

// toldApart are the fields by which requests are.
var toldApart = []string{"method", "status", "caller", "session", "messages", "body", "tool_calls"}

// renamed are the other names that gateways have for a field by which it goes, also
// behind dots (http.method): of calls also those of a response, in which they are.
func renamed(m wrap.Members, field string) (names []string) {
	if m.Has(field) {
		return nil
	}
	known := namesOf(field)
	if field == "tool_calls" {
		known = slices.Concat(known, namesOf("response"))
	}
	for name, value := range m { // any order: there is one, mostly
		if slices.ContainsFunc(known, func(k string) bool { return isNamed(name, k) }) && mayBe(field, value) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// mayBe tells whether a value says something that such a field could: a script that
// writes the native format has members of its own, such as the text of an answer.
func mayBe(field string, value rawjson.Value) bool {
	switch value.Kind() {
	case rawjson.Object, rawjson.Array:
		return true
	case rawjson.Number: // of what others are, it is a count
		return field != "messages" && field != "body" && field != "tool_calls"
	case rawjson.String:
		var s rawjson.Scanner
		s.Reset(value)
		text := s.Text(nil)
		return says(text) && (field != "tool_calls" || wrap.IsEvents(text) || jsonWithin(text) != nil)
	}
	return false
}

// needsHeaders tells that a caller or a session may be among headers alone.
func needsHeaders(m wrap.Members) bool { return m.Has("headers") && !m.Has("caller", "session") }

// isOurs tells verdicts and alerts of loopgauge, which are about requests and
// none.
func isOurs(m wrap.Members) bool { return m.Has("rule", "fingerprint") }

// Ours tells whether a line is a verdict or an alert of loopgauge.
func Ours(line []byte) bool { return isOurs(wrap.MembersOf(line)) }

func (p *native) Parse(record []byte, r *fingerprint.Request) (int, string) {
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "time":
			r.Time = readTime(s, r.Time)
		case "end":
			r.End = readTime(s, r.End)
		case "id":
			r.ID = s.Text(r.ID)
		case "method":
			r.Method = s.Text(r.Method)
		case "path":
			setPath(r, s.Text(r.Path))
		case "query":
			p.query(s, r)
		case "body":
			if p.reads&(fingerprint.ReadsBody|fingerprint.ReadsMessages) == 0 { // beside a body, messages are as sent
				continue // long, and escaped throughout
			}
			r.Body = s.Text(r.Body)
		case "body_hash":
			r.BodyHash = s.Text(r.BodyHash)
		case "caller":
			r.Caller = s.Text(r.Caller)
		case "user":
			r.User = s.Text(r.User)
		case "session":
			if t := s.Text(r.Session); len(t) == 0 || fingerprint.NamesSession(t) { // absent and empty are two things here
				r.Session = t
			}
		case "agent":
			r.Agent = s.Text(r.Agent)
		case "model":
			r.Model = s.Text(r.Model)
		case "backend":
			r.Backend = s.Text(r.Backend)
		case "has_tools":
			r.HasTools = readTri(s, r.HasTools)
		case "messages":
			readMessages(s, r, p.reads)
		case "tool_calls":
			r.ToolCallsLogged = r.ToolCallsLogged || s.Kind() == rawjson.Array
			readToolCalls(s, r, 0, p.reads)
		case "error":
			r.Error = s.Text(r.Error)
		case "attributes":
			readAttributes(s, r, p.reads)
		default:
			readNumber(s, s.Key, r)
		}
	}
	return wrap.Failure(s)
}

// readNumber reads the field of a name that is a number or a truth value, if it is one
// of these.
func readNumber(s *rawjson.Scanner, name []byte, r *fingerprint.Request) {
	switch string(name) {
	case "status":
		r.Status = readStatus(s, r.Status)
	case "tokens_in":
		r.TokensIn = readCount(s, r.TokensIn)
	case "tokens_out":
		r.TokensOut = readCount(s, r.TokensOut)
	case "tokens_cached":
		r.TokensCached = readCount(s, r.TokensCached)
	case "cost":
		r.Cost = readCost(s, r.Cost)
	case "stream":
		r.Stream = readTri(s, r.Stream)
	case "cached":
		r.Cached = readTri(s, r.Cached)
	case "max_tokens":
		r.MaxTokens = readCount(s, r.MaxTokens)
	}
}

func (p *native) query(s *rawjson.Scanner, r *fingerprint.Request) {
	if s.Kind() == rawjson.Object {
		setQuery(r, fingerprint.Query{Object: s.Value()})
	} else if t := s.Text(nil); t != nil {
		setQuery(r, fingerprint.Query{Raw: t})
	}
}
