package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window"
)

// question is a request, but for its time, id and outcome.
const question = `"session":"s","caller":"k","model":"m","path":"/v1/chat/completions","method":"POST","messages":[{"role":"user","content":"hi"}]`

// asking is a question of another text.
func asking(i int) string { return strings.ReplaceAll(question, "hi", fmt.Sprint("hi ", i)) }

// step is a request that answers a call with its result, and is answered with
// the same call.
func step(result string) string {
	return `"session":"s","caller":"k","model":"m","status":200,"tool_calls":[{"name":"ls","arguments":"{}"}],"messages":[{"role":"user","content":"go"},` +
		`{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"` + result + `"}]`
}

// unevenly makes n requests, each from a line that is given its number, at
// uneven pauses.
func unevenly(n int, line func(i int) string) string {
	var b strings.Builder
	at := 1700000000.0
	for i := range n {
		at += 1 + float64(i*i%7)/3
		fmt.Fprintf(&b, `{"time":%.3f,"id":"r%d",%s}`+"\n", at, i, line(i))
	}
	return b.String()
}

// every makes n requests so many seconds apart, so far behind a whole one.
func every(seconds int, behind string, n int, line func(i int) string) (lines string) {
	for i := range n {
		lines += fmt.Sprintf(`{"time":%d%s,"id":"r%d",%s}`+"\n", 1700000000+seconds*i, behind, i, line(i))
	}
	return lines
}

// tunesKinds begins a test that tunes a log for each kind.
func tunesKinds(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("tunes a log for each kind")
	}
	t.Parallel()
}

// kindOf holds the kind of the first repeat that a rule has in a log, and a
// part of its evidence.
func kindOf(t *testing.T, name, lines, rule string, want window.Kind, evidence string) {
	t.Helper()
	for _, k := range tuneDocument(t, lines).Repeats {
		if k.Rule == rule {
			if k.Kind != want || !strings.Contains(k.Evidence, evidence) {
				t.Errorf("%s: %s by %s, because %s; want %s, %s", name, k.Kind, rule, k.Evidence, want, evidence)
			}
			return
		}
	}
	t.Errorf("%s: no repeat by %s", name, rule)
}

