package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// objectAttribute reads an attribute of Genkit's, or of Haystack's, of a step of an
// agent or of a component of a pipeline: what went in and what came out is an object
// each, whose messages have their parts in content. It is false at any other.
func (p *otelCall) objectAttribute(s *rawjson.Scanner, key []byte, r *fingerprint.Request) bool {
	b := &p.body
	switch string(key) {
	case "genkit:name":
		p.model = otelText(s)
	case "genkit:input", "haystack.agent.step.llm.input", "haystack.component.input":
		b.Reset(otelText(s))
		for b.Object(); b.NextKey(); {
			switch string(b.Key) {
			case "messages":
				r.Messages.Logged = true
				if p.reads&fingerprint.ReadsMessages != 0 {
					p.input, p.in.inContent = b.Value(), true
				}
			case "prompt": // of Haystack's generators that do not chat
				p.request = b.Text(p.request)
			case "tools":
				r.HasTools = readTools(b, r.HasTools)
			case "config": // of Genkit
				for b.Object(); b.NextNamed("maxOutputTokens"); {
					r.MaxTokens = readCount(b, r.MaxTokens)
				}
			}
		}
	case "genkit:output", "haystack.agent.step.llm.output", "haystack.component.output":
		r.ToolCallsLogged = true
		b.Reset(otelText(s))
		for b.Object(); b.NextKey(); {
			switch string(b.Key) {
			case "message":
				p.objectAnswer(b, r)
			case "candidates", "replies":
				for b.Array(); b.NextElement(); {
					p.objectAnswer(b, r)
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

// objectAnswer reads an answer, which has each call in a part. Haystack's has its
// tokens and the model among its metadata.
func (p *otelCall) objectAnswer(s *rawjson.Scanner, r *fingerprint.Request) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "message": // of Genkit's candidates
			p.objectAnswer(s, r)
		case "content":
			if p.reads&fingerprint.ReadsResponse == 0 {
				continue
			}
			for s.Array(); s.NextElement(); {
				for s.Object(); s.NextKey(); {
					switch string(s.Key) {
					case "toolRequest", "tool_call":
						r.ToolCalls = readToolCall(s, r.ToolCalls)
					}
				}
			}
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
