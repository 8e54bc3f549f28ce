package fingerprint

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

func TestJSONDeed(t *testing.T) {
	for text, want := range map[string]string{
		`{"thoughts": ["I search."], "headline": "Search", "tool_name": "search", "tool_args": {"q": 1, "p": "a"}}`: `["search",{"p":"a","q":1}]`,    // Agent Zero
		"{\n  \"Thought\": \"I search.\",\n  \"action\": \"search\",\n  \"action_input\": \"loops\"\n}":             `["search","loops"]`,            // LangChain
		`{"thoughts": {"text": "I search."}, "command": {"name": "search", "args": {}}}`:                            `[{"args":{},"name":"search"}]`, // AutoGPT
		`{"action": {"name": "search"}, "thought": "I search.", "answer": null}`:                                    `[{"name":"search"}]`,
		`{"tool_args": {}, "tool_name": "search"}`:                                                                  `["search",{}]`,

		`{"thought": "I search.", "action": "search"}`:                                         "", // of what it is given nothing is said
		`{"thought": "I search.", "tool_args": {}}`:                                            "",
		`{"thought": "I search."}`:                                                             "",
		`{"message": "Page 7.", "action": {"name": "next"}}`:                                   "", // the message may be what is new
		`{"thought": "I search.", "action": {"name": "a"}, "tool_call": {"name": "b"}}`:        "", // which one?
		`{"thought": "I search.", "tool_name": "a", "tool_args": {}, "action": {"name": "b"}}`: "",
		`{"thought": "I search.", "tool_name": "a", "tool_args": {}, "args": {}}`:              "",
		`{"thought": "I search.", "actions": [{"name": "a"}]}`:                                 "",
		`{"thought": "I search.", "verdict": "pass"}`:                                          "",
		`{"thought": "I search.", "action": {"name": "a"}`:                                     "",
		`{"thought": "I search.", "action": {"name": "a"}} or so }`:                            "",
		`Now {"action": {"name": "a"}}`:                                                        "",
		`{}`:                                                                                   "",
		``:                                                                                     "",
	} {
		inner := string(rawjson.AppendString(nil, []byte(text)))
		for _, s := range []spoken{{text: []byte(text)}, {text: []byte(strings.Trim(inner, `"`)), verbatim: true}} {
			if got := string((&Writer{}).jsonDeed(s)); got != want {
				t.Errorf("%q does %q, want %q", s.text, got, want)
			}
		}
	}
}
