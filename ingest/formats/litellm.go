package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// litellm reads the StandardLoggingPayload that LiteLLM's callbacks write
// (seen of version 1.106.2).
type litellm struct {
	reads fingerprint.Field
	scan  rawjson.Scanner

	// Gathered over a record.
	id, callID           []byte
	model, group         []byte
	traceID, sessionID   []byte
	endUser, userID      []byte
	hash, alias          []byte
	outcome, errorCode   []byte
	errorClass, errorStr []byte
	session              naming
	metadataLogged       bool // the record carries what the requester sent along
	traceIsSession       bool // a session stands in it in a form that LiteLLM took apart
}

func newLiteLLM(reads fingerprint.Field) Parser { return &litellm{reads: reads} }

func detectLiteLLM(line []byte) bool {
	k := keysOf(line)
	return k.has("startTime") && k.any("call_type", "litellm_call_id", "custom_llm_provider") && k.any("messages", "model_group", "metadata", "response")
}

func (p *litellm) Parse(record []byte, r *fingerprint.Request) (int, string) {
	*p = litellm{reads: p.reads, scan: p.scan}
	p.session.reset()
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		p.field(s, r)
	}
	if column, why := failure(s); why != "" {
		return column, why
	}
	p.finish(r)
	return 0, ""
}

func (p *litellm) field(s *rawjson.Scanner, r *fingerprint.Request) {
	switch string(s.Key) {
	case "startTime":
		r.Time = readTime(s)
	case "endTime":
		r.End = readTime(s)
	case "id":
		p.id = s.Text(p.id)
	case "litellm_call_id":
		p.callID = s.Text(p.callID)
	case "trace_id":
		p.traceID = s.Text(p.traceID)
	case "session_id":
		p.sessionID = s.Text(p.sessionID)
	case "model":
		p.model = s.Text(p.model)
	case "model_group":
		p.group = s.Text(p.group)
	case "custom_llm_provider":
		r.Backend = s.Text(r.Backend)
	case "end_user":
		p.endUser = s.Text(p.endUser)
	case "status":
		p.outcome = s.Text(p.outcome)
	case "stream":
		// LiteLLM writes null, not false, for a call that was not streamed.
		r.Stream = fingerprint.TriOf(readTri(s) == fingerprint.Yes)
	case "cache_hit":
		r.Cached = fingerprint.TriOf(readTri(s) == fingerprint.Yes)
	case "response_cost":
		readCost(s, r)
	case "prompt_tokens":
		r.TokensIn = readCount(s)
	case "completion_tokens":
		r.TokensOut = readCount(s)
	case "error_str":
		p.errorStr = s.Text(p.errorStr)
	case "error_information":
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "error_code":
				p.errorCode = s.Text(p.errorCode)
			case "error_class":
				p.errorClass = s.Text(p.errorClass)
			default:
				s.Skip()
			}
		}
	case "metadata":
		for s.Object(); s.NextKey(); {
			p.metadata(s, r)
		}
	case "model_parameters":
		for s.Object(); s.NextKey(); {
			p.parameter(s, r)
		}
	case "messages":
		readMessages(s, r, p.reads)
	case "response":
		readResponse(s, r, p.reads)
	default:
		s.Skip()
	}
}

func (p *litellm) metadata(s *rawjson.Scanner, r *fingerprint.Request) {
	switch string(s.Key) {
	case "user_api_key_hash":
		p.hash = s.Text(p.hash)
	case "user_api_key_alias":
		p.alias = s.Text(p.alias)
	case "user_api_key_user_id", "user_api_key_end_user_id":
		p.userID = s.Text(p.userID)
	case "user_api_key_request_route":
		r.Path = s.Text(r.Path)
	case "user_api_key_team_id", "user_api_key_team_alias", "user_api_key_org_id":
		p.attribute(s, r)
	case "requester_custom_headers":
		if s.Kind() == rawjson.Object {
			p.metadataLogged = true
		}
		p.headers(s, r)
	case "requester_metadata":
		if s.Kind() == rawjson.Object {
			p.metadataLogged = true
		}
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "session_id", "trace_id":
				p.session.other(s.Text(nil))
			case "user_id":
				// Anthropic's clients put the session into metadata.user_id;
				// LiteLLM takes it out and makes it the trace id.
				p.traceIsSession = p.traceIsSession || bytes.Contains(s.Text(nil), []byte("session"))
			case "headers":
				p.headers(s, r)
			default:
				s.Skip()
			}
		}
	default:
		s.Skip()
	}
}

func (p *litellm) headers(s *rawjson.Scanner, r *fingerprint.Request) {
	for s.Object(); s.NextKey(); {
		name := s.Key
		value := s.Text(nil)
		p.session.header(name, value)
		if p.reads&fingerprint.ReadsAttributes != 0 && value != nil {
			r.Attributes = append(r.Attributes, fingerprint.Attribute{Name: s.Join("header:", name), Value: value})
		}
	}
}

func (p *litellm) attribute(s *rawjson.Scanner, r *fingerprint.Request) {
	name := s.Key
	if value := s.Text(nil); value != nil && p.reads&fingerprint.ReadsAttributes != 0 {
		r.Attributes = append(r.Attributes, fingerprint.Attribute{Name: name, Value: value})
	}
}

func (p *litellm) parameter(s *rawjson.Scanner, r *fingerprint.Request) {
	switch string(s.Key) {
	case "tools":
		r.HasTools = readTools(s)
	case "max_tokens", "max_completion_tokens", "max_output_tokens":
		r.MaxTokens = readCount(s)
	default:
		s.Skip()
	}
}

// finish decides between fields that say the same.
func (p *litellm) finish(r *fingerprint.Request) {
	r.ID = first(p.callID, p.id)
	r.Model = first(p.group, p.model)
	r.User = first(p.endUser, p.userID)
	r.Caller = first(p.hash, p.alias)
	r.CallerIsName = len(p.hash) == 0
	if r.HasTools == fingerprint.NotLogged {
		r.HasTools = fingerprint.No
	}
	switch string(p.outcome) {
	case "success":
		r.Status = 200
	case "failure":
		if n, ok := rawjson.ParseInt(p.errorCode); ok && n >= 100 && n <= 999 {
			r.Status = int(n)
		}
		r.Error = first(p.errorClass, p.errorStr)
	}
	// trace_id is the session where a client sent one, and random otherwise.
	// Old records do not carry what the client sent: there it is taken for
	// the session.
	switch {
	case len(p.sessionID) > 0:
		r.Session = p.sessionID
	case len(p.session.value) > 0:
		r.Session = p.session.value
	case len(p.traceID) > 0 && (p.traceIsSession || !p.metadataLogged):
		r.Session = p.traceID
	}
}

// first is the first text that says something, or nil.
func first(texts ...[]byte) []byte {
	for _, t := range texts {
		if len(t) > 0 {
			return t
		}
	}
	return nil
}
