package formats

import (
	"math"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// mooncake reads Mooncake's traces of an LLM service: milliseconds since the
// start of the trace, token numbers, and one id per 512-token block of the
// prompt. Equal lists of ids are equal prompts, up to the last block. Those of
// Alibaba's Bailian name a chat as well, and are in seconds.
type mooncake struct {
	scan rawjson.Scanner
	ids  []byte
}

func newMooncake(fingerprint.Field) Parser { return &mooncake{} }

func isMooncake(m wrap.Members) bool { return m.Has("timestamp", "hash_ids") }

func (p *mooncake) Parse(record []byte, r *fingerprint.Request) (int, string) {
	since, unit := math.NaN(), 1e3 // microseconds
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "timestamp":
			if t, ok := s.Float(); ok {
				since = t
			}
		case "chat_id":
			unit = 1e6
		case "input_length":
			r.TokensIn = readCount(s, r.TokensIn)
		case "output_length":
			r.TokensOut = readCount(s, r.TokensOut)
		case "hash_ids":
			r.Messages.Digest = p.digest(s, r.Messages.Digest)
		}
	}
	if !math.IsNaN(since) {
		// What is no time of this century is none in int64 either.
		r.Time = int64(min(max(math.Round(since*unit), -1), maxTime))
	}
	return wrap.Failure(s)
}

// digest is the list of ids without blanks, so that equal lists are equal.
func (p *mooncake) digest(s *rawjson.Scanner, old []byte) []byte {
	if s.Kind() != rawjson.Array {
		return old
	}
	p.ids = p.ids[:0]
	for _, c := range s.Value() {
		if c > ' ' {
			p.ids = append(p.ids, c)
		}
	}
	return p.ids
}
