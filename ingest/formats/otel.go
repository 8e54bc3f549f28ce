package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// otel reads OTLP JSON, of which a line holds many spans or log records, the spans
// of consoles, and those that tracing systems give. Of the spans those are requests
// that call a model, by the semantic conventions for generative AI,
// OpenInference, OpenLLMetry, Langfuse or LiteLLM; the others say which session
// they belong to. Log records of one span are one request, and so is each of a tool
// that Codex or Claude Code has run.
//
// Only what stands in one record is joined: an exporter writes a span and the
// span around it at the same time if they end at the same time.
type otel struct {
	scan   rawjson.Scanner // of the record
	spans  []otelSpan
	byID   []int32 // indices of spans, sorted by their ids
	picked []*otelSpan
	logs   []otelLog
	trace  whose // a trace of MLflow's
	call   otelCall
	late   rawjson.Scanner // of attributes that are looked at again

	processes []jaegerProcess // of a trace
}

// whose is what a span or a log record says of whose the call is.
type whose struct{ session, user, agentID, agent []byte }

// attribute reads one that says it. It is false at any other.
func (w *whose) attribute(s *rawjson.Scanner, key []byte) bool {
	switch string(key) {
	case "session.id", "gen_ai.conversation.id", "langfuse.session.id", "gcp.vertex.agent.session_id", "ai.telemetry.metadata.sessionId", "ai.settings.context.sessionId", "mastra.metadata.sessionId", "spring.ai.chat.client.conversation.id",
		"traceloop.association.properties.session_id", "traceloop.association.properties.chat_id", "lmnr.association.properties.session_id",
		"langsmith.metadata.session_id", "langsmith.metadata.thread_id", "langsmith.metadata.conversation_id":
		// Microsoft's Agent Framework calls the response that a request follows its
		// conversation: each request would be one of its own.
		if t := otelText(s); fingerprint.NamesSession(t) && !drawn(t, "resp_") {
			w.session = t
		}
	case "user.id", "enduser.id", "langfuse.user.id", "ai.telemetry.metadata.userId", "ai.settings.context.userId", "mastra.metadata.userId", "traceloop.association.properties.user_id", "lmnr.association.properties.user_id", "gen_ai.user", "llm.user":
		w.user = first(otelText(s), w.user)
	case "gen_ai.agent.id":
		w.agentID = otelText(s)
	case "gen_ai.agent.name":
		w.agent = otelText(s)
	default:
		return false
	}
	return true
}

// fill takes what is not known from another.
func (w *whose) fill(other *whose) {
	w.session, w.user = first(w.session, other.session), first(w.user, other.user)
	w.agentID, w.agent = first(w.agentID, other.agentID), first(w.agent, other.agent)
}

func newOtel(reads fingerprint.Field) Parser { return &otel{call: newOtelCall(reads)} }

func isOtel(k keys) bool {
	// What the SDK's console exporter prints has no word of its own.
	return k.any("resourceSpans", "resourceLogs", "scopeMetrics") || isTrace(k) || isMLflow(k) || isJaeger(k) || isRow(k) || k.has("context") && k.has("parent_id") && k.has("start_time") && k.has("attributes") ||
		// Nor have the objects of Node's SDK, a log record or a span; metrics have.
		k.has("attributes") && (k.any("hrTime", "_hrTime") || k.has("_spanContext") && k.has("startTime"))
}

// isTrace tells a trace as Tempo gives it, and Grafana's download of one: OTLP with
// another name for the list, and ids in base64; in the newer APIs of Tempo and Jaeger
// OTLP lies in a member.
func isTrace(k keys) bool {
	for _, name := range []string{"batches", "trace", "result"} {
		if v := k[name]; bytes.Contains(v, []byte(`"scopeSpans"`)) || bytes.Contains(v, []byte(`"instrumentationLibrarySpans"`)) {
			return true
		}
	}
	return false
}

// isRow tells a span as a row of ClickHouse's table otel_traces, or of Azure Monitor's
// AppDependencies and its kin.
func isRow(k keys) bool {
	return k.has("TraceId") && k.has("SpanAttributes") || k.has("OperationId") && k.has("DurationMs") && k.has("Properties")
}

