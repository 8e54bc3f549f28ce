package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// kong reads what Kong's logging plugins (file-log, http-log, kafka-log and
// their kin) write, and what its AI plugins add: ai.proxy in newer versions,
// ai.NAME for each plugin in older ones. Payloads are JSON as a text.
type kong struct {
	exchange
}

func newKong(reads fingerprint.Field) Parser { return &kong{newExchange(reads)} }

func detectKong(line []byte) bool {
	k := keysOf(line)
	return k.has("started_at") && k.has("request") && k.any("latencies", "tries", "upstream_uri")
}

func (p *kong) Parse(record []byte, r *fingerprint.Request) (int, string) {
	took := int64(fingerprint.NoTime)
	p.begin()
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "started_at":
			r.Time = readMillis(s, r.Time)
		case "latencies":
			for s.Object(); s.NextNamed("request"); {
				took = readMillis(s, took)
			}
		case "request":
			for s.Object(); s.NextKey(); {
				p.sent(r)
			}
		case "response":
			for s.Object(); s.NextNamed("status"); {
				r.Status = readStatus(s, r.Status)
			}
		case "consumer":
			p.consumer()
		case "client_ip":
			p.address = value(s, p.address)
		case "ai":
			for s.Object(); s.NextKey(); {
				if string(s.Key) == "payload" { // of older versions
					p.payload()
				} else {
					p.plugin(r)
				}
			}
		default:
			s.Skip()
		}
	}
	if column, why := failure(s); why != "" {
		return column, why
	}
	ended(r, took)
	p.finish(r)
	return 0, ""
}

func (p *kong) sent(r *fingerprint.Request) {
	s := &p.scan
	switch string(s.Key) {
	case "id":
		r.ID = value(s, r.ID)
	case "method":
		r.Method = value(s, r.Method)
	case "uri":
		splitTarget(r, value(s, nil))
	case "headers":
		for s.Object(); s.NextKey(); {
			name := s.Key
			p.header(r, name, value(s, nil))
		}
	case "body":
		r.Body = value(s, r.Body)
	default:
		s.Skip()
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
		default:
			s.Skip()
		}
	}
	p.name = first(username, custom, id, p.name)
}

// plugin reads what an AI plugin says of the call. Those that do not proxy it
// have other members.
func (p *kong) plugin(r *fingerprint.Request) {
	s := &p.scan
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "meta":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "request_model":
					r.Model = value(s, r.Model)
				case "provider_name":
					r.Backend = value(s, r.Backend)
				default:
					s.Skip()
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
				default:
					s.Skip()
				}
			}
		case "cache":
			for s.Object(); s.NextNamed("cache_status"); {
				r.Cached = fingerprint.TriOf(string(s.Text(nil)) == "Hit")
			}
		case "payload":
			p.payload()
		default:
			s.Skip()
		}
	}
}

func (p *kong) payload() {
	s := &p.scan
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "request":
			p.request = readText(s, p.request)
		case "response":
			p.response = readText(s, p.response)
		default:
			s.Skip()
		}
	}
}

// readText gives the JSON text of a value, logged as a text or as itself.
func readText(s *rawjson.Scanner, old []byte) []byte {
	text := readArguments(s, old)
	if len(text) == 0 {
		return old
	}
	return text
}
