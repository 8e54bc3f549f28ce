package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// litellmSpend reads rows of LiteLLM's table LiteLLM_SpendLogs, as /spend/logs
// or an export of the database gives them.
type litellmSpend struct {
	zoned  // where the exporter ran, which may have left the zone out; the table is in UTC
	reads  fingerprint.Field
	scan   rawjson.Scanner
	text   requestBody // of a column of JSON
	answer rawjson.Scanner
	inner  litellm
}

func newLiteLLMSpend(reads fingerprint.Field) Parser {
	return &litellmSpend{reads: reads, inner: litellm{reads: reads}}
}

func isSpend(m wrap.Members) bool { return m.Has("request_id", "spend") }

func isLiteLLMSpend(m wrap.Members) bool { return m.Has("startTime") && isSpend(m) }

func (p *litellmSpend) Parse(record []byte, r *fingerprint.Request) (int, string) {
	s := &p.scan
	s.Reset(record)
	q := &p.inner
	q.litellmRecord = litellmRecord{}
	var metadata, messages, response, request []byte
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "request_id":
			r.ID = s.Text(r.ID)
		case "startTime":
			r.Time = p.readTime(s, r.Time)
		case "endTime":
			r.End = p.readTime(s, r.End)
		case "api_key":
			r.Caller = s.Text(r.Caller)
		case "user":
			q.keyUser = s.Text(q.keyUser)
		case "end_user", "model", "model_group", "custom_llm_provider", "prompt_tokens", "completion_tokens", "status":
			q.field(s, r)
		case "spend":
			r.Cost = readCost(s, r.Cost)
		case "cache_hit":
			r.Cached = parseTri(s.Text(nil), r.Cached)
		case "session_id":
			// LiteLLM's own for a call whose client named none: what it sent tells.
			r.Session = readSession(s, r.Session)
		case "metadata":
			metadata = column(s)
		case "messages":
			messages = column(s)
		case "response":
			response = column(s)
		case "proxy_server_request":
			request = column(s)
		case "team_id", "organization_id", "requester_ip_address": //nolint:misspell // as LiteLLM has it
			readAttribute(s, r, p.reads)
		}
	}
	if column, why := wrap.Failure(s); why != "" {
		return column, why
	}
	t := &q.scan
	t.Reset(metadata)
	for t.Object(); t.NextKey(); {
		switch string(t.Key) {
		case "error_information":
			q.field(t, r)
		case "user_api_key_alias":
			readAttribute(t, r, p.reads)
		case "usage_object":
			readCachedTokens(t, r)
		}
	}
	id, caller, session := r.ID, r.Caller, r.Session
	q.finish(r)
	r.ID, r.Caller, r.CallerIsName, r.Session = id, caller, false, session
	p.content(r, messages, response, request)
	return 0, ""
}

// column is the JSON of a column, which some exports write as a text; nil where
// LiteLLM was told not to store it and wrote {} or [].
func column(s *rawjson.Scanner) []byte {
	v := readArguments(s, nil)
	if len(v) <= len("{}") || string(v) == "null" {
		return nil
	}
	return v
}

// content reads what store_prompts_in_spend_logs keeps: the request as LiteLLM
// saw it, the response, and the messages of realtime calls.
func (p *litellmSpend) content(r *fingerprint.Request, messages, response, request []byte) {
	t := &p.text.scan
	var session naming
	if request != nil {
		r.Body = request
		p.text.read(r, &session, p.reads)
		r.Body = nil // LiteLLM has added to it
		p.named(request, r, &session)
		chained := r.Lost == fingerprint.HistoryElsewhere // under what was made up for the first
		if session.sent && (isMadeUp(r.Session) && !chained || bytes.Equal(r.Session, session.trace)) {
			r.Session = nil
		}
	} else if messages != nil {
		t.Reset(messages)
		readMessages(t, r, p.reads)
	}
	r.Session = first(session.value, r.Session)
	if response != nil {
		p.answer.Reset(response)
		readResponse(&p.answer, r, p.reads)
	} else if request != nil || string(r.Error) != "" {
		r.ToolCallsLogged = true // it failed
	}
}

// named reads what LiteLLM has added to a request of what came along with it.
func (p *litellmSpend) named(request []byte, r *fingerprint.Request, session *naming) {
	t := &p.text.scan
	t.Then(request)
	for t.Object(); t.NextKey(); {
		switch string(t.Key) {
		case "litellm_session_id", "litellm_trace_id":
			session.other(ownField, t.Text(nil))
		case "metadata", "litellm_metadata":
			session.requester(t, r, p.reads)
		}
	}
}
