package volatile

import (
	"strings"
	"testing"
)

// TestFrames: what an agent puts around a text is no part of it, however the text
// is written in the log.
func TestFrames(t *testing.T) {
	is := func(text, want string) { t.Helper(); wantCleaned(t, strings.TrimSpace(text), want) }
	same := func(text string) { t.Helper(); is(text, strings.TrimSpace(text)) }

	const reminder = "<system-reminder>\nuse the task tools\n</system-reminder>"
	is("a.txt\n\n"+reminder, "a.txt")
	is(reminder+"\n"+reminder+"\na.txt", "a.txt")
	is("a.txt\n"+reminder+"\n"+reminder+"\n", "a.txt")
	same(reminder)
	is("go on\n\n<environment_details>\n# Current Time\n4/11/2025, 12:40:29 AM\n</environment_details>", "go on")
	same("a " + reminder + " b")
	same("<system-reminder>\nno end")
	same("no begin\n</system-reminder>")
	same("<b>a.txt</b>")

	is("Chunk ID: aff629\nWall time: 0.0000 seconds\nProcess exited with code 1\nOriginal token count: 14\nOutput:\nno\n", "Process exited with code 1\nOutput:\nno")
	is("Exit code: 0\nWall time: 1.5 seconds\nTotal output lines: 2\nOutput:\na\nWall time: 2", "Exit code: 0\nTotal output lines: 2\nOutput:\na\nWall time: 2")
	is("Wall time: 1.5 seconds\nOutput:\n", "Output:")
	is(`{"output":"no\n","metadata":{"exit_code":1,"duration_seconds":0.3}}`, `{"output":"no\n","metadata":{"exit_code":1`)
	same(`{"output":"no","metadata":{"exit_code":1}}`)
	same(`{"result":"no","metadata":{"duration_seconds":0.3}}`)
	same(`{"output":"no","metadata":{"duration_seconds":"0.3"}}`)
	is("\"no\\n\\n\\n[loop-guard] Limited progress in 4 tool calls. Consider changing approach.\"", "\"no\\n\"") // PraisonAI
	is(`{"exit_code": 0, "stdout": "no", "_loop_guard": {"message": "Limited progress in 4 tool calls. Consider changing approach.", "action": "warn"}}`, `{"exit_code": 0, "stdout": "no"}`)
	const warning = "[Tool loop warning: repeated_exact_failure_warning; count=3; terminal has failed 3 times with identical arguments.]" // Hermes Agent
	is("no\n\n"+warning, "no")
	is(`{"exit_code": 2}`+"\n\n[Tool loop hard stop: same_tool_failure_halt; count=8; Stopped terminal.]", `{"exit_code": 2}`)
	same("no\n" + warning)
	same("no\n\n" + warning + "\n2")
	same("no\n\n[Tool loop warning: a]")
	same("no\n\n[Tool loop warning: a; count=3;\nb]")
	same("no\n\n[Tool loop warning: a; count=3; " + strings.Repeat("b", longestWarning) + "]")
	same("\"no\\n\\n[loop-guard] a\\nb\"")
	same("no\\n\\n[loop-guard] a\"")
	same("\"no\\n\\n[loop-guard] a" + strings.Repeat("b", longestGuard) + "\"")
	same("\"no [loop-guard] a\"")
	same(`{"a": 1, "_loop_guard": {"message": "b"}, "c": {"d": "e"}}`)
	same(`{"a": 1, "_loop_guard": {"message": "b", "action": "c"}, "d": {"e": "f"}}`)
	same("Exit code: 1\nOutput:\nno")
	same("Exit code: 1\ncat: a: No such file or directory")
	same("Chunk ID: 1\nWall time: 2")
	same("Wall time: 1 s\n" + strings.Repeat("a\n", 9) + "Output:\n")
	same("Output:\nChunk ID: 1")

	packed := func(message string) string {
		return "{\n  \"status\": \"OK\",\n  \"message\": " + message + ",\n  \"time\": \"2026-11-30 03:59:49 AM UTC+0000\"\n}"
	}
	is(packed(`"a.txt\nb \"c\""`), "a.txt\nb \"c\"") // Letta
	is(packed(`"F\n1 failed in 0.41s"`), "F\n1 failed in <duration>")
	is(packed("{\n    \"state\": \"running, 0 failed\",\n    \"elapsed\": \"0.41s\"\n  }"), "{\n    \"state\": \"running, 0 failed\",\n    \"elapsed\": \"0.41s\"\n  }")
	is(packed("null"), "null")
	is(packed(`""`), `""`)
	is(packed(`" \n"`), `" \n"`)
	is(strings.Replace(packed(`"no"`), "OK", "Failed", 1), "no")
	is(strings.Replace(packed(`"a"`), " AM UTC+0000", " PST-0800", 1), "a")
	same(strings.Replace(packed(`"a"`), "OK", "queued", 1)) // a tool's own: it goes on
	same(strings.Replace(packed(`"a"`), " AM UTC+0000", "", 1))
	same(strings.Replace(packed(`"a"`), " 03:59:49 AM UTC+0000", "", 1))
	same(strings.Replace(packed(`"a"`), "time", "date", 1))
	same(strings.Replace(packed(`"a"`), "2026-11-30 ", "", 1))
	same(strings.Replace(packed(`"a"`), "\n}", ",\n  \"a\": 1\n}", 1))
	same(strings.TrimSuffix(packed(`"a"`), "}"))
	same("{\n  \"status\": \"OK\",\n  \"time\": \"2026-11-30\"\n}")
	same(`{"status": "OK", "message": "a", "time": "2026-11-30 03:59:49"}`)

	const extras = "[EXTRAS]\n{\n  \"current_datetime\": \"10:00:00\"\n}" // Agent Zero
	is("{\"tool_result\": \"a\"}\n"+extras, "{\"tool_result\": \"a\"}")
	same(extras)
	same(extras + "\na")
	same("a " + extras)
	same("a\n[EXTRAS] {}")
	same("a\n[EXTRAS]\n{\"question\": \"b\"}")
	same("a\n[EXTRAS]\n{\"current_datetime\": 1}\nb {c}")
	same("a\n[EXTRAS]\n{")

	is("Action: a\nObservation: no\n\n\n\n\nYou ONLY have access to the following tools, and should NEVER make up tools that are not listed here:\n\n```\nThought: a\n```", "Action: a\nObservation: no") // CrewAI
	same("You are a tester.\nYou ONLY have access to the following tools, and should NEVER make up tools that are not listed here:\n\n```\nThought: a\n```")
	is("no\n<shellId: 12 completed with exit code 1>", "no\n<completed with exit code 1>")
	is("<shellId: 0 completed with exit code 0>\n", "<completed with exit code 0>")
	same("no\n<shellId: 12 completed with exit code 1> no")
	same("no\n<shellId: completed with exit code 1>")
	same("no\n<shellId: 12>")

	is("Command: ls\nOutput: a\nSignal: 0\nProcess Group PGID: 26850", "Command: ls\nOutput: a\nSignal: 0")
	is("Output: a\nBackground PIDs: 1, 2\nProcess Group PGID: 26850", "Output: a")
	is("<untrusted_context>\nOutput: a\nProcess Group PGID: 26850\n</untrusted_context>", "<untrusted_context>\nOutput: a\n</untrusted_context>")
	same("<untrusted_context>\nOutput: a\n</untrusted_context>")
	same("Process Group PGID: 26850")
	same(`C:\nProcess Group PGID: 1`)
	same("the Process Group PGID: 1")
	same("12% done")

	is("Chunk ID: 1\nWall time: 2 seconds\nOutput:\n", "Output:")
	same("Chunk ID: 1\nWall time: 2 seconds\nProcess running with session ID 7\nOutput:\n")
	same("a\n<environment_details>\n# Actively Running Terminals\n## New Output\n3 passed\n</environment_details>")

	// Hostile texts take no time that grows faster than they.
	hostile(t, func(size int) {
		for _, part := range []string{"<system-reminder>", "</system-reminder>", "<system-reminder></system-reminder>", "Chunk ID: \n", "\nProcess Group PGID: 1", "</environment_details></system-reminder>", "\n[EXTRAS]\n{\"current_datetime\":1}", "\n\n[Tool loop ; count=3]"} {
			text := "<system-reminder>" + strings.Repeat(part, size) + "</system-reminder>"
			cleaned(verbatim(text), false)
			cleaned(verbatim(strings.Repeat(part, size)+"\nProcess Group PGID: 1"), false)
			cleaned(verbatim(strings.Repeat(part, size)+"\n[EXTRAS]\n{\"current_datetime\":1}"), false)
		}
		guards := `{"a":1` + strings.Repeat(`, "_loop_guard": {"message": "b", "action": "c"}`, size) + "}"
		cleaned(verbatim(guards), false)
		// What is sought in vain at one end, with frames at the other.
		details := strings.Repeat("<environment_details></environment_details>", size)
		for _, text := range []string{details + "</system-reminder>", "<system-reminder>" + details, "Exit code: " + details} {
			cleaned(verbatim(text), false)
		}
	})
}