// TestKinds gives each kind a log of its own, and the nearest log that is of
// another kind.
func TestKinds(t *testing.T) {
	tunesKinds(t)
	kindOf(t, "the same request, answered", unevenly(8, func(int) string { return question + `,"status":200` }),
		"last-messages", window.Stuck, "8 times")
	kindOf(t, "too few", unevenly(3, func(int) string { return question + `,"status":200` }),
		"last-messages", window.Unknown, "only 3 times")
	kindOf(t, "nobody knows how it went", unevenly(8, func(int) string { return question }),
		"last-messages", window.Unknown, "does not show how it went")
	kindOf(t, "no status, but an answer of so many tokens", unevenly(8, func(int) string { return question + `,"tokens_out":7` }),
		"last-messages", window.Stuck, "answered each time")
	kindOf(t, "no status, but calls in answer", unevenly(8, func(int) string { return question + `,"tool_calls":[{"name":"f","arguments":"{}"}]` }),
		"last-messages", window.Stuck, "the same call in answer")
	kindOf(t, "no status, but an answer without calls", unevenly(8, func(int) string { return question + `,"tool_calls":[]` }),
		"last-messages", window.Stuck, "answered each time")
	kindOf(t, "no status, but an error for an answer", unevenly(8, func(int) string { return question + `,"tool_calls":[],"error":"timeout"` }),
		"last-messages", window.Unknown, "does not show how it went")
	kindOf(t, "no status, and no token in answer", unevenly(8, func(int) string { return question + `,"tokens_out":0` }),
		"last-messages", window.Unknown, "does not show how it went")
	kindOf(t, "an answer to one of many", unevenly(8, func(i int) string { return question + []string{"", `,"tokens_out":7`}[i/7] }),
		"last-messages", window.Unknown, "an answer to 1 of 7")
	kindOf(t, "answered mostly", unevenly(8, func(i int) string { return question + fmt.Sprintf(`,"status":%d`, []int{200, 200, 503}[i%3]) }),
		"last-messages", window.Stuck, "answered 5 of 7")
	kindOf(t, "errors of one's own", unevenly(8, func(i int) string { return question + fmt.Sprintf(`,"status":%d`, []int{400, 400, 500}[i%3]) }),
		"last-messages", window.Retry, "7 of 7")
	kindOf(t, "errors of one's own among other requests", unevenly(8, func(i int) string {
		return asking(i) + fmt.Sprintf(`,"has_tools":true,"status":%d`, []int{400, 200}[i%2])
	}), "zelyx", window.Unknown, "the requests differ")
	kindOf(t, "errors of a client that looks for what there is", unevenly(8, func(i int) string {
		return fmt.Sprintf(`"caller":"k","session":"s","model":"m","has_tools":true,"method":"POST","path":"/%d","status":404`, i)
	}), "zelyx", window.Unknown, "not all for one path")
	kindOf(t, "errors of one path, of which nothing else is known", unevenly(8, func(int) string {
		return `"caller":"k","session":"s","model":"m","has_tools":true,"method":"POST","path":"/a","status":404`
	}), "zelyx", window.Retry, "7 of 7")
	kindOf(t, "errors of one path, of nobody knows whom", unevenly(8, func(int) string {
		return `"caller":"10.0.0.1","method":"POST","path":"/a","status":503`
	}), "fairvisor", window.Unknown, "neither whose they are")
	kindOf(t, "errors of one path and one caller of two", unevenly(8, func(i int) string {
		return fmt.Sprintf(`"caller":%q,"method":"POST","path":"/a","status":%d`, []string{"10.0.0.1", "10.0.0.2"}[i/7], []int{503, 200}[i/7])
	}), "fairvisor", window.Retry, "6 of 7")
	kindOf(t, "errors that others have too", unevenly(16, func(i int) string {
		return strings.ReplaceAll(question, `"k"`, fmt.Sprintf(`"k%d"`, i%2)) + `,"status":503`
	}), "aisg", window.Outage, "other callers had the same")
	kindOf(t, "one token", unevenly(8, func(int) string { return question + `,"status":200,"max_tokens":1` }),
		"aisg", window.Probe, "one token")
	kindOf(t, "a health check", unevenly(8, func(int) string {
		return strings.ReplaceAll(question, "/v1/chat/completions", "/health") + `,"status":200`
	}),
		"last-messages", window.Probe, "health check")
	kindOf(t, "reading", unevenly(8, func(int) string { return `"caller":"k","method":"GET","path":"/v1/models","status":200` }),
		"fairvisor", window.Polling, "GET")
	kindOf(t, "one prompt in many sessions", unevenly(8, func(i int) string {
		return strings.ReplaceAll(question, `"s"`, fmt.Sprintf(`"s%d"`, i)) + `,"status":200`
	}),
		"same-messages", window.Batch, "sessions")
	kindOf(t, "different requests under one fingerprint", unevenly(8, func(i int) string { return asking(i) + `,"status":200` }),
		"zelyx", window.Unknown, "the requests differ")
	kindOf(t, "others between", unevenly(8, func(i int) string {
		return strings.ReplaceAll(question, "hi", []string{"a", fmt.Sprint("b", i)}[i%2]) + `,"status":200`
	}), "last-messages", window.Unknown, "others between")

	// What is known of few requests says nothing of the others.
	kindOf(t, "hardly any has messages", unevenly(30, func(i int) string {
		if i%3 == 0 {
			return question + `,"has_tools":true,"status":200`
		}
		return `"session":"s","caller":"k","model":"m","has_tools":true,"status":200`
	}), "zelyx", window.Unknown, "does not show whether the requests were equal")
}

// TestKindsOfErrors: an outage is what others have too, of the same class and in
// earnest.
func TestKindsOfErrors(t *testing.T) {
	tunesKinds(t)
	by := func(caller, session string, status int) string {
		return strings.NewReplacer(`"k"`, `"`+caller+`"`, `"s"`, `"`+session+`"`).Replace(question) + fmt.Sprintf(`,"status":%d`, status)
	}
	kindOf(t, "a 429 of another", unevenly(8, func(i int) string {
		if i%4 == 3 {
			return by("other", "o", 429)
		}
		return by("k", "s", 500)
	}), "last-messages", window.Retry, "no other callers had the same")
	kindOf(t, "one caller in two sessions", unevenly(24, func(i int) string {
		if i%3 == 2 {
			return by("other", fmt.Sprint("o", i), 200)
		}
		return by("k", fmt.Sprint("s", i%3), 429)
	}), "last-messages", window.Retry, "no other callers had the same")
	kindOf(t, "one caller in two sessions, and there is no other", unevenly(16, func(i int) string { return by("k", fmt.Sprint("s", i%2), 429) }),
		"last-messages", window.Outage, "other conversations had the same")
	for _, status := range []int{408, 429, 499, 503} {
		kindOf(t, fmt.Sprint("two callers on ", status), unevenly(16, func(i int) string { return by(fmt.Sprint("k", i%2), fmt.Sprint("s", i%2), status) }),
			"last-messages", window.Outage, "other callers had the same")
	}
}

