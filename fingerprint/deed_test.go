package fingerprint

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

func TestDeed(t *testing.T) {
	for text, want := range map[string]string{
		"I list the files.\n```sh\nls\n```":                      "```sh\nls\n```",
		"```\nls\n```":                                           "```\nls\n```",
		"Tests.\n\n<run>\n<cmd>go test</cmd>\n</run>":            "<run>\n<cmd>go test</cmd>\n</run>",
		"Once more.\n<run_it-now>\n<c-d>go</c-d>\n</run_it-now>": "<run_it-now>\n<c-d>go</c-d>\n</run_it-now>",
		"A function.\n<function=sh>\n<p=c>ls</p>\n</function>":   "<function=sh>\n<p=c>ls</p>\n</function>",

		"I look.\n<tool_call>\n{\"name\": \"find\", \"arguments\": {\"q\": 1}}\n</tool_call>": "<tool_call>\n{\"name\": \"find\", \"arguments\": {\"q\": 1}}\n</tool_call>",
		"I look.\n<tool_call>\n{'name': 'ls', 'arguments': {'a': 1}}\n</tool_call>":           "<tool_call>\n{'name': 'ls', 'arguments': {'a': 1}}\n</tool_call>",
		"I look.\n<tool_use>\n{'tool_name': ls, 'tool_input': {'a': 1}}\n</tool_use>":         "<tool_use>\n{'tool_name': ls, 'tool_input': {'a': 1}}\n</tool_use>",
		"<tool_call>\n{'name': 'a'}\n</tool_call>\n<tool_call>\n{}\n</tool_call>":             "", // which one?

		"Thought: I look again.\nAction: search[loops]":                       "Action: search[loops]",
		"Action: search[loops [2]]":                                           "Action: search[loops [2]]",
		"Thought: Once more.\n\nAction: search\nAction Input: {\n\"q\": 1\n}": "Action: search\nAction Input: {\n\"q\": 1\n}",
		"Action: search\nAction Input: loops":                                 "Action: search\nAction Input: loops",

		"Thought: a\nAction: search\nAction Input: loops\nObservation: none\nUse Action: search": "Action: search\nAction Input: loops\nObservation: none\nUse Action: search",
		"Action: a\nAction Input: 1\nAction: b\nAction Input: 2\nObservation: none":              "", // which one?
		"Action: a\nObservation: none\nAction Input: 1":                                          "",
		"Thought: It is in [2].":                       "",
		"Final Answer: 7 [2]":                          "",
		"Action: search[loops]\nThat lists all.":       "",
		"Action: search[a]\nAction: search[b]":         "", // which one?
		"I choose Action: search[loops]":               "", // in a sentence
		"Action: go to shelf 1":                        "", // may be said of what the user is to do
		"Action: search\nThe Action Input: is missing": "",
		"Action Input: loops":                          "",
		"Action Input: loops\nAction: search":          "",
		"Action: a\nAction Input: 1\nAction Input: 2":  "Action: a\nAction Input: 1\nAction Input: 2",
		"Action:": "",

		"":                                      "",
		"Done.":                                 "",
		"Run ```ls```":                          "", // in a sentence
		"```sh\nls\n```\nor\n```sh\ndir\n```":   "", // which one?
		"```sh\nls\n```\nThat lists the files.": "",
		"```":                                   "",
		"is a <b>word</b>":                      "",
		"<run>a</run>\n<run>b</run>":            "",
		"File 7 is good.\n<verdict>pass</verdict>":                                                       "", // a value
		"<a><b>c</b></a>\n<done>no</done>":                                                               "",
		"Good.\n<verdict>{\"pass\": true}</verdict>":                                                     "",
		"Good.\n<verdict>{\"name\": \"a\", \"parameters\": {\"pass\": true}}</verdict>":                  "",
		"Good.\n<tool>{\"filename\": \"a\", \"arguments\": {\"b\": 1}}</tool>":                           "",
		"Good.\n<tool>{\"name\": \"a\", \"arguments\": {\"b\": 1}, \"note\": \"page 7 is good\"}</tool>": "",
		"The next part.\n<tool_call>{\"name\": \"go_on\", \"arguments\": {}}</tool_call>":                "",
		"The next part.\n<tool>{\"name\": \"go_on\", \"arguments\": {}}</tool>":                          "",
		"Good.\n<tool>{\"name\": \"a\", \"arguments\": \"none\"}</tool>":                                 "",
		"Good.\n<tool>{\"name\": \"a\", \"arguments\": {\"b\": 1}}, or so</tool>":                        "",
		"</run>":                 "",
		"</>":                    "",
		"<r2>\n<c>go</c>\n</r2>": "",
		"a > b and </ c>":        "",
		"<" + strings.Repeat("x", 99) + ">\n</" + strings.Repeat("x", 99) + ">": "",
	} {
		verbatim := strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(text)
		if got := string((&Writer{}).deed(spoken{text: []byte(text)}).text); got != want {
			t.Errorf("%q does %q, want %q", text, got, want)
		}
		if got := string((&Writer{}).deed(spoken{text: []byte(verbatim), verbatim: true}).text); got != strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(want) {
			t.Errorf("%q does %q, want %q", verbatim, got, want)
		}
	}
}

// TestMayEndInDeed: what does something may, however it is written; mere words mostly
// not.
func TestMayEndInDeed(t *testing.T) {
	for content, want := range map[string]bool{
		`"go\n` + "```\\nls\\n```" + `"`:                   true,
		`"go\n` + "```\\nls\\n```" + ` \n\t \r\n "`:        true,
		`"go\n<run><c>ls<\/c><\/run>\n"`:                   true,
		`"go\n\u0060\u0060\u0060\nls\n\u0060\u0060\u0060"`: true,
		`"<run><c>ls</c></run\u003e\n"`:                    true,
		`[{"type":"text","text":"<r><c>ls</c></r>"}]`:      true,
		`"Thought: a\nAction: search[b] \n"`:               true,
		`"Action: search\nAction Input: b"`:                true,
		`"{\"action\":{\"name\":\"ls\"}}\n"`:               true,
		`[{"type":"text","text":"{\"action\":{}}"}]`:       true,
		`[{"type":"text","text":"Action: search[b]"}]`:     true,
		`[{"type":"text","text":"Calling tools:\n[{}]"}]`:  true,

		`"I ran <b>ls</b>, and it is fine."`: false,
		`"Done.\n"`:                          false,
		`"\n"`:                               false,
		`""`:                                 false,
		`[{"type":"text","text":"Done."}]`:   false,
		`"Final Answer: b"`:                  false,
	} {
		if got := mayEndInDeed(rawjson.Value(content)); got != want {
			t.Errorf("%s may: %v, want %v", content, got, want)
		}
	}
}
