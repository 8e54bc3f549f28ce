package volatile

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// Programs that test and build say at their end how long they took, and some of
// them what they drew lots with: "1 failed in 0.41s". It is new each time, though
// a test fails in the same way, and it is no part of a result. That somebody has
// waited for 40 s is: he may wait on. So it is parts of seconds that count, and
// whole ones behind "failed in" and "took". Nor is how long a thing took that
// nobody tests: it may be all that was asked for.

// stopwatchEnd is how far from its end a text is looked at for a time that
// something took, bytes: Maven has nine lines of advice behind it. All results pay
// for it.
const stopwatchEnd = 1200

// untimed puts placeholders into the trimmed text of a result that ends with how
// long it took, or says that a program failed. An object of JSON is no output of a
// program, unless it has one, says so, or is a report. may is what the text may have.
func (c *Cleaner) untimed(t Text, may bigrams, isError bool) Text {
	end := stopwatchEnd
	if t.Verbatim {
		end *= len(`\n`) // as it is if all of it is escaped
	}
	failed := may&mayExit != 0 && saysExited(t.Bytes, isFailure)
	marked := isError && !saysExited(t.Bytes, isAny) && !wasStopped(t.Bytes)
	if len(t.Bytes) == 0 || !failed && !marked && (may&mayTime == 0 || !mayTellTime(t.Bytes[max(0, len(t.Bytes)-end):])) {
		return t
	}
	object := t.Bytes[0] == '{' && !failed
	whole, failed := c.Decoded(t), failed || marked
	if !failed && !hasVerdict(whole) || (object || !failed || marked && endsTimed(whole)) && !c.endsMeasured(whole) {
		return t
	}
	if object && c.isState(whole) {
		return t
	}
	return Text{Bytes: withoutPassed(withoutRuler(c.replaced(whole, func(text []byte, from int) (start, end int, placeholder string) {
		return nextOfOneRun(text, from, failed)
	})))}
}

// nextOfOneRun finds what is new with each run, of one that failed the times in its log,
// too; start is -1 if there is no more.
func nextOfOneRun(text []byte, from int, failed bool) (start, end int, placeholder string) {
	for i := from; i < len(text); i++ {
		if !chars.IsDigit(text[i]) {
			continue
		}
		if failed {
			if n := lenLogTime(text, i); n > 0 {
				return i, i + n, "<timestamp>"
			}
		}
		if start, end, placeholder = ofOneRun(text, i); end > start {
			return start, end, placeholder
		}
	}
	return -1, -1, ""
}

// ofOneRun is from where to where a text is new with each run, with the digit at i,
// and what stands for it; start is end if it is not. How long something took goes
// with the parentheses that it stands in: Jest and Mocha write it so of what was not
// quick, and else not at all. So does Jest's estimate, of which it was quicker.
func ofOneRun(text []byte, i int) (start, end int, placeholder string) {
	if !beginsNumber(text, i) {
		return i, i + lenTempDir(text, i), "<number>"
	}
	n := lenTook(text, i)
	if n == 0 {
		n, placeholder = lenLot(text, i)
		return i, i + n, placeholder
	}
	start, end = i, i+n
	if bytes.HasSuffix(text[:start], []byte(" (")) && bytes.HasPrefix(text[end:], []byte(")")) {
		return start - len(" ("), end + len(")"), ""
	}
	if estimated := []byte(", estimated "); bytes.HasSuffix(text[:start], estimated) {
		return start - len(estimated), end, ""
	}
	return start, end, "<duration>"
}

// verdicts are words of which programs that test and build say one: what was not
// tested may be measured, waited for, or done anew each time.
var verdicts = [][]byte{
	[]byte("fail"), []byte("Fail"), []byte("FAIL"),
	[]byte("error"), []byte("Error"), []byte("ERROR"),
	[]byte("passed"), []byte("passing"), []byte("Passed"), []byte("PASS"),
	[]byte("panic"),                                             // Go, Rust
	[]byte("timed out"), []byte("Timed out"), []byte("Timeout"), // curl and other clients
}

// noErrors name an error where there was none.
var noErrors = [][]byte{
	[]byte("\nError: (none)\n"),                         // Gemini CLI, Qwen Code
	[]byte(`isError":false`), []byte(`isError": false`), // MCP
	[]byte(`"error":null`), []byte(`"error": null`),
}

// hasVerdict tells whether a text has one of the verdicts elsewhere than in these.
func hasVerdict(text []byte) bool {
	return slices.ContainsFunc(verdicts, func(word []byte) bool {
		n := bytes.Count(text, word)
		if n == 0 {
			return false
		}
		for _, none := range noErrors {
			n -= bytes.Count(none, word) * bytes.Count(text, none)
		}
		return n > 0
	})
}

