package formats

import "github.com/loopgauge/loopgauge/fingerprint"

// isOpenRouter tells the spans of OpenRouter's Broadcast by the library. Their ids are
// those of the trace, which a client may name for many calls.
func isOpenRouter(library []byte) bool { return string(library) == "openrouter" }

// offered reads what OpenRouter has of the request beside its answer: the tools, and
// all else but the messages.
func (p *otelCall) offered(r *fingerprint.Request) {
	b := &p.body
	b.Reset(p.answer)
	for b.Object(); b.NextKey(); {
		switch string(b.Key) {
		case "tools":
			r.HasTools = readTools(b, r.HasTools)
		case "rawRequest":
			for b.Object(); b.NextKey(); {
				if string(b.Key) == "tools" {
					r.HasTools = readTools(b, r.HasTools)
				} else {
					readParameter(b, r)
				}
			}
		}
	}
}
