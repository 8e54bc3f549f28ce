package volatile

import (
	"strings"
	"testing"
)

// TestUntimed: how long a run took is no part of its result, however the result
// is written in the log. How long somebody waited is.
func TestUntimed(t *testing.T) {
	is := func(text, want string) { t.Helper(); wantCleaned(t, text, want) }
	same := func(text string) { t.Helper(); is(text, text) }

	// As pytest, unittest, Go, Cargo, Jest, Vitest, Node, Mocha, RSpec, Minitest,
	// Gradle, Maven and bash write it.
	is("== FAILURES ==\na.py F   [100%]\n=== 1 failed, 2 passed in 0.41s ===", "== FAILURES ==\na.py F   [100%]\n= 1 failed, 2 passed in <duration> =")
	is("=== 1 failed in 65.21s (0:01:05) ====\n[1]", "= 1 failed in <duration> =\n[1]")
	is("1 failed in 0.41s =", "1 failed in <duration> =")
	is("Ran 5 tests in 0.002s\n\nFAILED (failures=1)", "Ran 5 tests in <duration>\n\nFAILED (failures=1)")
	is("--- FAIL: TestA (0.02s)\n    a_test.go:3: no\nexit status 1\nFAIL\texample.com/a\t0.012s\nFAIL", "--- FAIL: TestA\n    a_test.go:3: no\nexit status 1\nFAIL\texample.com/a\t<duration>\nFAIL")
	is("test result: FAILED. 0 passed; 1 failed; finished in 0.00s", "test result: FAILED. 0 passed; 1 failed; finished in <duration>")
	is("x adds (3 ms)\n\nTests:       1 failed, 1 total\nTime:        1.234 s, estimated 2 s", "x adds\n\nTests:       1 failed, 1 total\nTime:        <duration>")
	is("\x1b[31mTests\x1b[39m 1 failed\x1b[33m 7\x1b[2mms\x1b[22m\x1b[39m\n\x1b[2m Start at \x1b[22m 12:30:05\n\x1b[2m Duration \x1b[22m 1.23s\x1b[K\x1b[1", "Tests 1 failed <duration>\n Start at  <timestamp>\n Duration  <duration>\x1b[K\x1b[1")
	is("running 3 tests\ntest a ... ok\ntest b ... FAILED\ntest c - should panic ... ok\na test ... ok\ntest result: FAILED. finished in 0.00s", "running 3 tests\ntest b ... FAILED\na test ... ok\ntest result: FAILED. finished in <duration>")
	is(`{"exit_code":1,"stdout":"running 2 tests\ntest b ... ok\ntest c ... FAILED\nfinished in 0.41s"}`, `{"exit_code":1,"stdout":"running 2 tests\ntest c ... FAILED\nfinished in <duration>"}`)
	is("thread 'a' (18664) panicked at a.rs:2:17:\ntest result: FAILED. finished in 0.00s", "thread 'a' (<number>) panicked at a.rs:2:17:\ntest result: FAILED. finished in <duration>")
	is("Finished `dev` profile in 0.02s\nthread 'main' (18664) panicked at a.rs:2:17:", "Finished `dev` profile in <duration>\nthread 'main' (<number>) panicked at a.rs:2:17:")
	is("goroutine 7 [running]:\na.F(0x9dca9662248?, 0x3)\n\ta.go:8 +0x1d\nFAIL\ta\t0.005s", "goroutine <number> [running]:\na.F(<address>?, 0x3)\n\ta.go:8 +0x1d\nFAIL\ta\t<duration>")
	is("open /var/TestA3286957968/001/b, Test12/001\nFAIL\ta\t0.005s", "open /var/TestA<number>/001/b, Test12/001\nFAIL\ta\t<duration>")
	is("Tests  1 failed (1)\n   Start at  12:30:05\n   Duration  1.23s (transform 50ms, setup 0ms, tests 5ms)", "Tests  1 failed (1)\n   Start at  <timestamp>\n   Duration  <duration> (transform <duration>, setup <duration>, tests <duration>)")
	is("not ok 1 - a\n  duration_ms: 1.35953\n# fail 1\n# duration_ms 82.036914", "not ok 1 - a\n  duration_ms: <duration>\n# fail 1\n# duration_ms <duration>")
	is("✔ b (61ms)\n\n1 passing (64ms)\n1 failing", "✔ b\n\n1 passing\n1 failing")
	is("Run with seed 12345\nFinished in 0.01 seconds (files took 0.1 seconds to load)\n1 example, 1 failure", "Run with seed <number>\nFinished in <duration> (files took <duration> to load)\n1 example, 1 failure")
	is("Run options: --seed 4711\n\n# Running:\n\n.FE.\n\nFinished in 0.1s\n1 failures", "Run options: --seed <number>\n\nFinished in <duration>\n1 failures")
	is("with seed 4711\n..F*\n1 failure in 0.1s\nwith seed 4711\nFoo\nwith seed 4711.\nseed 4711..\n", "with seed <number>\n1 failure in <duration>\nwith seed <number>\nFoo\nwith seed <number>.\nseed <number>..")
	is("seed 4711\n..not\nseed 4711n..F\n1 failure in 0.1s", "seed <number>\n..not\nseed <number>n..F\n1 failure in <duration>")
	is("Run options: --seed 4711\nFinished in 0.0012s, 843.1703 runs/s, 843.1703 assertions/s.\n1 failures", "Run options: --seed <number>\nFinished in <duration>, <number> runs/s, <number> assertions/s.\n1 failures")
	is("1 failed in 0.41s"+strings.Repeat("\n", stopwatchEnd-9)+".", "1 failed in <duration>"+strings.Repeat("\n", stopwatchEnd-9)+".")
	is("1 failing\n\n (64ms)\x1b[0m", "1 failing")
	is("Time: 00:00.005, Memory: 6.00 MB\nFAILURES!", "Time: <duration>, Memory: 6.00 MB\nFAILURES!")
	is("Build FAILED.\n    1 Error(s)\nTime Elapsed 00:00:01.23", "Build FAILED.\n    1 Error(s)\nTime Elapsed <duration>")
	is("2026-11-25 20:46:06.123 ERROR no answer\n20:46:07.123 ERROR no answer in 0.5s", "2026-11-25 20:46:06.123 ERROR no answer\n20:46:07.123 ERROR no answer in <duration>")
	is("curl: (28) Operation timed out after 5002 milliseconds with 0 bytes received", "curl: (28) Operation timed out after <duration> with 0 bytes received")
	is("Timeout after 30.53s", "Timeout after <duration>")
	is("BUILD FAILED in 3s", "BUILD FAILED in <duration>")
	is("BUILD FAILED in 1m 3s", "BUILD FAILED in <duration>")
	is("[INFO] BUILD FAILURE\n[INFO] Total time:  1.234 s\n[INFO] Finished at: 2026-11-21T10:00:00Z", "[INFO] BUILD FAILURE\n[INFO] Total time:  <duration>\n[INFO] Finished at: <timestamp>")
	is("(node:4711) Warning: a\nAssertionError in /var/pytest-of-a/pytest-12/b\n1 failed in 0.1s", "(node:<number>) Warning: a\nAssertionError in /var/pytest-of-a/pytest-<number>/b\n1 failed in <duration>")
	is("Get http://127.0.0.1:43215/a: EOF, 127.0.0.1:8080, 127.0.0.1:18080\n1 failed in 0.1s", "Get http://127.0.0.1:<number>/a: EOF, 127.0.0.1:8080, 127.0.0.1:18080\n1 failed in <duration>")
	is("ERROR 4711 --- [main] a with PID 4711\nStarted server process [4711]\n1 failed in 0.1s", "ERROR <number> --- [main] a with PID <number>\nStarted server process [<number>]\n1 failed in <duration>")
	is("> a\n{\"time\":1764350000123,\"pid\":4711}\n{\"ts\":1764350000.123}\n1 failed in 0.1s, \"time\":12", "> a\n{\"time\":<timestamp>,\"pid\":<number>}\n{\"ts\":<timestamp>}\n1 failed in <duration>, \"time\":12")
	is("a: error: no\n\nreal\t0m1.234s\nuser\t0m0.100s", "a: error: no\n\nreal\t<duration>\nuser\t<duration>")
	is("Chunk ID: 1\nWall time: 2 seconds\nOutput:\n1 failed in 0.41s", "Output:\n1 failed in <duration>")

	is("1 failed, 1 total\nTime:        1 s", "1 failed, 1 total\nTime:        <duration>")                                                                                                                                         // Jest
	is(`{"returncode": 1, "output": "thread \u0027a\u0027 (4711) panicked at a.rs:2\nFAIL\ta\t0.02s\n0.1s"}`, `{"returncode": 1, "output": "thread \u0027a\u0027 (<number>) panicked at a.rs:2\nFAIL\ta\t<duration>\n<duration>"}`) // mini-swe-agent
	is(`{"exit_code":1,"stdout":"seed 4711\n\n# Running:\n\n.F\n1 failed in 0.41s"}`, `{"exit_code":1,"stdout":"seed <number>\n1 failed in <duration>"}`)
	is(`{"exit_code":1,"stdout":"1 failed in 0.41s"}`, `{"exit_code":1,"stdout":"1 failed in <duration>"}`)
	is(`{"output":"1 failed in 0.41s","metadata":{"exit_code":0,"duration_seconds":0.4}}`, `{"output":"1 failed in <duration>","metadata":{"exit_code":0`) // Codex
	is(`{"content": [{"type": "text", "text": "1 failed in 0.41s"}], "isError": false}`, `{"content": [{"type": "text", "text": "1 failed in <duration>"}], "isError": false}`)
	is(`{"type":"text","text":"1 failed in 0.41s","annotations":null}`, `{"type":"text","text":"1 failed in <duration>","annotations":null}`)
	is(`{"result": "F\n1 failed in 0.41s"}`, `{"result": "F\n1 failed in <duration>"}`) // Google's ADK
	is(`{"status": "error", "error_message": "no answer in 0.41s"}`, `{"status": "error", "error_message": "no answer in <duration>"}`)
	is(`{"error":true,"name":"Error","message":"no answer in 0.41s","stack":"Error: no answer in 0.41s"}`, `{"error":true,"name":"Error","message":"no answer in <duration>","stack":"Error: no answer in <duration>"}`) // VoltAgent
	is(`{"message":"F\n1 failed in 0.41s","details":{"message":"F\n1 failed in 0.41s","details":{"errorMessage":"failed"}},"code":"TOOL_EXECUTION_FAILED"}`,
		`{"message":"F\n1 failed in <duration>","details":{"message":"F\n1 failed in <duration>","details":{"errorMessage":"failed"}},"code":"TOOL_EXECUTION_FAILED"}`) // Mastra 0.24
	is(`{"data":"F\n1 failed in 0.41s"}`, `{"data":"F\n1 failed in <duration>"}`)                                                                // Inngest's AgentKit
	is(`{"func":"F\n1 failed in 0.41s\n"}`, `{"func":"F\n1 failed in <duration>\n"}`)                                                            // Upsonic
	is(`{"error":{"name":"Error","message":"F\n1 failed in 0.41s","stack":"Error: F\n1 failed in 0.41s\n    at a.js:1:2","__serialized":true}}`, //nolint:misspell // as AgentKit has it
		`{"error":{"name":"Error","message":"F\n1 failed in <duration>","stack":"Error: F\n1 failed in <duration>\n    at a.js:1:2","__serialized":true}}`) //nolint:misspell // as AgentKit has it
	same(`{"data":{"state":"running","errors":0,"elapsed":"0.41s"}}`)
	same(`{"data":"running, 3 passed in 0.41s"}`)
	same(`{"func":"{\"state\":\"running\",\n\"errors\":0,\"elapsed\":\"0.41s\"}"}`)
	same(`{"error":{"name":"Error","__serialized":true},"elapsed":"0.41s"}`) //nolint:misspell // as AgentKit has it
	same(`{"error":{"name":"build","message":"0.41s, 1 failed"}}`)
	same(`{"message":"1 failed in 0.41s","code":"RUNNING"}`)
	same(`{"log":"TOOL_EXECUTION_FAILED","state":"running","elapsed":"0.41s"}`)
	same(`{"elapsed":"0.41s","last":{"message":"a","code":"TOOL_EXECUTION_FAILED"}}`)
	same(`{"name":"build","exitCode":1,"failed":0,"elapsed":"0.41s"}`) // a job that goes on
	same(`{"name":"build","exitCode":null,"failed":0,"elapsed":"0.41s"}`)
	is(`{"stdout":"2 passed in 0.41s","stderr":"","exitCode":0}`, `{"stdout":"2 passed in <duration>","stderr":"","exitCode":0}`)
	same(`{"result": "1 failed in 0.41s", "state": "running"}`)
	same(`{"result": "1 failed in 0.41s"`)
	same(`{"error": null, "failed": 0.41, "elapsed": ["0.41s"]}`)
	same(`{"failed": null, "state": "running", "elapsed": "0.41s"}`)
	same(`{"result": "{\"state\":\"running, 0 failed\",\"elapsed\":\"0.41s\"}"}`)
	same(`{"error": "[{\"state\":\"running, 0 failed\",\"elapsed\":\"0.41s\"}]"}`)
	same(`{"status": "running, 0 errors, 0.41s"}`)
	same(`{"result": "running, 3 passed in 0.41s"}`)
	same(`{"output": "running, 3 passed in 0.41s\n"}`)
	is(`{"error": "no answer in 0.41s"}`, `{"error": "no answer in <duration>"}`)
	same(`{"error": "0.41s"}`)
	same(`{"status": "error", "message": "no db", "uptime": "0.41s"}`)
	same(`{"status": "error", "message": "busy", "eta": "ready in 0.41s"}`)
	is(`{"error": true, "message": "Timeout after 0.41s"}`, `{"error": true, "message": "Timeout after <duration>"}`)
	same(`{"status": "error", "job": {"state": "running for 0.41s"}}`)
	same(`{"status": "error", "steps": ["build 0.41s"]}`)
	same(`{"error": true, "message": "{\"state\":\"running\",\"elapsed\":\"0.41s\"}"}`)
	same(`{"jobs":[{"status":"error"},{"status":"running","elapsed":"0.41s"}]}`)
	same(`{"state":"running, 0 failed","elapsed":"0.41s"}`)
	same(`{"type":"text","text":"{\"state\":\"running, 0 failed\",\"elapsed\":\"0.41s\"}"}`)
	same(`{"output":"{\"state\":\"running, 0 failed\",\"elapsed\":\"0.41s\"}","exit_code":0}`)
	same(`{"content": [{"type": "text", "text": "{\"state\": \"running, 0 failed\", \"elapsed\": \"0.41s\"}"}], "isError": false}`)
	same(`{"output":"[{\"state\":\"running\",\"error\":null,\"elapsed\":\"0.41s\"}]","exit_code":0}`)
	same(`{"content": [{"type": "text", "text": "[{\"state\": \"running\", \"error\": null, \"elapsed\": \"0.41s\"}]"}], "isError": false}`)
	same("Process exited with code 0\nOutput:\n{\n  \"state\": \"running\",\n  \"errors\": 0,\n  \"elapsed\": \"3.41s\"\n}") // a state, with what Codex says around it
	same("{\"state\":\"running\",\"errors\":0,\"elapsed\":\"3.41s\"}\n<exited with exit code 0>")
	same("[{\"state\":\"failed\"},{\"state\":\"running\",\"elapsed\":\"3.41s\"}]")
	same("job\n{ state: 'running', errors: 0, elapsed: '3.41s' }")
	same("got {\"text\":\"a } of {\\\"b\",\"errors\":0,\"elapsed\":\"3.41s\"}")
	is("> a\n{\"latency\":\"3.41s\"}\n1 failed in 0.41s", "> a\n{\"latency\":\"<duration>\"}\n1 failed in <duration>")
	is("assert f() == {\nE  no\n1 failed in 0.41s", "assert f() == {\nE  no\n1 failed in <duration>") // no object
	is("Result: {\"exit_code\":1,\"stdout\":\"f() {\\n1 failed in 0.41s\"}", "Result: {\"exit_code\":1,\"stdout\":\"f() {\\n1 failed in <duration>\"}")
	is("[{\"type\":\"text\",\"text\":\"1 failed in 0.41s\"}]", "[{\"type\":\"text\",\"text\":\"1 failed in <duration>\"}]")
	is("[{\"type\": \"text\", \"text\": \"1 failed in 0.41s\"}]", "[{\"type\": \"text\", \"text\": \"1 failed in <duration>\"}]")
	same("{\n  \"exitCode\" : 0,\n  \"stdout\" : \"{\\\"state\\\":\\\"running\\\",\\\"errors\\\":0,\\\"elapsed\\\":\\\"3.41s\\\"}\"\n}") // as Jackson writes it
	same(`{"output":"job a\n{\"state\":\"running\",\"errors\":0,\"elapsed\":\"3.41s\"}\n","returncode":0}`)
	same(`{"content": [{"type": "text", "text": "job a\n{\"state\": \"running, 0 failed\", \"elapsed\": \"0.41s\"}"}], "isError": false}`)
	is(`{"stdout":"{\"latency\":\"3.41s\"}\n1 failed in 0.41s","exitCode":0}`, `{"stdout":"{\"latency\":\"<duration>\"}\n1 failed in <duration>","exitCode":0}`)
	is(`{"stdout":"f() {\n1 failed in 0.41s","exitCode":0}`, `{"stdout":"f() {\n1 failed in <duration>","exitCode":0}`)
	same(`[{"state":"running","error":null,"elapsed":"0.41s"}]`)
	same("[\n  {\"state\": \"running\", \"error\": null, \"elapsed\": \"0.41s\"}\n]")
	same(`[{"type":"text","text":"{\"state\":\"running, 0 failed\",\"elapsed\":\"0.41s\"}"}]`)
	same("Exit code: 0\nOutput:\n{\"state\":\"running\",\"errors\":0,\"elapsed\":\"0.41s\"}") // of curl
	is("Exit code: 1\nOutput:\n{\"state\":\"running\",\"errors\":0,\"elapsed\":\"0.41s\"}", "Exit code: 1\nOutput:\n{\"state\":\"running\",\"errors\":0,\"elapsed\":\"<duration>\"}")
	same(`{"content": [{"type": "text", "text": "Processed 100 records in 1.2 s"}], "isError": false}`)
	same(`{"content":[{"type":"text","text":"Processed 100 records in 1.2 s"}],"isError":false}`)
	same(`{"stdout":"Processed 100 records in 1.2 s","error":null}`)
	is(`{"content":[{"type":"text","text":"1 error in 1.2 s"}],"isError":false}`, `{"content":[{"type":"text","text":"1 error in <duration>"}],"isError":false}`)
	is(`{"content":[{"type":"text","text":"no answer in 1.2 s"}],"isError":true}`, `{"content":[{"type":"text","text":"no answer in <duration>"}],"isError":true}`)
	same("Output: Processed 100 records in 1.2 s\nError: (none)\nExit Code: 0\nSignal: (none)") // of Qwen Code
	same("Output: {\"state\":\"running\",\"errors\":0,\"elapsed\":\"0.41s\"}\nError: (none)\nExit Code: 0\nSignal: (none)")
	is("Output: 1 failed in 0.41s\nError: (none)\nExit Code: 1\nSignal: (none)", "Output: 1 failed in <duration>\nError: (none)\nExit Code: 1\nSignal: (none)")
	is("> jest\n{\"a\": 1}\n1 failed in 0.41s", "> jest\n{\"a\": 1}\n1 failed in <duration>")
	is("want {a}, 1 failed in 0.41s", "want {a}, 1 failed in <duration>")
	is("error {\"took\": \"0.41s\"", "error {\"took\": \"<duration>\"")
	is("[0.41s] {\"failed\": 1}", "[<duration>] {\"failed\": 1}")
	// How long one waits is told so by what is thrown until there is something, too.
	for _, waited := range []string{
		"not ready: waited 3.41s", "Waiting for job 7 (3.41s)", "job 7 is not finished after 3.41s", "still running, 3.41s", "Pending: 3.41s", "queued for 3.41s", "in progress for 3.41 s",
		"running for 3.41s", "Running, 3.41s", "running (3.41s)", "the job is running: 3.41s", "not done in 3.41s", "not complete, 3.41s", "no result: not yet, 3.41s",
		"no result yet, 3.41s", "status=PENDING 3.41s", "QUEUED for 3.41s", "job 7 is RUNNING (3.41s)", "in_progress: 3.41s", "IN_PROGRESS: 3.41s", "provisioning, 3.41s",
		"❌ still running (3.41s)", "FAILED_PRECONDITION: not ready after 3.41s", "Failed to ask: still running after 3.41s", "ok still running, 3.41s", "Time elapsed: 3.41s",
	} {
		same("Error: " + waited)
		same(waited + "\n Please fix your mistakes. Error")
		same(`{"error":"` + waited + `"}`)
		same(`{"error":true,"message":"` + waited + `","stack":"Error: ` + waited + `"}`)
	}
	same("status: running\nstep 2 of 5, 0 errors\nelapsed: 3.41s")
	same("Error: job 7\nUptime: 3.41s")
	is("Error running job 7: no answer in 3.41s", "Error running job 7: no answer in <duration>")
	is("error sending request, 3.41s", "error sending request, <duration>")
	is("1 pending\n1 failing (3.41s)", "1 pending\n1 failing")
	is(`{"stdout":"still \n1 failed in 3.41s","exitCode":1}`, `{"stdout":"still \n1 failed in <duration>","exitCode":1}`)
	same("still running, 40s")
	same("[40s elapsed]")
	same("Up 35 seconds")
	same("web-1   1/1   Running   0   3m12s")
	same("expires in 3 hours, in 2.5 days or in 5 min")
	same("2 errors, next run ready in 30 seconds, retry in 5s")
	same("* build in 45s\n  X lint failed")
	same("64 bytes from 10.0.0.1: time=0.345 ms") // no test: it is what was asked for
	same("Processed 100 records of passengers in 1.2 s")
	same("[+] Building 12.3s (5/10)")
	same("version 1.2.3s of 12 files in 3 steps")
	is("2026-11-25T20:46:06.123Z ERROR no answer in 0.5s", "2026-11-25T20:46:06.123Z ERROR no answer in <duration>") // of a log that goes on
	same("seed 12345, (node:4711)")                                                                                  // nothing was measured
	same("1 failed in 0.41s" + strings.Repeat(" and more", stopwatchEnd))
	same(`{"state": "running", "errors": 0, "tool_result": "none", "up": "0.41s"}`)

	// Hostile texts take no time that grows faster than they.
	hostile(t, func(size int) {
		for _, part := range []string{"1ms ", "1ms", "1", "1.", "in 1s ", "seed 1", "0:00:0", "1 1", "\x1b[1", "\x1b[1m1s", "0x1", "A1234567/0", " ... ok", "\ntest a ... ok", "{", "{}", "{\"", "{1ms}", "still 1ms ", "\nFAIL pending 1ms", "{still 1ms "} {
			cleaned(verbatim(strings.Repeat(part, size)+" failed in 1ms"), false)
		}
	})
}
