package sinks

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := Clean(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	f("two  words, é and 漢", "two  words, é and 漢")
	f("a\nb\u202ec\u2028d\u2029e\x7f", "a\ufffdb\ufffdc\ufffdd\ufffde\ufffd")
	f(strings.Repeat("é", maxText), strings.Repeat("é", maxText))
	f(strings.Repeat("é", maxText+1), strings.Repeat("é", maxText)+"…")
}