func (p *otel) Parse(record []byte, r *fingerprint.Request) (column int, why string) {
	none := true
	column, why = p.ParseEach(record, r, func() bool {
		none = false
		return false
	})
	if none && why == "" {
		why = NoRequest
	}
	return column, why
}

func (p *otel) ParseEach(record []byte, r *fingerprint.Request, yield func() bool) (int, string) {
	s := &p.scan
	s.Reset(record)
	p.spans, p.logs, p.processes, p.trace = p.spans[:0], p.logs[:0], p.processes[:0], whose{}
	alone, node := newSpan(), nodeObject{observed: fingerprint.NoTime}
	for s.Object(); s.NextKey(); {
		if !p.member(s) && !node.field(s, &alone) {
			alone.member(s)
		}
	}
	p.nameServices(0)
	if column, why := failure(s); why != "" {
		return column, why
	}
	switch {
	case node.logged:
		p.logs = append(p.logs, node.log(&p.late, &alone))
	case alone.id != nil:
		p.keep(alone)
	}
	p.groupLogs()
	p.join()
	for i := range p.spans {
		if sp := &p.spans[i]; sp.isCall && !sp.part {
			r.Reset()
			sp.fill(&p.trace)
			if sp.logs != nil && sp.logs[0].kind == ranLog {
				p.call.tool(&sp.logs[0], r)
			} else {
				p.call.fill(sp, r)
			}
			if !yield() {
				break
			}
		}
	}
	return 0, ""
}

// member reads one of what is around spans and log records. It is false at any other.
func (p *otel) member(s *rawjson.Scanner) bool {
	switch string(s.Key) {
	case "resourceSpans", "resourceLogs", "batches":
		for s.Array(); s.NextElement(); {
			p.resource(s)
		}
	case "spans":
		p.spanList(s)
	case "processes":
		p.jaegerProcesses(s)
	case "info":
		p.mlflowInfo(s)
	case "trace", "result": // of the newer APIs of Tempo and Jaeger
		p.members(s)
	case "data": // of MLflow a trace, of Jaeger a list of them
		if s.Kind() != rawjson.Array {
			p.members(s)
			break
		}
		for s.Array(); s.NextElement(); {
			p.members(s)
		}
	default:
		return false
	}
	return true
}

// members reads a trace.
func (p *otel) members(s *rawjson.Scanner) {
	from := len(p.spans)
	for s.Object(); s.NextKey(); {
		p.member(s)
	}
	p.nameServices(from)
}

// resource reads the spans or logs of one process, whose name may stand behind
// them.
func (p *otel) resource(s *rawjson.Scanner) {
	var service []byte
	spans, logs := len(p.spans), len(p.logs)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "resource":
			for s.Object(); s.NextNamed("attributes"); {
				service = serviceName(s, service)
			}
		case "scopeSpans", "instrumentationLibrarySpans", "scopeLogs":
			for s.Array(); s.NextElement(); {
				p.scope(s)
			}
		}
	}
	for i := spans; i < len(p.spans); i++ {
		if !isGateway(p.spans[i].library) {
			p.spans[i].service = service
		}
	}
	for i := logs; i < len(p.logs); i++ {
		if !isGateway(p.logs[i].library) {
			p.logs[i].service = service
		}
	}
}

// scope reads the spans or logs of one library.
func (p *otel) scope(s *rawjson.Scanner) {
	var library []byte
	spans, logs := len(p.spans), len(p.logs)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "scope", "instrumentationLibrary":
			for s.Object(); s.NextNamed("name"); {
				library = s.Text(nil)
			}
		case "spans":
			p.spanList(s)
		case "logRecords":
			for s.Array(); s.NextElement(); {
				p.log(s)
			}
		}
	}
	for i := spans; i < len(p.spans); i++ {
		p.spans[i].library = library
	}
	for i := logs; i < len(p.logs); i++ {
		p.logs[i].library = library
	}
}

