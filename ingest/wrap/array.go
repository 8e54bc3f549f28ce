package wrap

import (
	"bytes"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// IsArray tells whether a text begins like a JSON array. In brackets may also be
// a date or a time, which programs write in front of what they say.
func IsArray(text []byte) bool {
	text, bracket := bytes.CutPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("["))
	behind := bytes.TrimLeft(text, "0123456789")
	isTime := len(behind) < len(text) && len(behind) > 0 && strings.IndexByte("-/:", behind[0]) >= 0
	return bracket && !isTime
}

// Array goes through the elements of a JSON array, each once, in its order.
type Array struct {
	// Element is the text of the one that Next moved to, and Start where it
	// begins in the array's.
	Element rawjson.Value
	Start   int

	scan rawjson.Scanner
}

// Enter begins with a text.
func (a *Array) Enter(text []byte) {
	a.scan.Reset(text)
	a.scan.Array()
}

// Next moves to the next element; false at the end, or where the array breaks
// off.
func (a *Array) Next() bool {
	if !a.scan.NextElement() {
		return false
	}
	a.scan.Kind() // skips white space
	a.Start = a.scan.Offset()
	a.scan.Skip()
	a.Element = a.scan.Since(a.Start)
	return a.Element != nil
}

// Failure is where the array breaks off, as [Failure] has it. To be called when Next has
// returned false.
func (a *Array) Failure() (column int, why string) { return Failure(&a.scan) }
