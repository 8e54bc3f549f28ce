package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// otelCall fills a request from a span that is a call of a model.
type otelCall struct {
	reads fingerprint.Field
	scan  rawjson.Scanner // of its attributes
	body  rawjson.Scanner // of JSON inside them from which nothing is kept

	along    rawjson.Scanner // of what a client sent along, and of what LiteLLM says of a call with that in it
	kept     rawjson.Scanner // of answers that are events
	said     rawjson.Scanner // of the bodies of events, and of another answer
	happened rawjson.Scanner // of a span's events
	rawly    rawjson.Scanner // of what LiteLLM kept of both bodies
	kinds    []logKind       // of a span's events
	chunks   streamed        // of an answer that MLflow kept
	sent     requestBody     // takes a request apart of which all was kept
	in       chat            // the request's messages
	out      chat            // the response's
	json     []byte          // what became of structured values
	names    []byte          // of attributes that were in one
	bare     otelSpan        // of sides, with nothing in it

	otelGathered
}

// otelGathered is what was found in one span.
type otelGathered struct {
	id, model, asked      []byte
	answers               []byte // the model that answered
	input, output, system []byte // gen_ai.*.messages and instructions, JSON
	request, answer       []byte // the body, or what an instrumentation kept of it
	sentRaw               []byte // the body that LiteLLM sent
	calls                 []byte // those of the response, as the AI SDK has them
	listed                []byte // events in one attribute
	called                bool   // the answer ended in a call
	callerHash, caller    []byte
	errorType             []byte
	session               naming
	trace                 []byte // by the client's name, or LiteLLM's own
}

func newOtelCall(reads fingerprint.Field) otelCall {
	return otelCall{reads: reads, sent: requestBody{excerpts: true}}
}

// begin forgets the span before.
func (p *otelCall) begin() {
	p.otelGathered, p.json, p.names = otelGathered{}, p.json[:0], p.names[:0]
	p.in.reset()
	p.out.reset()
}

func (p *otelCall) fill(sp *otelSpan, r *fingerprint.Request) {
	p.begin()
	r.ID, r.Time, r.End = sp.id, sp.start, sp.end
	r.Span = fingerprint.Span{Trace: sp.trace, ID: sp.id, Around: sp.parent, Embeds: sp.embeds, Library: first(sp.library, sp.name), Said: sp.said}
	r.User, r.Agent = sp.user, first(sp.agent, sp.agentID) // an id may be new with each run
	s := &p.scan
	for _, s := range []*rawjson.Scanner{s, &p.along, &p.kept} {
		s.Reset(nil)
	}
	if sp.server != nil {
		s.Then(sp.server.attributes)
		p.attributes(s, r)
	}
	if sp.logs == nil {
		s.Then(sp.attributes)
		p.attributes(s, r)
		p.events(sp, r)
	} else {
		p.logs(sp, r)
	}
	if sp.raw != nil {
		p.provider(sp.raw, r)
	}
	asked := first(r.Model, p.asked)
	p.content(sp, r)
	if isOpenRouter(sp.library) {
		p.offered(r)
	}
	r.Model = first(asked, r.Model)
	p.finish(sp, r)
}

// sides fills a request from what a tracer kept of the two sides of a call, JSON or
// text; nil where it kept nothing.
func (p *otelCall) sides(request, answer []byte, failed bool, r *fingerprint.Request) {
	p.begin()
	p.request, p.answer = request, answer
	p.bare.failed = failed
	p.content(&p.bare, r)
}

func (p *otelCall) attributes(s *rawjson.Scanner, r *fingerprint.Request) {
	eachAttribute(s, func(key []byte) { p.attribute(s, key, r) })
}

