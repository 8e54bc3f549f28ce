package volatile

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// BuildKit writes before each line of what a step of docker build says how many
// seconds the step had run, without a unit: "#5 0.312 no". Of a step that failed it
// says the last lines again: "0.312 no".

// farthestFailed is how far above such a line the name of the step is, bytes. Ten lines
// are said again.
const farthestFailed = 2 << 10

// beforeFailed stands before the name of a step that failed, as it is and as in JSON.
var beforeFailed = [][]byte{[]byte("------\n > "), []byte(`------\n > `)}

// lenOfStep is how long the number at text[i:] is that says so; 0 if it is none.
func lenOfStep(text []byte, i int) int {
	n := chars.Digits(text[i:], len(text))
	n += fraction(text[i+n:])
	if !bytes.HasPrefix(text[i+n:], []byte(" ")) || bytes.IndexByte(text[i:i+n], '.') < 0 {
		return 0
	}
	before := text[:i]
	if step, is := bytes.CutSuffix(before, []byte(" ")); is {
		number := bytes.TrimRight(step, decimals)
		if before, is = bytes.CutSuffix(number, []byte("#")); !is || len(number) == len(step) || !mayBeginLine(before) {
			return 0
		}
		return n
	}
	if !mayBeginLine(before) || !chars.HasAny(before[max(0, i-farthestFailed):], beforeFailed) {
		return 0
	}
	return n
}
