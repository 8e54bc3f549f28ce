package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// apisix reads what APISIX's logging plugins (file-logger, http-logger,
// kafka-logger and their kin) write where they have no log_format of their own,
// and what ai-proxy adds: llm_summary, llm_request. It counts in milliseconds.
type apisix struct{ access }

func isAPISIX(m wrap.Members) bool {
	return m.Has("start_time") && m["request"].Kind() == rawjson.Object && m.Any("apisix_latency", "route_id", "service_id")
}

func (p *apisix) Parse(record []byte, r *fingerprint.Request) (int, string) {
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "start_time":
			r.Time = readMillis(s, r.Time)
		case "latency":
			p.lasted = readMillis(s, p.lasted)
		case "client_ip":
			p.address = value(s, p.address)
		case "consumer":
			for s.Object(); s.NextNamed("username"); {
				p.name = value(s, p.name)
			}
		case "request":
			p.sent(r)
		case "response":
			p.got(r)
		case "llm_summary":
			p.summary(r)
		case "llm_request":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "messages":
					readMessages(s, r, p.reads)
					p.body.converse.all(r.Messages.Items) // as sent to Bedrock
				case "stream":
					r.Stream = readTri(s, r.Stream)
				}
			}
		case "server", "llm_response_text":
		default:
			p.attribute(r)
		}
	}
	return p.finish(r)
}

// summary reads variables, which are texts.
func (p *apisix) summary(r *fingerprint.Request) {
	s := &p.scan
	var answered []byte
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "request_model":
			r.Model = value(s, r.Model)
		case "model": // that answered
			answered = value(s, answered)
		case "prompt_tokens":
			r.TokensIn = readCount(s, r.TokensIn)
		case "completion_tokens":
			r.TokensOut = readCount(s, r.TokensOut)
		case "cache_read_input_tokens":
			r.TokensCached = readCount(s, r.TokensCached)
		case "tool_count":
			if n := readCount(s, fingerprint.Unknown); n != fingerprint.Unknown {
				r.HasTools = fingerprint.TriOf(n > 0)
			}
		case "end_user_id":
			r.User = value(s, r.User)
		}
	}
	r.Model = first(r.Model, answered)
}
