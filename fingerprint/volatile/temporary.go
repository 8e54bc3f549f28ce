package volatile

import (
	"bytes"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// temporaries are how programs name temporary files: between a word and what
// follows stand as many letters and digits as they draw.
var temporaries = [...]struct {
	before []byte
	drawn  int
	after  []byte
}{
	{[]byte("cc"), 6, []byte(".")}, // gcc: ccpCePMG.o
	{[]byte("tmp"), 8, nil},        // Python: tmpspnz60vi
	{[]byte("tmp."), 10, nil},      // mktemp: tmp.G98KnQ5XyA
}

// spanTemporary is what was drawn of a temporary file's name.
func spanTemporary(text []byte, at int) (start, end int) {
	name, found := bytes.CutPrefix(text[at+len("/tmp"):], []byte("/"))
	for i := range temporaries {
		t := &temporaries[i]
		drawn, is := bytes.CutPrefix(name, t.before)
		if !found || !is {
			continue
		}
		n := 0
		for n < len(drawn) && n <= t.drawn && chars.IsWord(drawn[n]) {
			n++
		}
		if n == t.drawn && bytes.HasPrefix(drawn[n:], t.after) {
			start = len(text) - len(drawn)
			return start, start + n
		}
	}
	if name, is := bytes.CutPrefix(name, []byte("pip-")); found && is {
		start = len(text) - len(name)
		return start, start + lenPip(name)
	}
	return 0, 0
}

// lenPip is how long what was drawn is in the name of a directory of pip's with what
// it is for, and with the one in it that has what is installed:
// install-p9uny82o/a_caa84c89a3e947889a8d37b91f626ed6, build-env-p9uny82o.
func lenPip(name []byte) int {
	n := lenDrawn(name, '-', 8)
	if inside, is := bytes.CutPrefix(name[n:], []byte("/")); n > 0 && is {
		if k := lenDrawn(inside, '_', 32); k > 0 {
			return n + len("/") + k
		}
	}
	return n
}

// lenDrawn is how long a name is whose end behind a separator was drawn; 0 if it is none.
func lenDrawn(name []byte, separator byte, drawn int) int {
	n := 0
	for n < len(name) && (chars.IsWord(name[n]) || strings.IndexByte("-.", name[n]) >= 0) {
		n++
	}
	if n <= drawn || name[n-drawn-1] != separator || bytes.IndexByte(name[n-drawn:n], '-') >= 0 {
		return 0
	}
	return n
}

// spanDebugLog is the time in the name of a log of npm's, as in
// _logs/2026-11-21T10_00_00_123Z-debug-0.log.
func spanDebugLog(text []byte, at int) (start, end int) {
	const time, folder = "2026-11-21T10_00_00_123Z", "_logs"
	end = at + len("Z")
	if start = end - len(time); start < 0 || !chars.IsDigit(text[start]) {
		return 0, 0
	}
	if before := bytes.TrimRight(text[:start], `/\`); len(before) == start || !bytes.HasSuffix(before, []byte(folder)) {
		return 0, 0
	}
	return start, end
}

var (
	beforeSaved = []byte("ull output ")
	// saveds are what agents write behind that, before the name of a file that has
	// all of an output that they shortened.
	saveds = [][]byte{
		[]byte("see: "),               // Gemini CLI: For full output see: /a
		[]byte("has been saved to: "), // Qwen Code: The full output has been saved to: /a
		[]byte("saved to: "),          // opencode: Full output saved to: /a
	}
)

// leastShortened is less than what is left of an output that was shortened, bytes.
const leastShortened = 1 << 11

// spanSaved is the name of such a file, which is all that is left of its line.
func spanSaved(text []byte, at int) (start, end int) {
	for _, saved := range saveds {
		if name, found := bytes.CutPrefix(text[at+len(beforeSaved):], saved); found {
			name, _, _ = bytes.Cut(name, []byte("\n"))
			start = at + len(beforeSaved) + len(saved)
			return start, start + len(name)
		}
	}
	return 0, 0
}
