package fingerprint

import (
	"fmt"
	"strings"
	"testing"
)

func TestLastExchange(t *testing.T) {
	id := mustNew(t, "last-exchange", Options{})
	f := func(messages, want string) {
		t.Helper()
		if want[0] == '[' {
			want = `[["last_exchange",` + want + `]]`
		}
		wantCanonicals(t, id, request(t, "messages", "["+messages+"]"), want)
	}
	said := func(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }
	form := func(role, text string) string { return `{"role":"` + role + `","text":"` + text + `"}` }
	q, a, o := said("user", "q"), said("assistant", "Action: ls"), said("user", "Observation: a.txt")
	want := "[" + form("assistant", "Action: ls") + "," + form("user", "Observation: a.txt") + "]"

	// What came before does not matter, if only the answer did.
	f(q+","+a+","+o+","+a+","+o, want)
	f(a+","+o+","+a+","+o, want)
	f(q+","+a+","+said("user", "Observation: b.txt")+","+a+","+o, want)
	f(q+","+a+","+o+","+a+","+o+","+said("user", "go on"), want[:len(want)-1]+","+form("user", "go on")+"]")
	f(q+","+a+","+o+","+a+","+said("system", "14:03")+","+o, want[:len(want)-len(form("user", "Observation: a.txt"))-1]+form("system", "14:03")+","+form("user", "Observation: a.txt")+"]")
	b := ""
	for i := range mostAnswers - 1 {
		b += said("assistant", fmt.Sprint("b", i)) + "," + o + ","
	}
	f(q+","+a+","+o+","+b+a+","+o, want)

	// A greeting, examples, what was said too long ago, and work in between.
	for _, messages := range []string{
		"", q, said("system", "s") + "," + q, q + "," + a + "," + o, a + "," + q,
		q + "," + said("assistant", "b") + "," + q + "," + a + "," + o,
		q + "," + a + "," + o + "," + b + said("assistant", "c") + "," + o + "," + a + "," + o,
		q + "," + a + "," + said("user", "go on") + "," + chatTurn[strings.Index(chatTurn, `{"role":"assistant"`):] + "," + a + "," + o,
		q + "," + a + `,{"role":"tool","tool_call_id":"a","content":"x"},` + a + "," + o, // of a call that is not there
		q + "," + said("assistant", "{") + "," + o + "," + said("assistant", "{"),        // the first words of an answer are none
	} {
		f(messages, notComputable(NoAnswer))
	}
	f(q+","+a+","+o+","+a+","+o+","+said("assistant", "{"), want[:len(want)-1]+","+form("assistant", "{")+"]")

	cut := said("assistant", "a (litellm_truncated 9 chars) b")
	f(cut+","+o+","+cut+","+o, notComputable(TruncatedContent))

	// A tool turn is none; what a client says behind it makes one of it.
	for messages, calls := range map[string]string{
		chatTurn:      `[{"calls":[{"arguments":{"a":2,"b":1},"name":"find"},{"arguments":{},"name":"read"}],"role":"assistant","text":"let me see"},{"role":"tool","text":"none"},{"role":"tool","text":"x y"},`,
		anthropicTurn: `[{"calls":[{"arguments":{"a":2,"b":1},"name":"find"},{"arguments":{},"name":"read"}],"role":"assistant","text":"let me see"},{"results":[{"text":"none"},{"text":"x y"}],"role":"user"},`,
		responsesTurn: `[{"role":"assistant","text":"let me see"},{"calls":[{"arguments":{"a":2,"b":1},"name":"find"}]},{"calls":[{"arguments":{},"name":"read"}]},{"results":[{"text":"none"}]},{"results":[{"text":"x y"}]},`,
	} {
		f(messages, notComputable(ToolTurn))
		f(messages+","+said("user", "and?"), notComputable(NoAnswer))
		f(messages+","+said("user", "and?")+","+messages+","+said("user", "and?"), calls+form("user", "and?")+"]")
	}
	f(`{"role":"tool","tool_call_id":"a","content":"x"}`, notComputable(LossyContent)) // of a call that is not there

	// So are these, unless the answer calls in its text.
	lost := said("assistant", "") + `,{"role":"tool","content":"ok"},` + said("user", "go on")
	f(q+","+lost+","+lost, notComputable(LossyContent))
	lost = said("assistant", "I look") + `,{"role":"user","content":[{"type":"tool_result","content":"ok"},{"type":"text","text":"go on"}]},` + said("user", "go on")
	f(q+","+lost+","+lost, notComputable(LossyContent))
	users := said("assistant", "I look") + "," + said("user", "I do") + `,{"role":"tool","content":"ok"},` + said("user", "done")
	f(q+","+users+","+users, "["+form("assistant", "I look")+","+form("user", "I do")+`,{"role":"tool","text":"ok"},`+form("user", "done")+"]")
	inText := said("assistant", "<tool_call>f</tool_call>") + `,{"role":"tool","content":"ok"},` + said("user", "go on")
	f(q+","+inText+","+inText, "["+form("assistant", "<tool_call>f</tool_call>")+`,{"role":"tool","text":"ok"},`+form("user", "go on")+"]")

	masked := mustNew(t, "last-exchange", Options{Mask: []string{"call_ids"}})
	calling := func(id string) string { return said("assistant", "Calling "+id) + "," + said("user", "got 7") }
	wantCanonicals(t, masked, request(t, "messages", "["+calling("call_1a")+","+calling("call_2b")+"]"), `[["last_exchange",[`+form("assistant", "Calling <call-id>")+","+form("user", "got 7")+`]]]`)
	wantCanonicals(t, id, request(t, "messages", "["+calling("call_1a")+","+calling("call_2b")+"]"), notComputable(NoAnswer))
	wantCanonicals(t, masked, request(t, "messages", "["+a+","+o+","+a+","+o+"]"), `[["last_exchange",`+want+`]]`)
	wantCanonicals(t, masked, request(t, "messages", "["+chatTurn+"]"), notComputable(ToolTurn))

	// Of the end of a longer list what lacks is not known to lack.
	tail := request(t, "messages", "["+q+"]")
	tail.Messages.Tail = true
	wantCanonicals(t, id, tail, notComputable(LossyContent))
	f(`{"role":"assistant"},{"role":"user"},{"role":"assistant"},{"role":"user"}`, notComputable(LossyContent))     // roles alone
	f(`{"role":"assistant"},`+o+`,`+a+`,`+o+`,{"role":"assistant"},{"role":"system"}`, notComputable(LossyContent)) // whatever others say
}

