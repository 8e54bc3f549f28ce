package wrap

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// Pair reads the {"key", "value"} of OpenTelemetry that comes next, in whatever order,
// and calls f where the value comes next. It returns the key, nil if there is none.
func Pair(s *rawjson.Scanner, f func(key []byte)) (key []byte) {
	var before rawjson.Value // its key
	for s.Object(); s.NextKey(); {
		switch {
		case string(s.Key) == "key":
			key = s.Text(key)
		case string(s.Key) != "value":
		case key == nil:
			before = s.Value()
		default:
			before = nil
			f(key)
		}
	}
	if before != nil {
		s.Aside(before, func() { f(key) })
	}
	return key
}
