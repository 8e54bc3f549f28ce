package fingerprint

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestScratchpad: the steps in a user's message are answers and results as those of a
// chat, and what is above and below them is nobody's.
func TestScratchpad(t *testing.T) {
	const prompt = "Use this format:\n\nThought: what to do\nAction: the action\nAction Input: its input\nObservation: the result\nThought: I know\nFinal Answer: the answer\n\nQuestion: Who?\nThought:"
	step := func(thought, input, observation string) string {
		return " " + thought + "\nAction: search\nAction Input: " + input + "\n\nObservation: " + observation + "\nThought: "
	}
	for _, c := range []struct {
		steps []string
		want  string
	}{
		{[]string{step("I search.", "loops", "nothing"), step("Again.", "loops", "nothing")}, "nothing"},
		{[]string{step("I search.", "loops", "nothing"), step("I read.", "page 1", "nothing"), step("Again.", "loops", "nothing")}, "nothing"},
		{[]string{step("I search.", "loops", "nothing"), step("Again.", "loops", "one\nThat is all.")}, `one\nThat is all.`},
		{[]string{step("I search.", "loops", "1 failed in 0.41s"), step("Again.", "loops", "1 failed in 0.42s")}, "1 failed in <duration>"},
		{[]string{step("I search.", "loops", "nothing"), step("Again.", "loops 2", "nothing")}, ""},
		{[]string{step("I look.", "loops", "Thought: a\nAction: b\n1"), step("Again.", "loops", "Thought: a\nAction: b\n2")}, `Thought: a\nAction: b\n2`}, // in a log
		{[]string{step("I search.", "loops", "nothing")}, ""},
		{nil, ""},
		{[]string{step("Test.", "a", "FAIL"), step("Edit.", "1", "done"), step("Test.", "a", "FAIL"), step("Edit.", "2", "done"), step("Test.", "a", "FAIL")}, ""}, // is at work
	} {
		text := prompt + strings.Join(c.steps, "")
		want := notComputable(NoAnswer)
		if c.want != "" {
			want = `[["last_exchange",[{"role":"assistant","text":"Action: search\nAction Input: loops"},{"role":"user","text":"Observation: ` + c.want + `"}]]]`
		}
		id := mustNew(t, "last-exchange", Options{})
		below := strings.TrimSuffix(text, "\nThought: ") // langchaingo
		for _, text := range []string{text, text + "\n (reminder: é)", below, strings.ReplaceAll(text, "Use", "\u2028Use")} {
			for _, content := range []string{string(rawJSON(t, text)), strings.ReplaceAll(string(rawJSON(t, text)), "U", `\u0055`)} {
				wantCanonicals(t, id, request(t, "messages", `[{"role":"system","content":"s"},{"role":"user","content":`+content+`}]`), want)
			}
		}
	}
}

