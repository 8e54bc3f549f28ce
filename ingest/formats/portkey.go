package formats

import (
	"bytes"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// portkey reads the events of the log stream of Portkey's gateway (seen of
// 1.15.2). One holds the request three times, and the key of the provider.
type portkey struct {
	access
	zoned
	portkeyRecord
}

// portkeyRecord is what is gathered over a record.
type portkeyRecord struct {
	rank  int    // of the name that request was found by: the best so far
	text  []byte // of a response that is one
	url   []byte // that the provider was asked by
	began bool
	took  int64
}

func isPortkey(m wrap.Members) bool {
	return m.Has("requestOptions") && m.Any("endpoint", "duration", "status")
}

func (p *portkey) Parse(record []byte, r *fingerprint.Request) (int, string) {
	logged := int64(fingerprint.NoTime)
	p.portkeyRecord = portkeyRecord{took: fingerprint.NoTime}
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "time":
			if t, ok := parseUSTime(s.Text(nil)); ok {
				logged = t
			}
		case "method":
			r.Method = value(s, r.Method)
		case "endpoint":
			splitTarget(r, value(s, nil))
		case "status":
			r.Status = readStatus(s, r.Status)
		case "duration":
			p.lasted = readMillis(s, p.lasted)
		case "requestOptions": // one for each provider that was tried
			for s.Array(); s.NextElement(); {
				p.rank = 0
				for s.Object(); s.NextKey(); {
					p.option(r)
				}
			}
		}
	}
	if r.Time == fingerprint.NoTime && logged != fingerprint.NoTime {
		r.Time = p.inZone(logged) // in whole seconds, when the line was written
		began(r, p.lasted)
	} else {
		p.lasted = max(p.took, p.lasted)
	}
	if r.Path == nil { // before version 1.15
		splitTarget(r, p.url)
	}
	if p.text != nil {
		p.response = p.text
	}
	return p.finish(r)
}

func (p *portkey) option(r *fingerprint.Request) {
	s := &p.scan
	switch string(s.Key) {
	case "createdAt":
		if t := readTime(s, fingerprint.NoTime); !p.began && t != fingerprint.NoTime {
			r.Time, p.began = t, true // of the first try
		}
	case "executionTime":
		p.took = readMillis(s, p.took)
	case "hookSpanId":
		r.ID = value(s, r.ID)
	case "providerOptions":
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "provider":
				r.Backend = value(s, r.Backend)
			case "apiKey", "anthropicApiKey":
				p.key = value(s, p.key)
			case "requestURL":
				p.url = value(s, p.url)
			}
		}
	case "requestParams":
		p.note(2, s.Value()) // with what a config overrides
	case "finalUntransformedRequest":
		p.body(3)
	case "transformedRequest":
		p.body(1)
	case "cacheStatus":
		r.Cached = portkeyCached(s.Text(nil), r.Cached)
	case "response": // the first try has that of the last, the others have {}
		if s.Kind() == rawjson.String {
			p.text = s.Text(p.text)
		} else if v := s.Value(); len(v) > len("{}") && !bytes.Contains(v[:min(len(v), 256)], []byte(`"The response was a stream."`)) {
			p.response = v
		}
	}
}

// portkeyCached reads the status of Portkey's cache.
func portkeyCached(status []byte, old fingerprint.Tri) fingerprint.Tri {
	switch string(status) {
	case "HIT", "SEMANTIC HIT":
		return fingerprint.Yes
	case "MISS", "SEMANTIC MISS", "DISABLED":
		return fingerprint.No
	}
	return old
}

// body notes the request body that stands in the object to come.
func (p *portkey) body(rank int) {
	s := &p.scan
	for s.Object(); s.NextNamed("body"); {
		p.note(rank, s.Value())
	}
}

// note keeps the best copy of the request: what the client sent, before what
// the provider was sent.
func (p *portkey) note(rank int, body rawjson.Value) {
	if rank > p.rank && body.Kind() == rawjson.Object {
		p.request, p.rank = body, rank
	}
}

// parseUSTime reads 11/21/2026, 4:00:18 AM, of which newer versions of Node write the
// blank behind the time as one that breaks no line, as if it were in UTC.
func parseUSTime(t []byte) (micros int64, ok bool) {
	layout := "1/2/2006, 3:04:05 PM"
	if bytes.Contains(t, []byte("\u202f")) {
		layout = "1/2/2006, 3:04:05\u202fPM"
	}
	at, err := time.Parse(layout, string(t))
	return at.UnixMicro(), err == nil
}