// TestKindsOfCalls tells repeated calls apart by what came of them.
func TestKindsOfCalls(t *testing.T) {
	tunesKinds(t)
	kindOf(t, "the same call, the same result", unevenly(8, func(int) string { return step("empty") }),
		"tool-call-result", window.Stuck, "same result")
	kindOf(t, "the same call, seen by its name and arguments", unevenly(8, func(int) string { return step("empty") }),
		"tool-call", window.Stuck, "same result each time")
	kindOf(t, "the same call, another result", unevenly(8, func(i int) string { return step(fmt.Sprint("line ", i)) }),
		"tool-call", window.Polling, "the results change")

	// A result that changed before, or that stands beside that of another call,
	// makes no polling of what has come the same ever since.
	beside := func(i int, result string) string {
		if i > 1 {
			return step(result)
		}
		return strings.NewReplacer(`"function":{"name":"ls","arguments":"{}"}}]},`, `"function":{"name":"ls","arguments":"{}"}},{"id":"2","function":{"name":"cat","arguments":"{}"}}]},`,
			`"content":"`+result+`"}`, `"content":"`+result+`"},{"role":"tool","tool_call_id":"2","content":"text"}`).Replace(step(result))
	}
	kindOf(t, "another call beside the first", unevenly(8, func(i int) string { return beside(i, "empty") }),
		"tool-call", window.Stuck, "the same call 8 times in a row, and the same result each time")
	kindOf(t, "another call beside one whose results change", unevenly(8, func(i int) string { return beside(0, fmt.Sprint("line ", i)) }),
		"tool-call", window.Polling, "6 of 6 are not as the one before")
	kindOf(t, "results that changed at first", unevenly(15, func(i int) string { return step(fmt.Sprint("line ", min(i, 3))) }),
		"tool-call", window.Stuck, "the same call 15 times in a row, and the same result 12 times in a row")
	kindOf(t, "results that change now and then", unevenly(15, func(i int) string { return step(fmt.Sprint("line ", i/3)) }),
		"tool-call", window.Polling, "the results change: 4 of 13 are not as the one before")
	kindOf(t, "a result that changed once", unevenly(5, func(i int) string { return step(fmt.Sprint("line ", i/3)) }),
		"tool-call", window.Unknown, "the result changed once")
	kindOf(t, "results that change seldom, looked up by a clock", every(60, ".5", 40, func(i int) string { return step(fmt.Sprint("line ", i/9)) }),
		"tool-call", window.Polling, "the results change")
}

