package ingest

import (
	"strings"
	"testing"
)

func TestClosed(t *testing.T) {
	f := func(data, want string) {
		t.Helper()
		if got := string(closed([]byte(data))); got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
	f(`{"log":{"version":"1.2","entries":[{"a":[1]},{"b":"}`, `{"log":{"version":"1.2","entries":[{"a":[1]}]}}`)
	f(`[{"a":"\"{"},{"b":`, `[{"a":"\"{"}]`)
	f(`{"a":{"b":1},"c":[`, `{"a":{"b":1}}`)
	f(`{"a":1}`+"\n"+`{"b":`, `{"a":1}`)
	for _, data := range []string{"", `{"a":1}`, `{"a":1`, `[[[`, `}{`, `no JSON {`} {
		f(data, "")
	}
}

// TestUnwrappedCut: of a document that goes on behind what is looked at there is its
// beginning.
func TestUnwrappedCut(t *testing.T) {
	data := []byte("{\n  \"calls\": [\n    {\n      \"who\": \"a\"\n    },\n    {\n      \"wh")
	in := WrappersOf(data)
	if got := string(Unwrapped(data, in)); len(in) != 1 || strings.Join(strings.Fields(got), "") != `{"calls":[{"who":"a"}]}` {
		t.Errorf("%d wrappers, in them %q", len(in), got)
	}
}
