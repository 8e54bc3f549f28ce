package volatile

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// lineEnds are ends of lines, as they are and as in JSON.
var lineEnds = [][]byte{[]byte("\n"), []byte(`\n`)}

// startOfLine is where the last line of a text begins, behind the last of ends; 0 if
// the text has none.
func startOfLine(text []byte, ends [][]byte) int {
	start := 0
	for _, end := range ends {
		if n := bytes.LastIndex(text, end); n >= 0 {
			start = max(start, n+len(end))
		}
	}
	return start
}

// lenLineEnd is how long the end of a line is that a text begins with; 0 if there is
// none.
func lenLineEnd(text []byte) int {
	for _, end := range lineEnds {
		if bytes.HasPrefix(text, end) {
			return len(end)
		}
	}
	return 0
}

// trimLineEnds is a text without those that it begins with.
func trimLineEnds(text []byte) []byte {
	for n := lenLineEnd(text); n > 0; n = lenLineEnd(text) {
		text = text[n:]
	}
	return text
}

// mayBeginLine tells whether a line may begin behind a text.
func mayBeginLine(before []byte) bool { return len(before) == 0 || chars.EndsWithAny(before, lineEnds) }