// TestKindsOfCallsBetween: where the log has responses, a call's result is in a
// later request than the call.
func TestKindsOfCallsBetween(t *testing.T) {
	tunesKinds(t)
	// steps issue one call after the other, each with the result of the one
	// before.
	type call struct{ tool, argument, result string }
	steps := func(n int, of func(i int) call) string {
		return unevenly(n, func(i int) string {
			now := of(i)
			line := fmt.Sprintf(`"session":"s","caller":"k","model":"m","status":200,"tool_calls":[{"name":%q,"arguments":"{\"a\":\"%s\"}"}],"messages":[{"role":"user","content":"go"}`, now.tool, now.argument)
			if i > 0 {
				before := of(i - 1)
				line += fmt.Sprintf(`,{"role":"assistant","tool_calls":[{"id":"1","function":{"name":%q,"arguments":"{\"a\":\"%s\"}"}}]},{"role":"tool","tool_call_id":"1","content":%q}`, before.tool, before.argument, before.result)
			}
			return line + "]"
		})
	}
	kindOf(t, "a status that changes, with a sleep between", steps(13, func(i int) call {
		return []call{{"status", "", fmt.Sprint(i, " %")}, {"sleep", "", "ok"}}[i%2]
	}), "tool-call", window.Polling, "4 of 4 are not as the one before")
	kindOf(t, "two calls in turn", steps(13, func(i int) call {
		return []call{{"status", "", "none"}, {"sleep", "", "ok"}}[i%2]
	}), "tool-call", window.Stuck, "in 6 rounds of 2, and the same result each time")
	kindOf(t, "tests with edits between", steps(13, func(i int) call {
		return []call{{"test", "", "failed"}, {"edit", fmt.Sprint(i), fmt.Sprint("edited ", i)}}[i%2]
	}), "tool-call", window.Unknown, "came 7 times with others between")
	kindOf(t, "tests with edits between, all by one tool", steps(13, func(i int) call {
		return []call{{"bash", "test", "failed"}, {"bash", fmt.Sprint("edit ", i), fmt.Sprint("edited ", i)}}[i%2]
	}), "tool-call", window.Unknown, "came 7 times with others between")
	kindOf(t, "one call of three, twice", steps(24, func(i int) call {
		return []call{{"status", "", "none"}, {"sleep", "", "ok"}, {"sleep", "", "ok"}}[i%3]
	}), "tool-call", window.Stuck, "rounds of 3, and the same result each time")

	// Two calls of one tool side by side, told apart by their places.
	kindOf(t, "a status that changes beside a call of the same tool", unevenly(8, func(i int) string {
		calls := func(form string) string {
			return fmt.Sprintf(form, 1, "bash", "status") + "," + fmt.Sprintf(form, 2, "bash", "pwd")
		}
		return `"session":"s","caller":"k","model":"m","status":200,"tool_calls":[` + calls(`{"id":"%d","name":"%s","arguments":"{\"a\":\"%s\"}"}`) +
			`],"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[` + calls(`{"id":"%d","function":{"name":"%s","arguments":"{\"a\":\"%s\"}"}}`) +
			fmt.Sprintf(`]},{"role":"tool","tool_call_id":"1","content":"%d"},{"role":"tool","tool_call_id":"2","content":"root"}]`, i)
	}), "tool-call", window.Polling, "the results change")

	// The user speaks after the result, so that it is no turn of the agent's.
	kindOf(t, "results with words behind them", unevenly(8, func(int) string {
		return strings.TrimSuffix(step("empty"), "]") + `,{"role":"user","content":"go on"}]`
	}), "tool-call", window.Unknown, "no request ends with a result of it")
	alone := unevenly(8, func(int) string {
		return `"session":"s","caller":"k","model":"m","status":200,"tool_calls":[{"name":"ls","arguments":"{}"}],"messages":[{"role":"tool","tool_call_id":"1","content":"empty"}]`
	})
	kindOf(t, "results without their calls", alone, "tool-call", window.Unknown, "does not show which results are of it")
	kindOf(t, "results without their calls", alone, "stuck-step", window.Stuck, "the same call with the same result")
	// Without responses it is not known what a request is answered.
	kindOf(t, "no response", unevenly(8, func(int) string {
		return strings.Replace(step("empty"), `"tool_calls":[{"name":"ls","arguments":"{}"}],"messages"`, `"messages"`, 1)
	}), "last-messages", window.Stuck, "answered each time")
}

// TestKindsOfPaces tells clocks and loggers by the pauses.
func TestKindsOfPaces(t *testing.T) {
	tunesKinds(t)
	// Two lines for each request, at its very time; the ids differ.
	twice := ""
	for i := range 40 {
		line := fmt.Sprintf(`"session":"s%d","caller":"k","model":"m","status":200,"messages":[{"role":"user","content":"%d"}]}`+"\n", i, i)
		twice += fmt.Sprintf(`{"time":%d.%03d,"id":"a%d",`, 1700000000+10*i, i, i) + line
		if i%20 == 0 {
			twice += fmt.Sprintf(`{"time":%d.%03d,"id":"b%d",`, 1700000000+10*i, i, i) + line
		}
	}
	kindOf(t, "written twice", twice, "last-messages", window.DuplicateLogging, "at the very time")

	// A clock: the same pause each time.
	kindOf(t, "a clock", every(30, ".5", 20, func(int) string { return question + `,"status":200` }),
		"last-messages", window.Polling, "every 30 s")

	// Whole seconds make any pace of a second look like a clock's.
	kindOf(t, "whole seconds, one apart", every(1, "", 12, func(int) string { return question + `,"status":200` }),
		"last-messages", window.Stuck, "answered each time")
	kindOf(t, "whole seconds, ten apart", every(10, "", 12, func(int) string { return question + `,"status":200` }),
		"last-messages", window.Polling, "every 10 s")
}