// mayTellTime tells quickly whether a text may have a number of seconds or of
// parts of one. In JSON they stand as they are.
func mayTellTime(text []byte) bool {
	if chars.HasAny(text, clocks) {
		return true
	}
	for from := 0; ; from++ {
		n := bytes.IndexByte(text[from:], 's')
		if n < 0 {
			return false
		}
		from += n
		if bytes.HasSuffix(text[:from], inName) {
			return true
		}
		at := from - 1
		if at >= 0 && (text[at] == 'm' || text[at] == 'n' || text[at] == 'u') {
			at--
		} else if bytes.HasSuffix(text[:from], inMilliseconds) {
			at -= len(inMilliseconds)
		}
		if at >= 0 && text[at] == ' ' {
			at--
		}
		if at >= 0 && chars.IsDigit(text[at]) {
			return true
		}
	}
}

// inName is what stands before the s of the name of a time: Node's test runner
// writes "duration_ms 82.03".
var inName = []byte("duration_m")

// inMilliseconds is what stands before the s in milliseconds.
var inMilliseconds = []byte("milli")

func endsTimed(text []byte) bool {
	return hasTook(text, max(0, len(text)-stopwatchEnd), len(text))
}

// hasTook tells whether such a time begins in a part of a text.
func hasTook(text []byte, from, to int) bool {
	for i := max(0, from); i < to; i++ {
		if beginsNumber(text, i) && lenTook(text, i) > 0 {
			return true
		}
	}
	return false
}

// beginsNumber tells whether a number begins at text[i], and no word, nor the
// decimals of a number. White space before it may be escaped, as in JSON.
func beginsNumber(text []byte, i int) bool {
	switch {
	case !chars.IsDigit(text[i]):
		return false
	case i == 0, i > 1 && text[i-2] == '\\' && chars.IsSpaceEscape(text[i-1]):
		return true
	}
	return !chars.IsWord(text[i-1]) && (text[i-1] != '.' || i == 1 || !chars.IsDigit(text[i-2]))
}

// tooks are the ends of words before whole seconds that say that something took
// them: "failed in", where "ready in" counts down.
var tooks = [][]byte{[]byte("ed in "), []byte("ED in "), []byte("took "), []byte("estimated "), []byte("Time:        ")}

// clocks are the ends of words before a clock that was started with the run, of
// PHPUnit and .NET. Elsewhere it is the time of day.
var clocks = [][]byte{[]byte("Time: "), []byte("Elapsed ")}

var timeNames = [][]byte{[]byte("duration_ms "), []byte("duration_ms: ")}

// lenTook is how long a text is at text[i:], where a number begins, that says how
// long something took, 0 if there is none.
func lenTook(text []byte, i int) int {
	if chars.EndsWithAny(text[:i], timeNames) {
		return MatchNumber(text[i:])
	}
	n := MatchDuration(text[i:])
	if n == 0 || i+n < len(text) && chars.IsWord(text[i+n]) || !isTook(text, i, n) || tellsWait(text[:i], text[i+n:]) {
		return 0
	}
	return n
}

// isTook tells it of a duration at text[i:] that is n long.
func isTook(text []byte, i, n int) bool {
	took := text[i : i+n]
	if chars.IsDigit(took[n-1]) { // a clock
		return chars.EndsWithAny(text[:i], clocks) && bytes.IndexByte(took, '.') >= 0 || bytes.HasSuffix(text[:i], []byte("(")) && bytes.HasPrefix(text[i+n:], []byte(")"))
	}
	unit := bytes.TrimLeft(took[bytes.LastIndexAny(took, decimals):], decimals+" ")
	switch {
	case unit[0] == 's':
		return bytes.IndexByte(took, '.') >= 0 || chars.EndsWithAny(text[:i], tooks)
	case string(unit) == "m", bytes.HasPrefix(unit, []byte("min")), unit[0] == 'h', unit[0] == 'd':
		return false
	}
	return true
}

// waits are words before how long somebody waits: what a tool throws until a job is done
// is called an error by who hands it on.
var waits = [][]byte{
	[]byte("aited"), []byte("aiting"), []byte("ueued"), []byte("QUEUED"), []byte("pending"), []byte("Pending"), []byte("PENDING"), []byte("still "), []byte("Still "),
	[]byte("n progress"), []byte("n_progress"), []byte("N_PROGRESS"), []byte("rovisioning"),
	[]byte("ot ready"), []byte("ot finished"), []byte("ot done"), []byte("ot complete"), []byte(" yet"),
	[]byte("unning for "), []byte("unning, "), []byte("unning ("), []byte("is running"), []byte("RUNNING"),
	[]byte("lapsed: "), []byte("ptime: "), // of a state in lines
}

// tellsWait tells whether a line has one of them not far before a time: elsewhere than in
// the title of a test.
func tellsWait(before, behind []byte) bool {
	const far, farthest = 80, 240
	return chars.HasAny(lineBefore(before, far), waits) && !tellsTest(lineBefore(before, farthest), behind)
}