// TestNumberedScratchpad: as the paper on ReAct has it. The steps of the examples above the
// question are no steps.
func TestNumberedScratchpad(t *testing.T) {
	const example = "Question: Who?\nThought 1: I search.\nAction 1: search[loops]\nObservation 1: nothing\nThought 2: Again.\nAction 2: search[loops]\nObservation 2: nothing\n\n"
	id := mustNew(t, "last-exchange", Options{})
	given := "]"
	f := func(steps, want string) {
		t.Helper()
		if want != notComputable(NoAnswer) {
			want = `[["last_exchange",[{"role":"assistant","text":"Action: search\nAction Input: loops` + given + `"},{"role":"user","text":"Observation: ` + want + `"}]]]`
		}
		for _, above := range []string{"", example, example + "\u2028"} {
			text := string(rawJSON(t, above+"Question: What?\n"+steps))
			for _, content := range []string{text, strings.ReplaceAll(text, "W", `\u0057`)} {
				wantCanonicals(t, id, request(t, "messages", `[{"role":"user","content":`+content+`}]`), want)
			}
		}
	}
	const first, second = "Thought 1: I search.\nAction 1: search[loops]\nObservation 1: nothing\n", "Thought 2: Again.\nAction 2: search[loops]\nObservation 2: "
	f(first+second+"nothing\nThought 3:", "nothing")
	many := first
	for n := 2; n <= 10; n++ {
		many += strings.ReplaceAll(second, "2", strconv.Itoa(n)) + "nothing\n"
	}
	f(many+"Thought 11:", "nothing")
	// What is given to tools, or comes of them, has steps, too.
	f(first+second+"Thought 1: a\nThought 2: b\nAction 4: c\nThought 3:", `Thought 1: a\nThought 2: b\nAction 4: c`)
	f(first+strings.ReplaceAll(second, "loops", "a\nThought 9: b\nAction 9: search[loops")+"nothing\nThought 3:", notComputable(NoAnswer))
	f(first+second+"Action 7 : a\nThought : b\nThought 3:", `Action 7 : a\nThought : b`)
	f(first+strings.ReplaceAll(second, "loops", "loops 2")+"nothing\nThought 3:", notComputable(NoAnswer))
	f(first+"Thought 2:", notComputable(NoAnswer))
	f("Thought 1:", notComputable(NoAnswer))
	f(first+second+"nothing\nThought 3: I know.\nAction 3:", notComputable(NoAnswer)) // asked for what follows from a thought
	f(first+second+"nothing\n\nRate it.", notComputable(NoAnswer))
	f(first+second+"nothing\nFinal Answer: nothing\n\nRate it.", notComputable(NoAnswer))
	f(strings.ReplaceAll(first+second, "search[loops]", "go on")+"nothing\nThought 3:", notComputable(NoAnswer))
	for _, given = range []string{"", `\nand more]`} {
		f(strings.ReplaceAll(first+second, "loops]", "loops"+strings.ReplaceAll(given, `\n`, "\n"))+"nothing\nThought 3:", "nothing")
	}
}

// TestDSPysScratchpad: its fields have the number of the step, which is no part of it.
func TestDSPysScratchpad(t *testing.T) {
	step := func(n, tool, args, observation string) string {
		return strings.ReplaceAll("[[ ## thought_N ## ]]\nI try N.\n\n[[ ## tool_name_N ## ]]\n"+tool+"\n\n[[ ## tool_args_N ## ]]\n"+args+"\n\n[[ ## observation_N ## ]]\n"+observation+"\n\n", "N", n)
	}
	const end = "\nRespond with the corresponding output fields, starting with the field `[[ ## next_thought ## ]]`."
	id := mustNew(t, "last-exchange", Options{})
	f := func(want string, steps ...string) {
		t.Helper()
		if want != notComputable(NoAnswer) {
			want = `[["last_exchange",[{"role":"assistant","text":"Action: search\nAction Input: {\"q\": 1}"},{"role":"user","text":"Observation: ` + want + `"}]]]`
		}
		for _, below := range []string{end, end + "\u00e9\u2028", "\nRespond with a JSON object in the following order of fields: `next_thought`."} {
			text := "[[ ## question ## ]]\nWho?\n\n[[ ## trajectory ## ]]\n" + strings.Join(steps, "") + below
			wantCanonicals(t, id, request(t, "messages", `[{"role":"system","content":"s"},{"role":"user","content":`+string(rawJSON(t, text))+`}]`), want)
		}
	}
	nothing := step("0", "search", `{"q": 1}`, "nothing")
	f("nothing", nothing, step("1", "search", `{"q": 1}`, "nothing"))
	f("1 failed in <duration>", nothing, step("1", "search", `{"q": 1}`, "1 failed in 0.41s"))
	f(notComputable(NoAnswer), nothing, step("1", "search", `{"q": 2}`, "nothing"))
	f(notComputable(NoAnswer), nothing, step("1", "read", `{"q": 1}`, "nothing"))
	f(notComputable(NoAnswer), nothing)
}

