package wrap

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// Vector writes the line in message, beside where it came from.
func isVector(m Members) bool {
	return m["message"].Kind() == rawjson.String && m.Has("source_type")
}
