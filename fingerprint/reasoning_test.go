package fingerprint

import (
	"strings"
	"testing"
)

// TestReasoning: what a model thinks before it speaks is no part of what it says,
// however it is written in the log.
func TestReasoning(t *testing.T) {
	id := mustNew(t, "", Options{Parts: []string{"last_messages:1"}})
	// message is a message of a role with a text, and canonical what is compared of it.
	canonical := func(role, text string) string {
		return `[["last_messages:1",[{"role":"` + role + `","text":` + string(rawJSON(t, text)) + `}]]]`
	}
	says := func(role, text, want string) {
		t.Helper()
		quoted := string(rawJSON(t, text))
		escaped := strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(quoted) // as Go writes it
		for _, quoted := range []string{quoted, escaped, strings.ReplaceAll(quoted, "/", `\/`)} {
			for _, content := range []string{quoted, `[{"type":"text","text":` + quoted + `}]`} {
				wantCanonicals(t, id, request(t, "messages", `[{"role":"`+role+`","content":`+content+`}]`), canonical(role, want))
			}
		}
	}
	is := func(text, want string) { t.Helper(); says("assistant", text, want) }
	same := func(text string) { t.Helper(); is(text, strings.TrimSpace(text)) }

	is("<think>\nlet me see\n</think>\n\nls", "ls")
	is("<think>\n\n</think>\n\nls \\n", "ls \\n") // Qwen3 that is told not to think
	is("<thinking>a</thinking>\n<read_file>b</read_file>", "<read_file>b</read_file>")
	is("<thought>a</thought>b", "b")
	is("<reasoning>a</reasoning>b", "b")
	is("<seed:think>a</seed:think>b", "b")
	is("[THINK]a[/THINK]b", "b")
	is("◁think▷a◁/think▷b", "b")
	is("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b", "<|start|>assistant<|channel|>final<|message|>b")
	is("<think>a</think>\n<think>b</think>\n\nc\n<think>d</think>", "c\n<think>d</think>")
	is("<think>a</think>b\n</think>\nc", "c") // as the templates have it
	is("<think>a</think>\nb\n<system-reminder>c</system-reminder>", "b")
	says("model", "<think>a</think>b", "b")

	// The template of the model began it.
	is("let me see\n</think>\n\nls", "ls")
	is("let me see.\n</think>ls", "ls")
	is("let me see. </think>\t\nls", "ls")
	is("</think>ls", "ls")
	is("let me see.</think>ls", "ls") // DeepSeek-V3.1
	is("let me see</think>Action: ls", "Action: ls")
	is("ça va…</think>Étape", "Étape")
	is("<thinking>a\n</think>\n<thinking>b</think>\nc", "c") // closed as the model is used to
	same("it ends with </think> always")
	for _, text := range []string{"`</think>`", "a (</think>) b", `a '</think>' b`, `a "</think>" b`, "a </think>, b", "a</think>.", "a</think>\tb", "a </think>b", "a</think> b"} {
		same(text)
	}
	same("a <think>b\n</think>\nc")

	// Nothing else is said, or it is not known where that begins.
	same("<think>a</think>")
	same("<think>a</think>\n<thinking>b</thinking>\n")
	same("a\n</think>\n")
	same("<think>a")
	same("a <think>b</think>c")
	same("<thinker>a</thinker>b")
	for _, role := range []string{"user", "system", "tool"} {
		says(role, "<think>a</think>b", "<think>a</think>b")
		says(role, "a\n</think>\nb", "a\n</think>\nb")
	}
	wantCanonicals(t, id, request(t, "messages", `[{"role":"tool","tool_call_id":"a","content":"<think>a</think>b"}]`), canonical("tool", "<think>a</think>b"))
	wantCanonicals(t, id, request(t, "messages", `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"<think>a</think>b"}]}]`),
		`[["last_messages:1",[{"results":[{"text":"<think>a</think>b"}],"role":"user"}]]]`)

	// A call is said, and a part.
	for _, text := range []string{"<think>a</think>", "a\n</think>\n\n"} {
		wantCanonicals(t, id, request(t, "messages", `[{"role":"assistant","content":`+string(rawJSON(t, text))+`,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}]`),
			`[["last_messages:1",[{"calls":[{"arguments":{},"name":"f"}],"role":"assistant"}]]]`)
	}
	wantCanonicals(t, id, request(t, "messages", `[{"role":"assistant","content":[{"type":"text","text":"<think>a</think>"},{"type":"text","text":"b"}]}]`), canonical("assistant", "b"))

	// What stands beside the text in members and parts of its own.
	for _, beside := range []string{
		`"reasoning_content":"a"`, `"reasoning":"a"`, `"thinking":"a"`, `"reasoning_details":[{"type":"reasoning.text","text":"a"}]`,
		`"thinking_blocks":[{"type":"thinking","thinking":"a","signature":"b"}]`, `"provider_specific_fields":{"reasoning_content":"a"}`,
	} {
		wantCanonicals(t, id, request(t, "messages", `[{"role":"assistant","content":"b",`+beside+`}]`), canonical("assistant", "b"))
	}
	for _, part := range []string{
		`{"type":"thinking","thinking":[{"type":"text","text":"a"}]}`, `{"type":"redacted_thinking","data":"a"}`, `{"type":"reasoning","text":"a"}`,
		`{"type":"reasoning_content","reasoning_content":{"text":"a","signature":"c"}}`,
	} {
		wantCanonicals(t, id, request(t, "messages", `[{"role":"assistant","content":[`+part+`,{"type":"text","text":"b"}]}]`), canonical("assistant", "b"))
	}

	// Hostile texts take no time that grows faster than they.
	hostile(t, func(size int) {
		for _, part := range []string{"<think>", "</think>", "<think></think>", "</think>\n", "[THINK]", "◁think▷◁/think▷", "<think></thinking>", "<thinking></think>\n"} {
			for _, end := range []string{"", "a", strings.Repeat(`\`, size) + "n", strings.Repeat("\n", size) + "a"} {
				text := strings.Repeat(part, size) + end
				canonicals(id, request(t, "messages", `[{"role":"assistant","content":`+string(rawJSON(t, text))+`}]`))
			}
		}
	})

	gatewaysTellApart(t, `[{"role":"assistant","content":"<think>1</think>a"}]`, `[{"role":"assistant","content":"<think>2</think>a"}]`)
}

// TestReasoningBeforeAnAnswer: an answer that comes again with other reasoning is
// the same, and is not told apart at a glance.
func TestReasoningBeforeAnAnswer(t *testing.T) {
	id := mustNew(t, "last-exchange", Options{})
	for _, how := range []string{"<think>%</think>ls", "%\n</think>\n\nls"} {
		said := func(k string) string {
			return `{"role":"assistant","content":` + string(rawJSON(t, strings.ReplaceAll(how, "%", k))) + `},{"role":"user","content":"no such file"}`
		}
		wantCanonicals(t, id, request(t, "messages", `[{"role":"user","content":"go"},`+said("well")+`,`+said("hm")+`]`),
			`[["last_exchange",[{"role":"assistant","text":"ls"},{"role":"user","text":"no such file"}]]]`)
	}
}
