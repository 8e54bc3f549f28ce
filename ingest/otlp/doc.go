// Package otlp reads OpenTelemetry's protobuf, TracesData and LogsData, which are what
// exporters request too, as the JSON that its Collector would have written: ids in hex,
// integers of 64 bits as texts, enums as numbers. Where a followed file was left is told
// in bytes of that text, so the same data must give the same.
package otlp
