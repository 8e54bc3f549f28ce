package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// haystackAttribute reads an attribute of Haystack's, of a step of an agent or of a
// component of a pipeline, which has words of its own for messages. It is false at any
// other.
func (p *otelCall) haystackAttribute(s *rawjson.Scanner, key []byte, r *fingerprint.Request) bool {
	b := &p.body
	switch string(key) {
	case "haystack.agent.step.llm.input", "haystack.component.input":
		b.Reset(otelText(s))
		for b.Object(); b.NextKey(); {
			switch string(b.Key) {
			case "messages":
				p.contents(b, r)
			case "prompt": // of generators that do not chat
				p.request = b.Text(p.request)
			case "tools":
				r.HasTools = readTools(b, r.HasTools)
			}
		}
	case "haystack.agent.step.llm.output", "haystack.component.output":
		r.ToolCallsLogged = true
		b.Reset(otelText(s))
		for b.Object(); b.NextNamed("replies"); {
			for b.Array(); b.NextElement(); {
				p.haystackReply(b, r)
			}
		}
		wholeCalls(b, r)
	default:
		return false
	}
	return true
}

// haystackReply reads an answer, which has its tokens and the model among its metadata.
func (p *otelCall) haystackReply(s *rawjson.Scanner, r *fingerprint.Request) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "content":
			p.contentCalls(s, "tool_call", r)
		case "meta":
			for s.Object(); s.NextKey(); {
				if string(s.Key) == "model" {
					p.answers = s.Text(p.answers)
				} else {
					readUsageField(s, r)
				}
			}
		}
	}
}