// isGateway tells a gateway's own spans: their service is not who called.
func isGateway(library []byte) bool { return string(library) == "litellm" || isOpenRouter(library) }

func isOpenLIT(library []byte) bool { return bytes.HasPrefix(library, []byte("openlit.")) }

// serviceName finds the name of the service.
func serviceName(s *rawjson.Scanner, old []byte) []byte {
	for s.Array(); s.NextElement(); {
		found := false
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "key":
				found = string(s.Text(nil)) == "service.name"
			case "value":
				if found {
					old = first(otelText(s), old)
				}
			}
		}
	}
	return old
}

// eachAttribute calls f at the value of each attribute in the list of keys and values,
// or the object, that comes next, and returns all of it.
func eachAttribute(s *rawjson.Scanner, f func(key []byte)) rawjson.Value {
	kind := s.Kind() // skips white space
	start := s.Offset()
	if kind == rawjson.Object {
		for s.Object(); s.NextKey(); {
			f(s.Key)
		}
		return s.Since(start)
	}
	for s.Array(); s.NextElement(); {
		var key []byte
		for s.Object(); s.NextKey(); {
			switch {
			case string(s.Key) == "key":
				key = s.Text(key)
			case string(s.Key) == "value" && key != nil:
				f(key)
			}
		}
	}
	return s.Since(start)
}

// attributeLimit is how many attributes of a span SDKs keep if nobody says otherwise.
const attributeLimit = 128

