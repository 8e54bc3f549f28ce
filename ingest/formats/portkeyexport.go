package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// portkeyExport reads the lines of a logs export of Portkey's cloud. Which
// members there are is for the one who asks for it to choose.
type portkeyExport struct {
	access
	zoned
	inner rawjson.Scanner // of the bodies
}

func isPortkeyExport(m wrap.Members) bool {
	return m.Has("created_at") && m.Any("ai_org", "ai_model", "req_units", "res_units")
}

func (p *portkeyExport) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.inner.Reset(nil)
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "created_at":
			r.Time = p.readTime(s, r.Time)
		case "response_time":
			p.lasted = readMillis(s, p.lasted)
		case "id":
			r.ID = value(s, r.ID)
		case "request_method":
			r.Method = value(s, r.Method)
		case "request_url":
			splitTarget(r, value(s, nil))
		case "ai_org":
			r.Backend = value(s, r.Backend)
		case "ai_model":
			r.Model = value(s, r.Model)
		case "response_status_code":
			r.Status = readStatus(s, r.Status)
		case "req_units":
			r.TokensIn = readCount(s, r.TokensIn)
		case "res_units":
			r.TokensOut = readCount(s, r.TokensOut)
		case "cost": // in cents
			if cents := readCost(s, -1); cents >= 0 {
				r.Cost = cents / 100
			}
		case "cache_status":
			r.Cached = portkeyCached(s.Text(nil), r.Cached)
		case "virtual_key":
			p.name = value(s, p.name)
		case "request", "request.body":
			p.request = p.body(p.request)
		case "response", "response.body":
			p.response = p.body(p.response)
		case "metadata":
			for s.Object(); s.NextKey(); {
				name := s.Key
				text := value(s, nil)
				if string(name) == "_user" { // Portkey's name for the user
					r.User = first(text, r.User)
				}
				p.metadata(r, name, text)
			}
		case "trace_id", "config", "prompt_slug", "mode":
			p.attribute(r)
		}
	}
	return p.finish(r)
}

// body gives the body that is the next value: JSON, or a text of it, or the
// member body of what is there.
func (p *portkeyExport) body(old []byte) []byte {
	text := bytes.TrimLeft(readText(&p.scan, old), " \t\r\n")
	if len(text) == 0 || text[0] != '{' {
		return text
	}
	p.inner.Then(text)
	for p.inner.Object(); p.inner.NextNamed("body"); {
		text = readText(&p.inner, text)
	}
	return text
}
