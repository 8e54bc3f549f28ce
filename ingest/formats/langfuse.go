package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// langfuse reads observations of Langfuse, as its API and its exports give them, the
// ones to a store in snake case. Of the observations generations are requests, and
// embeddings.
type langfuse struct {
	zoned
	reads fingerprint.Field
	scan  rawjson.Scanner // of the observation
	along rawjson.Scanner // of JSON in its texts
	call  otelCall        // takes input and output apart
	langfuseRecord
}

// langfuseRecord is what is gathered over an observation.
type langfuseRecord struct {
	kind, level, message    []byte
	project, hash, alias    []byte // who called
	input, output           []byte
	session                 []byte
	detailed, counted, used tokens
	total                   float64 // of cost_details
}

// tokens are what an observation says of them in one place.
type tokens struct {
	in, out, cached int64
	whole           bool // what a cache had is among in
}

var noTokens = tokens{in: fingerprint.Unknown, out: fingerprint.Unknown, cached: fingerprint.Unknown}

func newLangfuse(reads fingerprint.Field) Parser {
	return &langfuse{reads: reads, call: newOtelCall(reads)}
}

func isLangfuse(m wrap.Members) bool {
	if kind := m["type"]; len(kind) < 2 || kind[1] < 'A' || kind[1] > 'Z' { // those of Opik's spans are in small letters
		return false
	}
	return m.Has("traceId", "startTime") && m.Any("parentObservationId", "modelParameters", "usageDetails", "projectId") ||
		m.Has("trace_id", "start_time") && m.Any("parent_observation_id", "model_parameters", "usage_details", "project_id")
}

func (p *langfuse) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.langfuseRecord = langfuseRecord{detailed: noTokens, counted: noTokens, used: noTokens, total: -1}
	p.along.Reset(nil)
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		p.field(s, r)
	}
	if column, why := wrap.Failure(s); why != "" {
		return column, why
	}
	switch string(p.kind) {
	case "GENERATION":
	case "EMBEDDING":
		r.Span.Embeds = true
	default:
		return 0, NoRequest
	}
	failed := string(p.level) == "ERROR"
	model := r.Model
	p.call.sides(p.input, p.output, failed, r)
	r.Model = first(model, r.Model)
	p.call.session.other(ownField, p.session)
	r.Session = p.call.session.value
	r.Caller = first(p.hash, p.alias, p.project)
	r.CallerIsName = len(r.Caller) > 0 && len(p.hash) == 0
	for _, t := range []tokens{p.used, p.counted, p.detailed} {
		keepTokens(r, t.in, t.out, t.cached)
	}
	if p.total >= 0 {
		r.Cost = p.total
	}
	if failed {
		r.Error, r.Status = first(p.message, otherError), failedStatus(nil, p.message)
	}
	return 0, ""
}

func (p *langfuse) field(s *rawjson.Scanner, r *fingerprint.Request) {
	switch string(s.Key) {
	case "type":
		p.kind = value(s, p.kind)
	case "id":
		r.ID = value(s, r.ID)
		r.Span.ID = r.ID
	case "traceId", "trace_id":
		r.Span.Trace = value(s, r.Span.Trace)
	case "parentObservationId", "parent_observation_id":
		r.Span.Around = value(s, r.Span.Around)
	case "name":
		r.Span.Library = value(s, r.Span.Library)
	case "startTime", "start_time":
		r.Time = p.readTime(s, r.Time)
	case "endTime", "end_time":
		r.End = p.readTime(s, r.End)
	case "model", "providedModelName", "provided_model_name":
		r.Model = value(s, r.Model)
	case "modelParameters", "model_parameters":
		p.inText(s, func(b *rawjson.Scanner) { readParameter(b, r) })
	case "input":
		p.input = readText(s, p.input)
	case "output":
		p.output = readText(s, p.output)
	case "usageDetails", "usage_details":
		p.inText(s, func(b *rawjson.Scanner) { p.detailed.add(b) })
	case "usage":
		p.inText(s, func(b *rawjson.Scanner) { p.used.add(b) })
	case "promptTokens":
		p.counted.in = readCount(s, p.counted.in)
	case "completionTokens":
		p.counted.out = readCount(s, p.counted.out)
	case "costDetails", "cost_details":
		p.inText(s, func(b *rawjson.Scanner) {
			if string(b.Key) == "total" {
				p.total = readCost(b, p.total)
			}
		})
	case "totalCost", "total_cost", "calculatedTotalCost":
		if cost := readCost(s, 0); cost > 0 { // 0 of a model without a price, too
			r.Cost = cost
		}
	case "level":
		p.level = value(s, p.level)
	case "statusMessage", "status_message":
		p.message = value(s, p.message)
	case "sessionId", "session_id":
		p.session = readSession(s, p.session)
	case "userId", "user_id":
		r.User = value(s, r.User)
	case "projectId", "project_id":
		p.project = value(s, p.project)
	case "metadata":
		p.inText(s, func(b *rawjson.Scanner) { p.metadata(b, r) })
	case "environment", "traceName", "trace_name", "version", "release":
		readAttribute(s, r, p.reads)
	}
}

// inText calls f at each member of the object that comes next, or that a text is.
func (p *langfuse) inText(s *rawjson.Scanner, f func(*rawjson.Scanner)) {
	b := &p.along
	b.Then(readArguments(s, nil))
	for b.Object(); b.NextKey(); {
		f(b)
	}
}

// add reads a number of tokens. Langfuse counts each kind for itself: those that a
// cache had are no part of input, but their name has it in it.
func (t *tokens) add(s *rawjson.Scanner) {
	name := s.Key
	switch string(name) {
	case "prompt_tokens_details", "input_tokens_details":
		t.cached = readCached(s, t.cached)
		return
	}
	n := readCount(s, -1)
	if n < 0 {
		return
	}
	switch {
	case string(name) == "prompt_tokens":
		t.in, t.whole = n, true
	case string(name) == "completion_tokens":
		t.out = n
	case bytes.Contains(name, []byte("Cost")), bytes.Contains(name, []byte("_cost")): // of the older usage
	case bytes.Contains(name, []byte("input")), bytes.Contains(name, []byte("Input")):
		if !t.whole {
			t.in = max(t.in, 0) + n
		}
	case bytes.Contains(name, []byte("output")):
		t.out = max(t.out, 0) + n
	}
	switch string(name) {
	case "input_cached_tokens", "input_cache_read", "cache_read_input_tokens", "input_cache_read_tokens", "cacheReadInputTokens", "cacheReadInputTokenCount":
		t.cached = n
	}
}

// metadata keeps it under its own names, and finds who called LiteLLM.
func (p *langfuse) metadata(b *rawjson.Scanner, r *fingerprint.Request) {
	name := b.Key
	text := value(b, nil)
	switch string(name) {
	case "user_api_key_hash":
		p.hash = first(text, p.hash)
	case "user_api_key_alias":
		p.alias = first(text, p.alias)
	}
	setAttribute(r, name, text, p.reads)
}
