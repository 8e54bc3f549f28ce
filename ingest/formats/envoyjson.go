package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// envoyJSON reads Envoy's access log as JSON, with the names that Envoy
// Gateway and Envoy AI Gateway give to its operators, the latter others in its
// documentation than in its examples. Dots are part of a name, and null stands
// for what is missing. A client may send its own x-request-id, and send it again with a
// retry, so that it names no call. Higress adds the member ai_log, a text of JSON that
// its plugin ai-statistics writes.
type envoyJSON struct {
	access
	ai rawjson.Scanner // of ai_log
}

func isEnvoyJSON(m wrap.Members) bool {
	return (m.Has("start_time") || m.Any("@timestamp", "date", "_time") && m.Has("response_flags")) && m.Has("response_code") && m.Any("method", ":method")
}

func (p *envoyJSON) Parse(record []byte, r *fingerprint.Request) (int, string) {
	var path, sent, forwarded, downstream, agent, code, flags []byte
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "start_time", "@timestamp", "date", "_time": // the second is Contour's, or the time of a collector, as are the others
			own := string(s.Key) == "start_time"
			if t, _, ok := parseZoneless(s.Text(nil)); ok && (own || r.Time == fingerprint.NoTime) { // %START_TIME% is UTC in any form
				r.Time = t
			}
		case "duration":
			p.lasted = readMillis(s, p.lasted)
		case "method", ":method":
			r.Method = value(s, r.Method)
		case "x-envoy-origin-path", "x-envoy-original-path":
			sent = value(s, sent)
		case "path", ":path":
			path = value(s, path)
		case "response_code":
			code = value(s, code)
		case "response_flags":
			name := s.Key
			flags = value(s, flags)
			setAttribute(r, name, flags, p.reads)
		case "x-forwarded-for", "x_forwarded_for": // Istio writes underscores
			forwarded = value(s, forwarded)
		case "downstream_remote_address":
			downstream = value(s, downstream)
		case "user-agent", "user_agent":
			agent = value(s, agent)
			p.header(r, []byte("user-agent"), agent)
		case "session.id", "session_id", "session":
			p.session.other(ownField, value(s, nil))
		case "gen_ai.request.model", "genai_model_name":
			r.Model = value(s, r.Model)
		case "gen_ai.provider.name", "genai_backend_name":
			r.Backend = value(s, r.Backend)
		case "gen_ai.usage.input_tokens", "genai_tokens_input":
			r.TokensIn = readCount(s, r.TokensIn)
		case "gen_ai.usage.output_tokens", "genai_tokens_output":
			r.TokensOut = readCount(s, r.TokensOut)
		case "request_body", "body":
			r.Body = readBody(s, r.Body)
		case "response_body":
			p.response = readText(s, p.response)
		case "ai_log":
			p.aiLog(value(s, nil), r)
		default:
			p.other(r)
		}
	}
	r.Status = parseStatus(code, r.Status)
	left(r, code, flags)
	splitTarget(r, first(sent, path))
	p.address = first(firstOf(forwarded), host(downstream), agent)
	return p.finish(r)
}

// aiLog reads what Higress says of a call. Which members there are is for its
// operator to choose; values over a limit are cut, lists to a text.
func (p *envoyJSON) aiLog(text []byte, r *fingerprint.Request) {
	s := &p.ai
	s.Reset(text)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "session_id":
			p.session.other(ownField, value(s, nil))
		case "consumer":
			p.name = value(s, p.name)
		case "model":
			r.Model = value(s, r.Model)
		case "input_token":
			r.TokensIn = readCount(s, r.TokensIn)
		case "output_token":
			r.TokensOut = readCount(s, r.TokensOut)
		case "cached_tokens":
			r.TokensCached = readCount(s, r.TokensCached)
		case "messages":
			if s.Kind() != rawjson.Array {
				r.Lost = fingerprint.TruncatedContent
				continue
			}
			readMessages(s, r, p.reads)
		case "system": // of Anthropic
			r.Messages.System = s.Value()
		case "cache_status":
			switch string(s.Text(nil)) {
			case "hit":
				r.Cached = fingerprint.Yes
			case "miss", "skip":
				r.Cached = fingerprint.No
			}
		case "tool_calls":
			if s.Kind() != rawjson.Array {
				continue
			}
			r.ToolCallsLogged = true
			readToolCalls(s, r, 0, p.reads)
		}
	}
}

// other keeps what else the operator writes: request headers under their own
// names, as Envoy's have it, and the rest.
func (p *envoyJSON) other(r *fingerprint.Request) {
	name := p.scan.Key
	if string(name) == "authorization" || string(name) == "api-key" || bytes.HasPrefix(name, []byte("x-")) && !bytes.HasPrefix(name, []byte("x-envoy-")) {
		p.header(r, name, value(&p.scan, nil))
		return
	}
	if bytes.HasPrefix(name, []byte("x_")) && !bytes.HasPrefix(name, []byte("x_envoy_")) { // as Istio names them
		p.variable(r, name, value(&p.scan, nil))
		return
	}
	p.attribute(r)
}
