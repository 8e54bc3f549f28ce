package formats

import (
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// cloudflare reads what Cloudflare's AI Gateway pushes to storage (Logpush,
// data set ai_gateway_events). Bodies and metadata are encrypted, unless
// somebody has decrypted them in place. A record without a time has the end of the
// batch, by the name of its file. What its API lists has other names.
type cloudflare struct {
	access
	along     rawjson.Scanner // of what the client sent along
	pushed    int64           // the end of the batch
	encrypted bool
}

func newCloudflare(reads fingerprint.Field) Parser {
	return &cloudflare{access: access{reads: reads}, pushed: fingerprint.NoTime}
}

func isCloudflare(m wrap.Members) bool {
	return m.Has("Gateway", "Provider") && m.Any("RequestBody", "ResponseBody", "StatusCode", "RateLimited") ||
		m.Has("created_at", "provider", "cached") && m.Any("tokens_in", "tokens_out")
}

// Of takes the time from a name as Logpush gives it,
// 20261121T100000Z_20261121T100030Z_5f3c.log.gz: the first and the last second
// of the batch. No request is said to have lasted that long.
func (p *cloudflare) Of(name string) {
	p.pushed = fingerprint.NoTime
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	from, rest, _ := strings.Cut(name, "_")
	to, _, _ := strings.Cut(rest, "_")
	const layout = "20060102T150405Z"
	if start, err := time.Parse(layout, from); err == nil {
		if end, err := time.Parse(layout, to); err == nil && !end.Before(start) {
			p.pushed = end.UnixMicro()
		}
	}
}

func (p *cloudflare) Parse(record []byte, r *fingerprint.Request) (int, string) {
	var served []byte // the model that Cloudflare chose
	p.encrypted = false
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "Endpoint", "path":
			splitTarget(r, value(s, nil))
		case "Gateway", "RateLimited":
			p.attribute(r)
		case "Provider", "provider":
			r.Backend = value(s, r.Backend)
		case "Model", "model":
			served = value(s, served)
		case "RequestedModel":
			r.Model = value(s, r.Model)
		case "Timestamp", "created_at":
			r.Time = readZonedTime(s, r.Time) // Logpush can be told to write seconds or nanoseconds
		case "Metrics":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "cost":
					r.Cost = readCost(s, r.Cost)
				case "durationMs":
					p.lasted = readMillis(s, p.lasted)
				}
			}
		case "id":
			r.ID = value(s, r.ID)
		case "duration":
			p.lasted = readMillis(s, p.lasted)
		case "tokens_in":
			r.TokensIn = readCount(s, r.TokensIn)
		case "tokens_out":
			r.TokensOut = readCount(s, r.TokensOut)
		case "cost":
			r.Cost = readCost(s, r.Cost)
		case "StatusCode", "status_code":
			r.Status = readStatus(s, r.Status)
		case "Cached", "cached":
			r.Cached = readTri(s, r.Cached)
		case "RequestBody", "request_head":
			p.request = p.text(p.request)
		case "ResponseBody", "response_head":
			p.response = p.text(p.response)
		case "Metadata", "metadata":
			p.sentAlong(r)
		}
	}
	if r.Time == fingerprint.NoTime {
		r.Time, p.lasted = p.pushed, fingerprint.NoTime
	}
	r.Model = first(r.Model, served)
	if p.encrypted {
		p.request, p.response, r.Lost = nil, nil, fingerprint.EncryptedContent
	}
	return p.finish(r)
}

// isEncrypted tells {"type":"encrypted","key":...,"iv":...,"data":...}.
func isEncrypted(v rawjson.Value, s *rawjson.Scanner) bool {
	if v.Kind() != rawjson.Object {
		return false
	}
	encrypted, data := false, false
	s.Reset(v)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "type":
			encrypted = string(s.Text(nil)) == "encrypted"
		case "data":
			data = true
		}
	}
	return encrypted && data
}

// text gives a body that is not encrypted.
func (p *cloudflare) text(old []byte) []byte {
	s := &p.scan
	if s.Kind() == rawjson.String {
		return readText(s, old)
	}
	v := s.Value()
	switch {
	case v == nil:
		return old
	case isEncrypted(v, &p.body.scan):
		p.encrypted = true
		return old
	}
	return v
}

// sentAlong reads what the client sent along, as a JSON text or an object.
func (p *cloudflare) sentAlong(r *fingerprint.Request) {
	text, s := readText(&p.scan, nil), &p.along
	if isEncrypted(rawjson.Value(text), s) || len(text) == 0 || text[0] != '{' {
		return
	}
	s.Reset(text)
	for s.Object(); s.NextKey(); {
		name := s.Key
		p.metadata(r, name, value(s, nil))
	}
}
