package fingerprint

import (
	"slices"
	"testing"
)

func TestMasked(t *testing.T) {
	id := mustNew(t, "", Options{Parts: []string{"body"}, Mask: []string{"numbers", "uuids"}})
	f := func(body string, want ...Masked) {
		t.Helper()
		got := id.Masked(&Request{Body: []byte(body)})
		if len(got) != 1 || !slices.Equal(got[0], want) {
			t.Errorf("%q: %v, want %v", body, got, want)
		}
	}
	f("nothing", Masked{"uuids", 0}, Masked{"numbers", 0})
	f("12 and 13", Masked{"uuids", 0}, Masked{"numbers", 2})
	f("123e4567-e89b-12d3-a456-426614174000 7", Masked{"uuids", 1}, Masked{"numbers", 1})
	// What looks like a placeholder was not put there by a mask.
	f("<number> 5 <uuid>", Masked{"uuids", 0}, Masked{"numbers", 1})
	if got := id.Masked(&Request{}); len(got) != 0 {
		t.Errorf("no body: %v, want none", got)
	}

	// Also where there are more fingerprints without a mask, or none.
	replaced := func(name, mask, messages string, want ...int) {
		t.Helper()
		var got []int
		for _, masks := range mustNew(t, name, Options{Mask: []string{mask}}).Masked(request(t, "messages", messages)) {
			got = append(got, masks[0].N)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	replaced("tool-call-result", "durations", `[{"role":"assistant","tool_calls":[
		{"id":"1","function":{"name":"f","arguments":"{}"}},{"id":"2","function":{"name":"f","arguments":"{}"}},{"id":"3","function":{"name":"g","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"1","content":"<duration> 15 s"},{"role":"tool","tool_call_id":"2","content":"<duration> 25 s"},{"role":"tool","tool_call_id":"3","content":"35 s"}]`, 1, 1)
	replaced("last-exchange", "call_ids", `[{"role":"user","content":"go"},
		{"role":"assistant","content":"call_1a <call-id>"},{"role":"user","content":"no"},{"role":"assistant","content":"call_2b <call-id>"},{"role":"user","content":"no"}]`, 1)
	replaced("tool-call", "numbers", `[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\"a\":[1,\"2 b\"]}"}}]}]`, 2)
}
