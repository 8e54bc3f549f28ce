package fingerprint

import (
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
	var all []*Identity // by twos: with the mask, and with it word by word
	for _, lower := range []bool{false, true} {
		quick := mustNew(t, "", Options{Parts: []string{"last_messages:3"}, Mask: []string{"call_ids"}, Lower: lower})
		slow := *quick
		slow.rules.mask = slices.Concat(quick.rules.mask, quick.rules.mask)
		all = append(all, quick, &slow)
	}
	all = append(all, mustNew(t, "", Options{Parts: []string{"last_messages:3"}}))
	requests := realRequests(t)
	for _, text := range []string{
		"hi", "call_1", "CALL_1", "toolu_bdrk_01A", "chatcmpl-tool-9", `\ncall_7`, `\u0063all_7`, `\u0001fc_1`, "call_log", "call_log_7", "é call_é1", `\"fc_1\"`,
	} {
		requests = append(requests, request(t, "messages", `[{"role":"user","content":"`+text+`"},{"role":"assistant","content":[{"type":"text","text":"`+text+`"}],`+
			`"tool_calls":[{"id":"call_5","function":{"name":"f","arguments":{"`+text+`":["`+text+`"]}}}]},{"role":"tool","tool_call_id":"call_5","content":"`+text+`"}]`))
	}
	masked := 0
	for _, r := range requests {
		for first := range all {
			w := NewWriter(nil)
			w.Keep = true
			of := map[*Identity]string{}
			for i := range all {
				id := all[(first+i)%len(all)]
				id.Compute(r, w)
				of[id] = string(w.prints[len(w.prints)-1].Canonical)
			}
			for i := 0; i < 4; i += 2 {
				if of[all[i]] != of[all[i+1]] {
					t.Fatalf("%s\nword by word %s", of[all[i]], of[all[i+1]])
				}
				if of[all[i]] != of[all[4]] {
					masked++
				}
			}
		}
	}
	if masked == 0 {
		t.Error("nothing was masked")
	}
}
