package fingerprint

import (
	"strings"
	"testing"
)

// TestClockInSystemPrompt: a framework that tells the model the time made each
// request a conversation of its own.
func TestClockInSystemPrompt(t *testing.T) {
	w := NewWriter(nil)
	key := func(members ...string) ScopeKey {
		t.Helper()
		k, _, cause := scopeOf(t, w, request(t, members...), "conversation")
		if cause != Computable {
			t.Fatal(cause)
		}
		return k
	}
	f := func(same bool, members ...string) {
		t.Helper()
		later := make([]string, len(members))
		for i, m := range members {
			later[i] = strings.ReplaceAll(strings.ReplaceAll(m, "13:40:11", "13:41:07"), "1001", "1002")
		}
		if (key(members...) == key(later...)) != same {
			t.Errorf("%q: same is %v", members, !same)
		}
	}
	const ask = `{"role":"user","content":"q"}`
	f(true, "messages", `[{"role":"system","content":"it is 2026-11-25 13:40:11"},`+ask+`]`)
	f(true, "messages", `[{"role":"developer","content":[{"type":"text","text":"it is\nWed Nov 25 2026 13:40:11"}]},`+ask+`]`)
	f(true, "system", `"the time: 13:40:11"`, "messages", "["+ask+"]")
	f(false, "system", `"customer 1001"`, "messages", "["+ask+"]")
	f(false, "messages", `[{"role":"user","content":"remind me at 13:40:11"}]`)
}
