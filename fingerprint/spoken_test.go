package fingerprint

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// TestVerbatimTextIsTheText: text that is copied as it stands in the line is
// what decoding, trimming and writing it anew would give, in the form of
// RFC 8785 and in Python's.
func TestVerbatimTextIsTheText(t *testing.T) {
	pieces := []string{
		` `, `\n`, `\r`, `\t`, `\f`, `\b`, `\\`, `\\n`, `\"`, `n`, `t`, `a`, `B`, `Z`, `[`, `@`, "\x7f", "é", "É", "İ", "Σ", "σ", "Α",
		"\u0085", "\u00a0", "\u2028", "\u3000", "\ufeff", "\U0001F600", "\U00010400", "Some Words That Fill A Few Blocks Of Eight Bytes",
	}
	rapid.Check(t, func(t *rapid.T) {
		inner := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "pieces"), ""))
		if !rawjson.Verbatim(inner) {
			t.Fatalf("%q is not verbatim", inner)
		}
		text, _ := rawjson.AppendText(nil, inner)
		w := NewWriter(nil)
		got := w.appendSpoken(nil, spoken{text: inner, verbatim: true}.trim())
		want := w.appendSpoken(nil, spoken{text: text}.trim())
		if !bytes.Equal(got, want) {
			t.Errorf("%q: %q, want %q", inner, got, want)
		}
		got = w.appendPythonTextLower(nil, spoken{text: inner, verbatim: true})
		want = w.appendPythonTextLower(nil, spoken{text: text})
		if !bytes.Equal(got, want) {
			t.Errorf("%q in Python: %q, want %q", inner, got, want)
		}
	})
}

// TestWritingOfMessagesDoesNotMatter: messages that a logger wrote with other
// escapes are the same messages, for every identity.
func TestWritingOfMessagesDoesNotMatter(t *testing.T) {
	messages := func(user, result string) string {
		return `[{"role":"user","content":"` + user + `"},` +
			`{"role":"assistant","content":"` + user + `","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"1","content":"` + result + `"}]`
	}
	plain := messages(` \n Über \"A\" \\n 1\t`, `{\"a\": \"é\", \"b\": [1]} `)
	escaped := messages(`\u0020\n \u00dcber \u0022A\" \u005cn 1\u0009`, `{\"\u0061\": \"\u00e9\", \u0022b\": [1]} `)
	for _, id := range contracts(t) {
		if id.Reads&ReadsMessages == 0 {
			continue
		}
		a := request(t, "caller", "c", "model", "m", "response", "f {}", "messages", plain)
		b := request(t, "caller", "c", "model", "m", "response", "f {}", "messages", escaped)
		w, v := NewWriter(nil), NewWriter(nil)
		w.Keep, v.Keep = true, true
		if got, want := id.Compute(a, w), id.Compute(b, v); got != want {
			t.Errorf("%s: %v, escaped %v", id.Name, got, want)
		}
		for i, p := range w.Prints() {
			if q := v.Prints()[i]; p.Fingerprint != q.Fingerprint || !bytes.Equal(p.Canonical, q.Canonical) {
				t.Errorf("%s: %s, escaped %s", id.Name, p.Canonical, q.Canonical)
			}
		}
	}
}
