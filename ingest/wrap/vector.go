package wrap

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// Vector writes the line in message, beside where it came from.
func detectVector(line []byte) bool {
	m := membersOf(line)
	return m["message"] == rawjson.String && m.has("source_type")
}