// attribute reads one attribute. Names of the semantic conventions come first,
// the present ones before those they had before, then those of
// instrumentations with names of their own.
func (p *otelCall) attribute(s *rawjson.Scanner, key []byte, r *fingerprint.Request) {
	switch string(key) {
	case "gen_ai.request.model":
		p.asked = otelText(s)
	case "gen_ai.response.model":
		p.answers = otelText(s)
	case "llm.model_name", "llm.request.model_name", "langfuse.observation.model.name", "ai.model.id":
		p.model = first(p.model, otelText(s))
	case "litellm.model_group":
		r.Model = otelText(s)
	case "gen_ai.provider.name", "gen_ai.system", "gen_ai.model.provider", "llm.provider", "llm.system", "ai.model.provider":
		r.Backend = first(r.Backend, otelText(s))
	case "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt":
		r.TokensIn = parseCount(otelText(s), r.TokensIn)
	case "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion":
		r.TokensOut = parseCount(otelText(s), r.TokensOut)
	case "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.input_tokens.cached", "llm.token_count.prompt_details.cache_read", "ai.usage.cachedInputTokens":
		r.TokensCached = parseCount(otelText(s), r.TokensCached)
	case "gen_ai.request.max_tokens", "gen_ai.request.max_completion_tokens":
		r.MaxTokens = parseCount(otelText(s), r.MaxTokens)
	case "gen_ai.is_streaming", "llm.is_streaming", "gen_ai.request.stream", "gen_ai.request.streaming":
		r.Stream = parseTri(otelText(s), r.Stream)
	case "gen_ai.cost.total_cost", "gen_ai.usage.cost", "gen_ai.usage.total_cost", "litellm.cost.total", "llm.cost.total", "operation.cost":
		r.Cost = parseCost(otelText(s), r.Cost)
	case "langfuse.observation.cost_details":
		p.body.Reset(otelText(s))
		for p.body.Object(); p.body.NextNamed("total"); {
			r.Cost = readCost(&p.body, r.Cost)
		}
	case "http.response.status_code", "http.status_code", "http.status": // the names before, and agentgateway's; the same of the next
		r.Status = parseStatus(otelText(s), r.Status)
	case "error.type":
		p.errorType = otelText(s)
	case "http.request.method", "http.method":
		r.Method = otelText(s)
	case "url.path", "http.path":
		setPath(r, otelText(s))
	case "http.route", "litellm.request.route":
		if route := otelText(s); len(r.Path) == 0 {
			setPath(r, route)
		}
	case "gen_ai.input.messages", "ai.prompt.messages":
		if p.reads&fingerprint.ReadsMessages != 0 {
			p.input = p.value(s)
		} else {
			r.Messages.Logged = true
		}
	case "gen_ai.output.messages":
		if p.reads&fingerprint.ReadsResponse != 0 {
			p.output = p.value(s)
		} else {
			r.ToolCallsLogged = true
		}
	case "gen_ai.system_instructions":
		p.system = p.value(s)
	case "ai.response.finishReason":
		if reason := otelText(s); string(reason) != "tool-calls" {
			r.ToolCallsLogged = true // and there were none
		}
	case "ai.response.toolCalls":
		p.calls = otelText(s)
	case "gen_ai.tool.definitions", "ai.prompt.tools", "spring.ai.model.request.tool.names":
		r.HasTools = fingerprint.Yes
	case "input.value", "langfuse.observation.input", "gen_ai.prompt_json", "request_data", "gen_ai.prompt":
		p.request = p.value(s)
	case "output.value", "langfuse.observation.output", "gen_ai.completion_json", "gen_ai.completion":
		p.answer = p.value(s)
	case "events":
		// Logfire's of the Responses API do not tell what was answered.
		if v := p.value(s); bytes.Contains(v, []byte("gen_ai.choice")) {
			p.listed = v
		}
	case "response_data":
		// Of Anthropic's streams Logfire kept the text alone.
		if v := p.value(s); !bytes.Contains(v, []byte(`"combined_chunk_content"`)) {
			p.answer = v
		}
	case "gcp.vertex.agent.llm_request":
		p.request = orKept(p.value(s), p.request)
	case "gcp.vertex.agent.llm_response":
		p.answer = orKept(p.value(s), p.answer)
	case "langfuse.observation.metadata.finish_reason": // of a stream, of which the text alone may be kept
		p.called = endsInCall(bytes.Trim(otelText(s), `"`))
	case "gen_ai.response.finish_reasons": // of an answer whose calls Mastra leaves out
		reasons := &p.body
		reasons.Reset(p.value(s))
		for reasons.Array(); reasons.NextElement(); {
			p.called = endsInCall(reasons.Text(nil)) || p.called
		}
	case "llm.invocation_parameters", "langfuse.observation.model.parameters":
		p.parameters(otelText(s), r)
	case "langfuse.observation.usage_details":
		p.usage(otelText(s), r)
	case "litellm.call_id":
		p.id = otelText(s)
	case "litellm.api_key.hash", "metadata.user_api_key_hash":
		p.callerHash = otelText(s)
	case "metadata.user_api_key_alias", "litellm.metadata.user_api_key_alias", "trace.metadata.openrouter.api_key_name",
		"bifrost.virtual_key.name", "gen_ai.virtual_key_name": // Bifrost writes both
		p.caller = otelText(s)
	case "metadata.user_api_key_user_id", "litellm.metadata.user_api_key_user_id":
		r.User = first(r.User, otelText(s))
	case "metadata.requester_metadata", "metadata.requester_custom_headers":
		p.requester(key, otelText(s), r)
	case "metadata":
		p.gateway(otelText(s), r)
	case "litellm.trace_id":
		p.trace = otelText(s)
	case "llm.input_messages": // lists, in data frames of Phoenix's
		p.inside(s, nil, false, r)
	case "llm.output_messages":
		p.inside(s, nil, true, r)
	case "llm.tools":
		if s.Kind() == rawjson.Array {
			r.HasTools = fingerprint.Yes
		}
	default:
		if !p.mlflowAttribute(s, key, r) && !p.objectAttribute(s, key, r) {
			p.other(s, key, r)
		}
	}
}

// orKept is what Google's ADK kept of a request or an answer, which is {} where
// it was told to keep nothing.
func orKept(value, old []byte) []byte {
	if string(value) == "{}" {
		return old
	}
	return value
}

