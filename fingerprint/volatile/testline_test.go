package volatile

import (
	"regexp"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// TestTitles: what titles of tests say of waiting is none, as Jest, Vitest, Mocha, Node,
// Cypress, Go, Bun, TAP, GoogleTest, XCTest, ExUnit, Pest, .NET, Minitest, CTest, Deno,
// Bazel, ScalaTest, Gradle, Maven and Ant write them.
func TestTitles(t *testing.T) {
	ascii := strings.NewReplacer("✕", `\u2715`, "×", `\u00d7`, "❯", `\u276f`) // as Python writes them
	seconds := regexp.MustCompile(`[0-9.]+( ?(ms|s|sec|seconds|milliseconds)\b)`)
	said := func(text string) string { return cleaned(verbatim(text), false) }
	for _, line := range []string{
		"  ✕ pending (3 ms)", "  × is running 3ms", " ❯ src/pending.test.ts (2 tests) 3ms", "✔ waiting (3ms)", "▶ queued (3ms)", "│ ✖  pending.cy.js  3ms", "│ ✔  pending.cy.js  3ms", "✖ pending (3ms)", "PASS src/pending.test.js (3.41 s)", "(pass) is running [3.41ms]", "\x1b[31m✘\x1b[0m still waiting (3ms)", "✓ pending (3ms)", "√ pending (3ms)", "✗ pending (3ms)",
		"FAIL src/pending.test.js (3.41 s)", "--- FAIL: TestPending (0.02s)", "=== FAIL: a TestPending (0.02s)", "FAIL\texample.com/pending\t0.01s", "ok  \texample.com/pending\t0.01s",
		"(fail) is running [3.41ms]", "not ok 1 pending in 3ms", "ok 2 pending in 3ms", "[  FAILED  ] A.Pending (3 ms)", "[       OK ] A.Pending (3 ms)", "Test Case 'A.testPending' failed (0.01 seconds)",
		"  * test still waiting (3.4ms) [L#3]", "  ⨯ it is pending   0.02s", "  Failed A.ShowsPending [3 ms]", "  Passed A.ShowsPending [3 ms]", "A#test_pending = 0.02 s = F",
		"1/2 Test #1: pending ....***Failed    0.02 sec", "2/2 Test #2: pending ....   Passed    0.02 sec", "pending ... FAILED (3ms)", "pending ... ok (3ms)", "//a:pending_test    FAILED in 3.4s", "//a:pending_test   PASSED in 3.4s",
		"- is pending *** FAILED *** (3 milliseconds)", "Test is pending FAILED (3.4s)", "[ERROR] Tests run: 1, Failures: 1, Time elapsed: 0.041 s <<< FAILURE! -- in A", "[INFO] Tests run: 1, Failures: 0, Time elapsed: 0.041 s -- in A",
		"[ERROR] a.PendingTest.a -- Time elapsed: 0.041 s <<< FAILURE!", "[ERROR] a(a.A)  Time elapsed: 0.041 sec  <<< ERROR!",
		"  ✘  1 [chromium] › tests/of/the/orders.spec.ts:12:5 › page of the orders › shows pending orders of a customer (3.4s)",
	} {
		again := seconds.ReplaceAllString(line, "7.65$1")
		if a, b := said(line+"\n1 failed"), said(again+"\n1 failed"); a != b || line == again {
			t.Errorf("its time stays: %s", a)
		}
		a, b := string(rawjson.AppendString(nil, []byte(line+"\n1 failed"))), string(rawjson.AppendString(nil, []byte(again+"\n1 failed")))
		a, b = `{"stdout":`+a+`,"exitCode":1}`, `{"stdout":`+b+`,"exitCode":1}`
		if said(a) != said(b) {
			t.Errorf("its time stays in JSON: %s", a)
		}
		if a, b = ascii.Replace(a), ascii.Replace(b); said(a) != said(b) {
			t.Errorf("its time stays in JSON: %s", a)
		}
	}
}