// TestDSPysElements: so are the elements of its adapter for XML.
func TestDSPysElements(t *testing.T) {
	step := func(n, tool, args, observation string) string {
		return strings.ReplaceAll("<thought_N>\nI try N.\n</thought_N>\n\n<tool_name_N>\n"+tool+"\n</tool_name_N>\n\n<tool_args_N>\n"+args+"\n</tool_args_N>\n\n<observation_N>\n"+observation+"\n</observation_N>\n\n", "N", n)
	}
	id := mustNew(t, "last-exchange", Options{})
	f := func(want string, steps ...string) {
		t.Helper()
		if want != notComputable(NoAnswer) {
			want = `[["last_exchange",[{"role":"assistant","text":"Action: search\nAction Input: {\"q\": 1}"},{"role":"user","text":"Observation: ` + want + `"}]]]`
		}
		for _, below := range []string{"", "\u00e9\u2028"} {
			text := "<question>\nWho?\n</question>\n\n<trajectory>\n" + strings.Join(steps, "") + "</trajectory>\n\nRespond with the corresponding output fields wrapped in XML tags `<next_thought>`." + below
			wantCanonicals(t, id, request(t, "messages", `[{"role":"user","content":`+string(rawJSON(t, text))+`}]`), want)
		}
	}
	nothing := step("0", "search", `{"q": 1}`, "nothing")
	f("nothing", nothing, step("1", "search", `{"q": 1}`, "nothing"))
	f("</observation_0> a", nothing, step("1", "search", `{"q": 1}`, "</observation_0> a"))
	f("1 failed in <duration>", nothing, step("1", "search", `{"q": 1}`, "1 failed in 0.41s"))
	f(notComputable(NoAnswer), nothing, step("1", "search", `{"q": 2}`, "nothing"))
	f(notComputable(NoAnswer), nothing, step("1", "read", `{"q": 1}`, "nothing"))
	f(notComputable(NoAnswer), nothing)
}

// TestDSPysCode: an RLM writes code, and how long the output is stands above that.
func TestDSPysCode(t *testing.T) {
	step := func(n, code, output string) string {
		return "=== Step " + n + " ===\nReasoning: I try " + n + ".\nCode:\n```python\n" + code + "\n```\nOutput (7 chars):\n" + output + "\n"
	}
	id := mustNew(t, "last-exchange", Options{})
	f := func(want string, steps ...string) {
		t.Helper()
		if want != notComputable(NoAnswer) {
			want = `[["last_exchange",[{"role":"assistant","text":"` + "```python\\nfind(1)\\n```" + `"},{"role":"user","text":"Observation: Output (7 chars):\n` + want + `"}]]]`
		}
		for _, below := range []string{"", "\u00e9\u2028"} {
			text := "[[ ## variables_info ## ]]\nWho?\n\n[[ ## repl_history ## ]]\n" + strings.Join(steps, "") + "\n[[ ## iteration ## ]]\n3/20\n\nRespond with the corresponding output fields, starting with the field `[[ ## reasoning ## ]]`, then `[[ ## code ## ]]`, and then ending with the marker for `[[ ## completed ## ]]`." + below
			wantCanonicals(t, id, request(t, "messages", `[{"role":"user","content":`+string(rawJSON(t, text))+`}]`), want)
		}
	}
	nothing := step("1", "find(1)", "nothing")
	f("nothing", nothing, step("2", "find(1)", "nothing"))
	f("1 failed in <duration>", nothing, step("2", "find(1)", "1 failed in 0.41s"))
	f("[[ ## iteration ## ]] a", nothing, step("2", "find(1)", "[[ ## iteration ## ]] a"))
	f("Observation: a\\nObservation: b\\nAction: c", nothing, step("2", "find(1)", "Observation: a\nObservation: b\nAction: c"))
	f(notComputable(NoAnswer), nothing, step("2", "find(2)", "nothing"))
	f(notComputable(NoAnswer), nothing)
}

