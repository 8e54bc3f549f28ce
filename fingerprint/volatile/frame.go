package volatile

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// Agents put a frame around what people and tools said: reminders, the time, what
// is open in the editor, the id of a process. It is new at each step, though the
// step is the same, and nobody said it: it is no part of the text. Frames are
// told by their form, and at the ends of a text alone.

// frameBlocks are the tags of blocks that agents put before or behind a text.
var frameBlocks = [...]struct{ open, end []byte }{
	{[]byte("<system-reminder>"), []byte("</system-reminder>")},         // Claude Code
	{[]byte("<environment_details>"), []byte("</environment_details>")}, // Cline, Roo Code
}

// Of the lines that a shell tool writes around what a command said, these change
// from run to run.
var (
	headLines = [][]byte{[]byte("Chunk ID: "), []byte("Wall time: "), []byte("Original token count: ")} // Codex
	tailLines = [][]byte{[]byte("Background PIDs: "), groupLine}                                        // Gemini CLI, Qwen Code
	groupLine = []byte("Process Group PGID: ")                                                          // ends them
)

var (
	exitCodeLine = []byte("Exit code: ")     // Codex may begin with it
	outputLine   = []byte("Output:")         // what a command said begins behind it
	runningLine  = []byte("Process running") // Codex waits for what it may say yet
	untrustedEnd = []byte("</untrusted_context>")
)

// mostHeadLines is how many lines stand above what a command said, at most.
const mostHeadLines = 8

// longestTail bounds the lines below it, with what closes them, in bytes.
const longestTail = 1 << 10

// Unframe takes from a text what agents put before and behind it. A text without such
// frames is returned as it is; if nothing else is in it, they may be what is said.
func (c *Cleaner) Unframe(t Text) (rest Text, frames []byte) {
	if len(t.Bytes) == 0 || !framed(t.Bytes) {
		return t, nil
	}
	whole := c.Decoded(t)
	text := stripped(stripped(c.unpacked(c.withoutExtras(whole)), withoutFront), withoutEnd)
	switch len(text) {
	case len(whole):
		return t, nil
	case 0:
		return Text{}, whole
	}
	return Text{Bytes: text}, nil
}

// stripped takes frames from one end of a text until there are none. The ends
// come one after the other: what is sought in vain at one is not sought again
// for each frame at the other.
func stripped(text []byte, without func([]byte) []byte) []byte {
	for {
		rest := bytes.TrimSpace(without(text))
		if len(rest) == len(text) {
			return text
		}
		text = rest
	}
}

// framed tells quickly whether a text may have a frame, verbatim or not: most
// have none.
func framed(text []byte) bool {
	switch text[0] {
	case '{':
		if chars.BeginsWithAny(text, packages) {
			return true
		}
	case '<':
		for _, b := range frameBlocks {
			if bytes.HasPrefix(text, b.open) {
				return true
			}
		}
	case 'C', 'E', 'O', 'W':
		if HasHead(text) {
			return true
		}
	}
	switch last := text[len(text)-1]; {
	case last == '`':
		return bytes.Contains(text, bytes.TrimSpace(toolsAgain))
	case last == '"':
		return bytes.Contains(text[max(0, len(text)-longestGuard):], []byte("[loop-guard] "))
	case last == ']':
		return bytes.Contains(text[max(0, len(text)-longestWarning):], bytes.TrimSpace(warningLine))
	case last == '>':
		for _, b := range frameBlocks {
			if bytes.HasSuffix(text, b.end) {
				return true
			}
		}
		return bytes.HasSuffix(text, untrustedEnd) || bytes.Contains(text[max(0, len(text)-longestShell):], shellOpen)
	case last == '}':
		return bytes.Contains(text[max(0, len(text)-longestTook):], tookMember) || bytes.Contains(text, extrasHead) || bytes.Contains(text[max(0, len(text)-longestGuard):], []byte("_loop_guard"))
	case chars.IsDigit(last):
		end := text[max(0, len(text)-len(groupLine)-len("4294967295")):]
		return bytes.Contains(end, groupLine)
	}
	return false
}

