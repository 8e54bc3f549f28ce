package wrap

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// logcli and the download of Grafana give the line beside its time and labels.
func detectLoki(line []byte) bool {
	m := membersOf(line)
	return m["line"] == rawjson.String && m.has("timestamp")
}

func newLoki() Unwrapper { return &message{envelope{members: []string{"line"}}} }