// TestLastExchangeNewBetween: who says the same before each step of its work is
// not stuck.
func TestLastExchangeNewBetween(t *testing.T) {
	id := mustNew(t, "last-exchange", Options{})
	step := func(does, came string) string {
		return `,{"role":"assistant","content":"` + does + `"},{"role":"user","content":"` + came + `"}`
	}
	next, test := step("Now the next.", "OK."), step("I test it.\\n```sh\\ntest\\n```", "FAIL")
	shelf := func(has string) string { return step("go to the shelf", has) }
	other := func(has string) string { return step("go to the other", has) }
	longAgo := []string{shelf("nothing")}
	for i := range mostExchanges {
		longAgo = append(longAgo, other(fmt.Sprint("thing ", i)))
	}
	call := func(name string) string {
		return `,{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"` + name + `","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"none"},{"role":"user","content":"and?"}`
	}
	edit := func(what string) string { return step("I edit.\\n```sh\\nedit "+what+"\\n```", "OK.") }
	cut, hidden := step("I edit.\\n```sh\\nedit\\n```", "OK ... [truncated]"), step(`Action: edit\nAction Input: {\"text\":\"[REDACTED]\"}`, "Observation: OK.")
	for _, c := range []struct {
		want  bool
		steps []string
	}{
		{true, []string{next, next}},
		{true, []string{next, shelf("a cup"), next}}, // may be the first round of two
		{false, []string{next, shelf("a cup"), next, shelf("a pen"), next}},
		{false, []string{next, next, shelf("a cup"), next}},
		{true, []string{next, shelf("a cup"), next, shelf("a cup"), next}},
		{true, []string{next, shelf("nothing"), next, other("nothing"), next}},
		{true, []string{other("nothing"), next, next, shelf("nothing"), next}},
		{false, []string{next, next, shelf("nothing"), other("a cup"), next}},
		{true, []string{next, next, step("Yes, the next.", "OK."), next}},                                      // words alone
		{false, []string{next, next, shelf("redacted-by-litellm"), next}},                                      // may be the work
		{true, []string{next, next, `,{"role":"assistant","content":"Hm."}` + step("Now the next.", "a cup")}}, // what comes last may be new
		{false, append(longAgo, next, next, shelf("nothing"), next)},                                           // was long ago

		{false, []string{call("find"), call("find"), call("list"), call("find")}}, // the same came of another call

		// What is done is new work, whatever comes of it.
		{false, []string{test, edit("1"), test, edit("2"), test}},
		{true, []string{test, edit("1"), test, edit("1"), test}},
		{false, []string{test, cut, test, cut, test}},
		{true, []string{test, cut, test, test}},
		{false, []string{hidden, test, hidden, test, hidden}},
		{true, []string{test, hidden, hidden, hidden}}, // as far as can be told
		// Words are none, whatever the client says to them, but what looks like a deed.
		{true, []string{test, test, step("Hm.", "Step 7 of 9: act!"), test}},
		{true, []string{test, test, step("Hm.", "Go on, <PERSON>"), test}},
		{true, []string{hidden, hidden, step("Hm.", "Go on!"), hidden}},
		{false, []string{test, step("I edit it: [REDACTED]", "OK."), test, step("I edit it: [REDACTED]", "OK."), test}},
		{false, []string{test, test, step("```sh\\nedit 1\\n```\\nThat edits.", "OK 1."), test}},
		{false, []string{test, step("```sh\\nedit 1\\n```\\nThat edits.", "OK."), test, step("```sh\\nedit 2\\n```\\nThat edits.", "OK."), test}},
		{false, []string{test, step(`\n{\"thought\":\"I edit.\",\"tool\":\"edit\",\"args\":{\"line\":1}}`, "OK."), test, step(` { \"thought\":\"I edit.\",\"tool\":\"edit\",\"args\":{\"line\":2}}`, "OK."), test}},
		{false, []string{test, step(`{\"edits\":[1]}`, "OK."), test, step(`Now: {\"edits\":[2]}`, "OK."), test}},
		// Other words of it are none.
		{true, []string{test, step("Again.\\n```sh\\ntest\\n```", "FAIL")}},
		{true, []string{step("<run><c>test</c></run>", "FAIL"), step("Again.\\n<run><c>test</c></run>", "FAIL")}},
		{true, []string{step(`Once.\n<run><c>test<\/c><\/run>`, "FAIL"), step(`Again.\n<run><c>test<\/c><\/run>`, "FAIL")}},
		{false, []string{step("<run><c>test</c></run>", "FAIL"), step("<run><c>test 2</c></run>", "FAIL")}},
		{true, []string{step(`I search.\n<tool_call>\n{\"name\":\"a\"}\n</tool_call>`, "none"), step(`Again.\n<tool_call>\n{\"name\":\"a\"}\n</tool_call>`, "none")}},
		{false, []string{step(`I search.\n<tool_call>\n{\"name\":\"a\"}\n</tool_call>`, "none"), step(`Again.\n<tool_call>\n{\"name\":\"b\"}\n</tool_call>`, "none")}},
		{true, []string{step(`Thought: I search.\nAction: search[a]`, "none"), step(`Thought: Again.\nAction: search[a]`, "none")}},
		{true, []string{step(`Thought: I search.\nAction: search\nAction Input: a`, "none"), step(`Thought: Again.\nAction: search\nAction Input: a`, "none")}},
		{false, []string{step(`Thought: I search.\nAction: search[a]`, "none"), step(`Thought: Again.\nAction: search[b]`, "none")}},
		{true, []string{step(`{\"thought\":\"I search.\",\"action\":{\"name\":\"a\",\"q\":1}}`, "none"), step(`{\"thought\":\"Again.\",\"action\":{\"name\":\"a\",\"q\":1}}`, "none")}},
		{false, []string{step(`{\"thought\":\"I search.\",\"action\":{\"name\":\"a\",\"q\":1}}`, "none"), step(`{\"thought\":\"Again.\",\"action\":{\"name\":\"b\",\"q\":1}}`, "none")}},
	} {
		messages := `[{"role":"user","content":"q"}` + strings.Join(c.steps, "") + "]"
		if got := id.Compute(request(t, "messages", messages), NewWriter(nil)) == Computable; got != c.want {
			t.Errorf("of %q computed %v, want %v", c.steps, got, c.want)
		}
	}
}

