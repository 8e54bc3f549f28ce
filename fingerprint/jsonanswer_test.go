package fingerprint

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

func TestJSONDeed(t *testing.T) {
	for text, want := range map[string]string{
		`{"thoughts": ["I search."], "headline": "Search", "tool_name": "search", "tool_args": {"q": 1, "p": "a"}}`: `["search",{"p":"a","q":1}]`,         // Agent Zero
		"{\n  \"Thought\": \"I search.\",\n  \"action\": \"search\",\n  \"action_input\": \"loops\"\n}":             `["search","loops"]`,                 // LangChain
		`{"thoughts": {"text": "I search."}, "command": {"name": "search", "args": {"q": 1}}}`:                      `[{"args":{"q":1},"name":"search"}]`, // AutoGPT
		`{"action": {"name": "search", "q": 1}, "thought": "I search.", "answer": null}`:                            `[{"name":"search","q":1}]`,
		`{"tool_args": 1, "tool_name": "search"}`:                                                                   `["search",1]`,
		`{"thought": "I search.", "tool": {"search": {"q": 1}}}`:                                                    `[{"search":{"q":1}}]`,

		// The thoughts may be what is done.
		`{"thought": "The next part.", "action": "go_on", "args": {}}`:               "",
		`{"thought": "The next part.", "action": "go_on", "input": ""}`:              "",
		`{"thought": "I wait.", "action": {"type": "wait"}}`:                         "",
		`{"thought": "I wait.", "action": {"type": "wait", "args": {}, "of": null}}`: "",
		`{"headline": "A cat is saved.", "action": "publish", "args": {"to": "a"}}`:  "",

		`{"thought": "I search.", "action": "search"}`:                                                       "", // of what it is given nothing is said
		`{"thought": "I search.", "tool_args": {"q": 1}}`:                                                    "",
		`{"thought": "I search."}`:                                                                           "",
		`{"message": "Page 7.", "action": {"name": "next", "q": 1}}`:                                         "", // the message may be what is new
		`{"thought": "I search.", "action": {"name": "a", "q": 1}, "tool_call": {"name": "b", "q": 1}}`:      "", // which one?
		`{"thought": "I search.", "tool_name": "a", "tool_args": {"q": 1}, "action": {"name": "b", "q": 1}}`: "",
		`{"thought": "I search.", "tool_name": "a", "tool_args": {"q": 1}, "args": {"q": 1}}`:                "",
		`{"thought": "I search.", "actions": [{"name": "a"}]}`:                                               "",
		`{"thought": "I search.", "verdict": "pass"}`:                                                        "",
		`{"thought": "I search.", "action": {"name": "a", "q": 1}`:                                           "",
		`{"thought": "I search.", "action": {"name": "a", "q": 1}} or so }`:                                  "",
		`Now {"action": {"name": "a", "q": 1}}`:                                                              "",
		`{}`:                                                                                                 "",
		``:                                                                                                   "",
	} {
		inner := string(rawjson.AppendString(nil, []byte(text)))
		for _, s := range []spoken{{text: []byte(text)}, {text: []byte(strings.Trim(inner, `"`)), verbatim: true}} {
			if got := string((&Writer{}).jsonDeed(s)); got != want {
				t.Errorf("%q does %q, want %q", s.text, got, want)
			}
		}
	}
}
