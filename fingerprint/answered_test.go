package fingerprint

import (
	"strings"
	"testing"
)

// TestAnswered: answers that have what came of them, as BeeAI's ReAct agents write them,
// are answers and results as those of a chat.
func TestAnswered(t *testing.T) {
	id := mustNew(t, "last-exchange", Options{})
	step := func(thought, input, output string) string {
		return "Thought: " + thought + "\nFunction Name: search\nFunction Input: {\"q\":\"" + input + "\"}\nFunction Output: " + output + "\n"
	}
	nothing, again := step("I search.", "loops", "nothing"), step("Again.", "loops", "nothing")
	for _, c := range []struct {
		steps []string
		want  string
	}{
		{[]string{nothing, again}, "nothing"},
		{[]string{nothing, step("I read.", "page 1", "nothing"), again}, "nothing"},
		{[]string{nothing, step("Again.", "loops", "one\nFunction Output: two")}, `one\nFunction Output: two`},
		{[]string{nothing, step("Again.", "loops", "1 failed in 0.41s")}, "1 failed in <duration>"},
		{[]string{nothing, step("Again.", "loops", `{"state":"running","errors":0,"up":"0.41s"}`)}, `{\"state\":\"running\",\"errors\":0,\"up\":\"0.41s\"}`},
		{[]string{nothing, step("Again.", "loops 2", "nothing")}, ""},
		{[]string{nothing, strings.Replace(again, "search", "read", 1)}, ""},
		{[]string{nothing, again, "Final Answer: none"}, ""},
		{[]string{nothing, "I wait.", again}, ""}, // others' answers may have done anything
		{[]string{again}, ""},
		{[]string{step("Test.", "a", "FAIL"), step("Edit.", "1", "done"), step("Test.", "a", "FAIL"), step("Edit.", "2", "done"), step("Test.", "a", "FAIL")}, ""}, // is at work
		{[]string{strings.ReplaceAll(nothing, "Function Name:", "Name:"), strings.ReplaceAll(again, "Function Name:", "Name:")}, ""},
		{[]string{strings.ReplaceAll(nothing, "\nFunction Output:", " Function Output:"), strings.ReplaceAll(again, "\nFunction Output:", " Function Output:")}, ""},
	} {
		want := notComputable(NoAnswer)
		if c.want != "" {
			want = `[["last_exchange",[{"role":"assistant","text":"Action: search\nAction Input: {\"q\":\"loops\"}"},{"role":"user","text":"Observation: ` + c.want + `"}]]]`
		}
		for _, as := range []func(quoted string) string{
			func(quoted string) string { return quoted },
			func(quoted string) string { return strings.ReplaceAll(quoted, "u", `\u0075`) },
			func(quoted string) string { return `[{"type":"text","text":` + quoted + `}]` },
		} {
			messages := `[{"role":"user","content":"q"}`
			for _, step := range c.steps {
				messages += `,{"role":"assistant","content":` + as(string(rawJSON(t, step))) + `}`
			}
			wantCanonicals(t, id, request(t, "messages", messages+"]"), want)
		}
	}

	// What else is in such a message may be new.
	for _, message := range []string{
		`{"role":"user","content":` + string(rawJSON(t, nothing)) + `}`,
		`{"role":"assistant","content":[{"type":"text","text":` + string(rawJSON(t, nothing)) + `},{"type":"text","text":"b"}]}`,
	} {
		wantCanonicals(t, id, request(t, "messages", `[`+message+`,`+message+`]`), notComputable(NoAnswer))
	}
	hostile(t, func(size int) {
		for _, part := range []string{"\nFunction Name: ", "\nFunction Input: ", "\nFunction Output: ", again, "Function Output:", "\n"} {
			message := `{"role":"assistant","content":` + string(rawJSON(t, again+strings.Repeat(part, size))) + `}`
			canonicals(id, request(t, "messages", `[`+message+`,`+message+`]`))
		}
	})
}
