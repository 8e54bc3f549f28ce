package formats

import (
	"bytes"
	"regexp"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// litellm reads the StandardLoggingPayload that LiteLLM's callbacks write
// (seen of version 1.106.2).
type litellm struct {
	reads  fingerprint.Field
	scan   rawjson.Scanner
	bodies passedBodies
	json   []byte             // messages of a tool
	texts  [4]rawjson.Scanner // of the members that are JSON in a text
	counts rawjson.Scanner    // of usage
	litellmRecord
}

// litellmRecord is what is gathered over a record.
type litellmRecord struct {
	id, callID, callType []byte
	model, group         []byte
	traceID, sessionID   []byte
	endUser, keyEndUser  []byte
	keyUser              []byte
	hash, alias          []byte
	outcome, errorCode   []byte
	errorClass, errorStr []byte
	session              naming
	requesterLogged      bool // the record carries what the client sent along
	messages, response   rawjson.Value
	usage                rawjson.Value // of the response
	parametersLogged     bool
	elsewhere            bool // the provider keeps the history
	tool                 litellmTool
	streamed             fingerprint.Tri
	unstreamed           bool
}

func newLiteLLM(reads fingerprint.Field) Parser { return &litellm{reads: reads} }

func isLiteLLM(m wrap.Members) bool {
	return m.Has("startTime") && !m.Has("modelParameters") && !isSpend(m) && m.Any("call_type", "litellm_call_id", "custom_llm_provider") && m.Any("messages", "model_group", "metadata", "response")
}

func (p *litellm) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.litellmRecord = litellmRecord{}
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		p.field(s, r)
	}
	if column, why := wrap.Failure(s); why != "" {
		return column, why
	}
	if r.TokensCached == fingerprint.Unknown {
		p.counts.Reset(p.usage)
		readCachedTokens(&p.counts, r)
	}
	p.finish(r)
	return 0, ""
}

func (p *litellm) field(s *rawjson.Scanner, r *fingerprint.Request) {
	switch string(s.Key) {
	case "startTime":
		r.Time = readTime(s, r.Time)
	case "endTime":
		r.End = readTime(s, r.End)
	case "id":
		p.id = s.Text(p.id)
	case "litellm_call_id":
		p.callID = s.Text(p.callID)
	case "call_type":
		p.callType = s.Text(p.callType)
	case "trace_id":
		p.traceID = readSession(s, p.traceID)
	case "session_id":
		p.sessionID = readSession(s, p.sessionID)
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
		// LiteLLM writes null, not false, for a call that was not streamed, and
		// for one that failed.
		p.unstreamed = s.Kind() == rawjson.Null
		r.Stream = readTri(s, r.Stream)
	case "cache_hit":
		r.Cached = readTri(s, max(r.Cached, fingerprint.No))
	case "response_cost":
		r.Cost = readCost(s, r.Cost)
	case "prompt_tokens":
		r.TokensIn = readCount(s, r.TokensIn)
	case "completion_tokens":
		r.TokensOut = readCount(s, r.TokensOut)
	case "error_str":
		p.errorStr = s.Text(p.errorStr)
	case "error_information":
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "error_code":
				p.errorCode = s.Text(p.errorCode)
			case "error_class":
				p.errorClass = s.Text(p.errorClass)
			}
		}
	case "metadata":
		m, _ := jsonIn(s, &p.texts[0], "{")
		for m.Object(); m.NextKey(); {
			p.metadata(m, r)
		}
	case "model_parameters":
		m, _ := jsonIn(s, &p.texts[1], "{")
		p.parametersLogged = p.parametersLogged || m.Kind() == rawjson.Object
		for m.Object(); m.NextKey(); {
			p.parameter(m, r)
		}
	case "messages":
		m, whole := jsonIn(s, &p.texts[2], `[{"`)
		start := m.Offset()
		readMessages(m, r, p.reads)
		p.messages = m.Since(start)
		if !whole {
			r.Lost = fingerprint.TruncatedContent
		}
	case "response":
		m, whole := jsonIn(s, &p.texts[3], `{"`)
		start := m.Offset()
		p.usage = readResponse(m, r, p.reads)
		p.response = m.Since(start)
		if !whole {
			r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
		}
	}
}

// readCachedTokens reads of the provider's usage what its cache had: what it counts
// otherwise LiteLLM has counted.
func readCachedTokens(s *rawjson.Scanner, r *fingerprint.Request) {
	in, out := r.TokensIn, r.TokensOut
	readUsage(s, r)
	r.TokensIn, r.TokensOut = in, out
}

