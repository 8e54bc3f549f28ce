package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// bedrock reads Amazon Bedrock's model invocation log. Of InvokeModel it holds
// the model's own bodies, of Converse those of that API, whose messages are
// put into Anthropic's words.
type bedrock struct {
	access
	answer   answer
	input    rawjson.Value
	output   rawjson.Value
	messages rawjson.Scanner
	blocks   rawjson.Scanner
	text     []byte // converted messages, one behind the other
	ends     []int  // of each
}

func newBedrock(reads fingerprint.Field) Parser { return &bedrock{access: access{reads: reads}} }

func detectBedrock(line []byte) bool {
	k := keysOf(line)
	return k.has("modelId") && k.has("timestamp") && k.any("schemaType", "operation") && k.any("input", "output")
}

func (p *bedrock) Parse(record []byte, r *fingerprint.Request) (int, string) {
	var stored int64 // tokens put into the provider's cache
	p.begin()
	p.input, p.output, p.text, p.ends = nil, nil, p.text[:0], p.ends[:0]
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "timestamp":
			r.Time = readTime(s, r.Time)
		case "requestId":
			r.ID = value(s, r.ID)
		case "modelId":
			r.Model = value(s, r.Model)
		case "identity":
			for s.Object(); s.NextNamed("arn"); {
				p.name = value(s, p.name)
			}
		case "errorCode":
			r.Error = value(s, r.Error)
			if status := bedrockStatus[string(r.Error)]; status != 0 {
				r.Status = status
			}
		case "requestMetadata":
			for s.Object(); s.NextKey(); {
				name := s.Key
				p.metadata(r, name, value(s, nil))
			}
		case "input":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "inputBodyJson":
					p.input = readText(s, p.input)
				case "inputTokenCount":
					r.TokensIn = readCount(s, r.TokensIn)
				case "cacheReadInputTokenCount":
					r.TokensCached = readCount(s, r.TokensCached)
				case "cacheWriteInputTokenCount":
					stored = readCount(s, stored)
				default:
					s.Skip()
				}
			}
		case "output":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "outputBodyJson":
					p.output = readText(s, p.output)
				case "outputTokenCount":
					r.TokensOut = readCount(s, r.TokensOut)
				default:
					s.Skip()
				}
			}
		default:
			s.Skip()
		}
	}
	if column, why := failure(s); why != "" {
		return column, why
	}
	in, out, cached := r.TokensIn, r.TokensOut, r.TokensCached
	if in != fingerprint.Unknown { // what the cache had or got is not in it
		in += stored + max(cached, 0)
	}
	switch p.output.Kind() {
	case rawjson.Object:
		if !p.converseOutput(r) {
			p.answer.read(p.output, r, p.reads)
		}
	case rawjson.Array:
		p.answer.parts.readList(p.output, r, p.reads)
	}
	keepTokens(r, in, out)
	if cached != fingerprint.Unknown {
		r.TokensCached = cached
	}
	if p.input != nil {
		p.bodyValue(r, p.input)
		p.converse(r)
	}
	p.finish(r)
	return 0, ""
}

// bedrockStatus are the HTTP statuses of the errors of Bedrock's runtime, as its
// API reference has them.
var bedrockStatus = map[string]int{
	"AccessDeniedException":         403,
	"InternalServerException":       500,
	"ModelErrorException":           424,
	"ModelNotReadyException":        429,
	"ModelStreamErrorException":     424,
	"ModelTimeoutException":         408,
	"ResourceNotFoundException":     404,
	"ServiceQuotaExceededException": 400,
	"ServiceUnavailableException":   503,
	"ThrottlingException":           429,
	"ValidationException":           400,
}

// converse reads what Converse calls otherwise.
func (p *bedrock) converse(r *fingerprint.Request) {
	s := &p.messages
	s.Reset(p.input)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "toolConfig":
			for s.Object(); s.NextNamed("tools"); {
				r.HasTools = readTools(s, r.HasTools)
			}
		case "inferenceConfig":
			for s.Object(); s.NextNamed("maxTokens"); {
				r.MaxTokens = readCount(s, r.MaxTokens)
			}
		default:
			s.Skip()
		}
	}
	if !hasConverse(p.input) {
		return
	}
	for _, m := range r.Messages.Items {
		if bytes.Contains(m, []byte(`"tool`)) {
			p.message(m)
		}
		p.ends = append(p.ends, len(p.text))
	}
	from := 0
	for i, end := range p.ends { // the text moves no more
		if end > from {
			r.Messages.Items[i] = rawjson.Value(p.text[from:end:end])
		}
		from = end
	}
}

