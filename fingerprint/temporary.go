package fingerprint

import "bytes"

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

// nextTemporary finds what was drawn of a temporary file's name.
func nextTemporary(text []byte, from int) (start, end int) {
	const directory = "/tmp" + "/"
	for at := from; ; {
		n := bytes.Index(text[at:], []byte(directory))
		if n < 0 {
			return -1, -1
		}
		at += n + len(directory)
		for i := range temporaries {
			t := &temporaries[i]
			if !bytes.HasPrefix(text[at:], t.before) {
				continue
			}
			start = at + len(t.before)
			end = start
			for end < len(text) && end-start <= t.drawn && isWord(text[end]) {
				end++
			}
			if end-start == t.drawn && bytes.HasPrefix(text[end:], t.after) {
				return start, end
			}
		}
	}
}

// nextDebugLog finds the time in the name of a log of npm's, as in
// _logs/2026-11-21T10_00_00_123Z-debug-0.log.
func nextDebugLog(text []byte, from int) (start, end int) {
	const time, folder = "2026-11-21T10_00_00_123Z", "_logs"
	for at := from; ; {
		n := bytes.IndexByte(text[at:], 'Z')
		if n < 0 {
			return -1, -1
		}
		at += n + 1
		if start = at - len(time); start <= from || !bytes.HasPrefix(text[at:], []byte("-debug")) || !isDigit(text[start]) {
			continue
		}
		if before := bytes.TrimRight(text[:start], `/\`); len(before) < start && bytes.HasSuffix(before, []byte(folder)) {
			return start, at
		}
	}
}

// saveds are what agents write before the name of a file that has all of an output
// that they shortened.
var saveds = [][]byte{
	[]byte("see: "),               // Gemini CLI: For full output see: /a
	[]byte("has been saved to: "), // Qwen Code: The full output has been saved to: /a
	[]byte("saved to: "),          // opencode: Full output saved to: /a
}

// leastShortened is less than what is left of an output that was shortened, bytes.
const leastShortened = 1 << 11

// nextSaved finds the name of such a file, which is all that is left of its line.
func nextSaved(text []byte, from int) (start, end int) {
	const before = "ull output "
	if len(text) < leastShortened {
		return -1, -1
	}
	for at := from; ; {
		n := bytes.Index(text[at:], []byte(before))
		if n < 0 {
			return -1, -1
		}
		at += n + len(before)
		for _, saved := range saveds {
			if rest, found := bytes.CutPrefix(text[at:], saved); found && len(rest) > 0 {
				start = at + len(saved)
				if n := bytes.IndexByte(rest, '\n'); n >= 0 {
					return start, start + n
				}
				return start, len(text)
			}
		}
	}
}