// other reads the attributes that are a part of a message each.
func (p *otelCall) other(s *rawjson.Scanner, key []byte, r *fingerprint.Request) {
	if rest, ok := bytes.CutPrefix(key, []byte("gen_ai.prompt.")); ok {
		p.question(rest, s, r)
	} else if rest, ok := bytes.CutPrefix(key, []byte("llm.input_messages.")); ok {
		p.question(rest, s, r)
	} else if rest, ok := bytes.CutPrefix(key, []byte("gen_ai.completion.")); ok {
		p.reply(rest, s, r)
	} else if rest, ok := bytes.CutPrefix(key, []byte("llm.output_messages.")); ok {
		p.reply(rest, s, r)
	} else if bytes.HasPrefix(key, []byte("llm.request.functions.")) || bytes.HasPrefix(key, []byte("gen_ai.request.functions.")) || bytes.HasPrefix(key, []byte("llm.tools.")) || bytes.HasPrefix(key, []byte("gen_ai.tool.")) {
		r.HasTools = fingerprint.Yes
	}
}

// question notes a part of a message of the request.
func (p *otelCall) question(rest []byte, s *rawjson.Scanner, r *fingerprint.Request) {
	if p.reads&fingerprint.ReadsMessages == 0 {
		r.Messages.Logged = true
		return
	}
	p.in.flat(rest, otelText(s))
}

// reply notes a part of a message of the response.
func (p *otelCall) reply(rest []byte, s *rawjson.Scanner, r *fingerprint.Request) {
	if p.reads&fingerprint.ReadsResponse == 0 {
		r.ToolCallsLogged = true
		return
	}
	p.out.flat(rest, otelText(s))
}

// parameters reads the parameters of a request that OpenInference or Langfuse
// keeps.
func (p *otelCall) parameters(text []byte, r *fingerprint.Request) {
	b := &p.body
	b.Reset(text)
	for b.Object(); b.NextKey(); {
		readParameter(b, r)
	}
}

// usage reads the tokens as Langfuse keeps them, by its own names or by the
// provider's.
func (p *otelCall) usage(text []byte, r *fingerprint.Request) {
	t := noTokens
	p.body.Reset(text)
	for p.body.Object(); p.body.NextKey(); {
		t.add(&p.body)
	}
	keepTokens(r, t.in, t.out, t.cached)
}

// gateway reads what LiteLLM's arize_phoenix has in one attribute, as JSON.
func (p *otelCall) gateway(text []byte, r *fingerprint.Request) {
	b := &p.along
	b.Then(text)
	for b.Object(); b.NextKey(); {
		switch string(b.Key) {
		case "user_api_key_hash":
			p.callerHash = b.Text(p.callerHash)
		case "user_api_key_alias":
			p.caller = b.Text(p.caller)
		case "user_api_key_user_id":
			r.User = first(r.User, b.Text(nil))
		case "requester_metadata":
			p.session.requester(b, r, p.reads)
		case "requester_custom_headers":
			p.session.headers(b, r, p.reads)
		}
	}
}

// requester reads what a client sent along, which LiteLLM writes as Python's
// repr.
func (p *otelCall) requester(key, text []byte, r *fingerprint.Request) {
	from := len(p.json)
	json, ok := rawjson.AppendPython(p.json, text)
	if p.json = json; !ok {
		return
	}
	s := &p.along
	if s.Then(json[from:]); string(key) == "metadata.requester_custom_headers" {
		p.session.headers(s, r, p.reads)
	} else {
		p.session.requester(s, r, p.reads)
	}
}

// finish decides between fields that say the same.
func (p *otelCall) finish(sp *otelSpan, r *fingerprint.Request) {
	r.ID = first(p.id, sp.id)
	if isOpenRouter(sp.library) {
		r.ID = first(sp.responseID, r.ID)
	}
	r.Model = first(r.Model, p.asked, p.model, p.answers)
	r.Caller = first(p.callerHash, p.caller, sp.service)
	r.CallerIsName = len(p.callerHash) == 0
	p.session.other(ownField, sp.session)
	r.Session = p.session.orTrace(p.trace)
	if sp.failed || len(p.errorType) > 0 {
		r.Error = first(p.errorType, sp.message, otherError)
		if r.Status == fingerprint.Unknown && len(p.errorType) == 3 {
			r.Status = parseStatus(p.errorType, r.Status)
		}
	}
	if r.Status == fingerprint.Unknown {
		r.Status = failedStatus(p.errorType, sp.message)
	}
	if sp.failed {
		class, message := p.exception(sp)
		if r.Status == fingerprint.Unknown {
			r.Status = failedStatus(class, message)
		}
		if len(p.errorType) == 0 && len(sp.message) == 0 {
			r.Error = first(class, message, r.Error)
		}
	}
}

// exception is what a span says of why it failed in its events.
func (p *otelCall) exception(sp *otelSpan) (class, message []byte) {
	s := &p.happened
	eachDetail(s, sp.events, func(key []byte) {
		switch string(key) {
		case "exception.type":
			class = otelText(s)
		case "exception.message":
			message = otelText(s)
		}
	})
	return class, message
}
