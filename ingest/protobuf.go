package ingest

import (
	"bytes"
	"encoding/binary"
)

// protobufHint is the way out where OpenTelemetry's protobuf is met.
const protobufHint = "let OpenTelemetry's Collector write JSON: encoding: otlp_json for its kafka exporter, format: json for its file exporter"

// IfProtobuf is the way out of data that begin as OpenTelemetry's protobuf, which the
// Collector sends to topics unless told otherwise; else it is empty.
func IfProtobuf(data []byte) (hint string) {
	if len(data) > 4 && data[0] == 0 { // in files the length stands in front
		data = data[4:]
	}
	// A list of resources, of which each has itself and its scopes as fields 1 and 2.
	if len(data) == 0 || data[0] != 0x0a {
		return ""
	}
	length, n := binary.Uvarint(data[1:])
	if n <= 0 || length == 0 || 1+n == len(data) {
		return ""
	}
	const resource, scopes = 0x0a, 0x12
	first := data[1+n]
	if first != resource && first != scopes || bytes.IndexByte(data[1+n:], scopes) < 0 {
		return "" // such as text behind a blank line
	}
	return protobufHint
}
