package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window"
)

// TestKinds gives each kind a log of its own, and the nearest log that is of
// another kind.
func TestKinds(t *testing.T) {
	if raced {
		t.Skip("tunes a log for each kind")
	}
	t.Parallel()
	// log makes n requests, each from a line that is given its number, at
	// uneven pauses.
	log := func(n int, line func(i int) string) string {
		var b strings.Builder
		at := 1700000000.0
		for i := range n {
			at += 1 + float64(i*i%7)/3
			fmt.Fprintf(&b, `{"time":%.3f,"id":"r%d",%s}`+"\n", at, i, line(i))
		}
		return b.String()
	}
	request := `"session":"s","caller":"k","model":"m","path":"/v1/chat/completions","method":"POST","messages":[{"role":"user","content":"hi"}]`
	f := func(name, lines, rule string, want window.Kind, evidence string) {
		t.Helper()
		d := tuneDocument(t, lines)
		for _, k := range d.Repeats {
			if k.Rule == rule {
				if k.Kind != want || !strings.Contains(k.Evidence, evidence) {
					t.Errorf("%s: %s by %s, because %s; want %s, %s", name, k.Kind, rule, k.Evidence, want, evidence)
				}
				return
			}
		}
		t.Errorf("%s: no repeat by %s", name, rule)
	}

	f("the same request, answered", log(8, func(int) string { return request + `,"status":200` }),
		"last-messages", window.Stuck, "8 times")
	f("too few", log(3, func(int) string { return request + `,"status":200` }),
		"last-messages", window.Unknown, "only 3 times")
	f("nobody knows how it went", log(8, func(int) string { return request }),
		"last-messages", window.Unknown, "does not show how it went")
	f("no status, but an answer of so many tokens", log(8, func(int) string { return request + `,"tokens_out":7` }),
		"last-messages", window.Stuck, "answered each time")
	f("no status, but calls in answer", log(8, func(int) string { return request + `,"tool_calls":[{"name":"f","arguments":"{}"}]` }),
		"last-messages", window.Stuck, "the same call in answer")
	f("no status, and no token in answer", log(8, func(int) string { return request + `,"tokens_out":0` }),
		"last-messages", window.Unknown, "does not show how it went")
	f("an answer to one of many", log(8, func(i int) string { return request + []string{"", `,"tokens_out":7`}[i/7] }),
		"last-messages", window.Unknown, "an answer to 1 of 7")
	f("answered mostly", log(8, func(i int) string { return request + fmt.Sprintf(`,"status":%d`, []int{200, 200, 503}[i%3]) }),
		"last-messages", window.Stuck, "answered 5 of 7")
	f("errors of one's own", log(8, func(i int) string { return request + fmt.Sprintf(`,"status":%d`, []int{400, 400, 500}[i%3]) }),
		"last-messages", window.Retry, "7 of 7")
	f("errors of one's own among other requests", log(8, func(i int) string {
		return strings.ReplaceAll(request, "hi", fmt.Sprint("hi ", i)) + fmt.Sprintf(`,"has_tools":true,"status":%d`, []int{400, 200}[i%2])
	}), "zelyx", window.Unknown, "the requests differ")
	f("errors that others have too", log(16, func(i int) string {
		return strings.ReplaceAll(request, `"k"`, fmt.Sprintf(`"k%d"`, i%2)) + `,"status":503`
	}), "aisg", window.Outage, "other callers had the same")
	f("one token", log(8, func(int) string { return request + `,"status":200,"max_tokens":1` }),
		"aisg", window.Probe, "one token")
	f("a health check", log(8, func(int) string {
		return strings.ReplaceAll(request, "/v1/chat/completions", "/health") + `,"status":200`
	}),
		"last-messages", window.Probe, "health check")
	f("reading", log(8, func(int) string { return `"caller":"k","method":"GET","path":"/v1/models","status":200` }),
		"fairvisor", window.Polling, "GET")
	f("one prompt in many sessions", log(8, func(i int) string {
		return strings.ReplaceAll(request, `"s"`, fmt.Sprintf(`"s%d"`, i)) + `,"status":200`
	}),
		"same-messages", window.Batch, "sessions")
	f("different requests under one fingerprint", log(8, func(i int) string { return strings.ReplaceAll(request, "hi", fmt.Sprint("hi ", i)) + `,"status":200` }),
		"zelyx", window.Unknown, "the requests differ")
	// A rule over the path alone cannot know that requests are equal.
	paths := filepath.Join(t.TempDir(), "paths.yaml")
	if err := os.WriteFile(paths, []byte("version: 1\nrules: [{name: paths, identity: [method, path], scope: [caller], counter: {kind: sliding, window: 1m}, threshold: 6, action: warn}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, k := range tuneDocument(t, log(8, func(int) string { return `"caller":"k","method":"POST","path":"/v1/chat/completions","status":200` }), "--policy", paths).Repeats {
		if k.Kind != window.Unknown {
			t.Errorf("by the path alone: %s, because %s", k.Kind, k.Evidence)
		}
	}

	f("others between", log(8, func(i int) string {
		return strings.ReplaceAll(request, "hi", []string{"a", fmt.Sprint("b", i)}[i%2]) + `,"status":200`
	}), "last-messages", window.Unknown, "others between")

	step := func(result string) string {
		return `"session":"s","caller":"k","model":"m","status":200,"tool_calls":[{"name":"ls","arguments":"{}"}],"messages":[{"role":"user","content":"go"},` +
			`{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"` + result + `"}]`
	}
	f("the same call, the same result", log(8, func(int) string { return step("empty") }),
		"tool-call-result", window.Stuck, "same result")
	f("the same call, seen by its name and arguments", log(8, func(int) string { return step("empty") }),
		"tool-call", window.Stuck, "same result each time")
	f("the same call, another result", log(8, func(i int) string { return step(fmt.Sprint("line ", i)) }),
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
	f("another call beside the first", log(8, func(i int) string { return beside(i, "empty") }),
		"tool-call", window.Stuck, "the same call 8 times in a row, and the same result each time")
	f("another call beside one whose results change", log(8, func(i int) string { return beside(0, fmt.Sprint("line ", i)) }),
		"tool-call", window.Polling, "6 of 6 are not as the one before")
	f("results that changed at first", log(15, func(i int) string { return step(fmt.Sprint("line ", min(i, 3))) }),
		"tool-call", window.Stuck, "the same call 15 times in a row, and the same result 12 times in a row")
	f("results that change now and then", log(15, func(i int) string { return step(fmt.Sprint("line ", i/3)) }),
		"tool-call", window.Polling, "the results change: 4 of 13 are not as the one before")
	f("a result that changed once", log(5, func(i int) string { return step(fmt.Sprint("line ", i/3)) }),
		"tool-call", window.Unknown, "the result changed once")
	minutely := ""
	for i := range 40 {
		minutely += fmt.Sprintf(`{"time":%d.5,"id":"r%d",%s}`+"\n", 1700000000+60*i, i, step(fmt.Sprint("line ", i/9)))
	}
	f("results that change seldom, looked up by a clock", minutely, "tool-call", window.Polling, "the results change")

	// What comes long before or after a burst does not water it down, nor do
	// other requests where the rule cannot tell them apart.
	calm := func(i int) string {
		return strings.ReplaceAll(request, "hi", fmt.Sprint("hi ", i)) + `,"has_tools":true,"status":200`
	}
	amid := log(70, func(i int) string {
		if i < 20 || i >= 50 {
			return calm(i)
		}
		return request + `,"has_tools":true,"status":200`
	})
	f("a loop amid other requests", amid, "zelyx", window.Stuck, "the same request 30 times")
	again := ""
	for i := range 40 {
		at, status := 1700000000+float64(i)+float64(i*i%7)/10, 400
		if i >= 12 {
			at, status = at+2400, 200
		}
		again += fmt.Sprintf(`{"time":%.3f,"id":"r%d",%s,"status":%d}`+"\n", at, i, request, status)
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

	// To AISG the steps of an agent are empty texts in Anthropic's words: the bug
	// was that every healthy agent was stuck to it, and that was advised.
	round := func(i int) string {
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"ls","input":{"page":%d}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"line %d"}]}`, i, i, i, i)
	}
	steps := log(9, func(i int) string {
		return `"session":"s","caller":"k","model":"m","status":200,"messages":[{"role":"user","content":"go"},` + round(i) + "," + round(i+1) + `]`
	})
	f("a healthy agent in Anthropic's words", steps, "aisg", window.Unknown, "the requests differ: 8 different among 8")
	f("one prompt in more sessions than are told apart", log(60, func(i int) string {
		return fmt.Sprintf(`"session":"s%d","caller":"k","model":"m","messages":[{"role":"user","content":"hi"}],"status":200`, i)
	}), "aisg", window.Batch, "32 or more sessions among 59 requests")
	for _, a := range tuneDocument(t, steps).Advice {
		if a.Loops > 0 {
			t.Errorf("a healthy agent in Anthropic's words: %d loops by %s", a.Loops, a.Rule)
		}
	}

	// What is known of few requests says nothing of the others.
	f("hardly any has messages", log(30, func(i int) string {
		if i%3 == 0 {
			return request + `,"has_tools":true,"status":200`
		}
		return `"session":"s","caller":"k","model":"m","has_tools":true,"status":200`
	}), "zelyx", window.Unknown, "does not show whether the requests were equal")

	// A rule's identity counts by what it sees, whatever it is called. What
	// comes of a call is looked up without the masks of the rule.
	by := func(identity, lines string, want window.Kind, evidence string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "own.yaml")
		text := "version: 1\nrules: [{name: own, " + identity + ", scope: [session], counter: {kind: streak, window: 10m}, threshold: 4, action: warn}]\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
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
	same := log(8, func(int) string { return step("empty") })
	changing := log(8, func(i int) string { return step(fmt.Sprint("line ", i)) })
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
	by("identity: [model, path]", strings.ReplaceAll(same, `"model":"m"`, `"model":"m","path":"/v1"`), window.Stuck, "the same")

	// Two lines for each request, at its very time; the ids differ.
	twice := ""
	for i := range 40 {
		line := fmt.Sprintf(`"session":"s%d","caller":"k","model":"m","status":200,"messages":[{"role":"user","content":"%d"}]}`+"\n", i, i)
		twice += fmt.Sprintf(`{"time":%d.%03d,"id":"a%d",`, 1700000000+10*i, i, i) + line
		if i%20 == 0 {
			twice += fmt.Sprintf(`{"time":%d.%03d,"id":"b%d",`, 1700000000+10*i, i, i) + line
		}
	}
	f("written twice", twice, "last-messages", window.DuplicateLogging, "at the very time")

	// A clock: the same pause each time.
	clock := ""
	for i := range 20 {
		clock += fmt.Sprintf(`{"time":%d.5,"id":"r%d",%s,"status":200}`+"\n", 1700000000+30*i, i, request)
	}
	f("a clock", clock, "last-messages", window.Polling, "every 30 s")

	// Whole seconds make any pace of a second look like a clock's.
	pace := func(seconds int) (lines string) {
		for i := range 12 {
			lines += fmt.Sprintf(`{"time":%d,"id":"r%d",%s,"status":200}`+"\n", 1700000000+seconds*i, i, request)
		}
		return lines
	}
	f("whole seconds, one apart", pace(1), "last-messages", window.Stuck, "answered each time")
	f("whole seconds, ten apart", pace(10), "last-messages", window.Polling, "every 10 s")
}

func tuneDocument(t *testing.T, lines string, flags ...string) tune.Document {
	t.Helper()
	var d tune.Document
	unmarshal(t, loopgauge(t, lines, append([]string{"tune", "--json", "--format", "loopgauge", "-"}, flags...)...), &d)
	return d
}
