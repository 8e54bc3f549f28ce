package volatile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// Programs that log tell the time where their lines begin. That a log goes on is
// news; that a program fails again is none, though its lines tell another time. So
// that is no part of a result in which an agent says that the program exited with a
// code of failure, or that is marked as an error and names no code, nor that time ran
// out. Who reads a log or asks for a state is told 0, or no code.

// failureEnd is how far from its ends a text is looked at for the code, bytes: agents
// write it before or behind what a program said. All results pay for it.
const failureEnd = 512

// failures are what stands where a line begins, or behind a bracket or a quote, before
// the "ode" of the name of such a code.
var failures = [][]byte{
	[]byte("Exit c"),                            // Claude Code, Codex, Roo Code
	[]byte("Exit C"),                            // Gemini CLI, Qwen Code
	[]byte("Process exited with c"),             // Codex
	[]byte("Command exited with c"),             // Pi, Cline
	[]byte("[Command failed with exit c"),       // deepagents, eino; others say it alone of what they ran
	[]byte("The command completed with exit c"), // OpenHands
	[]byte("completed with exit c"),             // Copilot
	[]byte("returnc"),                           // mini-swe-agent
	[]byte("```\n\nReturn c"),                   // gptme; programs say it alone of what they ran
	[]byte("```\\n\\nReturn c"),                 // the same in JSON
	[]byte("exit_c"),                            // Codex, where it is JSON
}

var timedOut = []byte("timed out")

// failureEnds are both; the last is empty if the first is all of the text.
func failureEnds(text []byte) (first, last []byte) {
	if len(text) <= failureEnd {
		return text, nil
	}
	return text[:failureEnd], text[len(text)-failureEnd:]
}

// saysExited tells whether a text says so with such a code, as it is or as it stands in
// JSON.
func saysExited(text []byte, such func(code []byte) bool) bool {
	first, last := failureEnds(text)
	code := exitOfRun(text)
	return hasExit(first, such) || hasExit(last, such) || len(code) > 0 && such(code)
}

// What Vercel's bash-tool returns begins and ends so, as it is and as it stands in JSON.
var (
	runs     = [][]byte{[]byte(`{"stdout":`), []byte(`{\"stdout\":`)}
	runExits = [][]byte{[]byte(`,"exitCode":`), []byte(`,\"exitCode\":`)}
)

// exitOfRun is the code at the end of what Vercel's bash-tool returns, empty if a text is
// nothing of the kind: pods and jobs name the exitCode of what ended in them while they go
// on.
func exitOfRun(text []byte) []byte {
	object, whole := bytes.CutSuffix(text, []byte("}"))
	before := bytes.TrimRight(object, decimals)
	if !whole || !chars.BeginsWithAny(text, runs) || !chars.EndsWithAny(before, runExits) {
		return nil
	}
	return object[len(before):]
}

func hasExit(text []byte, such func(code []byte) bool) bool {
	for rest := text; ; {
		var found bool
		if _, rest, found = bytes.Cut(rest, []byte("ode")); !found {
			return false
		}
		n := lenSeparator(rest)
		if n > 0 && such(rest[n:]) && endsInFailure(text[:len(text)-len(rest)-len("ode")]) {
			return true
		}
	}
}

func endsInFailure(text []byte) bool {
	for _, name := range failures {
		if before, is := bytes.CutSuffix(text, name); is {
			return len(before) == 0 || strings.IndexByte("\n[<\"", before[len(before)-1]) >= 0 || bytes.HasSuffix(before, []byte(`\n`))
		}
	}
	return false
}

func isAny([]byte) bool { return true }

// wasStopped tells whether a text may say that its program was stopped after some time.
func wasStopped(text []byte) bool {
	first, last := failureEnds(text)
	return bytes.Contains(first, timedOut) || bytes.Contains(last, timedOut)
}

// isFailure tells whether a text begins with a code of failure. That of what was
// stopped, 124 by timeout or more by a signal, is none: it may be a log that was read
// as it went on.
func isFailure(text []byte) bool {
	const stopped = "124"
	n := chars.Digits(text, len(text))
	return n > 0 && text[0] != '0' && (n < len(stopped) || n == len(stopped) && string(text[:n]) < stopped)
}

// lineHead is how far from the beginning of a line its time may stand, bytes.
const lineHead = 48

