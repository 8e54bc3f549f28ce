package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// otel reads OTLP JSON, of which a line holds many spans or log records, the spans
// of consoles, and those that tracing systems give. Of the spans those are requests
// that call a model, by the semantic conventions for generative AI,
// OpenInference, OpenLLMetry, Langfuse or LiteLLM; the others say which session
// they belong to. Log records of one span are one request, and so is each of a tool
// that Codex or Claude Code has run, and each of the spans of tools of Spring AI and
// Copilot.
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
	case "session.id", "gen_ai.conversation.id", "langfuse.session.id", "gcp.vertex.agent.session_id", "ai.telemetry.metadata.sessionId", "ai.settings.context.sessionId", "mastra.metadata.sessionId", "mirascope.ops.session.id", "spring.ai.chat.client.conversation.id",
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

// origin is what a resource says of all that comes from it: the name of the service, and
// whose the calls are, where a process serves one session or the Collector has grouped
// by it.
type origin struct {
	service []byte
	named   whose // its agent is that of no call: spans name theirs
}

func (o *origin) says(s *rawjson.Scanner, key []byte) {
	if string(key) == "service.name" {
		o.service = first(otelText(s), o.service)
		return
	}
	o.named.attribute(s, key)
}

// unlessNamed is whose a call is: who the call names, else who the resource does.
func (o *origin) unlessNamed(session, user []byte) (s, u []byte) {
	return first(session, o.named.session), first(user, o.named.user)
}

// by is what it says of what a library wrote: who serves is not who called.
func (o origin) by(library []byte) origin {
	if isGateway(library) {
		o.service = nil
	}
	return o
}

// fill takes what is not known from another.
func (w *whose) fill(other *whose) {
	w.session, w.user = first(w.session, other.session), first(w.user, other.user)
	w.agentID, w.agent = first(w.agentID, other.agentID), first(w.agent, other.agent)
}

func newOtel(reads fingerprint.Field) Parser { return &otel{call: newOtelCall(reads)} }

func isOtel(m wrap.Members) bool {
	// What the SDK's console exporter prints has no word of its own.
	return m.Any("resourceSpans", "resourceLogs", "scopeMetrics") || m.Has("traceId", "id", "localEndpoint") || isTrace(m) || isMLflow(m) || isJaeger(m) || isRow(m) || isColumns(m) || m.Has("context", "parent_id", "start_time", "attributes") ||
		// Nor have the objects of Node's SDK, a log record or a span; metrics have.
		m.Has("attributes") && (m.Any("hrTime", "_hrTime") || m.Has("_spanContext", "startTime") || m.Has("traceId", "spanId", "startTime", "instrumentationScope") || m.Has("spanId", "startTimeUnixNano") || m.Has("span_id", "@timestamp", "duration") || m.Has("span_id", "start_timestamp"))
}

// isTrace tells a trace as Tempo gives it, and Grafana's download of one: OTLP with
// another name for the list, and ids in base64; in the newer APIs of Tempo and Jaeger
// OTLP lies in a member.
func isTrace(m wrap.Members) bool {
	for _, name := range []string{"batches", "trace", "result"} {
		if v := m[name]; bytes.Contains(v, []byte(`"scopeSpans"`)) || bytes.Contains(v, []byte(`"instrumentationLibrarySpans"`)) {
			return true
		}
	}
	return false
}

// isRow tells a span as a row of ClickHouse's table otel_traces, or of Azure Monitor's
// AppDependencies and its kin, which lie beside the traces of programs, without a duration.
func isRow(m wrap.Members) bool {
	return m.Has("TraceId", "SpanAttributes") || m.Has("OperationId", "DurationMs", "Properties") || m.Has("operation_Id", "duration", "customDimensions")
}

// isColumns tells a span whose attributes stand beside its id, as in data frames of
// Phoenix's and in what Honeycomb, Dynatrace and New Relic export. Access logs may have
// the ids of a trace, too.
func isColumns(m wrap.Members) bool {
	return (m.Has("context.span_id", "context.trace_id", "start_time") || m.Has("trace.span_id", "trace.trace_id", "duration_ms") ||
		m.Has("span.id", "trace.id", "start_time", "end_time") || m.Has("trace.id", "timestamp", "duration.ms")) && !isEnvoyJSON(m) && !isNginx(m)
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
	if alone.inColumns {
		p.late.Reset(record)
		alone.classify(&p.late)
	}
	p.nameServices(0)
	if column, why := wrap.Failure(s); why != "" {
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
		if sp := &p.spans[i]; sp.isRequest() && !sp.part {
			r.Reset()
			sp.session, sp.user = sp.unlessNamed(sp.session, sp.user)
			sp.fill(&p.trace)
			switch {
			case sp.isRun():
				p.call.toolSpan(sp, r)
			case sp.logs != nil && sp.logs[0].kind == ranLog:
				p.call.tool(&sp.logs[0], r)
			default:
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
	case "trace_metadata", "request_metadata":
		p.mlflowMetadata(s)
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
	var of origin
	spans, logs := len(p.spans), len(p.logs)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "resource":
			for s.Object(); s.NextNamed("attributes"); {
				eachAttribute(s, func(key []byte) { of.says(s, key) })
			}
		case "scopeSpans", "instrumentationLibrarySpans", "scopeLogs":
			for s.Array(); s.NextElement(); {
				p.scope(s)
			}
		}
	}
	for i := spans; i < len(p.spans); i++ {
		p.spans[i].origin = of.by(p.spans[i].library)
	}
	for i := logs; i < len(p.logs); i++ {
		p.logs[i].origin = of.by(p.logs[i].library)
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

// isCopilot tells the spans of GitHub's Copilot CLI, whose calls have what is new alone.
func isCopilot(library []byte) bool { return string(library) == "github.copilot" }

func isOpenLIT(library []byte) bool { return bytes.HasPrefix(library, []byte("openlit.")) }