// TestKindsOfStretches: what comes long before or after a burst does not water
// it down, nor do other requests where the rule cannot tell them apart.
func TestKindsOfStretches(t *testing.T) {
	tunesKinds(t)
	calm := func(i int) string {
		return asking(i) + `,"has_tools":true,"status":200`
	}
	amid := unevenly(70, func(i int) string {
		if i < 20 || i >= 50 {
			return calm(i)
		}
		return question + `,"has_tools":true,"status":200`
	})
	kindOf(t, "a loop amid other requests", amid, "zelyx", window.Stuck, "the same last messages 30 times")
	// A rule for all sessions together sees those of others between.
	among := func(own int) string {
		return unevenly(60, func(i int) string {
			if i%5 > 0 {
				return fmt.Sprintf(`"session":"s%d","caller":"k%d","model":"m","messages":[{"role":"user","content":"%d"}],"status":200`, i%own, i%own, i)
			}
			return `"session":"s0","caller":"k0","model":"m","messages":[{"role":"user","content":"go"}],"status":200`
		})
	}
	kindOf(t, "a loop while others ask", among(5), "aisg", window.Stuck, "the same last messages 12 times")
	kindOf(t, "a question that comes between others of its session", among(1), "aisg", window.Unknown, "came 12 times with others between")
	again := ""
	for i := range 40 {
		at, status := 1700000000+float64(i)+float64(i*i%7)/10, 400
		if i >= 12 {
			at, status = at+2400, 200
		}
		again += fmt.Sprintf(`{"time":%.3f,"id":"r%d",%s,"status":%d}`+"\n", at, i, question, status)
	}
	stretches := func(rule, lines string, want ...string) {
		t.Helper()
		var got []string
		for _, k := range tuneDocument(t, lines).Repeats {
			if k.Rule == rule {
				got = append(got, fmt.Sprint(k.Requests, " ", k.Kind))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", rule, got, want)
		}
	}
	stretches("zelyx", amid, "30 stuck", "20 unknown", "20 unknown")
	stretches("last-messages", again, "28 stuck", "12 retry")
}

// TestKindsOfHealthyAgents: to AISG the steps of an agent are empty texts in
// Anthropic's words: the bug was that every healthy agent was stuck to it, and
// that was advised.
func TestKindsOfHealthyAgents(t *testing.T) {
	tunesKinds(t)
	round := func(i int) string {
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"ls","input":{"page":%d}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"line %d"}]}`, i, i, i, i)
	}
	steps := unevenly(9, func(i int) string {
		return `"session":"s","caller":"k","model":"m","status":200,"messages":[{"role":"user","content":"go"},` + round(i) + "," + round(i+1) + `]`
	})
	kindOf(t, "a healthy agent in Anthropic's words", steps, "aisg", window.Unknown, "the requests differ: 8 different among 8")
	kindOf(t, "one prompt in more sessions than are told apart", unevenly(60, func(i int) string {
		return fmt.Sprintf(`"session":"s%d","caller":"k","model":"m","messages":[{"role":"user","content":"hi"}],"status":200`, i)
	}), "aisg", window.Batch, "32 or more sessions or users among 59 requests")
	kindOf(t, "one prompt of many users, in a log without sessions", unevenly(9, func(i int) string {
		return fmt.Sprintf(`"user":"u%d","caller":"k","model":"m","messages":[{"role":"user","content":"hi"}],"status":200`, i)
	}), "aisg", window.Batch, "8 sessions or users among 8 requests")
	for _, a := range tuneDocument(t, steps).Advice {
		if a.Loops > 0 {
			t.Errorf("a healthy agent in Anthropic's words: %d loops by %s", a.Loops, a.Rule)
		}
	}
}

// TestKindsOfCallsInTexts: what frameworks for models without tools write into
// texts has a new id at each step: the bug was that nothing repeated.
func TestKindsOfCallsInTexts(t *testing.T) {
	tunesKinds(t)
	lines := unevenly(8, func(i int) string {
		return fmt.Sprintf(`"session":"s","caller":"k","model":"m","status":200,"tool_calls":[],"messages":[{"role":"user","content":"go"},`+
			`{"role":"assistant","content":"Calling tools:\n[{'id': 'call_%d', 'function': {'name': 'ls'}}]"},{"role":"user","content":"Observation: empty"}]`, i)
	})
	for _, rule := range []string{"last-messages", "same-messages"} {
		kindOf(t, "calls in texts", lines, rule, window.Stuck, "the same last messages 8 times, answered each time")
	}
}

// TestKindsByIdentity: a rule's identity counts by what it sees, whatever it is
// called. What comes of a call is looked up without the masks of the rule.
func TestKindsByIdentity(t *testing.T) {
	tunesKinds(t)
	by := func(identity, lines string, want window.Kind, evidence string) {
		t.Helper()
		file := policyFile(t, "version: 1\nrules: [{name: own, "+identity+", scope: [session], counter: {kind: streak, window: 10m}, threshold: 4, action: warn}]\n")
		some := false
		for _, k := range tuneDocument(t, lines, "--policy", file).Repeats {
			if some = true; k.Kind != want || !strings.Contains(k.Evidence, evidence) {
				t.Errorf("%s: %s, because %s; want %s, %s", identity, k.Kind, k.Evidence, want, evidence)
			}
		}
		if !some {
			t.Errorf("%s: no repeat", identity)
		}
	}
	same := unevenly(8, func(int) string { return step("empty") })
	changing := unevenly(8, func(i int) string { return step(fmt.Sprint("line ", i)) })
	by("identity: [tool_call]", same, window.Stuck, "same result each time")
	by("identity: [tool_call]", changing, window.Polling, "the results change")
	by("identity: [session, tool_call]", changing, window.Polling, "the results change")
	by("identity: [last_turn]", same, window.Stuck, "the same call with the same result, 8 times in a row")
	by("identity: [tool_call, last_turn, model]", same, window.Stuck, "the same call with the same result")
	by("identity: openrouter", changing, window.Polling, "the results change")
	by("identity: tool-call, mask: [numbers]", changing, window.Polling, "the results change")
	by("identity: tool-call, mask: [numbers]", same, window.Stuck, "each time, but for what is masked")
	by("identity: [last_turn], mask: [numbers]", changing, window.Stuck, "the same result, 8 times in a row, but for what is masked")
	by("identity: tool-call-result, mask: [numbers]", changing, window.Stuck, "but for what is masked")
	by("identity: [messages], mask: [numbers]", changing, window.Stuck, "but for what is masked")
	// The path alone cannot tell that requests are equal.
	by("identity: [method, path]", unevenly(8, func(int) string { return `"session":"s","method":"POST","path":"/v1/chat/completions","status":200` }), window.Unknown, "")
	by("identity: [model, path]", strings.ReplaceAll(same, `"model":"m"`, `"model":"m","path":"/v1"`), window.Stuck, "the same")
}

// TestKindsOfSubagents: agents of one session work side by side, and are no loop
// of each other's, however a rule's scope has them counted together.
func TestKindsOfSubagents(t *testing.T) {
	tunesKinds(t)
	log := func(agents int, result func(i, agent int) int) string {
		return unevenly(10*agents, func(i int) string {
			return fmt.Sprintf(`"agent":"a%d",`, i%agents) + step(fmt.Sprint(result(i, i%agents)))
		})
	}
	stuck := log(3, func(i, agent int) int { return i * min(agent, 1) })
	alike := log(5, func(i, agent int) int { return (i - agent) / 5 }) // healthy, and doing the same
	by := func(name, scope, lines string, want ...string) {
		t.Helper()
		file := policyFile(t, "version: 1\nrules: [{name: own, identity: tool-call-result, scope: "+scope+", counter: {kind: sliding, window: 10m}, threshold: 4, action: warn}]\n")
		var got []string
		for _, k := range tuneDocument(t, lines, "--policy", file).Repeats {
			got = append(got, fmt.Sprint(k.Requests, " ", k.Kind))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, in %s: %v, want %v", name, scope, got, want)
		}
	}
	for _, scope := range []string{"[conversation]", "[session]", "[caller]", "[]"} {
		by("a stuck one", scope, stuck, "10 stuck")
	}
	by("those that do alike", "[conversation]", alike)
	by("those that do alike", "[session]", alike, slices.Repeat([]string{"5 unknown"}, 10)...)
}

func tuneDocument(t *testing.T, lines string, flags ...string) tune.Document {
	t.Helper()
	var d tune.Document
	unmarshal(t, loopgauge(t, lines, append([]string{"tune", "--json", "--format", "loopgauge", "-"}, flags...)...), &d)
	return d
}
