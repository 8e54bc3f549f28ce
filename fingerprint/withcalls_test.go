package fingerprint

import (
	"fmt"
	"strings"
	"testing"
)

// TestLastMessagesHaveTheCallsOfTheirResults: three searches side by side that
// found nothing are not the three before them.
func TestLastMessagesHaveTheCallsOfTheirResults(t *testing.T) {
	written := func(part string, r *Request) string {
		_, messages, _ := strings.Cut(canonicals(mustNew(t, "", Options{Parts: []string{part}}), r)[0], ",")
		return messages
	}
	single := chatTurn + `,{"role":"assistant","tool_calls":[{"id":"c3","function":{"name":"list","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c3","content":"none"}`
	spoken := `{"role":"user","content":"q"},{"role":"assistant","content":"edit 1"},{"role":"user","content":"Observation: done"},{"role":"assistant","content":"test"},{"role":"user","content":"Observation: FAIL"}`
	plain := `{"role":"user","content":"q"},{"role":"assistant","content":"edit 1"},{"role":"user","content":"ok"},{"role":"assistant","content":"test"},{"role":"user","content":"FAIL"}`
	inTwo := `{"role":"user","content":"q"},{"role":"assistant","content":"<tool_call>f</tool_call>"},{"role":"assistant","content":"<tool_call>g</tool_call>"},{"role":"tool","content":"ok"},{"role":"tool","content":"ok"}`
	for _, c := range []struct {
		messages string
		n, is    int
	}{
		{chatTurn, 1, 3},
		{chatTurn, 2, 3},
		{chatTurn, 3, 3},
		{chatTurn + `,{"role":"user","content":"and?"}`, 2, 4},
		{single, 2, 2},
		{single, 3, 5},
		{anthropicTurn, 1, 2},
		{anthropicTurn, 2, 2},
		{responsesTurn, 2, 4},
		{responsesTurn, 3, 4}, // not one of two calls side by side
		{textBetween, 2, 5},
		{textBetween, 3, 5},
		{`{"role":"assistant","content":"a"},{"role":"user","content":[{"type":"text","text":"tool_result \u00e9"}]}`, 1, 1},
		{`{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"q"},{"role":"tool","content":"r"}`, 1, 1},
		{`{"role":"tool","content":"r"},{"role":"tool","content":"s"}`, 1, 1},
		{spoken, 3, 4},
		{spoken, 1, 2},
		{`{"role":"assistant","content":"test"},{"role":"user","content":" \u004fbservation: FAIL"}`, 1, 2},
		{`{"role":"assistant","content":"test"},{"role":"user","content":[{"type":"text","text":"Observation: FAIL"}]}`, 1, 2},
		{spoken + `,{"role":"user","content":"Observation: of what?"}`, 1, 1},
		{`{"role":"user","content":"Observation: r"},{"role":"assistant","content":"a"}`, 2, 2},
		// Any message of the user may be a result, unless it is all that is asked for.
		{plain, 3, 4},
		{plain, 2, 2},
		{plain, 1, 1},
		{plain + `,{"role":"user","content":"and?"}`, 2, 3},
		{`{"role":"assistant","content":"edited"},{"role":"user","content":"go on"},` + chatTurn, 6, 7},
		{`{"role":"user","content":"q"},{"role":"user","content":"ok"},{"role":"assistant","content":"a"}`, 2, 2},
		{inTwo, 2, 4},
		{inTwo, 3, 4},
	} {
		r := request(t, "messages", "["+c.messages+"]")
		got := written(fmt.Sprintf("last_messages:%d", c.n), r)
		r.Messages.Items = r.Messages.Items[len(r.Messages.Items)-c.is:]
		if want := written("messages", r); got != want {
			t.Errorf("last %d of %s:\n got %s\nwant %s", c.n, c.messages, got, want)
		}
	}
}

