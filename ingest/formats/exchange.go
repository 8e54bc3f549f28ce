package formats

import "github.com/loopgauge/loopgauge/fingerprint"

// exchange is what parsers share whose records may have the bodies of both
// request and response, as JSON and not as the bytes that were sent.
type exchange struct {
	access
	answer            answer
	request, response []byte // the bodies
}

func newExchange(reads fingerprint.Field) exchange { return exchange{access: access{reads: reads}} }

// begin forgets the record before.
func (x *exchange) begin() {
	x.access.begin()
	x.request, x.response = nil, nil
}

// finish takes the bodies apart, and settles what access does. What the record
// itself counted goes before what its response says.
func (x *exchange) finish(r *fingerprint.Request) {
	if x.response != nil {
		in, out, cached := r.TokensIn, r.TokensOut, r.TokensCached
		x.answer.read(x.response, r, x.reads)
		keepTokens(r, in, out, cached)
	}
	if x.request != nil && r.Body == nil {
		x.bodyValue(r, x.request)
	}
	x.access.finish(r)
}
