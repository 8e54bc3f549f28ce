package formats

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// langSmith reads runs of LangSmith, as its API and its SDKs give them and as its
// command-line tool exports them. Of the runs those of a language model are
// requests; those around them are chains, and calls of tools.
type langSmith struct {
	zoned
	reads fingerprint.Field
	scan  rawjson.Scanner // of the run
	call  otelCall        // takes inputs and outputs apart
	langSmithRecord
}

// langSmithRecord is what is gathered over a run.
type langSmithRecord struct {
	kind, failure   []byte
	model, asked    []byte
	project, called []byte        // the project's id, and its name
	inputs, outputs rawjson.Value // {} where LangSmith was told to hide them
	threads         [len(threadKeys)][]byte
}

// threadKeys are the names in a run's metadata by which LangSmith puts threads
// together, in its order.
var threadKeys = [...]string{"session_id", "thread_id", "conversation_id"}

func newLangSmith(reads fingerprint.Field) Parser {
	return &langSmith{reads: reads, call: newOtelCall(reads)}
}

func isLangSmith(m wrap.Members) bool {
	return m.Has("run_type", "start_time") && m.Any("trace_id", "dotted_order", "parent_run_id")
}

func (p *langSmith) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.langSmithRecord = langSmithRecord{}
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		p.field(s, r)
	}
	if column, why := wrap.Failure(s); why != "" {
		return column, why
	}
	if string(p.kind) != "llm" {
		return 0, NoRequest
	}
	p.call.sides(p.inputs, p.outputs, len(p.failure) > 0, r)
	r.Model = first(p.model, r.Model, p.asked)
	r.Caller = first(p.called, p.project)
	r.CallerIsName = len(r.Caller) > 0
	for i := len(p.threads) - 1; i >= 0; i-- {
		p.call.session.other(ownField, p.threads[i])
	}
	r.Session = p.call.session.value
	if len(p.failure) > 0 {
		r.Error, r.Status = ofError(p.failure)
	}
	return 0, ""
}

func (p *langSmith) field(s *rawjson.Scanner, r *fingerprint.Request) {
	switch string(s.Key) {
	case "run_type":
		p.kind = value(s, p.kind)
	case "id", "run_id":
		r.ID = value(s, r.ID)
		r.Span.ID = r.ID
	case "trace_id":
		r.Span.Trace = value(s, r.Span.Trace)
	case "parent_run_id":
		r.Span.Around = value(s, r.Span.Around)
	case "name":
		r.Span.Library = value(s, r.Span.Library)
	case "start_time":
		r.Time = p.readTime(s, r.Time)
	case "end_time":
		r.End = p.readTime(s, r.End)
	case "inputs":
		p.inputs = s.Value()
	case "outputs":
		p.outputs = s.Value()
	case "error":
		p.failure = value(s, p.failure)
	case "session_id": // what is a project to its users
		p.project = value(s, p.project)
	case "session_name":
		p.called = value(s, p.called)
	case "thread_id":
		p.threads[1] = first(p.threads[1], value(s, nil))
	case "extra":
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "metadata":
				p.metadata(s, r)
			case "invocation_params":
				p.parameters(s, r)
			}
		}
	case "custom_metadata":
		p.metadata(s, r)
	case "token_usage", "costs":
		for s.Object(); s.NextKey(); {
			p.spent(s, r)
		}
	default:
		p.spent(s, r)
	}
}

// spent reads a number of tokens, or the cost.
func (p *langSmith) spent(s *rawjson.Scanner, r *fingerprint.Request) {
	switch string(s.Key) {
	case "prompt_tokens":
		r.TokensIn = readCount(s, r.TokensIn)
	case "completion_tokens":
		r.TokensOut = readCount(s, r.TokensOut)
	case "prompt_token_details":
		for s.Object(); s.NextNamed("cache_read"); {
			r.TokensCached = readCount(s, r.TokensCached)
		}
	case "total_cost":
		r.Cost = readCost(s, r.Cost)
	}
}

func (p *langSmith) metadata(s *rawjson.Scanner, r *fingerprint.Request) {
	for s.Object(); s.NextKey(); {
		name := s.Key
		text := value(s, nil)
		switch string(name) {
		case "ls_model_name":
			p.model = first(text, p.model)
		case "ls_provider":
			r.Backend = first(text, r.Backend)
		case "ls_max_tokens":
			r.MaxTokens = parseCount(text, r.MaxTokens)
		case "user_id":
			r.User = first(text, r.User)
		case "lc_agent_name":
			r.Agent = first(text, r.Agent)
		}
		if i := slices.Index(threadKeys[:], string(name)); i >= 0 {
			p.threads[i] = first(text, p.threads[i])
		}
		setAttribute(r, name, text, p.reads)
	}
}

// parameters reads those that LangChain calls a model with.
func (p *langSmith) parameters(s *rawjson.Scanner, r *fingerprint.Request) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "model", "model_name":
			p.asked = value(s, p.asked)
		case "tools", "functions":
			r.HasTools = readTools(s, r.HasTools)
		default:
			readParameter(s, r)
		}
	}
}

// ofError is the class of an error that Python wrote with what it says, and the
// status that it stands for.
func ofError(text []byte) (class []byte, status int) {
	class, _, _ = bytes.Cut(text, []byte("("))
	if len(class) == len(text) {
		class, _, _ = bytes.Cut(text, []byte("\n"))
	}
	return class, failedStatus(class, text)
}
