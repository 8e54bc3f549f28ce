package rawjson

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestPrintable(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := string(Printable([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	f("{\"a\":\n \"b\"}\n", "{\"a\":\n \"b\"}\n")
	f(`"é 漢字 🎉"`, `"é 漢字 🎉"`)
	f("\"\u202Eevil\u2066\"", `"\u202eevil\u2066"`)
	f("\"\u009b31m\u0085\x7f\u2028\u200b\"", `"\u009b31m\u0085\u007f\u2028\u200b"`)
	f("\"\x7f\"", `"\u007f"`)
	f("[\"\u2028\xff\",\n1]", "[\"\\u2028\xff\",\n1]") // blanks, and bytes that are no text, stay
	f("\"\uffff\U000E0041\"", `"\uffff\udb40\udc41"`)

	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		in, err := json.Marshal(map[string]string{text: text})
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]string
		if err := json.Unmarshal(Printable(in), &out); err != nil || out[text] != text {
			t.Fatalf("%q reads as %q, %v", text, out, err)
		}
	})
}