// classify finds out what a span is, and what it says of those inside it.
func (sp *otelSpan) classify(s *rawjson.Scanner) {
	asks, used, told := false, false, false // names a model, says what that did, and what the span is
	asked, answered := false, false
	var sent naming // the headers of the request
	n := 0
	sp.attributes = eachAttribute(s, func(key []byte) {
		n++
		switch string(key) {
		case "gen_ai.request.model":
			sp.asked, asks = otelText(s), true
		case "llm.model_name":
			sp.asked = first(sp.asked, otelText(s))
		case "ai.operationId": // Vercel's AI SDK to version 6
			name := otelText(s)
			switch string(name[bytes.LastIndexByte(name, '.')+1:]) {
			case "doGenerate", "doStream", "doEmbed":
				sp.calls(name)
			}
			told = true
		case "gen_ai.operation.name":
			told = true
			switch name := bytes.TrimSuffix(otelText(s), []byte("_streaming")); string(name) { // Rig's to 0.43
			case "chat", "text_completion", "generate_content", "embeddings":
				sp.calls(name)
			}
		case "llm.request.type": // OpenLLMetry to 0.40, LiteLLM
			kind := otelText(s)
			sp.responses = sp.responses || bytes.HasSuffix(kind, []byte("responses"))
			sp.excerpt = bytes.Contains(kind, []byte("generate_content"))
			sp.calls(kind)
		case "http.request.method":
			sp.serves = true
		case "openinference.span.kind":
			told = true
			sp.modelKind(otelText(s))
		case "mlflow.spanType":
			told = true
			switch kind := bareText(otelText(s)); string(kind) {
			case "CHAT_MODEL", "LLM", "EMBEDDING":
				sp.calls(kind)
			}
		case "genkit:metadata:subtype":
			if kind := otelText(s); string(kind) == "model" {
				sp.calls(kind)
			}
		case "span.type": // OpenRouter's: a part of a call, an attempt at a provider, is chat, too
			sp.prepares = string(otelText(s)) == "span" || sp.prepares
		case "langsmith.span.kind": // those of prompts and retrievers are chat and embeddings, too
			switch string(otelText(s)) {
			case "prompt", "retriever":
				sp.prepares = true
			}
		case "langfuse.observation.type":
			told = true
			switch name := otelText(s); string(name) {
			case "generation", "embedding":
				sp.calls(name)
			}
		case "gen_ai.response.id":
			sp.responseID, used = first(otelText(s), sp.responseID), true
			sp.responses = sp.responses || bytes.HasPrefix(sp.responseID, []byte("resp_"))
		case "gcp.vertex.agent.llm_request": // {} on spans of tools, and where Google's ADK was told to keep nothing
			if v := s.Value(); !bytes.Contains(v[:min(len(v), 32)], []byte(`"{}"`)) {
				sp.content, sp.isCall = asMessages, true
			}
		case "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt_json", "ai.prompt.messages", "langfuse.observation.input", "genkit:input":
			sp.content = asMessages
			answered = answered || string(key) == "gen_ai.output.messages"
		case "input.value", "request_data", "gen_ai.prompt", "mlflow.spanInputs":
			sp.content = max(sp.content, asValue)
			asked = asked || string(key) == "request_data"
		case "response_data":
			answered = true
		case "otel.scope.name", "otel.library.name": // of Jaeger, as the next
			sp.library = otelText(s)
		case "otel.status_code":
			sp.failed = string(otelText(s)) == "ERROR"
		case "otel.status_description":
			sp.message = otelText(s)
		case "logfire.span_type":
			sp.opens = string(otelText(s)) == "span"
		case "output.value": // OpenInference has no attribute for the id
			value := s.Value()
			sp.responseID = first(sp.responseID, answerID(value))
			sp.prepares = sp.prepares || isPrepared(value)
		default:
			if sp.attribute(s, key) {
				told = told || len(sp.agent) > 0
				return
			}
			if name, ok := bytes.CutPrefix(key, []byte("http.request.header.")); ok {
				sent.sessionHeader(bytes.ReplaceAll(name, []byte("_"), []byte("-")), onlyText(s)) // Python's libraries write x_session_id
				return
			}
			answered = answered || bytes.HasPrefix(key, []byte("gen_ai.usage."))
			used = used || answered || bytes.HasPrefix(key, []byte("gen_ai.response."))
			if bytes.HasPrefix(key, []byte("gen_ai.prompt.")) || bytes.HasPrefix(key, []byte("llm.input_messages.")) || bytes.HasPrefix(key, []byte("llm.output_messages.")) {
				sp.content = asMessages
			}
			if bytes.HasPrefix(key, []byte("llm.input_messages.")) && bytes.HasSuffix(key, []byte(".content")) {
				sp.said += saidSum(key, s.Value())
				return
			}
		}
	})
	sp.session = first(sp.session, sent.value)
	sp.isCall = sp.isCall && !sp.prepares
	sp.opens = sp.opens && asked && !answered
	sp.dropped = sp.dropped || n == attributeLimit && sp.attributes.Kind() == rawjson.Object // of which the console says nothing
	// LiteLLM names the model on spans of its own work, too.
	if told || sp.isCall {
		return
	}
	sp.says = used && sp.content > noContent
	if asks && (used || sp.content > noContent) {
		sp.isCall, sp.guessed = true, true
	}
}

// calls notes that a span is a call of a model, by the name of its kind.
func (sp *otelSpan) calls(kind []byte) {
	sp.isCall = true
	sp.embeds = sp.embeds || bytes.Contains(kind, []byte("mbed")) || string(kind) == "EMBEDDING"
}

// modelKind reads OpenInference's kind, of which two call a model.
func (sp *otelSpan) modelKind(kind []byte) {
	switch string(kind) {
	case "LLM", "EMBEDDING":
		sp.calls(kind)
	}
}

// answerID is the id with which an answer begins, or nil. It is JSON in a text,
// which is long, and is not decoded for it.
func answerID(value rawjson.Value) []byte {
	_, rest, _ := bytes.Cut(value[:min(len(value), 128)], []byte(`"{\"id\":\"`))
	id, _, _ := bytes.Cut(rest, []byte{'\\'})
	return id
}

// isPrepared tells what LlamaIndex's _prepare_chat_with_tools gives, which is a
// span like that of a call: the request that comes next, its messages in
// Python's words.
func isPrepared(value rawjson.Value) bool {
	_, messages, _ := bytes.Cut(value[:min(len(value), 128)], []byte(`"{\"messages\":`))
	message, ok := bytes.CutPrefix(bytes.TrimLeft(messages, " "), []byte(`[\"`))
	return ok && isPythonObject(message)
}
