package otlp

import "google.golang.org/protobuf/encoding/protowire"

// kind is how the value of a field stands on the wire and in JSON.
type kind uint8

const (
	text    kind = iota + 1
	hexText      // bytes of an id
	base64Text
	boolean
	enum
	number    // of 32 bits
	bigNumber // of 64, with a sign
	fixed     // of 32
	bigFixed  // of 64
	double
	message
)

func (k kind) wire() protowire.Type {
	switch k {
	case boolean, enum, number, bigNumber:
		return protowire.VarintType
	case fixed:
		return protowire.Fixed32Type
	case bigFixed, double:
		return protowire.Fixed64Type
	default:
		return protowire.BytesType
	}
}

// field is a field of a message, by its name in JSON.
type field struct {
	name string
	kind kind
	of   id   // of a message, which
	list bool // it may come more than once
}

// id tells a message.
type id uint8

const (
	tracesData id = iota
	logsData
	metricsData
	resourceSpans
	resourceLogs
	resourceMetrics
	scopeSpans
	scopeLogs
	resource
	entity
	scope
	span
	event
	link
	status
	logRecord
	keyValue
	anyValue
	arrayValue
	keyValueList
)

// fieldNumbers is one more than the greatest number of a field.
const fieldNumbers = 17

// messages are those of opentelemetry-proto, each with its fields by their
// numbers. Others are passed over, and so is all of metrics: no request is in them.
var messages = [...]struct {
	name   string
	fields []field
}{
	tracesData:      {"TracesData", []field{1: list("resourceSpans", resourceSpans)}},
	logsData:        {"LogsData", []field{1: list("resourceLogs", resourceLogs)}},
	metricsData:     {"MetricsData", []field{1: list("resourceMetrics", resourceMetrics)}},
	resourceSpans:   {"ResourceSpans", []field{1: one("resource", resource), 2: list("scopeSpans", scopeSpans), 3: {name: "schemaUrl", kind: text}}},
	resourceLogs:    {"ResourceLogs", []field{1: one("resource", resource), 2: list("scopeLogs", scopeLogs), 3: {name: "schemaUrl", kind: text}}},
	resourceMetrics: {"ResourceMetrics", nil},
	scopeSpans:      {"ScopeSpans", []field{1: one("scope", scope), 2: list("spans", span), 3: {name: "schemaUrl", kind: text}}},
	scopeLogs:       {"ScopeLogs", []field{1: one("scope", scope), 2: list("logRecords", logRecord), 3: {name: "schemaUrl", kind: text}}},
	resource: {"Resource", []field{
		1: list("attributes", keyValue),
		2: {name: "droppedAttributesCount", kind: number},
		3: list("entityRefs", entity),
	}},
	entity: {"EntityRef", []field{
		1: {name: "schemaUrl", kind: text},
		2: {name: "type", kind: text},
		3: {name: "idKeys", kind: text, list: true},
		4: {name: "descriptionKeys", kind: text, list: true},
	}},
	scope: {"InstrumentationScope", []field{
		1: {name: "name", kind: text},
		2: {name: "version", kind: text},
		3: list("attributes", keyValue),
		4: {name: "droppedAttributesCount", kind: number},
	}},
	span: {"Span", []field{
		1:  {name: "traceId", kind: hexText},
		2:  {name: "spanId", kind: hexText},
		3:  {name: "traceState", kind: text},
		4:  {name: "parentSpanId", kind: hexText},
		5:  {name: "name", kind: text},
		6:  {name: "kind", kind: enum},
		7:  {name: "startTimeUnixNano", kind: bigFixed},
		8:  {name: "endTimeUnixNano", kind: bigFixed},
		9:  list("attributes", keyValue),
		10: {name: "droppedAttributesCount", kind: number},
		11: list("events", event),
		12: {name: "droppedEventsCount", kind: number},
		13: list("links", link),
		14: {name: "droppedLinksCount", kind: number},
		15: one("status", status),
		16: {name: "flags", kind: fixed},
	}},
	event: {"Event", []field{
		1: {name: "timeUnixNano", kind: bigFixed},
		2: {name: "name", kind: text},
		3: list("attributes", keyValue),
		4: {name: "droppedAttributesCount", kind: number},
	}},
	link: {"Link", []field{
		1: {name: "traceId", kind: hexText},
		2: {name: "spanId", kind: hexText},
		3: {name: "traceState", kind: text},
		4: list("attributes", keyValue),
		5: {name: "droppedAttributesCount", kind: number},
		6: {name: "flags", kind: fixed},
	}},
	status: {"Status", []field{
		2: {name: "message", kind: text},
		3: {name: "code", kind: enum},
	}},
	logRecord: {"LogRecord", []field{
		1:  {name: "timeUnixNano", kind: bigFixed},
		2:  {name: "severityNumber", kind: enum},
		3:  {name: "severityText", kind: text},
		5:  one("body", anyValue),
		6:  list("attributes", keyValue),
		7:  {name: "droppedAttributesCount", kind: number},
		8:  {name: "flags", kind: fixed},
		9:  {name: "traceId", kind: hexText},
		10: {name: "spanId", kind: hexText},
		11: {name: "observedTimeUnixNano", kind: bigFixed},
		12: {name: "eventName", kind: text},
	}},
	keyValue: {"KeyValue", []field{
		1: {name: "key", kind: text},
		2: one("value", anyValue),
	}},
	anyValue: {"AnyValue", []field{
		1: {name: "stringValue", kind: text},
		2: {name: "boolValue", kind: boolean},
		3: {name: "intValue", kind: bigNumber},
		4: {name: "doubleValue", kind: double},
		5: one("arrayValue", arrayValue),
		6: one("kvlistValue", keyValueList),
		7: {name: "bytesValue", kind: base64Text},
	}},
	arrayValue:   {"ArrayValue", []field{1: list("values", anyValue)}},
	keyValueList: {"KeyValueList", []field{1: list("values", keyValue)}},
}

func one(name string, of id) field { return field{name: name, kind: message, of: of} }

func list(name string, of id) field { return field{name: name, kind: message, of: of, list: true} }

// fieldOf is the field of a message that has a number.
func fieldOf(m id, number protowire.Number) (f *field, known bool) {
	if all := messages[m].fields; number < protowire.Number(len(all)) && all[number].kind != 0 {
		return &all[number], true
	}
	return nil, false
}
