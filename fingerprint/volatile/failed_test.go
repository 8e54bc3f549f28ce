package volatile

import (
	"strings"
	"testing"
)

// TestFailed: the times with which lines of a log begin are no part of a result that
// says that the program failed. They are of all others, and so is what a test says of
// times that differ.
func TestFailed(t *testing.T) {
	is := func(text, want string) { t.Helper(); wantCleaned(t, text, want) }
	same := func(text string) { t.Helper(); is(text, text) }

	// As agents say it.
	for _, said := range []string{
		"Exit code 1\nLOG",
		"Exit code: 2\nOutput:\nLOG",
		"Process exited with code 101\nOutput:\nLOG",
		"<returncode>1</returncode>\n<output>\nLOG</output>",
		"LOG\n[The command completed with exit code 1.]\n[Current working directory: /w]",
		"LOG\n[Process exited with code 1]",
		"LOG\n\nCommand exited with code 1",
		"LOG\n<completed with exit code 1>",
		"LOG\n[Command failed with exit code 1]",
		"Output: LOG\nError: (none)\nExit Code: 1\nSignal: (none)",
		"Ran command: `a`\n\n```stdout\nLOG\n```\n\nReturn code: 1",
		`{"returncode": 1, "output": "LOG"}`,
		`{"exit_code":1,"stdout":"LOG"}`,
		`{"stdout":"LOG","stderr":"","exitCode":1}`,
		`{"stdout":"","stderr":"LOG","exitCode":1}`,
		`{"exit_code": 1, "stdout": "", "stderr": "LOG"}`,
	} {
		is(strings.ReplaceAll(said, "LOG", "2026-11-21 10:00:00,123 ERROR no"), strings.ReplaceAll(said, "LOG", "2026-11-21 <timestamp> ERROR no"))
	}
	for _, said := range []string{
		"LOG",
		"Exit code 0\nLOG",
		"Exit code 124\nLOG", // timeout 10 tail -f
		"Exit code 143\nLOG", // by a signal
		"Exit code -1\nLOG",
		"LOG\n2026-11-21 10:00:01 ERROR: Process exited with code 1", // of a log that is read
		"LOG\napp-1 exited with code 1",
		"LOG\nReturn code: 1", // in a log, too
		"LOG\n\nReturn code: 1",
		"LOG\nNode 1",
		"LOG\nexit code",
		"LOG" + strings.Repeat(" ", failureEnd) + "Exit code: 1\n." + strings.Repeat(".", failureEnd),
		`{"exit_code":1,"finished":"2026-11-21 10:00:00"}`,
		`{"stdout":"LOG","stderr":"","exitCode":0}`,
		`{"stdout":"LOG\n{\"exitCode\":1}","stderr":"","exitCode":0}`,
		"LOG\nCommand failed with exit code 1", // execa and pnpm say it of what they ran
		"LOG\nCommand failed with exit code 1: npm test",
	} {
		same(strings.ReplaceAll(said, "LOG", "2026-11-21 10:00:00,123 ERROR no"))
	}
	same(`{"time":"2026-11-21T10:00:00Z","state":{"restarts":3,"exitCode":1}}`) // of a state
	same(`{"job":"build","state":"retrying","next":"in 3.3s","exitCode":1}`)
	same(`{"steps":[{"stdout":"","exitCode":1},{"state":"running","for":"3.3s"}]}`)

	is("2026-11-21 10:00:00,123 ERROR no\n<shellId: 7 completed with exit code 1>", "2026-11-21 <timestamp> ERROR no\n<completed with exit code 1>")
	// As the result is marked, unless a code is said.
	marked := func(text, want string) {
		t.Helper()
		if got := cleaned(verbatim(text), true); got != want {
			t.Errorf("%q, marked as an error, gives %q, want %q", text, got, want)
		}
	}
	marked("10:00:00 no", "<timestamp> no")
	marked("Exit code 143\n10:00:00 no", "Exit code 143\n10:00:00 no")
	marked("Command timed out after 2m 0.0s\n10:00:00 beat", "Command timed out after <duration>\n10:00:00 beat")
	marked(`{"error":`, `{"error":`)
	marked(`{"stdout":"{\"state\":\"running\",\"errors\":0,\"elapsed\":\"3.41s\"}"}`, `{"stdout":"{\"state\":\"running\",\"errors\":0,\"elapsed\":\"3.41s\"}"}`)
	marked("Error: {\"state\":\"running\",\"elapsed\":\"3.41s\"}", "Error: {\"state\":\"running\",\"elapsed\":\"3.41s\"}")
	marked("Error: {\"latency\":\"3.41s\"}\nno answer in 0.41s", "Error: {\"latency\":\"<duration>\"}\nno answer in <duration>")
	marked(`{"time":"2026-11-21T10:00:00Z","error":"not ready"}`, `{"time":"2026-11-21T10:00:00Z","error":"not ready"}`)

	// As programs log.
	failed := func(text, want string) { t.Helper(); is("Exit code 1\n"+text, "Exit code 1\n"+want) }
	failed("[10:00:00] a\n10:00:00.123 [main] b", "[<timestamp>] a\n<timestamp> [main] b")
	failed("2026/11/21 10:00:00 a.go:3: no\nexit status 1", "2026/11/21 <timestamp> a.go:3: no\nexit status 1")
	failed("2026-11-21T10:00:00.123Z a\n  INFO 2026-11-21T10:00:00Z b", "2026-11-21T<timestamp>Z a\n  INFO 2026-11-21T<timestamp>Z b")
	failed("[2026-11-21 10:00:00 +0000] [4711] [ERROR] a", "[2026-11-21 <timestamp>] [ERROR] a")             // Gunicorn
	failed("F, [2026-11-21T10:00:00.123456 #4711] FATAL -- : a", "F, [2026-11-21T<timestamp>] FATAL -- : a") // Rails
	failed("E1121 10:00:00.123456    4711 a.go:3] no 12", "E1121 <timestamp> a.go:3] no 12")                 // kubectl
	// date, Java, Tomcat
	failed("Sat Nov  1 10:00:00 UTC 2026: a\nNov 21, 2026 1:00:00 PM a.B main\n21-Nov-2026 10:00:00.123 SEVERE", "Sat Nov  1 <timestamp> UTC 2026: a\nNov 21, 2026 <timestamp> PM a.B main\n21-Nov-2026 <timestamp> SEVERE")
	failed("app-1  | 2026-11-21T10:00:00.123456789Z a", "app-1  | 2026-11-21T<timestamp>Z a")
	failed(`time=2026-11-21T10:00:00.123Z level=ERROR`, `time=2026-11-21T<timestamp>Z level=ERROR`)
	failed(`{"level":"fatal","time":"2026-11-21T10:00:00Z","message":"a"}`, `{"level":"fatal","time":"2026-11-21T<timestamp>Z","message":"a"}`)
	is("{\"time\":1764350000123,\"msg\":\"no\"}\n[Process exited with code 1]", "{\"time\":<timestamp>,\"msg\":\"no\"}\n[Process exited with code 1]")
	failed("goroutine 7 [running]:\nexit status 2", "goroutine <number> [running]:\nexit status 2") // though nothing was timed

	failed("==4711==ERROR: at 0x602000000019, if 1==2: 3 == 4", "==<number>==ERROR: at <address>, if 1==2: 3 == 4") // AddressSanitizer, Valgrind

	// docker build
	failed("#5 [2/2] RUN a\n#5 0.312 no 1.5 a\n#5 70.65 a\n------\n > [2/2] RUN a:\n0.312 no\n70.65 a\n------", "#5 [2/2] RUN a\n#5 <duration> no 1.5 a\n#5 <duration> a\n------\n > [2/2] RUN a:\n<duration> no\n<duration> a\n------")
	failed("0.312 of it, a #5 0.312\n#5 12 no\n0.312 no\n.312 a\n# 0.312", "0.312 of it, a #5 0.312\n#5 12 no\n0.312 no\n.312 a\n# 0.312")

	failed("2026-11-21 10:00:00 12 of 20 failed", "2026-11-21 <timestamp> 12 of 20 failed")
	failed("[2026-11-21 10:00:00] [12] failed", "[2026-11-21 <timestamp>] [12] failed")
	failed("[10:00:00] 12 OK", "[<timestamp>] 12 OK")
	failed("[2026-11-21 10:00:00] [12] A", "[2026-11-21 <timestamp>] [12] A")
	for _, said := range []string{
		"AssertionError: '2026-01-02 10:00:00' != '2026-01-02 09:00:00'",
		"E       - 10:00:00\nE       + 09:00:00",
		"-2026-01-02 10:00:00\n+2026-01-02 09:00:00",
		`    Expected: "2026-01-02T10:00:00Z"`,
		"GOT \"10:00:00\"\nGOT '10:00:00'",
		`    -   "date": "2026-01-02T10:00:00Z"`,
		"error: no run at 10:00:00, nor on 2026-11-21 10:00:00",
		strings.Repeat(".", lineHead+1) + " 10:00:00",
		"2026-11-21 a\n10:00 b\nfe80:00:00:01",
		"10:00:00:00 1:2:3",
		"Now 10:00:00\nNovember 21 10:00:00\nnov 10:00:00",
		"10",
	} {
		failed(said, said)
	}

	// Hostile texts take no time that grows faster than they.
	hostile(t, func(size int) {
		for _, part := range []string{"10:00:00 ", "1:", "10:00:00", "\n10:00:00 [1", "code ", "\n1", "\n1.5 ", "#5 0.5 "} {
			cleaned(verbatim("Exit code 1\n"+strings.Repeat(part, size)), false)
		}
	})
}
