package formats

import (
	"encoding/base64"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// har reads an entry of an HTTP archive, as mitmproxy and browsers write them.
type har struct {
	access
	answer  answer
	decoded []byte // a response's body that was base64
}

func newHAR(reads fingerprint.Field) Parser { return &har{access: access{reads: reads}} }

func detectHAR(line []byte) bool {
	k := keysOf(line)
	return k.has("startedDateTime") && k.has("request")
}

func (p *har) Parse(record []byte, r *fingerprint.Request) (int, string) {
	duration := int64(fingerprint.NoTime)
	var response []byte
	p.begin()
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "startedDateTime":
			r.Time = readTime(s, r.Time)
		case "time":
			duration = readMillis(s, duration)
		case "request":
			for s.Object(); s.NextKey(); {
				p.request(r)
			}
		case "response":
			response = p.response(r, response)
		}
	}
	if column, why := failure(s); why != "" {
		return column, why
	}
	ended(r, duration)
	if response != nil {
		p.answer.read(response, r, p.reads)
	}
	p.finish(r)
	return 0, ""
}

func (p *har) request(r *fingerprint.Request) {
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

// response notes the status and gives the body.
func (p *har) response(r *fingerprint.Request, body []byte) []byte {
	s := &p.scan
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "status":
			r.Status = readStatus(s, r.Status)
		case "content":
			encoded := false // as base64, which is all that there is
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "text":
					body = s.Text(body)
				case "encoding":
					encoded = len(s.Text(nil)) > 0
				}
			}
			if encoded {
				p.decoded, _ = base64.StdEncoding.AppendDecode(p.decoded[:0], body) // what is none says nothing
				body = p.decoded
			}
		}
	}
	return body
}
