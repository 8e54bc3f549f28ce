package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// helicone reads the rows of Helicone's requests, as its export tool and its
// API give them.
type helicone struct {
	access
	zoned
	inner rawjson.Scanner // of the response
}

func isHelicone(m wrap.Members) bool {
	return m.Has("request_created_at") && m.Any("request_id", "response_id")
}

func (p *helicone) Parse(record []byte, r *fingerprint.Request) (int, string) {
	var read, written int64 // tokens that the provider's cache had or got
	var asked, model, override []byte
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "request_created_at":
			r.Time = p.readTime(s, r.Time)
		case "response_created_at":
			r.End = p.readTime(s, r.End)
		case "delay_ms":
			p.lasted = readMillis(s, p.lasted)
		case "request_id":
			r.ID = value(s, r.ID)
		case "request_path", "target_url":
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
			r.Status = readHeliconeStatus(s, r.Status)
		case "prompt_tokens":
			r.TokensIn = readCount(s, r.TokensIn)
		case "completion_tokens":
			r.TokensOut = readCount(s, r.TokensOut)
		case "prompt_cache_read_tokens":
			read = readCount(s, read)
		case "prompt_cache_write_tokens":
			written = readCount(s, written)
		case "costUSD", "cost":
			r.Cost = readCost(s, r.Cost)
		case "cache_reference_id": // the request that was answered before; of zeros if none was
			if id := value(s, nil); id != nil {
				r.Cached = fingerprint.TriOf(len(bytes.Trim(id, "0-")) > 0)
			}
		case "request_properties", "properties": // in rows of its ClickHouse
			for s.Object(); s.NextKey(); {
				name := s.Key
				text := value(s, nil)
				p.session.header(r, name, text)
				setAttribute(r, name, text, p.reads)
			}
		case "request_body":
			p.request = p.body(p.request)
		case "response_body":
			p.response = p.streamed(p.body(p.response))
		}
	}
	if p.lasted != fingerprint.NoTime {
		r.End = fingerprint.NoTime
	}
	r.Model = first(asked, override, model)
	if r.TokensIn != fingerprint.Unknown && read+written > 0 { // they are not in it
		r.TokensIn, r.TokensCached = r.TokensIn+read+written, read
	}
	return p.finish(r)
}

// streamed gives the stream as it went over the line, where a row has it beside
// what Helicone put together of it, in which calls may be missing.
func (p *helicone) streamed(body []byte) []byte {
	if !bytes.Contains(body, []byte(`"streamed_data"`)) {
		return body
	}
	p.inner.Reset(body)
	for p.inner.Object(); p.inner.NextNamed("streamed_data"); {
		body = readText(&p.inner, body)
	}
	return body
}

// body gives the body that is the next value. Where it was not asked for, or was
// not to be kept, a message stands in its place.
func (p *helicone) body(old []byte) []byte {
	text := readText(&p.scan, old)
	if bytes.HasPrefix(bytes.TrimLeft(text, "{ \t\r\n"), []byte(`"helicone_message"`)) {
		return old
	}
	return text
}

// readHeliconeStatus reads a status, which is below 0 where there was no answer:
// -1 where time was up, -3 where the client went, for which nginx has 499.
func readHeliconeStatus(s *rawjson.Scanner, old int) int {
	switch text := s.Text(nil); string(text) {
	case "-1":
		return 504
	case "-3":
		return 499
	default:
		return parseStatus(text, old)
	}
}
