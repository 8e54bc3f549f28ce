package chars

import "testing"

// TestWords: a word ends before punctuation, and where a script begins that has nothing
// between words.
func TestWords(t *testing.T) {
	for text, goesOn := range map[string]bool{"": false, "a": true, "7": true, "_": true, "-": false, " ": false, "é": true, "Б": true, "́": true, "。": false, "页": false, "ー": false, "ป": false, "한": true} {
		if got := BeginsWithWord([]byte(text)); got != goesOn {
			t.Errorf("a word goes on with %q: %v", text, got)
		}
		if len(text) > 1 && EndsInWord([]byte("a"+text)) != goesOn {
			t.Errorf("%q ends in a word: %v", "a"+text, !goesOn)
		}
	}
	if n := Digits([]byte("2026-11"), 8); n != 4 {
		t.Errorf("2026-11 begins with %d digits", n)
	}
	if n := Digits([]byte("2026"), 3); n != 3 {
		t.Errorf("of at most 3 digits there are %d", n)
	}
}
