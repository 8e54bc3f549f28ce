package rawjson

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestVerbatim(t *testing.T) {
	long := strings.Repeat("a text that fills blocks of sixty-four bytes, more than one ", 3)
	f := func(inner string, want bool) {
		t.Helper()
		for _, pad := range []string{"", long, long[:63], long[:64], long[:65]} {
			for _, s := range []string{pad + inner, inner + pad, pad + inner + pad} {
				if got := Verbatim([]byte(s)); got != want {
					t.Errorf("%q: %v", s, got)
				}
			}
		}
	}
	f(``, true)
	f(`plain`, true)
	f("DEL \x7f, é, \U0001F600", true)
	f(`\"\\\b\f\n\r\t`, true)
	f(`\\u0041`, true)
	f(`\\/`, true)

	f(`\/`, false)
	f(`\u0041`, false)
	f(`\"\\\u00e9`, false)
	f(`\x`, false)
	f(`\N`, false)
	f(`\R`, false)
	f("\\\xee", false)
	f("raw\ncontrol", false)
	f("\x00", false)
	f("\x1f", false)
	f("bad \xff byte", false)
	f("\x80", false)
	f("a lone \xed\xa0\x80 surrogate", false)
}

// TestVerbatimIsSafe: what is verbatim may be copied for what it stands for,
// and the vector instructions and the loop agree on what that is.
func TestVerbatimIsSafe(t *testing.T) {
	pieces := []string{
		`\`, `\\`, `\"`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0041`, `\ud83d`, `/`, `a`, `R`, "é", "\U0001F600", "\x7f", "\n", "\x1f", "\xff", "\xed\xa0\x80",
		"a text that is longer than a block of sixty-four bytes, to move the rest about ",
	}
	rapid.Check(t, func(t *rapid.T) {
		line := []byte(`"` + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "pieces"), "") + `"`)
		end, what := skipString(line, 0)
		if what != "" {
			return
		}
		inner := line[1 : end-1] // up to the first quote that is not escaped
		ok, ascii := verbatim(inner)
		if hasBlocks {
			gotOK, gotASCII := verbatimBlocks(inner)
			if gotOK != ok || ok && gotASCII != ascii {
				t.Fatalf("%q: %v %v with vector instructions, %v %v without", inner, gotOK, gotASCII, ok, ascii)
			}
		}
		if !Verbatim(inner) {
			return
		}
		text, bad := AppendText(nil, inner)
		if want := string(AppendString(nil, text)); bad >= 0 || `"`+string(inner)+`"` != want {
			t.Fatalf("%q is taken for verbatim, but %q is written", inner, want)
		}
	})
}

func TestValueVerbatim(t *testing.T) {
	f := func(value, want string, wantOK bool) {
		t.Helper()
		inner, ok := Value(value).Verbatim()
		if ok != wantOK || ok && string(inner) != want {
			t.Errorf("%s: %q %v", value, inner, ok)
		}
	}
	f(`"a\"b\n"`, `a\"b\n`, true)
	f(`""`, ``, true)
	f(`"\u0041"`, ``, false)
	f(`["a"]`, ``, false)
	f(``, ``, false)
}