func withoutFront(text []byte) []byte {
	for _, b := range frameBlocks {
		if bytes.HasPrefix(text, b.open) {
			if i := bytes.Index(text, b.end); i >= 0 && !bytes.Contains(text[:i], terminals) {
				return text[i+len(b.end):]
			}
		}
	}
	return withoutHead(text)
}

func withoutEnd(text []byte) []byte {
	for _, b := range frameBlocks {
		if bytes.HasSuffix(text, b.end) {
			if i := bytes.LastIndex(text, b.open); i >= 0 && !bytes.Contains(text[i:], terminals) {
				return text[:i]
			}
		}
	}
	return withoutTools(withoutWarning(withoutGuard(withoutShell(withoutTook(withoutTail(text))))))
}

// extras is what Agent Zero puts above what it tells the model with each request: the
// last lines, an object with the time. What others call so may be what is asked.
var (
	extrasHead = []byte("[EXTRAS]")
	extras     = []byte("[EXTRAS]\n{")
	extrasTime = []byte(`"current_datetime":`)
)

// withoutExtras leaves that out: nothing stands behind it, so once is enough.
func (c *Cleaner) withoutExtras(text []byte) []byte {
	if !bytes.HasSuffix(text, []byte("}")) {
		return text
	}
	i := bytes.LastIndex(text, extras)
	if i < 0 || i > 0 && text[i-1] != '\n' || !bytes.Contains(text[i:], extrasTime) || c.scan.Check(text[i+len(extras)-len("{"):]) != nil {
		return text
	}
	return text[:i]
}

// toolsAgain is what CrewAI begins with, below every third result that an agent of text
// gets, to say again which tools it has; the end of the text.
var toolsAgain = []byte("\n\n\n\n\nYou ONLY have access to the following tools, and should NEVER make up tools")

// withoutTools leaves that out. It ends with how an answer is to end, in a block.
func withoutTools(text []byte) []byte {
	if bytes.HasSuffix(text, []byte("```")) {
		text, _, _ = bytes.Cut(text, toolsAgain)
	}
	return text
}

// PraisonAI says behind what a tool returned how often it has been called: in the last
// line of a text, which it writes as JSON, or in the last member of an object.
var (
	guardLine    = []byte(`\n\n[loop-guard] `)
	guardMember  = []byte(`, "_loop_guard": {"message": "`)
	longestGuard = 256 // with a name of a tool
)

// withoutGuard leaves that out.
func withoutGuard(text []byte) []byte {
	before := max(0, len(text)-longestGuard)
	if at := bytes.LastIndex(text[before:], guardMember); at >= 0 {
		_, action, _ := bytes.Cut(text[before+at+len(guardMember):], []byte(`", "action": "`))
		if ended, is := bytes.CutSuffix(action, []byte(`"}}`)); is && bytes.IndexByte(ended, '"') < 0 {
			return append(text[:before+at], '}')
		}
		return text
	}
	at := bytes.LastIndex(text[before:], guardLine)
	if at < 0 || text[0] != '"' || text[len(text)-1] != '"' || bytes.Contains(text[before+at+len(guardLine):], []byte(`\n`)) {
		return text
	}
	return append(text[:before+at], '"')
}

// Hermes Agent says it in a last line below what the tool returned:
// [Tool loop warning: repeated_exact_failure_warning; count=3; terminal has failed ...].
var (
	warningLine    = []byte("\n\n[Tool loop ")
	warningCount   = []byte("; count=")
	longestWarning = 1 << 10 // with what else the agent may try
)

// withoutWarning leaves that out.
func withoutWarning(text []byte) []byte {
	before := max(0, len(text)-longestWarning)
	at := bytes.LastIndex(text[before:], warningLine)
	if at < 0 || !bytes.HasSuffix(text, []byte("]")) {
		return text
	}
	said := text[before+at+len(warningLine):]
	if bytes.IndexByte(said, '\n') >= 0 || !bytes.Contains(said, warningCount) {
		return text
	}
	return text[:before+at]
}

