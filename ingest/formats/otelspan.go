package formats

import (
	"bytes"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// otelSpan is a span, or what log records say of one.
type otelSpan struct {
	trace, id, parent []byte
	origin                   // that it comes from
	process           []byte // likewise, with Jaeger, by the name that it has beside the spans
	library           []byte // that wrote it
	name              []byte
	start, end, took  int64
	lasted            rawjson.Value // how long
	lastedIn          time.Duration // its unit, where it is no microsecond
	attributes        rawjson.Value
	inColumns         bool // its attributes are beside its id
	failed            bool // its status is an error
	isZipkin          bool
	errorTag          []byte // which Zipkin has in the place of a status
	message           []byte
	dropped           bool // it had more attributes than were kept
	logs              []otelLog
	events            rawjson.Value

	isCall      bool
	ran         bool // it is of a tool that was run, and says what with
	ranAs       bool // it is of one, and says what came of it
	isMastra    bool
	content     otelContent
	guessed     bool   // a call because it names a model and what that said
	says        bool   // what was said and what a model did, and nothing of its kind
	embeds      bool   // a call for embeddings
	prepares    bool   // it gives a request or is an attempt at one, and is no call
	opens       bool   // it is Logfire's of a stream that was opened: what came of it is a span of its own
	part        bool   // of another call
	asked       []byte // the model
	responseID  []byte
	said        uint64    // a sum over OpenInference's messages; 0 of one that has a twin
	responses   bool      // a call of the Responses API
	excerpt     bool      // LiteLLM's, of which it keeps a part of what was sent
	first       *otelSpan // of the calls inside
	isRaw       bool      // LiteLLM's own of what it sent and got
	serves      bool      // it is a server's, and has what was asked for
	raw, server *otelSpan // of a call
	whose
}

// otelContent is how a span has what was said.
type otelContent uint8

const (
	noContent otelContent = iota
	asValue               // in a value that may be anything
	asMessages
)

// isRequest tells a span that is one, unless it is a part of another.
func (sp *otelSpan) isRequest() bool { return sp.isCall || sp.isRun() }

// isRun tells the span of a tool where no call of a model has what was called before with
// what came of it.
func (sp *otelSpan) isRun() bool {
	return sp.ran || sp.ranAs && (sp.isMastra || isCopilot(sp.library))
}

// newSpan is a span of which nothing is known.
func newSpan() otelSpan {
	return otelSpan{start: fingerprint.NoTime, end: fingerprint.NoTime, took: fingerprint.NoTime}
}

func (p *otel) spanList(s *rawjson.Scanner) {
	for s.Array(); s.NextElement(); {
		sp := newSpan()
		for s.Object(); s.NextKey(); {
			sp.member(s)
		}
		p.keep(sp)
	}
}

// keep takes in a span that has been read. Of one that has dropped attributes the
// kind and the model asked for, which come first, may be lost.
func (p *otel) keep(sp otelSpan) {
	if sp.dropped && sp.says {
		sp.isCall, sp.guessed = true, true
	}
	sp.isCall = sp.isCall && !sp.prepares && (!sp.opens || sp.failed)
	if sp.lasted != nil && sp.end == fingerprint.NoTime {
		switch p.late.Reset(sp.lasted); sp.lastedIn {
		case time.Millisecond:
			sp.took = readMillis(&p.late, sp.took)
		case time.Nanosecond:
			sp.took = readNanos(&p.late, sp.took)
		default:
			sp.took = readHrTime(&p.late, sp.took)
		}
	}
	if sp.end == fingerprint.NoTime && sp.start != fingerprint.NoTime && sp.took != fingerprint.NoTime {
		sp.end = sp.start + sp.took
	}
	if sp.isZipkin && sp.errorTag != nil {
		sp.failed, sp.message = true, sp.errorTag
	}
	sp.origin = sp.by(sp.library) // of a row, which has the resource beside
	p.spans = append(p.spans, sp)
}

// member reads a member of a span, by the names that it has in OTLP, in the SDKs of
// Python and Node, with Phoenix, MLflow, Jaeger, ClickHouse, Elasticsearch, Logfire and Azure Monitor.
func (sp *otelSpan) member(s *rawjson.Scanner) {
	switch string(s.Key) {
	case "traceId", "trace_id", "traceID", "TraceId", "OperationId", "operation_Id":
		sp.trace = readSpanID(s, sp.trace)
	case "spanId", "span_id", "spanID", "SpanId", "Id":
		sp.id = readSpanID(s, sp.id)
	// Columns of Phoenix's data frames, and fields of Honeycomb, Dynatrace and New Relic.
	case "context.trace_id", "trace.trace_id", "trace.id":
		sp.trace, sp.inColumns = s.Text(sp.trace), true
	case "context.span_id", "trace.span_id", "span.id", "guid":
		sp.id = s.Text(sp.id)
	case "trace.parent_id", "span.parent_id", "parent.id":
		sp.parent = s.Text(sp.parent)
	case "id": // of Application Insights and Zipkin; Phoenix has one of its own beside the span's
		sp.id = first(sp.id, s.Text(nil))
	case "parentSpanId", "parent_id", "parent_span_id", "parentSpanID", "ParentSpanId", "ParentId", "parentId", "operation_ParentId":
		sp.parent = readSpanID(s, sp.parent)
	case "context", "spanContext", "_spanContext":
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "traceId", "trace_id":
				sp.trace = readSpanID(s, sp.trace)
			case "spanId", "span_id":
				sp.id = readSpanID(s, sp.id)
			}
		}
	case "parentSpanContext":
		for s.Object(); s.NextNamed("spanId"); {
			sp.parent = s.Text(sp.parent)
		}
	case "references": // Jaeger's; what a span only follows stands behind
		for s.Array(); s.NextElement(); {
			for s.Object(); s.NextNamed("spanID"); {
				sp.parent = first(sp.parent, s.Text(nil))
			}
		}
	case "name", "operationName", "SpanName", "Name", "span_name":
		sp.name = s.Text(sp.name)
		sp.isRaw = string(sp.name) == rawName
		sp.prepares = sp.prepares || bytes.HasSuffix(sp.name, []byte("._prepare_chat_with_tools"))
	case "instrumentationScope", "instrumentationLibrary", "scope":
		for s.Object(); s.NextNamed("name"); {
			sp.library = s.Text(sp.library)
		}
	case "ScopeName", "otel_scope_name":
		sp.library = s.Text(sp.library)
	case "startTimeUnixNano", "start_time_unix_nano":
		sp.start = readNanos(s, sp.start)
	case "endTimeUnixNano", "end_time_unix_nano":
		sp.end = readNanos(s, sp.end)
	case "start_time", "start_timestamp": // of MLflow 2 nanoseconds, as the next; the second of Logfire
		sp.start = readZonedTime(s, sp.start)
	case "end_time", "end_timestamp":
		sp.end = readZonedTime(s, sp.end)
	case "startTime":
		sp.start = readHrTime(s, sp.start)
	case "endTime":
		sp.end = readHrTime(s, sp.end)
	case "Timestamp", "TimeGenerated", "time", "timestamp":
		text := s.Text(nil)
		if t, ok := parseZonedTime(text); ok { // of New Relic in milliseconds
			sp.start = t
		} else if t, _, ok := parseZoneless(text); ok {
			sp.start = t
		}
	case "@timestamp": // of Elasticsearch
		sp.start, sp.lastedIn = readElasticTime(s, sp.start), time.Nanosecond
	case "duration":
		sp.lasted = s.Value()
	case "Duration":
		sp.took = readNanos(s, sp.took)
	case "DurationMs", "duration_ms", "duration.ms":
		sp.took = readMillis(s, sp.took)
	case "attributes", "tags", "SpanAttributes":
		sp.classifyIn(s)
	case "Properties", "customDimensions":
		sp.classifyIn(s)
		sp.lastedIn = time.Millisecond
	case "events", "logs":
		sp.events = s.Value()
	case "droppedAttributesCount":
		n, ok := s.Int()
		sp.dropped = ok && n > 0
	case "status":
		for s.Object(); s.NextKey(); {
			sp.status(s)
		}
	case "status_code", "StatusCode", "span.status_code", "otel_status_code", "status_message", "StatusMessage", "span.status_message", "otel_status_message":
		sp.status(s)
	case "Success", "success":
		sp.failed = bytes.EqualFold(s.Text(nil), []byte("false"))
	case "span_kind": // Phoenix has it beside the attributes
		sp.modelKind(s.Text(nil))
		sp.isCall = sp.isCall && !sp.prepares
	case "resource":
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "attributes":
				eachAttribute(s, func(key []byte) { sp.origin.says(s, key) })
			case "_rawAttributes": // of Node's SDK, pairs
				for s.Array(); s.NextElement(); {
					sp.service = readPair(s, "service.name", sp.service)
				}
			}
		}
	case "ResourceAttributes":
		eachAttribute(s, func(key []byte) { sp.origin.says(s, key) })
	case "process", "localEndpoint": // the second of Zipkin, whose tag error is the status
		sp.isZipkin = sp.isZipkin || s.Key[0] == 'l'
		for s.Object(); s.NextNamed("serviceName"); {
			sp.service = s.Text(sp.service)
		}
	case "ServiceName", "AppRoleName", "cloud_RoleName", "service_name", "service.name":
		sp.service = s.Text(sp.service)
	case "processID": // the process stands beside the spans
		sp.process = s.Text(sp.process)
	}
}

