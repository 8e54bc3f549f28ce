package fingerprint

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

func TestCalling(t *testing.T) {
	call := func(id, given string) string {
		return "{'id': '" + id + "', 'type': 'function', 'function': {'name': 'find', 'arguments': " + given + "}}"
	}
	one := "Calling tools:\n[" + call("<call-id>", "{'q': 'a'}") + "]"
	for text, want := range map[string]string{
		"Calling tools:\n[" + call("call_1a", "{'q': 'a'}") + "]":                                       one,
		"I look again.\nCalling tools:\n[" + call("functions.find:7", "{'q': 'a'}") + "]":               one,
		"I look.\n<code>\nfind()\n</code>\nCalling tools:\n[" + call("call_3", `"r = find('a')"`) + "]": "Calling tools:\n[" + call("<call-id>", `"r = find('a')"`) + "]",
		"Calling tools:\n[" + call("a", "{}") + ", " + call("b", "{}") + "]":                            "Calling tools:\n[" + call("<call-id>", "{}") + ", " + call("<call-id>", "{}") + "]",

		// Ids that are given to a tool stay.
		"Calling tools:\n[" + call("a", "["+call("7", "{}")+"]") + "]":             "Calling tools:\n[" + call("<call-id>", "["+call("7", "{}")+"]") + "]",
		"Calling tools:\n[" + call("a", "[{'id': '4711', 'type': 'order'}]") + "]": "Calling tools:\n[" + call("<call-id>", "[{'id': '4711', 'type': 'order'}]") + "]",

		"I wait.\nCalling tools:\n[" + call("a", "{}") + "]":                                   "", // the words may be the work
		"Calling tools:\n[" + call("a", "{}") + "]\nCalling tools:\n[" + call("b", "{}") + "]": "", // which one?
		"Calling tools:\n[" + call("a", "{}") + "]\nThat finds it.":                            "",
		"I am calling tools:\n[" + call("a", "{}") + "]":                                       "",
		"I am Calling tools:\n[" + call("a", "{}") + "]":                                       "", // in a sentence
		"Calling tools:\n[{'name': 'find'}]":                                                   "",
		"Calling tools:\nnone [{}]":                                                            "",
		"Calling tools:":                                                                       "",
		"Page 7 is good. {'id': '7'}]":                                                         "",
		"":                                                                                     "",
	} {
		inner := string(rawjson.AppendString(nil, []byte(text)))
		for _, s := range []spoken{{text: []byte(text)}, {text: []byte(strings.Trim(inner, `"`)), verbatim: true}} {
			if got := string((&Writer{}).deed(s).text); got != want {
				t.Errorf("%q does %q, want %q", s.text, got, want)
			}
		}
	}
}

// TestThrown: of a call that threw there is the error alone.
func TestThrown(t *testing.T) {
	said := func(role, text string) string {
		return `{"role":"` + role + `","content":[{"type":"text","text":` + string(rawJSON(t, text)) + `}]}`
	}
	failed := func(given, what string) string {
		return "Error:\nError executing tool 'find' with arguments {'q': '" + given + "'}: ValueError: " + what + "\nPlease try again or use another tool\nNow let's retry: take care not to repeat previous errors! If you have retried several times, try a completely different approach.\n"
	}
	want := func(what string) string {
		return `[["last_exchange",[{"role":"assistant","text":"Action: tool\nAction Input: 'find' with arguments {'q': 'a'"},{"role":"user","text":"Observation: ` +
			strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(failed("a", what), "Error:\n"), "\n", `\n`), `\n`) + `"}]]]`
	}
	id, none := mustNew(t, "last-exchange", Options{}), notComputable(NoAnswer)
	f := func(want string, messages ...string) {
		t.Helper()
		wantCanonicals(t, id, request(t, "messages", "["+strings.Join(messages, ",")+"]"), want)
	}
	task, one := said("user", "New task:\nFind it."), failed("a", "none")
	// Below the task, or below what the model said before each.
	f(want("none"), said("user", "New task:\nFind it.\n"+one+"\n"+one))
	f(want("none"), task, said("assistant", "I look."), said("user", one), said("assistant", "Once more."), said("user", one))
	f(want("none"), task, said("assistant", "Calling tools:\n[{'id': '1', 'type': 'function', 'function': {'name': 'b', 'arguments': {}}}]"), said("user", "Observation:\n1\n"+one+"\n"+one))
	f(want("1 failed in <duration>"), task, said("assistant", "I look."), said("user", failed("a", "1 failed in 0.41s")), said("assistant", "Once more."), said("user", failed("a", "1 failed in 0.42s")))
	f(want("job 7 not finished after 3.42s"), said("user", "New task:\nWait.\n"+failed("a", "job 7 not finished after 3.41s")+"\n"+failed("a", "job 7 not finished after 3.42s")))

	f(none, task, said("assistant", "I look."), said("user", one))
	f(none, said("user", "New task:\nFind it.\n"+failed("b", "none")+"\n"+one))
	f(none, said("user", one+"\n"+one+"\nNow, please, rate it."))
	f(none, said("user", "Rate it:\n"+one+"\n"+one))
	f(none, said("user", "Rate it:"), said("user", one+"\n"+one))
	f(none, said("user", strings.ReplaceAll(one+"\n"+one, "Error:\n", "The ")))
	f(none, said("user", "ValueError: "+one+"\nValueError: "+one))
	// Of calls side by side, as the model makes them, the others are not there.
	r := request(t, "messages", "["+said("user", "New task:\nFind it.\n"+one+"\n"+one)+"]")
	r.ToolCallsLogged, r.ToolCalls = true, []ToolCall{{Name: []byte("edit")}, {Name: []byte("find")}}
	wantCanonicals(t, id, r, none)
	r.ToolCalls = r.ToolCalls[1:]
	wantCanonicals(t, id, r, want("none"))
	// What was done in between is there.
	edit := said("assistant", "Calling tools:\n[{'id': '1', 'type': 'function', 'function': {'name': 'edit', 'arguments': {}}}]") + "," + said("user", "Observation:\ndone")
	f(none, task, said("assistant", "I look."), said("user", one), edit, said("assistant", "Once more."), said("user", one))
}

func TestThrownIsNotQuadratic(t *testing.T) {
	id := mustNew(t, "last-exchange", Options{})
	hostile(t, func(size int) {
		far := string(rawJSON(t, string(callingTools)+strings.Repeat("\n", 10*size)+"["+strings.Repeat("{'id': '", size)+"}]"))
		canonicals(id, request(t, "messages", `[{"role":"assistant","content":`+far+`},{"role":"user","content":"a"},{"role":"assistant","content":`+far+`},{"role":"user","content":"a"}]`))
		for _, part := range []string{"Error:\n" + string(threw) + "'a' with {'b': 1}: c\n" + string(toRetry) + "\n", "\n" + string(threw), string(threw), "Error:\n", "}: ", string(callingTools), "\n" + string(callingTools) + "\n[{'id': '", "{'id': '"} {
			for _, end := range []string{"", "Error:\n" + string(threw) + "'a' with {'b': 1}: c\n" + string(toRetry), "}]"} {
				text := string(rawJSON(t, strings.Repeat(part, size)+end))
				canonicals(id, request(t, "messages", `[{"role":"assistant","content":`+text+`},{"role":"user","content":`+text+`}]`))
				canonicals(id, request(t, "messages", `[{"role":"assistant","content":`+text+`},{"role":"user","content":"a"},{"role":"assistant","content":`+text+`},{"role":"user","content":"a"}]`))
			}
		}
	})
}
