package volatile

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBigrams: what is found has the bigram that tells of it.
func TestBigrams(t *testing.T) {
	pieces := []string{
		"", " ", "\n", "a", "Z", `"`, `\u001b[`, "\x1b[", "31m", "\x1b[31m", "REqUEST_ID: 6a1f93c0", "requestId=6a1f93c0", " trace ID: 6a1f93c0", "RayId=6a1f93c0", "trace_id=6a1f93c0", "correlation-id: 6a1f93c0", "<HostId>Txa2cbhz</",
		"<object at 0x7f3c2a1b>", "Cell In[7]", "_logs/2026-11-21T10_00_00_123Z-debug-0.log", `"timestamp":"2026-11-21T10:00:00Z"`, "date: 2026-11-21 10:00:00Z", "--2026-11-21 10:00:00--  http://a",
		"date: Wed, 25 Nov 2026 20:39:17 GMT", meterHead, "follow_up_questions", "follow_up_questions response_time: 0.98", `"response_time": 0.98`, `"took":5,"timed_out"`, "/tmp" + "/tmpspnz60vi", "/tmp" + "/ccpCePMG.o", "Full output saved to: /a", strings.Repeat("-", leastShortened), strings.Repeat("-", leastShortened) + "Full output saved to: /a.txt\n",
		"1", "12", "3.4s", "5ms", "6 ns", "6ns", "7us", "7 us", "8 milliseconds", "9 m", "duration_ms 82.03", "Time: ", "Elapsed ", "Exit code: ", "Exit Code: ", "Process exited with code ", "[Command failed with exit code ", "returncode", "```\n\nReturn code: ", `"exit_code": `, `{"stdout":"","exitCode":1}`,
	}
	found := map[int]bool{}
	check := func(t interface{ Fatalf(string, ...any) }, text []byte) {
		may := bigramsIn(text)
		for i := range nonces {
			if start, _ := nonces[i].next(text, 0); start >= 0 && may&(1<<i) == 0 {
				t.Fatalf("%q has what stands at %d, and not the bigram %q", text, start, nonces[i].bigram)
			} else if start >= 0 {
				found[i] = true
			}
		}
		if saysExited(text, isAny) && may&mayExit == 0 {
			t.Fatalf("%q says that a program exited, and has no bigram of that", text)
		}
		if mayTellTime(text) && may&mayTime == 0 {
			t.Fatalf("%q may tell a time, and has no bigram of one", text)
		}
	}
	for _, piece := range pieces {
		check(t, []byte(piece+"1"))
	}
	for i := range nonces {
		if !found[i] {
			t.Fatalf("no piece has what %q is the mark of", nonces[i].mark)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, "pieces"), "")))
	})
}