// TestNoScratchpad: what has its steps elsewhere, or speaks of them.
func TestNoScratchpad(t *testing.T) {
	const (
		steps = `Thought: a\nAction: b[c]\nObservation: d\nThought: a\nAction: b[c]\nObservation: d\n`
		twice = steps + `Thought:`
		notes = `Observation: a\nAction: b\nObservation: a\nAction: b\nObservation: a\n`
		dspy  = `[[ ## thought_0 ## ]]\na\n[[ ## tool_name_0 ## ]]\nb\n[[ ## tool_args_0 ## ]]\n{}\n[[ ## observation_0 ## ]]\nd\n[[ ## thought_1 ## ]]\na\n[[ ## tool_name_1 ## ]]\nb\n[[ ## tool_args_1 ## ]]\n{}\n[[ ## observation_1 ## ]]\nd\n`
		rlm   = "=== Step 1 ===\\nCode:\\n```python\\na\\n```\\nOutput (1 chars):\\nb\\n=== Step 2 ===\\nCode:\\n```python\\na\\n```\\nOutput (1 chars):\\nb\\n"
	)
	for messages, some := range map[string]bool{
		`{"role":"user","content":"` + twice + `"}`:                                         true,
		`{"role":"assistant","content":"a"},{"role":"user","content":"` + twice + `"}`:      false, // of what it has said these may be told
		`{"role":"user","content":"` + twice + `"},{"role":"system","content":"a"}`:         false,
		`{"role":"user","content":[{"type":"text","text":"` + twice + `"}]}`:                false,
		`{"role":"user","content":"The Observation: a. The Observation: b."}`:               false,
		`{"role":"user","content":"C:\\nObservation: a\\nObservation: b\\nObservation: c"}`: false,
		// Of a transcript something is asked that the steps do not say.
		`{"role":"user","content":"Rate it. ` + steps + `"}`:                                                                                        false,
		`{"role":"user","content":"` + steps + `Thought: I know\nFinal Answer: e\n\nRate it."}`:                                                     false,
		`{"role":"user","content":"` + twice + `\nRate it."}`:                                                                                       false,
		`{"role":"user","content":"Final Answer: a\n` + dspy + `"}`:                                                                                 false,
		`{"role":"user","content":"Action:Observation:Observation:"}`:                                                                               false,
		`{"role":"user","content":"` + dspy + `"}`:                                                                                                  false,
		`{"role":"user","content":"` + rlm + `[[ ## iteration ## ]]\n3/20\n\nRespond with code"}`:                                                   true,
		`{"role":"user","content":"` + rlm + `Respond with a score"}`:                                                                               false,
		`{"role":"user","content":"` + rlm + `[[ ## iteration ## ]]\n3/20\n\nRespond with code\n\nRespond with a score for the code"}`:              false,
		`{"role":"user","content":"` + rlm + `[[ ## iteration ## ]]\n3/20\n\nRespond with a score"}`:                                                false,
		`{"role":"user","content":"` + dspy + `Respond with ` + "`[[ ## next_thought ## ]]`" + `.\n\nIs that good?"}`:                               false,
		`{"role":"user","content":"` + rlm + `[[ ## iteration ## ]]\n3/20"}`:                                                                        false,
		`{"role":"user","content":"` + dspy + "Respond with the corresponding output fields, starting with the field `score`" + `"}`:                false,
		`{"role":"user","content":"` + notes + `Thought:"}`:                                                                                         false, // nothing is done
		`{"role":"user","content":"Observation: a\nObservation: b"}`:                                                                                false, // of no answer
		`{"role":"user","content":"a"},` + strings.Repeat(`{"role":"user","content":"a"},`, fewItems) + `{"role":"user","content":"` + twice + `"}`: false,
	} {
		w := NewWriter(nil)
		steps, answers := w.unrolled(request(t, "messages", "["+messages+"]")), 0
		for _, v := range steps {
			if it := w.readItem(v); it.class == isAssistant {
				answers++
			}
		}
		if (answers > 1) != some {
			t.Errorf("%s: %d answers: %q", messages, answers, steps)
		}
	}
}

// TestScratchpadOfTail: of messages that the log does not have the model may have said some.
func TestScratchpadOfTail(t *testing.T) {
	id := mustNew(t, "last-exchange", Options{})
	r := request(t, "messages", `[{"role":"user","content":"Action: b[c]\nObservation: d\nThought:\nAction: b[c]\nObservation: d\nThought:"}]`)
	for _, tail := range []bool{false, true} {
		r.Messages.Tail = tail
		if got, want := id.Compute(r, NewWriter(nil)), map[bool]Cause{false: Computable, true: LossyContent}[tail]; got != want {
			t.Errorf("tail %v: %v, want %v", tail, got, want)
		}
	}
}

