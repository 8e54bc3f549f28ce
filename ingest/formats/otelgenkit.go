package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// genkitAttribute reads an attribute of Genkit's, which has names and words of its own
// for all. It is false at any other.
func (p *otelCall) genkitAttribute(s *rawjson.Scanner, key []byte, r *fingerprint.Request) bool {
	b := &p.body
	switch string(key) {
	case "genkit:name":
		p.model = otelText(s)
	case "genkit:input":
		b.Reset(otelText(s))
		for b.Object(); b.NextKey(); {
			switch string(b.Key) {
			case "messages":
				p.contents(b, r)
			case "tools":
				r.HasTools = readTools(b, r.HasTools)
			case "config":
				for b.Object(); b.NextNamed("maxOutputTokens"); {
					r.MaxTokens = readCount(b, r.MaxTokens)
				}
			}
		}
	case "genkit:output":
		r.ToolCallsLogged = true
		b.Reset(otelText(s))
		for b.Object(); b.NextKey(); {
			switch string(b.Key) {
			case "message":
				p.genkitCalls(b, r)
			case "candidates":
				for b.Array(); b.NextElement(); {
					for b.Object(); b.NextNamed("message"); {
						p.genkitCalls(b, r)
					}
				}
			case "usage":
				readUsage(b, r)
			}
		}
		wholeCalls(b, r)
	default:
		return false
	}
	return true
}

// genkitCalls reads the calls of an answer.
func (p *otelCall) genkitCalls(s *rawjson.Scanner, r *fingerprint.Request) {
	for s.Object(); s.NextNamed("content"); {
		p.contentCalls(s, "toolRequest", r)
	}
}
