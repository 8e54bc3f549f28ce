package volatile

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// Runners say of each test how it went and how long it took, in a line with its title,
// which may be about anything: "✕ shows pending orders (4 ms)".

// testHeads are what such lines begin with, before what is no letter.
var testHeads = [][]byte{
	[]byte("✓"), []byte("✔"), []byte("√"), []byte("✕"), []byte("✗"), []byte("✘"), []byte("✖"), []byte("×"), []byte("⨯"),
	[]byte("❯"), []byte("▶"), // a file of Vitest, a suite of Node
	[]byte("│ ✔"), []byte("│ ✖"), // Cypress
	[]byte(`\u271`), []byte(`\u00d7`), []byte(`\u276f`), // most of these in JSON of Python's
	[]byte("PASS"), []byte("FAIL"), []byte("pass)"), []byte("fail)"), // Go, Jest, Bun
	[]byte("ok "), []byte("not ok "), // TAP, Go
	[]byte("OK ]"), []byte("FAILED  ]"), // GoogleTest
	[]byte("Test Case"), []byte("* test"), // XCTest, ExUnit
}

// testTails are what others have behind the title, before the time, testBehinds behind it.
var (
	testTails   = [][]byte{[]byte("FAIL"), []byte("FAILED"), []byte("FAILED in"), []byte("PASSED in"), []byte("***Failed"), []byte("  Passed"), []byte("... ok")}
	testBehinds = [][]byte{[]byte("<<< "), []byte("= ")} // Maven, Minitest
)

var (
	testsRun = []byte("Tests run: ")                          // Maven, Ant
	ofDotnet = [][]byte{[]byte("Failed "), []byte("Passed ")} // before a name and "[4 ms]"
)

// tellsTest tells whether a line is such a one, by what stands in it before a time and
// behind.
func tellsTest(before, behind []byte) bool {
	head := before
	if bytes.HasPrefix(head, []byte("{")) {
		head = head[startOfLine(head, newlines):]
	}
	head = bytes.TrimLeft(head, " -=[(")
	return slices.ContainsFunc(testHeads, func(mark []byte) bool {
		title, is := bytes.CutPrefix(head, mark)
		return is && len(title) > 0 && !chars.IsLetter(title[0])
	}) || chars.EndsWithAny(bytes.TrimRight(before, " (*"), testTails) || chars.BeginsWithAny(bytes.TrimLeft(behind, " "), testBehinds) ||
		bytes.Contains(before, testsRun) || chars.BeginsWithAny(head, ofDotnet) && bytes.HasPrefix(behind, []byte("]"))
}
