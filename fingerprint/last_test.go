package fingerprint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestLastMessagesAreSharedRightly: an identity says the same whether or not
// another with the same messages was computed before, of this request or of
// the one before it.
func TestLastMessagesAreSharedRightly(t *testing.T) {
	identities := []*Identity{
		mustNew(t, "last-messages", Options{}),
		mustNew(t, "", Options{Parts: []string{"last_messages:3"}}),
		mustNew(t, "", Options{Parts: []string{"last_messages:2"}}),
		mustNew(t, "", Options{Parts: []string{"last_messages:3"}, Lower: true}),
		mustNew(t, "", Options{Parts: []string{"last_messages:3"}, Mask: []string{"numbers"}}),
		mustNew(t, "", Options{Parts: []string{"model", "last_messages:3"}}),
		mustNew(t, "", Options{Parts: []string{"messages"}}),
	}
	requests := []*Request{
		request(t, "caller", "c", "model", "m", "messages", `[{"role":"user","content":"A 1"},{"role":"user","content":"B 2"},{"role":"user","content":"C 3"},{"role":"user","content":"D 4"}]`),
		request(t, "caller", "c", "model", "m", "messages", `[{"role":"user","content":"another"}]`),
		request(t, "caller", "c", "model", "m", "messages", `[{"role":"user","content":"broken \x"}]`),
		request(t, "caller", "c", "model", "m", "messages", `[]`),
	}
	wantSharedRightly(t, identities, requests)
}

// TestLastTurnIsSharedRightly: likewise of the last turn, of the messages that
// end with it, and of the calls that were issued, also where other identities
// use the same memory in between.
func TestLastTurnIsSharedRightly(t *testing.T) {
	identities := []*Identity{
		mustNew(t, "tool-call-result", Options{}),
		mustNew(t, "stuck-step", Options{}),
		mustNew(t, "tool-call-result", Options{Mask: []string{"numbers"}}),
		mustNew(t, "tool-call", Options{}),
		mustNew(t, "", Options{Parts: []string{"query", "last_turn"}}),
		mustNew(t, "", Options{Parts: []string{"last_turn"}, Lower: true}),
		mustNew(t, "tool-call-python", Options{}),
		mustNew(t, "", Options{Parts: []string{"tool_call", "last_turn"}}),
		mustNew(t, "tool-call", Options{Mask: []string{"numbers"}}),
		mustNew(t, "openrouter", Options{}),
		mustNew(t, "aisg", Options{}),
		mustNew(t, "last-messages", Options{}),
		mustNew(t, "last-exchange", Options{}),
		mustNew(t, "last-exchange", Options{Mask: []string{"numbers"}}),
		mustNew(t, "last-exchange", Options{Mask: []string{"call_ids"}}),
		mustNew(t, "prompt", Options{}),
		mustNew(t, "", Options{Parts: []string{"last_messages:4"}, Mask: []string{"numbers"}}),
		mustNew(t, "", Options{Parts: []string{"last_messages:4"}, Lower: true}),
	}
	query := []string{"query", "aaaaaaaa=%41%41%41%41%41%41%41%41&b=+"}
	broken := strings.Replace(chatTurn, `"none"`, `"broken \x"`, 1)
	var requests []*Request
	// What is the same in the turn and in its messages, and what is not.
	turn := func(content string, results ...string) string {
		text := `{"role":"assistant","content":` + content + `,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"b\":1,\"a\":2}"}},{"id":"b","function":{"name":"g","arguments":"no JSON 7"}}]}`
		for i, result := range results {
			text += fmt.Sprintf(`,{"role":"tool","tool_call_id":"%c","content":%s}`, 'a'+i, result)
		}
		return text
	}
	for _, messages := range []string{
		chatTurn, anthropicTurn, chatTurn + `,{"role":"user","content":"and?"}`, broken, responsesTurn, "",
		turn(`null`, `" R 1 "`, `"S"`), turn(`"I look"`, `""`, `" "`), turn(`null`, `"\u00e9 \ud83d\n"`), turn(`null`, `"r"`, `"[REDACTED]"`),
		turn(`null`, `[{"type":"text","text":"r"},{"type":"image","source":1}]`, `7`), turn(`null`, `"1"`, `"2"`, `"of none"`), turn(`null`) + "," + turn(`null`, `"r"`),
		strings.Replace(chatTurn, `"find"`, `"find \x"`, 1), "null," + chatTurn, // a message that is null
	} {
		requests = append(requests,
			request(t, append(query, "caller", "c", "model", "m", "messages", "["+messages+"]")...),
			request(t, append(query, "caller", "c", "model", "m", "messages", "["+messages+"]", "response", `f {"b":1,"a":2} g 3`)...))
	}
	wantSharedRightly(t, identities, requests)
}

// wantSharedRightly computes identities in many orders with one Writer.
func wantSharedRightly(t *testing.T, identities []*Identity, requests []*Request) {
	t.Helper()
	shared := NewWriter(nil)
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 20 * len(requests) {
		r := requests[n%len(requests)]
		shared.Reset()
		for _, i := range random.Perm(len(identities)) {
			id := identities[i]
			from := len(shared.Prints())
			cause := id.Compute(r, shared)
			tool := func(p Print) string { return string(p.Tool) }
			got := shared.Prints()[from:]
			tools := mapped(got, tool)
			alone := NewWriter(nil)
			if want := id.Compute(r, alone); cause != want {
				t.Fatalf("request %d, %s: %v, alone %v", n%len(requests), id.Name, cause, want)
			}
			of := func(p Print) Fingerprint { return p.Fingerprint }
			if want := alone.Prints(); !slices.Equal(mapped(got, of), mapped(want, of)) || !slices.Equal(tools, mapped(want, tool)) {
				t.Errorf("request %d, %s: another fingerprint than alone", n%len(requests), id.Name)
			}
		}
	}
}

func mapped[T, U any](list []T, f func(T) U) (all []U) {
	for _, x := range list {
		all = append(all, f(x))
	}
	return all
}
