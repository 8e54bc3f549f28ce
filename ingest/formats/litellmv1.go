package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// litellmV1 reads the payload that LiteLLM's generic API callback sends with
// generic_api_use_v1: a few fields, each as Python's str() wrote it.
type litellmV1 struct {
	zoned // LiteLLM prints local times and no zone
	reads fingerprint.Field
	scan  rawjson.Scanner
	inner litellm // reads what was Python
	json  []byte  // what became of the Python of this record
}

func newLiteLLMV1(reads fingerprint.Field) Parser {
	return &litellmV1{reads: reads, inner: litellm{reads: reads}}
}

func isLiteLLMV1(m wrap.Members) bool {
	// Langfuse's observations have the first two as well.
	return m.Has("startTime", "modelParameters") && m.Any("messages", "response", "call_type", "cache_hit")
}

func (p *litellmV1) Parse(record []byte, r *fingerprint.Request) (int, string) {
	s := &p.scan
	s.Reset(record)
	p.json = p.json[:0]
	q := &p.inner
	q.litellmRecord = litellmRecord{requesterLogged: true} // in metadata, among LiteLLM's own
	var messages, response, parameters, metadata, usage []byte
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "id", "call_type", "model":
			q.field(s, r)
		case "startTime":
			r.Time = p.readTime(s, r.Time)
		case "endTime":
			r.End = p.readTime(s, r.End)
		case "user":
			r.User = known(s.Text(nil))
		case "cache_hit":
			r.Cached = fingerprint.TriOf(string(s.Text(nil)) == "True")
		case "cost":
			r.Cost = readCost(s, r.Cost)
		case "messages":
			messages = s.Text(messages)
		case "response":
			response = s.Text(response)
		case "modelParameters":
			parameters = s.Text(parameters)
		case "metadata":
			metadata = s.Text(metadata)
		case "usage":
			usage = s.Text(usage)
		}
	}
	if column, why := wrap.Failure(s); why != "" {
		return column, why
	}
	p.python(r, messages, response, parameters, metadata, usage)
	return 0, ""
}

// python reads the texts that were Python, as one payload of the usual form. A
// text that is no such value was cut; a response takes no messages along.
func (p *litellmV1) python(r *fingerprint.Request, messages, response, parameters, metadata, usage []byte) {
	add := func(name string, text []byte) (cut bool) {
		if text == nil {
			return false
		}
		from := len(p.json)
		p.json = append(append(p.json, name...), ':')
		var ok bool
		if p.json, ok = rawjson.AppendPython(p.json, text); !ok {
			p.json = p.json[:from]
			return true
		}
		p.json = append(p.json, ',')
		return false
	}
	p.json = append(p.json, '{')
	cut := add(`"model_parameters"`, parameters)
	cut = add(`"metadata"`, metadata) || cut
	add(`"usage"`, usage)
	responseCut := false
	if p.reads&(fingerprint.ReadsMessages|fingerprint.ReadsResponse) != 0 {
		cut = add(`"messages"`, messages) || cut
		responseCut = add(`"response"`, response)
	}
	p.json = append(p.json, `"v1":1}`...)
	q := &p.inner
	s := &q.scan
	s.Reset(p.json)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "metadata":
			for s.Object(); s.NextKey(); {
				p.metadata(s, r)
			}
		case "usage":
			readUsage(s, r)
		default:
			q.field(s, r)
		}
	}
	if cut {
		r.Lost = fingerprint.TruncatedContent
	}
	user := r.User
	q.finish(r)
	r.User = first(user, r.User)
	r.Messages.Logged = r.Messages.Logged || messages != nil && !cut
	r.ToolCallsLogged = r.ToolCallsLogged || response != nil && !responseCut
}

func (p *litellmV1) metadata(s *rawjson.Scanner, r *fingerprint.Request) {
	q := &p.inner
	switch string(s.Key) {
	case "headers", "session_id", "user_id":
		q.session.sentAlong(s, r, p.reads)
	case "model_group":
		q.field(s, r)
	case "hidden_params":
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "litellm_call_id", "custom_llm_provider":
				q.field(s, r)
			}
		}
	default:
		q.metadata(s, r)
	}
}

// known is a text unless it is what Python writes for nothing.
func known(text []byte) []byte {
	if string(text) == "None" {
		return nil
	}
	return text
}
