package fingerprint

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A conversation is the same to a Writer that has met others that begin nearly so.
func TestBeginningsAreToldApart(t *testing.T) {
	long := strings.Repeat("be brief ", 1000)
	requests := []*Request{
		request(t, "caller", "ab", "user", "c", "messages", `[{"role":"system","content":"s"},{"role":"user","content":"q"}]`),
		request(t, "caller", "a", "user", "bc", "messages", `[{"role":"system","content":"s"},{"role":"user","content":"q"}]`),
		request(t, "caller", "aB", "user", "c", "messages", `[{"role":"system","content":"s"},{"role":"user","content":"q"}]`),
		request(t, "caller", "ab", "user", "d", "messages", `[{"role":"system","content":"s"},{"role":"user","content":"q"}]`),
		request(t, "caller", "ab", "user", "c", "messages", `[{"role":"system","content":"t"},{"role":"user","content":"q"}]`),
		request(t, "caller", "ab", "user", "c", "messages", `[{"role":"system","content":"s"},{"role":"user","content":"r"}]`),
		request(t, "caller", "ab", "user", "c", "messages", `[{"role":"system","content":"s"},{"role":"user","content":"q"},{"role":"user","content":"more"}]`),
		request(t, "caller", "ab", "user", "c", "messages", `[{"role":"system","content":"s"},{"role":"assistant","content":"hello"},{"role":"user","content":"q"}]`),
		request(t, "caller", "ab", "user", "c", "messages", `[{"role":"system","content":"s"}]`),
		request(t, "caller", "ab", "user", "c", "messages", `[{"role":"system","content":"s"},{"role":"system","content":"t"}]`),
		request(t, "caller", "ab", "user", "c", "system", `"s"`, "messages", `[{"role":"user","content":"q"}]`),
		request(t, "caller", "ab", "user", "c", "system", `"t"`, "messages", `[{"role":"user","content":"q"}]`),
		request(t, "caller", "ab", "user", "c", "messages", `[{"role":"user","content":"q"}]`),
		request(t, "caller", "ab", "user", "c", "messages", `[{"role":"user","content":"`+long+`q"}]`),
		request(t, "caller", "ab", "user", "c", "messages", `[{"role":"user","content":"`+long+`r"}]`),
		// Where the body is logged as it was sent, the client cut the result.
		request(t, "caller", "ab", "body", "{}", "messages", `[{"role":"user","content":[{"type":"tool_result","content":"a... [truncated]"}]}]`),
		request(t, "caller", "ab", "messages", `[{"role":"user","content":[{"type":"tool_result","content":"a... [truncated]"}]}]`),
		request(t, "caller", "ab", "messages", `[{"role":"user","content":"q","name":"\q"}]`),
	}
	told := func(w *Writer, r *Request) string {
		key, shown, cause := scopeOf(t, w, r, "conversation")
		return fmt.Sprint(key, shown, cause)
	}
	names := map[string]bool{}
	for i, r := range requests {
		want := told(NewWriter(nil), r)
		names[want] = true
		for k, before := range requests {
			w := NewWriter(nil)
			for _, r := range []*Request{before, r, before, r} {
				w.Reset()
				told(w, r)
			}
			if got := told(w, r); got != want {
				t.Errorf("request %d behind request %d: %s, want %s", i, k, got, want)
			}
		}
	}
	if len(names) != len(requests)-2 { // three are of one conversation
		t.Errorf("%d requests are of %d conversations", len(requests), len(names))
	}
}

// The conversations that take turns are remembered, and no more than there is room for.
func TestBeginningsAreRemembered(t *testing.T) {
	w := NewWriter(nil)
	begin := func(n any) (known bool) {
		r := request(t, "caller", "c", "messages", fmt.Sprintf(`[{"role":"user","content":"%v"}]`, n))
		w.Reset()
		known = w.begun(r) != nil
		if _, _, cause := scopeOf(t, w, r, "conversation"); cause != Computable {
			t.Fatal(cause)
		}
		return known
	}
	for n := range mostBeginnings {
		if begin(n) {
			t.Errorf("conversation %d is known before it began", n)
		}
		if !begin(n) {
			t.Errorf("conversation %d is forgotten at once", n)
		}
	}
	begin(0) // again: it is the last to be forgotten
	begin(mostBeginnings)
	var forgotten []int
	for _, n := range []int{0, 1, 2, mostBeginnings} {
		if !begin(n) {
			forgotten = append(forgotten, n)
		}
	}
	if !slices.Equal(forgotten, []int{1, 2}) { // 1 made room for the one that came last, and 2 for 1
		t.Errorf("forgotten are %v", forgotten)
	}
	if n := len(w.beginnings); n != mostBeginnings {
		t.Errorf("%d are remembered", n)
	}
	// Of those that never come again few are remembered.
	for n := range 4 * mostStrangers {
		scopeOf(t, w, request(t, "caller", "c", "messages", fmt.Sprintf(`[{"role":"user","content":"once %d"}]`, n)), "conversation")
	}
	var kept []string
	for _, b := range w.beginnings[:4] {
		kept = append(kept, string(b.text))
	}
	want := []string{`c{"role":"user","content":"once 63"}`, `c{"role":"user","content":"once 47"}`, `c{"role":"user","content":"once 31"}`, `c{"role":"user","content":"once 15"}`}
	if !slices.Equal(kept, want) {
		t.Errorf("the last that are remembered: %s", kept)
	}
	long := strings.Repeat("9", longestBeginning)
	for range 2 {
		if begin(long) {
			t.Error("one that is too long is remembered")
		}
	}
}
