package fingerprint

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// TestVerbatimTextIsTheText: text that is copied as it stands in the line is
// what decoding, trimming and writing it anew would give, in the form of
// RFC 8785 and in Python's.
func TestVerbatimTextIsTheText(t *testing.T) {
	pieces := []string{
		` `, `\n`, `\r`, `\t`, `\f`, `\b`, `\\`, `\\n`, `\"`, `n`, `t`, `a`, `B`, `Z`, `[`, `@`, "\x7f", "é", "É", "İ", "Σ", "σ", "Α",
		"\u0085", "\u00a0", "\u2028", "\u3000", "\ufeff", "\U0001F600", "\U00010400", "Some Words That Fill A Few Blocks Of Eight Bytes",
	}
	rapid.Check(t, func(t *rapid.T) {
		inner := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "pieces"), ""))
		if !rawjson.Verbatim(inner) {
			t.Fatalf("%q is not verbatim", inner)
		}
		text, _ := rawjson.AppendText(nil, inner)
		w := NewWriter(nil)
		got := w.appendSpoken(nil, spoken{text: inner, verbatim: true}.trim())
		want := w.appendSpoken(nil, spoken{text: text}.trim())
		if !bytes.Equal(got, want) {
			t.Errorf("%q: %q, want %q", inner, got, want)
		}
		got = w.appendPythonTextLower(nil, spoken{text: inner, verbatim: true})
		want = w.appendPythonTextLower(nil, spoken{text: text})
		if !bytes.Equal(got, want) {
			t.Errorf("%q in Python: %q, want %q", inner, got, want)
		}
	})
}

// TestWritingOfMessagesDoesNotMatter: messages that a logger wrote with other
// escapes are the same messages, for every identity.
func TestWritingOfMessagesDoesNotMatter(t *testing.T) {
	messages := func(user, result string) string {
		return `[{"role":"user","content":"` + user + `"},` +
			`{"role":"assistant","content":"` + user + `","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"1","content":"` + result + `"}]`
	}
	plain := messages(` \n Über \"A\" \\n 1\t`, `{\"a\": \"é\", \"b\": [1]} `)
	escaped := messages(`\u0020\n \u00dcber \u0022A\" \u005cn 1\u0009`, `{\"\u0061\": \"\u00e9\", \u0022b\": [1]} `)
	for _, id := range contracts(t) {
		if id.Reads&ReadsMessages == 0 {
			continue
		}
		a := request(t, "caller", "c", "model", "m", "response", "f {}", "messages", plain)
		b := request(t, "caller", "c", "model", "m", "response", "f {}", "messages", escaped)
		w, v := NewWriter(nil), NewWriter(nil)
		w.Keep, v.Keep = true, true
		if got, want := id.Compute(a, w), id.Compute(b, v); got != want {
			t.Errorf("%s: %v, escaped %v", id.Name, got, want)
		}
		for i, p := range w.Prints() {
			if q := v.Prints()[i]; p.Fingerprint != q.Fingerprint || !bytes.Equal(p.Canonical, q.Canonical) {
				t.Errorf("%s: %s, escaped %s", id.Name, p.Canonical, q.Canonical)
			}
		}
	}
}

// TestWritingOfStepsDoesNotMatter: nor do other escapes change what agents do in text,
// and what came of it.
func TestWritingOfStepsDoesNotMatter(t *testing.T) {
	pieces := []string{
		" ", "\n", "\n", "\t", `"`, `\`, `\n`, "é", "\u2028", "a", "1 failed in 0.41s", "{", "}", "{}", "]", "-", "...", "<", ">",
		"Thought:", "Thought: a", "Action:", "Action: b", "Action: b[c]", "Action Input:", "Action Input: c", "Observation:", "Observation: d", "Final Answer:", "(reminder",
		"Thought 1:", "\nThought 1: a\nAction 1: b[c]\nObservation 1: d\nThought 2:", "\nAction 2: b[c]\nObservation 2: d\nThought 3:", "Action 2:",
		"[[ ## thought_0 ## ]]\n", "[[ ## tool_name_0 ## ]]\n", "[[ ## tool_args_0 ## ]]\n", "[[ ## observation_0 ## ]]\n", "Respond with", "next_thought",
		"\nThought: a\nAction: b\nAction Input: c\nObservation: d", "\nAction: b[c]\nObservation: d\nThought:",
		"[[ ## thought_0 ## ]]\na\n[[ ## tool_name_0 ## ]]\nb\n[[ ## tool_args_0 ## ]]\nc\n[[ ## observation_0 ## ]]\nd\n",
		"<thought_0>\na\n</thought_0>\n<tool_name_0>\nb\n</tool_name_0>\n<tool_args_0>\nc\n</tool_args_0>\n<observation_0>\nd\n</observation_0>\n",
		"=== Step 1 ===\nCode:\n```python\na\n```\nOutput (1 chars):\nb\n", "[[ ## iteration ## ]]\n",
		`{"thought": "a", "tool": "b", "args": {"c": 1}}`, `{"thoughts": ["é"], "headline": "a", "tool_name": "b", "tool_args": "\n"}`, `{"action": {"b": [1]}}`, `"\ud83d\ude00"`, `"\ud83d"`,
		"<tool_call>\n{\"name\": \"b\", \"arguments\": {\"c\": \"\\u0061\"}}\n</tool_call>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "TOOL RESPONSE:",
		`{"tool_name": "b", "tool_result": "F\n1 failed in 0.41s"}`, "[EXTRAS]", "\n[EXTRAS]\n{\"current_datetime\": 1}", "```", "\n```sh\nls\n```",
		"\nCalling tools:\n[{'id': 'call_1', 'type': 'function', 'function': {'name': 'b', 'arguments': {'c': \"'\\n\"}}}]", "Calling tools:", "Call id: call_1",
		"Error:\nError executing tool 'b' with arguments {'c': \"d\"}: a\nNow let's retry: take care not to repeat previous errors! If you have retried several times, try a completely different approach.\n", "Error:\n", "Error executing tool '", "}: ",
	}
	var ids []*Identity
	for _, n := range []string{"1", "2", "3"} {
		ids = append(ids, mustNew(t, "", Options{Parts: []string{"last_messages:" + n}}))
	}
	ids = append(ids, mustNew(t, "last-exchange", Options{}), mustNew(t, "last-exchange", Options{Mask: []string{"numbers"}}))
	texts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, "pieces"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SliceOfN(texts, 1, 3).Draw(t, "texts")
		said := rapid.SliceOfN(rapid.SampledFrom(few), 1, 9).Draw(t, "said")
		if rapid.Bool().Draw(t, "in one message") {
			said = []string{strings.Join(said, "\n")}
		}
		var messages []string
		for i, text := range said {
			role := []string{"user", "assistant"}[i%2]
			messages = append(messages, `{"role":"`+role+`","content":`+string(rawjson.AppendString(nil, []byte(text)))+`}`)
		}
		plain := "[" + strings.Join(messages, ",") + "]"
		other := string(escaped([]byte(plain)))
		for _, id := range ids {
			got, want := canonicals(id, request(t, "messages", other)), canonicals(id, request(t, "messages", plain))
			if !slices.Equal(got, want) {
				t.Fatalf("%s with escapes:\n got %q\nwant %q", plain, got, want)
			}
		}
	})
}