// Copilot closes what a command said with <shellId: 3 completed with exit code 1>, each
// with a number of its own.
var (
	shellOpen    = []byte("<shellId: ")
	shellEnded   = []byte(" completed with exit code ")
	longestShell = len("<shellId: 4294967295 completed with exit code -2147483648>")
)

// withoutShell leaves the number out.
func withoutShell(text []byte) []byte {
	least := max(0, len(text)-longestShell)
	at := bytes.LastIndex(text[least:], shellOpen)
	if at < 0 {
		return text
	}
	at += least + len("<")
	number := text[at+len(shellOpen)-len("<"):]
	ended := number[chars.Digits(number, len("4294967295")):]
	if !bytes.HasPrefix(ended, shellEnded) || ended[len(ended)-1] != '>' {
		return text
	}
	return text[:at+copy(text[at:], ended[len(" "):])]
}

// Where the result of Codex's shell is JSON, {"output":"...","metadata":{"exit_code":0,"duration_seconds":0.3}},
// this is its last member.
var tookMember = []byte("duration_seconds")

// longestTook is how long that is with what closes it, be it verbatim.
const longestTook = 48

// withoutTook leaves it out, and what closes it.
func withoutTook(text []byte) []byte {
	end, ok := bytes.CutSuffix(text, []byte("}}"))
	if !ok || !bytes.HasPrefix(text, []byte(`{"output":`)) {
		return text
	}
	i := bytes.LastIndexByte(end, ',')
	if i < 0 {
		return text
	}
	name, number, _ := bytes.Cut(end[i+1:], []byte(":"))
	if string(name) != `"duration_seconds"` || !rawjson.ValidNumber(number) {
		return text
	}
	return text[:i]
}

// terminals head what commands say that go on, in Cline's environment.
var terminals = []byte("Terminals\n")

// HasHead tells whether a text begins with a line that a shell tool writes above what a
// command said.
func HasHead(text []byte) bool {
	return chars.BeginsWithAny(text, headLines) || bytes.HasPrefix(text, exitCodeLine)
}

// withoutHead leaves headLines out of the lines above "Output:", where it stands.
func withoutHead(text []byte) []byte {
	if !HasHead(text) {
		return text
	}
	var kept [mostHeadLines][]byte
	rest := text
	for n := 0; n < mostHeadLines; {
		line, behind, _ := bytes.Cut(rest, []byte("\n"))
		switch {
		case bytes.HasPrefix(line, runningLine):
			return text
		case bytes.HasPrefix(line, outputLine):
			// From the last line to the first, so that none is written over.
			at := len(text) - len(rest)
			for ; n > 0; n-- {
				line := kept[n-1]
				at -= len(line) + 1
				copy(text[at:], line)
				text[at+len(line)] = '\n'
			}
			return text[at:]
		case len(behind) == 0:
			return text
		case !chars.BeginsWithAny(line, headLines):
			kept[n] = line
			n++
		}
		rest = behind
	}
	return text
}

// withoutTail leaves tailLines out at the end.
func withoutTail(text []byte) []byte {
	body := bytes.TrimSuffix(text, untrustedEnd)
	closing := len(text) - len(body)
	if closing > 0 {
		body = bytes.TrimSuffix(body, []byte("\n"))
	}
	end := len(body)
	for {
		least := max(0, len(body)-longestTail)
		from := least + bytes.LastIndexByte(body[least:end], '\n')
		if from < least || !chars.BeginsWithAny(body[from+1:end], tailLines) {
			break
		}
		end = from
	}
	if end == len(body) {
		return text
	}
	if closing == 0 {
		return body[:end]
	}
	text[end] = '\n'
	return text[:end+1+copy(text[end+1:], untrustedEnd)]
}
