package fingerprint

import (
	"strings"
	"testing"
)

// TestRemarks: what an agent says of its command is no part of what it does. To
// gateways it is.
func TestRemarks(t *testing.T) {
	turn := mustNew(t, "tool-call-result", Options{})
	of := func(tool, arguments, want string) {
		t.Helper()
		r := request(t, "messages", `[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"`+tool+`","arguments":`+string(rawJSON(t, arguments))+`}}]},{"role":"tool","tool_call_id":"a","content":"no"}]`)
		wantCanonicals(t, turn, r, `[["tool_call_result",{"arguments":`+want+`,"name":"`+tool+`","result":{"text":"no"}}]]`)
	}
	is := func(arguments, want string) { t.Helper(); of("Bash", arguments, want) }
	same := func(arguments string) { t.Helper(); is(arguments, arguments) }

	const ls = `{"command":"ls"}`
	is(`{"command":"ls","description":"list the files"}`, ls)
	is(`{"description":"list the files","command":"ls"}`, ls)
	is(`{"command":"ls","explanation":"to see","goal":"files","justification":"","summary":"a"}`, ls)
	is(`{"timeout":1,"description":"a","cmd":["bash","-lc","ls"]}`, `{"cmd":["bash","-lc","ls"],"timeout":1}`)
	is(`{"command":"ls","description":"a","description":"b"}`, ls)
	same(`{"description":"a","title":"b"}`)
	same(`{"command":"ls","description":{"a":"b"}}`)
	same(`{"command":"ls","descriptions":"a"}`)
	same(`[{"command":"ls","description":"a"}]`)
	same(`{"a":{"command":"ls","description":"a"}}`)

	for _, shell := range []string{"bash", "run_shell_command", "shell", "exec_command", "run_terminal_cmd", "run_in_terminal", "execute_bash", "mcp__Terminal__run"} {
		of(shell, `{"command":"ls","description":"a"}`, ls)
	}
	of("execute", `{"command":"ls -a","description":"a"}`, `{"command":"ls -a"}`)
	of("run_command", `{"cmd":["ls","-a"],"description":"a"}`, `{"cmd":["ls","-a"]}`)
	of("execute_action", `{"command":"add","description":"buy milk"}`, `{"command":"add","description":"buy milk"}`)
	of("jira_command", `{"command":"create_issue","summary":"a b"}`, `{"command":"create_issue","summary":"a b"}`)
	of("file_editor", `{"command":"view","path":"a.py","security_risk":"LOW","summary":"View a.py again"}`, `{"command":"view","path":"a.py","security_risk":"LOW"}`)
	of("mcp__file_editor", `{"command":"view","path":"a.py","summary":"a b"}`, `{"command":"view","path":"a.py"}`)
	of("profile_editor", `{"command":"set","summary":"a b"}`, `{"command":"set","summary":"a b"}`)
	of("create_issue", `{"security_risk":"LOW","summary":"a b"}`, `{"security_risk":"LOW","summary":"a b"}`)
	of("todo", `{"command":"add","description":"a"}`, `{"command":"add","description":"a"}`)

	// step is a request that answers a call with the next one.
	step := func(description string) *Request {
		arguments := `{"command":"ls","description":"` + description + `"}`
		call := `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":` + arguments + `}]}`
		return request(t, "caller", "k", "model", "m", "response", "Bash "+arguments, "messages", `[`+call+`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"no"}]}]`)
	}
	first, again := step("list"), step("list_again")
	for _, k := range Kinds {
		id := mustNew(t, k.Name, Options{})
		a, b := strings.Join(canonicals(id, first), " "), strings.Join(canonicals(id, again), " ")
		switch k.Name {
		case "tool-call-result", "stuck-step", "last-messages", "prompt":
			if a != b || !strings.Contains(a, ls) {
				t.Errorf("%s tells apart %s and %s", k.Name, a, b)
			}
		case "tool-call", "tool-call-python", "openrouter":
			if a == b || !strings.Contains(a, "list") {
				t.Errorf("%s does not tell apart %s and %s", k.Name, a, b)
			}
		}
	}

	// Whichever of them is asked first.
	w := NewWriter(nil)
	w.Keep = true
	for _, name := range []string{"tool-call", "stuck-step", "tool-call", "stuck-step"} {
		mustNew(t, name, Options{}).Compute(first, w)
	}
	prints := w.Prints()
	if string(prints[0].Canonical) != string(prints[2].Canonical) || string(prints[1].Canonical) != string(prints[3].Canonical) {
		t.Errorf("what is written for one identity is another's: %s", prints)
	}
}