func (p *litellm) metadata(s *rawjson.Scanner, r *fingerprint.Request) {
	switch string(s.Key) {
	case "user_api_key_hash":
		p.hash = s.Text(p.hash)
	case "user_api_key_alias":
		name := s.Key
		p.alias = s.Text(p.alias)
		setAttribute(r, name, p.alias, p.reads)
	case "user_api_key_user_id":
		p.keyUser = s.Text(p.keyUser)
	case "user_api_key_end_user_id":
		p.keyEndUser = s.Text(p.keyEndUser)
	case "user_api_key_request_route":
		setPath(r, s.Text(r.Path))
	case "usage_object": // of newer versions; a response that was redacted has none
		readCachedTokens(s, r)
	case "user_api_key_team_id", "user_api_key_team_alias", "user_api_key_org_id":
		name := s.Key
		setAttribute(r, name, s.Text(nil), p.reads)
	case "mcp_tool_call_metadata":
		p.tool.read(s)
	case "requester_custom_headers":
		p.requesterLogged = true
		p.session.headers(s, r, p.reads)
	case "requester_metadata":
		p.requesterLogged = true
		p.session.requester(s, r, p.reads) // with all headers, where the other has only x-...
	}
}

func (p *litellm) parameter(s *rawjson.Scanner, r *fingerprint.Request) {
	switch string(s.Key) {
	case "tools", "functions":
		r.HasTools = readTools(s, r.HasTools)
	case "instructions": // of Responses, whose input stands in messages
		r.Messages.System = s.Value()
	case "max_tokens", "max_completion_tokens", "max_output_tokens":
		r.MaxTokens = readCount(s, r.MaxTokens)
	case "previous_response_id":
		p.elsewhere = p.elsewhere || s.Kind() != rawjson.Null
	case "conversation":
		p.elsewhere = p.elsewhere || s.Kind() != rawjson.Null
		kept := readConversation(s, nil)
		r.Agent = first(r.Agent, kept)
		p.session.body(r, conversationField, kept, p.reads)
	case "prompt_cache_key":
		p.session.body(r, cacheKeyField, s.Text(nil), p.reads)
	case "stream":
		p.streamed = readTri(s, p.streamed)
	}
}

// finish decides between fields that say the same.
func (p *litellm) finish(r *fingerprint.Request) {
	r.ID = first(p.callID, p.id)
	r.Model = first(p.group, p.model)
	r.User = first(p.endUser, p.keyEndUser, p.keyUser)
	r.Caller = first(p.hash, p.alias)
	r.CallerIsName = len(p.hash) == 0
	if p.parametersLogged && r.HasTools == fingerprint.NotLogged {
		r.HasTools = fingerprint.No
	}
	switch string(p.outcome) {
	case "success":
		r.Status = 200
	case "failure":
		r.Status = parseStatus(p.errorCode, failedStatus(p.errorClass, p.errorStr))
		r.Error = first(p.errorClass, p.errorStr)
	}
	if p.elsewhere && r.Lost == fingerprint.Computable {
		r.Lost = fingerprint.HistoryElsewhere
	}
	if p.sendsMore() && r.Lost == fingerprint.Computable {
		r.Lost = fingerprint.LossyContent
	}
	switch string(p.callType) {
	case "pass_through_endpoint": // messages and response are bodies as texts
		p.bodies.read(p.messages, p.response, r, &p.session, p.reads)
	case "call_mcp_tool":
		p.ranTool(r)
	}
	switch {
	case p.streamed != fingerprint.NotLogged: // what the client asked for: 1.70 said true of all
		r.Stream = p.streamed
	case r.Stream == fingerprint.NotLogged && p.unstreamed:
		r.Stream = fingerprint.No
	}
	r.Session = first(p.findSession(), p.tool.session)
}

// sendsMore tells calls of which the messages say only a part: those of which
// LiteLLM keeps an excerpt, and of a recording the name of its file, for which newer
// versions have a hash.
func (p *litellm) sendsMore() bool {
	return isExcerpt(p.callType) || string(bytes.TrimPrefix(p.callType, []byte("a"))) == "transcription" && !quotedSHA256.Match(p.messages)
}

// isExcerpt tells by the type of a call that LiteLLM keeps a part of what was sent: of
// images the prompt alone, of what is to be ranked the question, of Google's contents
// what the user said last, be it many turns ago.
func isExcerpt(callType []byte) bool {
	switch string(bytes.TrimPrefix(callType, []byte("a"))) {
	case "image_edit", "image_variation", "rerank", "generate_content", "generate_content_stream":
		return true
	}
	return false
}

var quotedSHA256 = regexp.MustCompile(`"[0-9a-f]{64}"`)

// findSession tells a session that a client named from ids that LiteLLM made
// up. trace_id is the one or the other, and with request_correlation_in_logs
// session_id is a copy of it: where the record carries what the client sent,
// that decides. Records without are taken at their word. Of litellm_session_id
// in a body nothing is left but trace_id, which is told by its look then.
func (p *litellm) findSession() []byte {
	switch {
	case !p.requesterLogged:
		return first(p.sessionID, p.traceID)
	case len(p.sessionID) > 0 && !bytes.Equal(p.sessionID, p.traceID):
		return p.sessionID
	}
	return p.session.orTrace(p.traceID)
}
