package wrap

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// Filebeat writes the line in message, beside its metadata, or what it has read of
// it as JSON in json; the Elastic Agent's pipelines may move it to event.original.
func detectFilebeat(line []byte) bool {
	m := membersOf(line)
	return (m.any("message", eventOriginal, "json") || m["event"] == rawjson.Object) && m.has("@timestamp") && m.any("agent", "@metadata", "ecs", "beat", "input", "log")
}