// TestDeedIsOfAnswersWithoutCalls: with calls, and to other identities, the words
// before a block of code are of the answer.
func TestDeedIsOfAnswersWithoutCalls(t *testing.T) {
	said := `{"role":"assistant","content":"I test it.\n` + "```sh\\ntest\\n```" + `"},`
	messages := func(step string) *Request {
		return request(t, "messages", `[{"role":"user","content":"q"},`+step+","+step+"]")
	}
	exchange, last := mustNew(t, "last-exchange", Options{}), mustNew(t, "", Options{Parts: []string{"last_messages:2"}})
	r := messages(said + `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"r"},{"role":"user","content":"and?"}`)
	if got := canonicals(exchange, r); !strings.Contains(got[0], "I test it.") {
		t.Errorf("%q", got)
	}
	r = messages(said + `{"role":"user","content":"FAIL"}`)
	w := &Writer{Keep: true}
	exchange.Compute(r, w)
	last.Compute(r, w)
	if got := w.Prints(); len(got) != 2 || strings.Contains(string(got[0].Canonical), "I test it.") || !strings.Contains(string(got[1].Canonical), "I test it.") {
		t.Errorf("%q", got)
	}
}

// TestDiffer: what differs at a glance is written otherwise, too.
func TestDiffer(t *testing.T) {
	texts := []string{
		`"abc"`, `"abd"`, `" abc"`, `"ab"`, `"\u0061bc"`, `"abc\n"`, `"<system-reminder>x</system-reminder>abc"`, `"Chunk ID: a\nWall time: 1\nOutput:"`, `"Chunk ID: b\nWall time: 2\nOutput:"`, `""`, `null`, `["abc"]`,
		`"call_1"`, `"fc_1"`, `"t\u006folu_1"`, `"a call_1"`, `"a chatcmpl-tool-1"`,
	}
	id := mustNew(t, "", Options{Parts: []string{"last_messages:1"}, Mask: []string{"call_ids"}})
	some := false
	for _, a := range texts {
		for _, b := range texts {
			if !differ([]byte(a), []byte(b)) {
				continue
			}
			some = true
			if x, y := canonicals(id, request(t, "messages", `[{"role":"assistant","content":`+a+`}]`)), canonicals(id, request(t, "messages", `[{"role":"assistant","content":`+b+`}]`)); x[0] == y[0] {
				t.Errorf("%s and %s are written alike", a, b)
			}
		}
	}
	if !some {
		t.Error("nothing differs")
	}
}
