package rawjson

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAppendText(t *testing.T) {
	f := func(inner, want string) {
		t.Helper()
		got, bad := AppendText([]byte("<"), []byte(inner))
		if bad >= 0 || string(got) != "<"+want {
			t.Errorf("%q: %q, bad %d; want %q", inner, got, bad, "<"+want)
		}
		// The Scanner says the same, also where it hands out the line itself.
		s := scan(`"` + inner + `"`)
		if text := s.Text(nil); string(text) != want || s.End() != nil {
			t.Errorf("Scanner: %q: %q, %v; want %q", inner, text, s.Err(), want)
		}
	}
	f(``, "")
	f(`abc`, "abc")
	f(`\"\\\/\b\f\n\r\t`, "\"\\/\b\f\n\r\t")
	f(`\u0041\u00e9\u00E9\u20ac\u0000`, "Aéé€\x00")
	f("a\nb\x00c\x1f", "a\nb\x00c\x1f") // raw control characters are accepted
	f(`\ud83d\ude00x`, "😀x")
	f(`\uABCD\uFFEF`, "\uabcd\uffef")
	f("😀", "😀")
	// Each byte that is not UTF-8 is one U+FFFD.
	f("a\xffb", "a\ufffdb")
	f("\xe2\x82", "\ufffd\ufffd")
	f("\xe2\x82\\n", "\ufffd\ufffd\n")
	f("\xf0\x9f\x98", "\ufffd\ufffd\ufffd")
	f("\xc0\x80", "\ufffd\ufffd")
	f("\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd")
	// A surrogate without its partner is kept as WTF-8, escaped or raw.
	f(`\ud83d`, "\xed\xa0\xbd")
	f(`\ude00`, "\xed\xb8\x80")
	f(`\ude00\ud83d`, "\xed\xb8\x80\xed\xa0\xbd")
	f(`\ud83dx\ude00`, "\xed\xa0\xbdx\xed\xb8\x80")
	f(`\ud83d\ud83d\ude00`, "\xed\xa0\xbd😀")
	f(`\ud83dxude00`, "\xed\xa0\xbdxude00")
	f(`\ud83d\n`, "\xed\xa0\xbd\n")
	f(`\ud83d\u0041`, "\xed\xa0\xbdA")
	f("\xed\xa0\xbd", "\xed\xa0\xbd")
	f("\xed\xa0", "\ufffd\ufffd")
	f("\xed\x9f\xbf", "\ud7ff") // the last character before the surrogates
	f("\xee\x80\x80", "\ue000")
}

func TestAppendTextBad(t *testing.T) {
	f := func(inner string, want int) {
		t.Helper()
		if _, bad := AppendText(nil, []byte(inner)); bad != want {
			t.Errorf("%q: bad at %d, want %d", inner, bad, want)
		}
	}
	f(`\`, 0)
	f(`ab\`, 2)
	f(`ab\q`, 2)
	f(`\n\x41`, 2)
	f(`\'`, 0)
	f(`\u`, 0)
	f(`\u123`, 0)
	f(`\u123g`, 0)
	f(`\u 123`, 0)
	f(`\u12:4`, 0)
	f(`\u12@4`, 0)
	f(`\u12G4`, 0)
	f(`\U0041`, 0)
	f(`\ud83d\u12`, 6) // what follows a lone surrogate is read like any other
}

func TestDecodeRune(t *testing.T) {
	f := func(text string, want rune, width int) {
		t.Helper()
		if r, n := DecodeRune([]byte(text)); r != want || n != width {
			t.Errorf("%q: %U, %d; want %U, %d", text, r, n, want, width)
		}
	}
	f("", utf8.RuneError, 0)
	f("a", 'a', 1)
	f("é!", 'é', 2)
	f("😀", '😀', 4)
	f("\ufffd", 0xFFFD, 3)
	f("\xed\xa0\x80", 0xD800, 3)
	f("\xed\xaf\xbf", 0xDBFF, 3)
	f("\xed\xb0\x80", 0xDC00, 3)
	f("\xed\xbf\xbfx", 0xDFFF, 3)
	f("\xed\xa0", utf8.RuneError, 1)
	f("\xed\xa0x", utf8.RuneError, 1)
	f("\xed\x9f\xbf", 0xD7FF, 3)
	f("\xee\x80\x80", 0xE000, 3)
	f("\xff", utf8.RuneError, 1)
	f("\xff\xa0\x80", utf8.RuneError, 1)
	f("\xc0\x80", utf8.RuneError, 1)
}

// Every text length and alignment, with one odd byte at every place.
func TestPlain(t *testing.T) {
	memory := make([]byte, 64)
	for c := range 256 {
		stops := c < ' ' || c >= 0x7F || c == '"' || c == '\\'
		for length := range 41 {
			for align := range 8 {
				text := memory[align : align+length]
				for i := range text {
					text[i] = " !#[]~aZ"[i%8]
				}
				if got := Plain(text); got != length {
					t.Fatalf("%q: %d, want %d", text, got, length)
				}
				for at := range length {
					before := text[at]
					text[at] = byte(c)
					want := length
					if stops {
						want = at
					}
					if got := Plain(text); got != want {
						t.Fatalf("%q: %d, want %d", text, got, want)
					}
					text[at] = before
				}
			}
		}
	}
}

func TestAppendEscapes(t *testing.T) {
	f := func(c byte, want string) {
		t.Helper()
		if got := AppendEscaped([]byte("<"), c); string(got) != "<"+want {
			t.Errorf("%q: %s, want %s", c, got, want)
		}
	}
	f('a', `a`)
	f('/', `/`)
	f(0x7F, "\x7f")
	f('"', `\"`)
	f('\\', `\\`)
	f('\b', `\b`)
	f('\t', `\t`)
	f('\n', `\n`)
	f('\f', `\f`)
	f('\r', `\r`)
	f('\v', `\u000b`)
	f(0, `\u0000`)
	f(0x1F, `\u001f`)
	f(0xC3, "\xc3")
	if got := string(AppendEscape([]byte("<"), 0xABCD)); got != `<\uabcd` {
		t.Error(got)
	}
}

func TestAppendString(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := string(AppendString([]byte("<"), []byte(text))); got != "<"+want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	f("", `""`)
	f("a/b<>&", `"a/b<>&"`)
	f("\u2028\u007f\u0080", "\"\u2028\u007f\u0080\"") // stand as they are
	f("é😀", `"é😀"`)
	f("a\"b\\c", `"a\"b\\c"`)
	f("\x00\x1f\b\t\n\f\r\v", `"\u0000\u001f\b\t\n\f\r\u000b"`)
	f("\xed\xa0\xbd", `"\ud83d"`)
	f("é\xed\xb8\x80é", `"é\ude00é"`)
	f(strings.Repeat("x", 17)+"\"", `"`+strings.Repeat("x", 17)+`\""`)
}
