package wrap

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// Filebeat writes the line in message, beside its metadata, or what it has read of
// it as JSON in json; the Elastic Agent's pipelines may move it to event.original.
func isFilebeat(m Members) bool {
	return (m.Any("message", eventOriginal, "json") || m["event"].Kind() == rawjson.Object) && m.Has("@timestamp") && m.Any("agent", "@metadata", "ecs", "beat", "input", "log")
}