// hasConverse tells whether there may be blocks of Converse in a message.
func hasConverse(text []byte) bool {
	return bytes.Contains(text, []byte(`"toolUse`)) || bytes.Contains(text, []byte(`"toolResult`))
}

// message writes a message with the blocks toolUse and toolResult in
// Anthropic's words; all else stays.
func (p *bedrock) message(m rawjson.Value) {
	if m.Kind() != rawjson.Object {
		p.text = append(p.text, m...)
		return
	}
	s := &p.messages
	s.Reset(m)
	p.text = append(p.text, '{')
	more := ""
	for s.Object(); s.NextKey(); {
		p.text = rawjson.AppendString(append(p.text, more...), s.Key)
		p.text = append(p.text, ':')
		more = ","
		if string(s.Key) != "content" || s.Kind() != rawjson.Array {
			p.text = appendValue(p.text, s.Value())
			continue
		}
		p.text = append(p.text, '[')
		comma := ""
		for s.Array(); s.NextElement(); comma = "," {
			p.text = append(p.text, comma...)
			p.block(s.Value())
		}
		p.text = append(p.text, ']')
	}
	p.text = append(p.text, '}')
}

func (p *bedrock) block(b rawjson.Value) {
	s := &p.blocks
	s.Reset(b)
	for s.Object(); s.NextKey(); {
		var kind string
		switch string(s.Key) {
		case "toolUse":
			kind = `{"type":"tool_use"`
		case "toolResult":
			kind = `{"type":"tool_result"`
		default:
			s.Skip()
			continue
		}
		p.text = append(p.text, kind...)
		for s.Object(); s.NextKey(); {
			switch {
			case string(s.Key) == "toolUseId" && kind == `{"type":"tool_use"`:
				p.text = append(p.text, `,"id":`...)
			case string(s.Key) == "toolUseId":
				p.text = append(p.text, `,"tool_use_id":`...)
			case string(s.Key) == "status": // success or error
				p.text = append(p.text, `,"is_error":`...)
				if string(s.Text(nil)) == "error" {
					p.text = append(p.text, "true"...)
				} else {
					p.text = append(p.text, "false"...)
				}
				continue
			default:
				p.text = rawjson.AppendString(append(p.text, ','), s.Key)
				p.text = append(p.text, ':')
			}
			p.text = appendValue(p.text, s.Value())
		}
		p.text = append(p.text, '}')
		return
	}
	p.text = appendValue(p.text, b)
}

func appendValue(dst []byte, v rawjson.Value) []byte {
	if v == nil {
		return append(dst, "null"...)
	}
	return append(dst, v...)
}

// converseOutput reads the calls in output.message.content, if there is an
// output.
func (p *bedrock) converseOutput(r *fingerprint.Request) (found bool) {
	s := &p.messages
	s.Reset(p.output)
	for s.Object(); s.NextNamed("output"); {
		if s.Kind() != rawjson.Object { // of the Responses API it is a list
			s.Skip()
			continue
		}
		r.ToolCallsLogged = true
		if found = true; p.reads&fingerprint.ReadsResponse == 0 {
			s.Skip()
			continue
		}
		for s.Object(); s.NextNamed("message"); {
			for s.Object(); s.NextNamed("content"); {
				for s.Array(); s.NextElement(); {
					p.outputBlock(s, r)
				}
			}
		}
	}
	return found
}

func (p *bedrock) outputBlock(s *rawjson.Scanner, r *fingerprint.Request) {
	for s.Object(); s.NextNamed("toolUse"); {
		var call fingerprint.ToolCall
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "toolUseId":
				call.ID = s.Text(call.ID)
			default:
				readCallField(s, &call)
			}
		}
		if call.Name != nil {
			r.ToolCalls = append(r.ToolCalls, call)
		}
	}
}