// TestTailWithoutCalls: of messages that are the end of a longer list the calls of
// the first results may be what was lost.
func TestTailWithoutCalls(t *testing.T) {
	r := request(t, "messages", `[{"role":"tool","tool_call_id":"c1","content":"r"},{"role":"user","content":"q"}]`)
	id := mustNew(t, "", Options{Parts: []string{"last_messages:2"}})
	if got := canonicals(id, r); len(got) != 1 {
		t.Errorf("%q", got)
	}
	r.Messages.Tail = true
	wantCanonicals(t, id, r, notComputable(LossyContent))
}

// TestResultsOfLostCalls: where a logger keeps role and text alone, as agentgateway does,
// results that are equal may be of whatever was called.
func TestResultsOfLostCalls(t *testing.T) {
	const (
		step   = `,{"role":"assistant","content":""},{"role":"tool","content":"ok"}`
		inText = `,{"role":"assistant","content":"<tool_call>f</tool_call>"},{"role":"tool","content":"ok"}`
	)
	for messages, lost := range map[string]bool{
		`{"role":"user","content":"q"}` + step:                                                   true,
		`{"role":"user","content":"q"}` + step + step:                                            true,
		`{"role":"user","content":"q"}` + step + step + `,{"role":"user","content":"and?"}`:      true,
		`{"role":"user","content":"q"}` + step + `,{"role":"assistant","content":"done"}` + step: true,
		chatTurn + `,{"role":"tool","content":"ok"}`:                                             false,
		textBetween: false,
		`{"role":"assistant","content":"a"},{"role":"user","tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}`: false, // of a user that calls
		`{"role":"user","content":"q"}` + step + `,{"role":"assistant","content":"done"},{"role":"user","content":"and?"},{"role":"assistant","content":"done"}`:                    false,
		// The answer calls in its text.
		`{"role":"user","content":"q"}` + inText:                                                                                                                false,
		`{"role":"user","content":"q"}` + inText + inText:                                                                                                       false,
		`{"role":"user","content":"q"}` + inText + `,{"role":"user","content":"and?"}`:                                                                          false,
		`{"role":"user","content":"q"},{"role":"assistant","content":"[f(x=1)]"},{"role":"tool","content":"ok"}`:                                                false,
		`{"role":"user","content":"q"},{"role":"assistant","content":"<|python_tag|>f.call(x=1)"},{"role":"tool","content":"ok"}`:                               false,
		`{"role":"user","content":"q"},{"role":"assistant","content":"<think>\na\n</think>\n\n<tool_call>f</tool_call>"},{"role":"tool","content":"ok"}`:        false,
		`{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"\u003cthink>a</think>{\"f\":1}"}]},{"role":"tool","content":"ok"}`: false,
		// Reasoning is no call.
		`{"role":"user","content":"q"},{"role":"assistant","content":"<think>\na\n</think>"},{"role":"tool","content":"ok"}`:                            true,
		`{"role":"user","content":"q"},{"role":"assistant","content":"<think>\n\n</think>\n\nI go on."},{"role":"tool","content":"ok"}`:                 true,
		`{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"\u003cthink>a</think>b"}]},{"role":"tool","content":"ok"}`: true,
	} {
		id := mustNew(t, "", Options{Parts: []string{"last_messages:3"}})
		r := request(t, "messages", "["+messages+"]")
		if lost {
			wantCanonicals(t, id, r, notComputable(LossyContent))
		} else if got := canonicals(id, r); len(got) != 1 || strings.Contains(got[0], "not computable") {
			t.Errorf("%s: %q", messages, got)
		}
	}
}

func TestWithCallsIsNotQuadratic(t *testing.T) {
	hostile(t, func(size int) {
		messages := strings.Repeat(`{"role":"tool","content":"r"},`, size)
		id := mustNew(t, "last-messages", Options{})
		id.Compute(request(t, "caller", "c", "model", "m", "messages", "["+strings.TrimSuffix(messages, ",")+"]"), NewWriter(nil))
	})
}
