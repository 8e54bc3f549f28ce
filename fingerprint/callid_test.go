package fingerprint

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestCallIDsInTexts: frameworks for models without tools write calls into
// texts, with ids that are new each time, so that no request was like another.
func TestCallIDsInTexts(t *testing.T) {
	said := func(id string) string {
		return `[{"role":"assistant","content":"Calling tools:\n[{'id': '` + id + `', 'name': 'ls'}]"},{"role":"user","content":"Call id: ` + id + `\nError: none"}]`
	}
	for _, o := range []Options{
		{Parts: []string{"last_messages:3"}, Mask: []string{"call_ids"}},
		{Parts: []string{"messages"}, Mask: []string{"call_ids"}},
		{Parts: []string{"last_messages:3"}, Mask: []string{"call_ids", "numbers"}},
	} {
		id := mustNew(t, "", o)
		want := canonicals(id, request(t, "messages", said("call_1")))
		if !strings.Contains(want[0], "'<call-id>'") || !strings.Contains(want[0], `id: <call-id>\n`) {
			t.Errorf("%v: %s", o, want)
		}
		for _, other := range []string{"call_2", "toolu_01Xy", `call_\u0033`} {
			wantCanonicals(t, id, request(t, "messages", said(other)), want[0])
		}
	}
}

// TestCallIDsAreSeldom: texts without ids, which are most, are written as for
// identities without a mask, and together with them. That must be what masking
// word by word makes, in whatever order they come.
func TestCallIDsAreSeldom(t *testing.T) {
	var all []*Identity // by threes: with the mask, with it word by word, without
	for _, part := range []string{"last_messages:3", "messages", "body", toolCallPart, "last_turn", "last_exchange"} {
		for _, lower := range []bool{false, true} {
			quick := mustNew(t, "", Options{Parts: []string{part}, Mask: []string{"call_ids"}, Lower: lower})
			slow, plain := *quick, *quick
			slow.rules.mask = slices.Concat(quick.rules.mask, quick.rules.mask)
			plain.rules.mask = nil
			all = append(all, quick, &slow, &plain)
		}
	}
	requests := realRequests(t)
	for _, text := range []string{
		"hi", "call_1", "CALL_1", "toolu_bdrk_01A", "chatcmpl-tool-9", `\ncall_7`, `\u0063all_7`, `\u0001fc_1`, "call_log", "call_log_7", "é call_é1", `\"fc_1\"`,
	} {
		said := `{"role":"user","content":"` + text + `"},{"role":"assistant","content":[{"type":"text","text":"` + text + `"}],` +
			`"tool_calls":[{"id":"call_5","function":{"name":"f","arguments":{"` + text + `":["` + text + `"]}}}]},{"role":"tool","tool_call_id":"call_5","content":"` + text + `"}`
		requests = append(requests,
			request(t, "body", `{"`+text+`":"`+text+`"}`, "messages", "["+said+"]"),
			request(t, "messages", "["+said+`,{"role":"user","content":"`+text+`"},`+said+`,{"role":"user","content":"`+text+`"}]`))
	}
	orders := 5
	if testing.Short() {
		orders = 1
	}
	masked, random := make([]bool, len(all)), rand.New(rand.NewPCG(1, 2))
	for _, r := range requests {
		for range orders {
			w := NewWriter(nil)
			w.Keep = true
			of := make([]string, len(all))
			for _, i := range random.Perm(len(all)) {
				n := len(w.prints)
				of[i] = all[i].Compute(r, w).String()
				for _, p := range w.prints[n:] {
					of[i] += string(p.Canonical)
				}
			}
			for i := 0; i < len(all); i += 3 {
				if of[i] != of[i+1] {
					t.Fatalf("%s\nword by word %s", of[i], of[i+1])
				}
				masked[i] = masked[i] || of[i] != of[i+2]
			}
		}
	}
	for i := 0; i < len(all); i += 3 {
		if !masked[i] {
			t.Errorf("%s: nothing was masked", all[i].Name)
		}
	}
}

// TestCallIDsInResults: clients write the id of the call that failed into its result,
// which was another each time. Ids of other calls are what is worked on, and one that
// is not named so may be that of what was made.
func TestCallIDsInResults(t *testing.T) {
	last := mustNew(t, "", Options{Parts: []string{"last_messages:1"}})
	turn := mustNew(t, "tool-call-result", Options{})
	is := func(id, text, want string) {
		t.Helper()
		quoted, want := string(rawJSON(t, text)), string(rawJSON(t, want))
		named := string(rawJSON(t, id))
		ofTurn := `[["tool_call_result",{"arguments":{},"name":"f","result":{"text":` + want + `}}]]`
		for _, content := range []string{quoted, strings.ReplaceAll(quoted, "a", `\u0061`), `[{"type":"text","text":` + quoted + `}]`} {
			chat := request(t, "messages", `[{"role":"assistant","tool_calls":[{"id":`+named+`,"function":{"name":"f","arguments":{}}}]},{"role":"tool","tool_call_id":`+named+`,"content":`+content+`}]`)
			wantCanonicals(t, turn, chat, ofTurn)
			wantCanonicals(t, last, chat, `[["last_messages:1",[{"calls":[{"arguments":{},"name":"f"}],"role":"assistant"},{"role":"tool","text":`+want+`}]]]`)
			wantCanonicals(t, turn, request(t, "messages", `[{"role":"assistant","content":[{"type":"tool_use","id":`+named+`,"name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":`+named+`,"content":`+content+`}]}]`), ofTurn)
			wantCanonicals(t, turn, request(t, "messages", `[{"type":"function_call","call_id":`+named+`,"name":"f","arguments":"{}"},{"type":"function_call_output","call_id":`+named+`,"output":`+content+`}]`), ofTurn)
			wantCanonicals(t, last, request(t, "messages", `[{"role":"tool","tool_call_id":`+named+`,"content":`+content+`}]`), `[["last_messages:1",[{"role":"tool","text":`+want+`}]]]`)
		}
	}

	is("call_7a93c0", `{"error":true,"toolCallId":"call_7a93c0"}`, `{"error":true,"toolCallId":"<call-id>"}`) // VoltAgent
	is("7a93c0d1", "tool_call_id: 7a93c0d1 (7a93c0d1), Call ID=7a93c0d1-1 call id 7a93c0d1: a", "tool_call_id: <call-id> (7a93c0d1), Call ID=7a93c0d1-1 call id <call-id>: a")
	is("toolu_7a93c0", `{"tool_use_id": "toolu_7a93c0"}`, `{"tool_use_id": "<call-id>"}`)
	is("tooluse_7a93c0", "toolUseId=tooluse_7a93c0", "toolUseId=<call-id>")
	for _, made := range []string{`{"order":"call_7a93c0","state":"created"}`, "wrote a/call_7a93c0.csv", "call_7a93c0 of 40 done", "callid call_7a93c0x toolCallIdcall_7a93c0", "call_7a93c0"} {
		is("call_7a93c0", made, made)
	}
	for _, id := range []string{"call_1", "read_file", "12345678", "call_7a93c1", ""} {
		text := "call id call_1, call id read_file, call id 12345678, call id call_7a93c0"
		is(id, text, text)
	}
}