// classifyIn finds out what a span is by its attributes, which may be a text, as Azure's
// command line prints them, and Logfire's API.
func (sp *otelSpan) classifyIn(s *rawjson.Scanner) {
	if s.Kind() == rawjson.String {
		var in rawjson.Scanner
		s, _ = jsonIn(s, &in, "{")
	}
	sp.classify(s)
}

// status reads a member of how a span ended.
func (sp *otelSpan) status(s *rawjson.Scanner) {
	switch string(s.Key) {
	case "code", "status_code", "StatusCode", "span.status_code", "otel_status_code":
		switch string(s.Text(nil)) {
		case "2", "STATUS_CODE_ERROR", "ERROR", "Error", "error":
			sp.failed = true
		}
	case "message", "description", "status_message", "StatusMessage", "span.status_message", "otel_status_message":
		sp.message = s.Text(sp.message)
	}
}

// readSpanID reads an id, which the console exporter writes with 0x in front.
func readSpanID(s *rawjson.Scanner, old []byte) []byte {
	return bytes.TrimPrefix(s.Text(old), []byte("0x"))
}

// readPair reads the text behind a name in a list of these two, if it is that name.
func readPair(s *rawjson.Scanner, name string, old []byte) []byte {
	n, found := 0, false
	for s.Array(); s.NextElement(); n++ {
		switch {
		case n == 0:
			found = string(s.Text(nil)) == name
		case n == 1 && found:
			old = s.Text(old)
		default:
			s.Skip()
		}
	}
	return old
}

// readElasticTime reads a time as the Collector's exporter for Elasticsearch writes it, or
// Elasticsearch itself: milliseconds, a point and the number of nanoseconds beyond, or RFC
// 3339.
func readElasticTime(s *rawjson.Scanner, old int64) int64 {
	text := s.Text(nil)
	millis, nanos, _ := bytes.Cut(text, []byte{'.'})
	if n, ok := rawjson.ParseInt(millis); ok && n < maxTime/1000 {
		beyond, _ := rawjson.ParseInt(nanos)
		return n*1000 + beyond/1000
	}
	if t, ok := parseRFC3339(text); ok {
		return t
	}
	return old
}

// readNanos reads nanoseconds since 1970, a number or its digits; 0 is none.
func readNanos(s *rawjson.Scanner, old int64) int64 {
	if n, ok := rawjson.ParseInt(s.Text(nil)); ok && n > 0 {
		return n / 1000
	}
	return old
}
