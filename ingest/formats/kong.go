package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// kong reads what Kong's logging plugins (file-log, http-log, kafka-log and
// their kin) write, and what its AI plugins add: ai.proxy in newer versions,
// ai.NAME for each plugin in older ones, ai alone in the first. Payloads are
// JSON as a text.
type kong struct {
	access
	plugins rawjson.Scanner // of ai
	plugin  rawjson.Scanner // of what one of them says
	payload struct{ request, response []byte }
}

func isKong(m wrap.Members) bool {
	return m.Has("started_at", "request") && m.Any("latencies", "tries", "upstream_uri")
}

func (p *kong) Parse(record []byte, r *fingerprint.Request) (int, string) {
	var ai rawjson.Value
	p.payload.request, p.payload.response = nil, nil
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "started_at":
			r.Time = readMillis(s, r.Time)
		case "latencies":
			for s.Object(); s.NextNamed("request"); {
				p.lasted = readMillis(s, p.lasted)
			}
		case "request":
			p.sent(r)
		case "response":
			p.got(r)
		case "consumer":
			p.consumer()
		case "client_ip":
			p.address = value(s, p.address)
		case "ai":
			ai = s.Value()
		}
	}
	p.call(ai, r)
	p.choose(r)
	return p.finish(r)
}

// choose decides between the bodies that went between client and gateway, which a field
// of one's own holds, and those between it and the provider, which a plugin adds: the
// first, if they are whole.
func (p *kong) choose(r *fingerprint.Request) {
	if p.payload.request != nil && p.request == nil {
		if p.request = p.payload.request; !isWhole(&p.plugin, r.Body) {
			r.Body = nil
		}
	}
	if !wrap.IsEvents(p.response) && !isWhole(&p.plugin, p.response) {
		p.response = first(p.payload.response, p.response)
	}
}

// consumer is known by its username, which may be missing.
func (p *kong) consumer() {
	s := &p.scan
	var username, custom, id []byte
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "username":
			username = value(s, username)
		case "custom_id":
			custom = value(s, custom)
		case "id":
			id = value(s, id)
		}
	}
	p.name = first(username, custom, id, p.name)
}

// call finds what is said of the call, which is what the plugin says that passes
// it on. Others ask a model of their own, to rewrite it, and stand in any order.
func (p *kong) call(ai rawjson.Value, r *fingerprint.Request) {
	var call rawjson.Value
	proxied := false
	s := &p.plugins
	s.Reset(ai)
	for s.Object(); s.NextKey(); {
		proxies := string(s.Key) == "proxy" || string(s.Key) == "ai-proxy" || string(s.Key) == "ai-proxy-advanced"
		said := s.Value()
		if said != nil && (proxies || !proxied) {
			call, proxied = said, proxies
		}
		p.cached(said, r)
	}
	p.statistics(s, ai, r) // of the first version, of some later ones the payload
	p.statistics(&p.plugin, call, r)
}

// cached reads whether a plugin answered from its cache.
func (p *kong) cached(said rawjson.Value, r *fingerprint.Request) {
	s := &p.plugin
	s.Reset(said)
	for s.Object(); s.NextNamed("cache"); {
		for s.Object(); s.NextNamed("cache_status"); {
			r.Cached = fingerprint.TriOf(string(s.Text(nil)) == "Hit")
		}
	}
}

// statistics reads what a plugin says. Those that do not proxy calls have other
// members.
func (p *kong) statistics(s *rawjson.Scanner, said rawjson.Value, r *fingerprint.Request) {
	s.Reset(said)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "meta":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "request_model":
					r.Model = value(s, r.Model)
				case "provider_name":
					r.Backend = value(s, r.Backend)
				}
			}
		case "usage":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "prompt_tokens", "prompt_token":
					r.TokensIn = readCount(s, r.TokensIn)
				case "completion_tokens", "completion_token":
					r.TokensOut = readCount(s, r.TokensOut)
				case "cost":
					r.Cost = readCost(s, r.Cost)
				}
			}
		case "payload":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "request":
					p.payload.request = readText(s, p.payload.request)
				case "response":
					p.payload.response = readText(s, p.payload.response)
				}
			}
		}
	}
}
