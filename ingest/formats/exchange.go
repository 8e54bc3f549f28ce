package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// sent reads a request as an object, as Kong and APISIX write it. Of a header that was
// sent twice they log a list: the first counts, as it does with their plugins. A body
// that Kong has parsed is not what was sent.
func (a *access) sent(r *fingerprint.Request) {
	s := &a.scan
	for s.Object(); s.NextKey(); {
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
				a.header(r, name, firstValue(s))
			}
		case "body":
			if s.Kind() == rawjson.Object {
				a.request = s.Value()
			} else {
				r.Body = value(s, r.Body)
			}
		}
	}
}

// got reads a response as an object, as they write that.
func (a *access) got(r *fingerprint.Request) {
	s := &a.scan
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "status":
			r.Status = readStatus(s, r.Status)
		case "body":
			a.response = readText(s, a.response)
		}
	}
}

// firstValue reads a variable, or the first of a list of them that is set.
func firstValue(s *rawjson.Scanner) (found []byte) {
	if s.Kind() != rawjson.Array {
		return value(s, nil)
	}
	for s.Array(); s.NextElement(); {
		found = first(found, value(s, nil))
	}
	return found
}
