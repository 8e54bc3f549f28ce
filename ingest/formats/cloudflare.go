package formats

import (
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// cloudflare reads what Cloudflare's AI Gateway pushes to storage (Logpush,
// data set ai_gateway_events). Bodies and metadata are encrypted, unless
// somebody has decrypted them in place. A record has no time: it is that of the
// batch, by the name of its file.
type cloudflare struct {
	exchange
	from, to  int64 // of the batch
	encrypted bool
}

func newCloudflare(reads fingerprint.Field) Parser {
	return &cloudflare{exchange: newExchange(reads), from: fingerprint.NoTime, to: fingerprint.NoTime}
}

func detectCloudflare(line []byte) bool {
	k := keysOf(line)
	return k.has("Gateway") && k.has("Provider") && k.any("RequestBody", "ResponseBody", "StatusCode", "RateLimited")
}

// Of takes the time from a name as Logpush gives it,
// 20261121T100000Z_20261121T100030Z_5f3c.log.gz: the first and the last second
// of the batch.
func (p *cloudflare) Of(name string) {
	p.from, p.to = fingerprint.NoTime, fingerprint.NoTime
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	from, rest, _ := strings.Cut(name, "_")
	to, _, _ := strings.Cut(rest, "_")
	start, ok := parseBasic(from)
	end, ok2 := parseBasic(to)
	if ok && ok2 && end >= start {
		p.from, p.to = start, end
	}
}

// parseBasic reads 20261121T100000Z.
func parseBasic(t string) (micros int64, ok bool) {
	if len(t) != len("20061121T100000Z") || t[8] != 'T' || t[15] != 'Z' {
		return 0, false
	}
	return parseRFC3339([]byte(t[:4] + "-" + t[4:6] + "-" + t[6:11] + ":" + t[11:13] + ":" + t[13:]))
}

func (p *cloudflare) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.begin()
	p.encrypted = false
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "Endpoint":
			splitTarget(r, value(s, nil))
		case "Gateway":
			p.attribute(r)
		case "Provider":
			r.Backend = value(s, r.Backend)
		case "Model":
			r.Model = value(s, r.Model)
		case "StatusCode":
			r.Status = readStatus(s, r.Status)
		case "Cached":
			r.Cached = readTri(s, r.Cached)
		case "RateLimited":
			p.attribute(r)
		case "RequestBody":
			p.request = p.text(p.request)
		case "ResponseBody":
			p.response = p.text(p.response)
		case "Metadata":
			p.sentAlong(r)
		default:
			s.Skip()
		}
	}
	if column, why := failure(s); why != "" {
		return column, why
	}
	r.Time, r.End = p.from, p.to
	if p.encrypted {
		p.request, p.response, r.Lost = nil, nil, fingerprint.EncryptedContent
	}
	p.finish(r)
	return 0, ""
}

// isEncrypted tells {"type":"encrypted","key":...,"iv":...,"data":...}.
func isEncrypted(v rawjson.Value, s *rawjson.Scanner) bool {
	if v.Kind() != rawjson.Object {
		return false
	}
	key, iv, data := false, false, false
	s.Reset(v)
	for s.Object(); s.NextKey(); s.Skip() {
		switch string(s.Key) {
		case "key":
			key = true
		case "iv":
			iv = true
		case "data":
			data = true
		}
	}
	return key && iv && data
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
	text := readText(&p.scan, nil)
	if isEncrypted(rawjson.Value(text), &p.body.scan) || len(text) == 0 || text[0] != '{' {
		return
	}
	s := &p.body.scan
	s.Reset(text)
	for s.Object(); s.NextKey(); {
		name := s.Key
		p.metadata(r, name, value(s, nil))
	}
}
