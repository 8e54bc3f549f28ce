package fingerprint

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCleanedResults: what volatile leaves out of a result is no part of it, however and
// wherever it is written in the log.
func TestCleanedResults(t *testing.T) {
	last := mustNew(t, "", Options{Parts: []string{"last_messages:1"}})
	turn := mustNew(t, "tool-call-result", Options{})
	quoted := string(rawJSON(t, "<system-reminder>7</system-reminder>\nrequest_id: 7a93c0d1\n1 failed in 0.41s"))
	want := string(rawJSON(t, "request_id: <request-id>\n1 failed in <duration>"))
	for _, content := range []string{quoted, strings.ReplaceAll(quoted, "i", `\u0069`), `[{"type":"text","text":` + quoted + `}]`} {
		wantCanonicals(t, last, request(t, "messages", `[{"role":"tool","tool_call_id":"a","content":`+content+`}]`), `[["last_messages:1",[{"role":"tool","text":`+want+`}]]]`)
		for _, messages := range []string{
			`[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{}}}]},{"role":"tool","tool_call_id":"a","content":` + content + `}]`,
			`[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":` + content + `}]}]`,
			`[{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":` + content + `}]`,
		} {
			wantCanonicals(t, turn, request(t, "messages", messages), `[["tool_call_result",{"arguments":{},"name":"f","result":{"text":`+want+`}}]]`)
		}
	}
	// Of results side by side each is marked as an error by itself.
	wantCanonicals(t, turn, request(t, "messages", `[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"10:00:00 no"},{"type":"tool_result","tool_use_id":"b","content":"10:00:00 no"}]}]`),
		`[["tool_call_result",{"arguments":{},"name":"f","result":{"error":true,"text":"<timestamp> no"}}]]`,
		`[["tool_call_result",{"arguments":{},"name":"f","result":{"text":"10:00:00 no"}}]]`)
}

// TestSaid: what people and models say stays, unless it is what a program said.
func TestSaid(t *testing.T) {
	last := mustNew(t, "", Options{Parts: []string{"last_messages:1"}})
	said := func(role, text, want string) {
		t.Helper()
		wantCanonicals(t, last, request(t, "messages", `[{"role":"`+role+`","content":`+string(rawJSON(t, text))+`}]`), `[["last_messages:1",[{"role":"`+role+`","text":`+string(rawJSON(t, want))+`}]]]`)
	}
	said("user", "request_id: 7a93c0d1", "request_id: 7a93c0d1")
	said("user", "1 failed in 0.41s", "1 failed in 0.41s")
	said("assistant", "1 failed in 0.41s", "1 failed in 0.41s")
	said("user", "Observation: 1 failed in 0.41s", "Observation: 1 failed in <duration>")
	state := "{\n \"state\": \"running\",\n \"error\": null,\n \"elapsed\": \"0.41s\"\n}"
	for _, polled := range []string{"Observation: " + state, "Observation: [" + state + "]", "Observation: {'state': 'running', 'error': None, 'elapsed': '0.41s'}", "<returncode>0</returncode>\n<output>\n" + state + "\n</output>", "[execute_command for 'curl a'] Result:\n" + state} {
		said("user", polled, polled)
	}
	said("user", `Observation: {"error": "no answer in 0.41s"}`, `Observation: {"error": "no answer in <duration>"}`)
	said("user", "<returncode>1</returncode>\n<output>\n1 failed in 0.41s\n</output>", "<returncode>1</returncode>\n<output>\n1 failed in <duration>\n</output>")
	said("user", "[execute_command for 'pytest'] Result:\n1 failed in 0.41s\n<environment_details>\n# Current Time\n1\n</environment_details>", "[execute_command for 'pytest'] Result:\n1 failed in <duration>")
	said("system", "Ran command: `pytest`\n\n```stdout\n1 failed in 0.41s\n```\n\nReturn code: 1", "Ran command: `pytest`\n\n```stdout\n1 failed in <duration>\n```\n\nReturn code: 1")
	said("system", "Ran allowlisted command: `cat a`\n\n`1 failed in 0.41s`", "Ran allowlisted command: `cat a`\n\n`1 failed in <duration>`")
	said("user", "<tool_response>\n1 failed in 0.41s\n</tool_response>", "<tool_response>\n1 failed in <duration>\n</tool_response>")
	said("user", `{"tool_name": "code", "tool_result": "F\n1 failed in 0.41s"}`, `{"tool_name": "code", "tool_result": "F\n1 failed in <duration>"}`)
	said("user", `{"tool_name": "job", "tool_result": "running, 3 passed in 0.41s"}`, `{"tool_name": "job", "tool_result": "running, 3 passed in 0.41s"}`)
	said("user", `{"tool_name": "code", "tool_result": "{\"failed\":0,\"up\":\"0.41s\"}"}`, `{"tool_name": "code", "tool_result": "{\"failed\":0,\"up\":\"0.41s\"}"}`)
	// An object is a state here, too.
	for _, state := range []string{`{"state": "running", "errors": 0, "up": "0.41s"}`, `{"output": "running, 3 passed in 0.41s"}`} {
		for _, text := range []string{"Observation: " + state, "<tool_response>\n" + state + "\n</tool_response>", "TOOL RESPONSE: \n----\n" + state + "\n\nUSER'S INPUT"} {
			said("user", text, text)
		}
	}
	said("user", `{"tool_name": "job", "tool_result": {"failed": 0, "up": "0.41s"}}`, `{"tool_name": "job", "tool_result": {"failed": 0, "up": "0.41s"}}`)
	said("user", "Call id: call_7\nError:\nCode execution failed: 1 failed in 0.41s", "Call id: call_7\nError:\nCode execution failed: 1 failed in <duration>")
	said("system", "Executed code block.\n\n```error\nTimeout after 0.41s\n```", "Executed code block.\n\n```error\nTimeout after <duration>\n```")
	said("system", "1 failed in 0.41s", "1 failed in 0.41s")
	said("user", "Ran commands: 1 failed in 0.41s", "Ran commands: 1 failed in 0.41s")
	gatewaysTellApart(t, `[{"role":"tool","tool_call_id":"a","content":"1 failed in 0.41s"}]`, `[{"role":"tool","tool_call_id":"a","content":"1 failed in 0.42s"}]`)
}

// TestFramedParts: a part that is nothing but a frame says nothing, unless all are.
func TestFramedParts(t *testing.T) {
	id := mustNew(t, "", Options{Parts: []string{"last_messages:1"}})
	wantCanonicals(t, id, request(t, "messages", `[{"role":"user","content":[{"type":"text","text":"`+"<system-reminder>1</system-reminder>"+`"},{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`), `[["last_messages:1",[{"role":"user","text":"a b"}]]]`)
	wantCanonicals(t, id, request(t, "messages", `[{"role":"user","content":"<system-reminder>1</system-reminder>"}]`), `[["last_messages:1",[{"role":"user","text":"<system-reminder>1</system-reminder>"}]]]`)
	gatewaysTellApart(t, `[{"role":"user","content":"a\n<system-reminder>1</system-reminder>"}]`, `[{"role":"user","content":"a\n<system-reminder>2</system-reminder>"}]`)
}

func rawJSON(t *testing.T, text string) []byte {
	t.Helper()
	b := &strings.Builder{}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	must(t, e.Encode(text))
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