// TestConversationOfScratchpad: a conversation begins as it was before its first step.
func TestConversationOfScratchpad(t *testing.T) {
	of := func(text string) string {
		_, shown, cause := scopeOf(t, NewWriter(nil), request(t, "caller", "c", "messages", `[{"role":"user","content":`+string(rawJSON(t, text))+`}]`), "conversation")
		if cause != Computable {
			t.Errorf("%q: %s", text, cause)
		}
		return shown[0]
	}
	const example = "Thought: what to do\nAction: a\nObservation: b\nBegin!\n"
	react := func(question string, steps int) string {
		return example + "Question: " + question + "\nThought: " + strings.Repeat("again\nAction: a[b]\nObservation: Begin!\nThought: ", steps)
	}
	numbered := func(question string, steps int) string {
		text := "Thought 1: a\nAction 1: b[c]\nObservation 1: d\nQuestion: " + question + "\nThought 1:"
		for n := range steps {
			text += fmt.Sprintf(" again\nAction %d: a[b]\nObservation %d: b\nThought %d:", n+1, n+1, n+2)
		}
		return text
	}
	dspy := func(question string, steps int) string {
		return "[[ ## question ## ]]\n" + question + "\n\n[[ ## trajectory ## ]]\n" + strings.Repeat("[[ ## thought_1 ## ]]\nagain\n\n[[ ## tool_name_1 ## ]]\na\n\n[[ ## tool_args_1 ## ]]\n{}\n\n[[ ## observation_1 ## ]]\nb\n\n", steps) + "Respond with the corresponding output fields, starting with the field `[[ ## next_thought ## ]]`."
	}
	rlm := func(question string, steps int) string {
		return question + "\n\n" + strings.Repeat("=== Step 1 ===\nCode:\n```python\na\n```\nOutput (1 chars):\nb\n", steps) + "[[ ## iteration ## ]]\n3/20\n\nRespond with code."
	}
	thrown := func(question string, steps int) string {
		return "New task:\n" + question + strings.Repeat("\nError:\n"+string(threw)+"'a' with arguments {}: none\n"+string(toRetry)+"\n", steps)
	}
	if of(thrown("Who?", 0)) != of(thrown("Who?", 1)) {
		t.Error("another conversation from the first call that threw on")
	}
	of(strings.TrimPrefix(thrown("", 2), "New task:\n")) // nothing stands before them
	for _, form := range []func(string, int) string{react, numbered, dspy, rlm, thrown} {
		if of(form("Who?", 2)) != of(form("Who?", 3)) || of(form("Who?", 2)) == of(form("Where?", 2)) {
			t.Errorf("%s, %s; %s", of(form("Who?", 2)), of(form("Who?", 3)), of(form("Where?", 2)))
		}
	}
	// What tells two apart may stand behind the first step.
	if bare := strings.TrimPrefix(react("Who?", 2), example); of(bare) == of(bare+"again") {
		t.Error(of(bare))
	}
}

func TestScratchpadIsNotQuadratic(t *testing.T) {
	id := mustNew(t, "last-exchange", Options{})
	hostile(t, func(size int) {
		for _, part := range []string{"\nObservation: a", "\nThought: a\nAction: b[c]\nObservation: d", "Observation:", " Thought:", "\n[[ ## observation_1 ## ]]", "\n[[ ## thought_1 ## ]]\na\n[[ ## observation_1 ## ]]", "\nRespond with the corresponding output fields", "\nThought:", "\n", `\`} {
			for _, text := range []string{strings.Repeat(part, size) + "\nObservation: a", strings.Repeat("Observation: ", 2) + strings.Repeat(part, size)} {
				canonicals(id, request(t, "messages", `[{"role":"user","content":`+string(rawJSON(t, text))+`}]`))
			}
		}
	})
}
