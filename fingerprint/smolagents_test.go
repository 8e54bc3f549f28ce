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
		"Calling tools:\n[" + call("a", "[{'id': '4711', 'type': 'order'}]") + "]": "Calling tools:\n[" + call("<call-id>", "[{'id': '4711', 'type': 'order'}]") + "]",

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
