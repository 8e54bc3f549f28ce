package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
)

// helicone reads the rows of Helicone's requests, as its export tool and its
// API give them.
type helicone struct {
	exchange
	zoned
}

func newHelicone(reads fingerprint.Field) Parser { return &helicone{exchange: newExchange(reads)} }

func detectHelicone(line []byte) bool {
	k := keysOf(line)
	return k.has("request_created_at") && k.any("request_id", "response_id")
}

func (p *helicone) Parse(record []byte, r *fingerprint.Request) (int, string) {
	took := int64(fingerprint.NoTime)
	var asked, model, override []byte
	p.begin()
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "request_created_at":
			r.Time = p.readTime(s, r.Time)
		case "response_created_at":
			r.End = p.readTime(s, r.End)
		case "delay_ms":
			took = readMillis(s, took)
		case "request_id":
			r.ID = value(s, r.ID)
		case "request_path":
			splitTarget(r, value(s, nil))
		case "request_user_id":
			r.User = value(s, r.User)
		case "request_model":
			asked = value(s, asked)
		case "model_override":
			override = value(s, override)
		case "model":
			model = value(s, model)
		case "provider":
			r.Backend = value(s, r.Backend)
		case "response_status":
			r.Status = readStatus(s, r.Status)
		case "prompt_tokens":
			r.TokensIn = readCount(s, r.TokensIn)
		case "completion_tokens":
			r.TokensOut = readCount(s, r.TokensOut)
		case "costUSD":
			r.Cost = readCost(s, r.Cost)
		case "request_properties":
			for s.Object(); s.NextKey(); {
				name := s.Key
				text := value(s, nil)
				p.session.header(r, name, text)
				if p.reads&fingerprint.ReadsAttributes != 0 {
					setAttribute(r, name, text)
				}
			}
		case "request_body":
			p.request = readText(s, p.request)
		case "response_body":
			p.response = readText(s, p.response)
		default:
			s.Skip()
		}
	}
	if column, why := failure(s); why != "" {
		return column, why
	}
	if took != fingerprint.NoTime || r.End < r.Time {
		r.End = fingerprint.NoTime
		ended(r, took)
	}
	r.Model = first(asked, override, model)
	p.finish(r)
	return 0, ""
}
