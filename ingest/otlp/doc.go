// Package otlp reads OpenTelemetry's protobuf, TracesData and LogsData, which are what
// exporters request too, as the JSON that its Collector would have written: ids in hex,
// integers of 64 bits as texts, enums as numbers.
package otlp
