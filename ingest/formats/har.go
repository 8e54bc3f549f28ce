package formats

import (
	"encoding/base64"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// har reads an entry of an HTTP archive, as mitmproxy and browsers write them.
type har struct {
	access
	decoded []byte // a response's body that was base64
}

func isHAR(m wrap.Members) bool { return m.Has("startedDateTime", "request") }

func (p *har) Parse(record []byte, r *fingerprint.Request) (int, string) {
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "startedDateTime":
			r.Time = readTime(s, r.Time)
		case "time":
			p.lasted = readMillis(s, p.lasted)
		case "request":
			for s.Object(); s.NextKey(); {
				p.asked(r)
			}
		case "response":
			p.answered(r)
		}
	}
	return p.finish(r)
}

func (p *har) asked(r *fingerprint.Request) {
	s := &p.scan
	switch string(s.Key) {
	case "method":
		r.Method = value(s, r.Method)
	case "url":
		splitTarget(r, value(s, nil))
	case "headers":
		for s.Array(); s.NextElement(); {
			var name, text []byte
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "name":
					name = s.Text(name)
				case "value":
					text = s.Text(text)
				}
			}
			p.header(r, name, text)
		}
	case "postData":
		for s.Object(); s.NextNamed("text"); {
			r.Body = s.Text(r.Body)
		}
	}
}

// answered notes the status and the body, and why there is neither: a client that left
// before there was an answer has nginx's 499.
func (p *har) answered(r *fingerprint.Request) {
	var why []byte
	s := &p.scan
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "status":
			r.Status = readStatus(s, r.Status)
		case "_error":
			why = s.Text(why)
		case "content":
			encoded := false // as base64, which is all that there is
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "text":
					p.response = s.Text(p.response)
				case "encoding":
					encoded = len(s.Text(nil)) > 0
				}
			}
			if encoded {
				p.decoded, _ = base64.StdEncoding.AppendDecode(p.decoded[:0], p.response) // what is none says nothing
				p.response = p.decoded
			}
		}
	}
	if r.Status != fingerprint.Unknown {
		return
	}
	if r.Error = why; string(why) == "Client disconnected." { // mitmproxy's words
		r.Status = 499
	}
}