// lineBefore is what of a line stands at the end of a text, n bytes at most.
func lineBefore(text []byte, n int) []byte {
	text = text[max(0, len(text)-n):]
	return text[startOfLine(text, lineEnds):]
}

// lots are what stands before other things that are new with each run.
var lots = [...]struct {
	before      []byte
	match       func([]byte) int
	placeholder string
}{
	{[]byte("seed "), matchSeed, "<number>"},   // RSpec, Minitest
	{[]byte("seed="), MatchNumber, "<number>"}, // pytest-randomly, Vitest
	{[]byte("(node:"), MatchNumber, "<number>"},
	{[]byte("/pytest-"), MatchNumber, "<number>"},   // its directory of that run
	{[]byte("goroutine "), MatchNumber, "<number>"}, // Go
	{[]byte("process ["), MatchNumber, "<number>"},  // uvicorn
	{[]byte("with PID "), MatchNumber, "<number>"},  // Spring
	{[]byte(`"pid":`), MatchNumber, "<number>"},     // pino
	{[]byte(`"time":`), matchEpoch, "<timestamp>"},  // pino
	{[]byte(`"ts":`), matchEpoch, "<timestamp>"},    // zap
	{[]byte("=="), matchBetweenEquals, "<number>"},  // Valgrind, sanitizers: ==4711==ERROR
	{[]byte("127.0.0.1:"), matchDrawnPort, "<number>"},
	{[]byte("Start at  "), matchClockTime, "<timestamp>"}, // Vitest
	{[]byte("Finished at: "), MatchTimestamp, "<timestamp>"},
}

// behinds are what stands behind numbers that are new with each run.
var behinds = [][]byte{
	[]byte(" runs/s"), []byte(" assertions/s"), // Minitest
	[]byte(") panicked at "), // Rust, of a thread
	[]byte(" --- ["),         // Spring, of its process
}

// lenLot is how long a text is at text[i:], where a number begins, that is new with
// each run, with what stands for it; 0 if there is none.
func lenLot(text []byte, i int) (n int, placeholder string) {
	for k := range lots {
		if l := &lots[k]; bytes.HasSuffix(text[:i], l.before) {
			return l.match(text[i:]), l.placeholder
		}
	}
	if n = lenOfStep(text, i); n > 0 {
		return n, "<duration>"
	}
	if bytes.HasPrefix(text[i:], []byte("0x")) {
		return MatchHex(text[i:]), "<address>"
	}
	if n = MatchNumber(text[i:]); chars.BeginsWithAny(text[i+n:], behinds) {
		return n, "<number>"
	}
	return 0, ""
}

// lenTempDir is how long the number at text[i:] is in the name of a directory that
// Go made for a test, as in TestA3286957968/001; 0 if it is none.
func lenTempDir(text []byte, i int) int {
	const fewDigits = 6 // names of tests end in fewer
	if i == 0 || !chars.IsLetter(text[i-1]) {
		return 0
	}
	n := chars.Digits(text[i:], len(text))
	if n < fewDigits || !bytes.HasPrefix(text[i+n:], []byte("/00")) {
		return 0
	}
	return n
}

// matchSeed matches a number, with the row of dots and letters behind it that says of
// each test, in the order that was drawn, how it went.
func matchSeed(t []byte) int {
	n := MatchNumber(t)
	rest := trimLineEnds(t[n:])
	row := trimLineEnds(bytes.TrimPrefix(rest, []byte("# Running:")))
	behind := bytes.TrimLeft(row, ".FES*")
	if len(rest) == len(t)-n || len(behind) == len(row) || lenLineEnd(behind) == 0 {
		return n
	}
	return len(t) - len(behind)
}

// matchClockTime matches a time of day, as in 12:30:05.
func matchClockTime(t []byte) int {
	if len(t) < 8 || chars.Digits(t, 2) != 2 || t[2] != ':' || chars.Digits(t[3:], 2) != 2 || t[5] != ':' || chars.Digits(t[6:], 2) != 2 {
		return 0
	}
	return 8
}

// matchDrawnPort matches a port that Linux draws for who asks for any.
func matchDrawnPort(t []byte) int {
	if n := chars.Digits(t, len(t)); n == len("32768") && string(t[:n]) >= "32768" {
		return n
	}
	return 0
}

// matchBetweenEquals matches a number with two equals signs behind it.
func matchBetweenEquals(t []byte) int {
	if n := chars.Digits(t, len(t)); bytes.HasPrefix(t[n:], []byte("==")) {
		return n
	}
	return 0
}

// matchEpoch matches a time in seconds since 1970, or in parts of one.
func matchEpoch(t []byte) int {
	if chars.Digits(t, len(t)) < len("1700000000") {
		return 0
	}
	return MatchNumber(t)
}
