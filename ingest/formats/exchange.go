package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// exchange is access for parsers whose records may have the bodies of both
// request and response, as JSON and not as the bytes that were sent: finish takes
// them apart. Of such parsers helicone is a small one.
type exchange struct {
	access
	answer            answer
	request, response []byte // the bodies
}

func newExchange(reads fingerprint.Field) exchange { return exchange{access: access{reads: reads}} }

// begin forgets the record before.
func (x *exchange) begin(record []byte) *rawjson.Scanner {
	x.request, x.response = nil, nil
	return x.access.begin(record)
}

// sent reads a request as an object, as Kong and APISIX write it. Of a header that was
// sent twice they log a list: the first counts, as it does with their plugins. A body
// that Kong has parsed is not what was sent.
func (x *exchange) sent(r *fingerprint.Request) {
	s := &x.scan
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
				x.header(r, name, firstValue(s))
			}
		case "body":
			if s.Kind() == rawjson.Object {
				x.request = s.Value()
			} else {
				r.Body = value(s, r.Body)
			}
		}
	}
}

// got reads a response as an object, as they write that.
func (x *exchange) got(r *fingerprint.Request) {
	s := &x.scan
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "status":
			r.Status = readStatus(s, r.Status)
		case "body":
			x.response = readText(s, x.response)
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

// finish takes the bodies apart, and settles what access does. What the record
// itself counted goes before what its response says.
func (x *exchange) finish(r *fingerprint.Request) (column int, why string) {
	if x.response != nil {
		in, out, cached := r.TokensIn, r.TokensOut, r.TokensCached
		x.answer.read(x.response, r, x.reads)
		keepTokens(r, in, out, cached)
	}
	if x.request != nil && r.Body == nil {
		x.bodyValue(r, x.request)
	}
	return x.access.finish(r)
}
