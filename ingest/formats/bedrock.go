package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// bedrock reads Amazon Bedrock's model invocation log. Of InvokeModel it holds
// the model's own bodies, of Converse those of that API.
type bedrock struct{ access }

func newBedrock(reads fingerprint.Field) Parser {
	p := &bedrock{access{reads: reads}}
	p.body.bedrock = true
	return p
}

func isBedrock(m wrap.Members) bool {
	return m.Has("modelId", "timestamp") && m.Any("schemaType", "operation") && m.Any("input", "output")
}

func (p *bedrock) Parse(record []byte, r *fingerprint.Request) (int, string) {
	var stored int64 // tokens put into the provider's cache
	s := p.begin(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "timestamp":
			r.Time = readTime(s, r.Time)
		case "operation": // ConverseStream, InvokeModelWithResponseStream
			if name := s.Text(nil); len(name) > 0 {
				r.Stream = fingerprint.TriOf(bytes.HasSuffix(name, []byte("Stream")))
			}
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
			if status := errorStatus[string(r.Error)]; status != 0 {
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
					p.request = readText(s, p.request)
				case "inputTokenCount":
					r.TokensIn = readCount(s, r.TokensIn)
				case "cacheReadInputTokenCount":
					r.TokensCached = readCount(s, r.TokensCached)
				case "cacheWriteInputTokenCount":
					stored = readCount(s, stored)
				}
			}
		case "output":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "outputBodyJson":
					p.response = readText(s, p.response)
				case "outputTokenCount":
					r.TokensOut = readCount(s, r.TokensOut)
				}
			}
		}
	}
	if r.TokensIn != fingerprint.Unknown { // what the cache had or got is not in it
		r.TokensIn += stored + max(r.TokensCached, 0)
	}
	return p.finish(r)
}