// newlines are what a line may begin behind, also in JSON. The first one of what a
// program said stands there behind "output", "stdout" or "stderr", and Gemini CLI's
// "Output: ".
var newlines = append(slices.Clip(lineEnds), []byte(`ut": "`), []byte(`ut":"`), []byte(`stderr": "`), []byte(`stderr":"`), []byte("Output: "))

// lenLogTime is how long the time of day at text[i:] is with which a line of a log
// begins, to the second, and the number of the process behind it; 0 if there is none.
// Before it stand a date and a level at most: "[2026-11-21 10:00:00", "E1121 10:00:00".
func lenLogTime(text []byte, i int) int {
	colon := i + chars.Digits(text[i:], 2)
	if colon == len(text) || text[colon] != ':' {
		return 0
	}
	start, end := clockAround(text, colon)
	if start != i || end-start < len("0:00:00") {
		return 0
	}
	head := text[max(0, i-lineHead):i]
	begin := startOfLine(head, newlines)
	whole := len(head) == i || begin > 0
	head = head[begin:]
	if n := bytes.LastIndex(head, []byte("| ")); n >= 0 {
		head = head[n+len("| "):] // Docker Compose: app-1  | 10:00:00
	}
	if head = bytes.TrimLeft(head, " [("); !whole || !isLogHead(head) && !isNamed(text, i, head) {
		return 0
	}
	if isKlogHead(head) {
		return end - start + lenThread(text[end:])
	}
	return end - start + lenProcess(text[end:])
}

// isLogHead tells what stands before a clock in a log from what a test says of two
// times that differ: no small letter, but in the name of a month or day, no quote, or
// indent, and no sign before it.
func isLogHead(head []byte) bool {
	if len(head) > 0 && !chars.IsDigit(head[0]) && !chars.IsLetter(head[0]) {
		return false
	}
	for len(head) > 0 {
		c, n := head[0], 1
		switch {
		case startsWithDayName(head):
			n = len("Nov ") // a day may have another space before it
		case 'a' <= c && c <= 'z', c == '"', c == '\'', bytes.HasPrefix(head, []byte("  ")):
			return false
		}
		head = head[n:]
	}
	return true
}

// dayNames are names of months and days as dates have them: Sat Nov 21 10:00:00 UTC 2026.
const dayNames = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun"

// startsWithDayName tells whether one is a word at the start of a text.
func startsWithDayName(text []byte) bool {
	const name = len("Nov")
	return len(text) > name && isCapital(text[0]) && !chars.IsWord(text[name]) && strings.Contains(dayNames, string(text[:name]))
}

// isNamed tells whether the time with the clock at text[i:] is named in a line that
// begins so: {"level":"error","time":"2026-11-21T10:00:00Z", time=2026-11-21T10:00:00Z.
func isNamed(text []byte, i int, head []byte) bool {
	members := bytes.HasPrefix(head, []byte("{")) || bytes.HasPrefix(head, []byte("time="))
	return members && lenWhen(text, max(0, i-len("2026-11-21T"))) > 0
}

// isKlogHead tells the level and day with which lines of Kubernetes' programs begin:
// E1121 10:00:00.123456    4711 a.go:3] no.
func isKlogHead(head []byte) bool {
	return len(head) == len("E1121 ") && isCapital(head[0]) && chars.Digits(head[1:], len(head)) == len("1121")
}

// lenThread is how long the number of the process is that klog writes behind a time,
// with the spaces between.
func lenThread(text []byte) int {
	between := len(text) - len(bytes.TrimLeft(text, " "))
	return between + chars.Digits(text[between:], len(text))
}

// lenProcess is how long the number of a process is behind a time and before a level
// in capitals, with what stands between: " +0000] [4711] [INFO]", " #4711] FATAL".
// Other numbers may count what is left to do.
func lenProcess(text []byte) int {
	number := bytes.TrimLeft(text, " +0:ZUTC][#")
	between := len(text) - len(number)
	n := chars.Digits(number, len(number))
	level, bracketed := bytes.CutPrefix(number[n:], []byte("]"))
	level = bytes.TrimLeft(level, " [")
	if n == 0 || between == 0 || !bracketed || len(level) < 2 || !isCapital(level[0]) || !isCapital(level[1]) {
		return 0
	}
	return between + n
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }
