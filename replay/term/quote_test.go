package term

import (
	"runtime"
	"testing"
)

// TestQuoted: commands that are shown work as they stand.
func TestQuoted(t *testing.T) {
	f := func(word, want, windows string) {
		t.Helper()
		if runtime.GOOS == "windows" {
			want = windows
		}
		if got := Quoted(word); got != want {
			t.Errorf("%s is %s, want %s", word, got, want)
		}
	}
	f("logs/x.log", "logs/x.log", "logs/x.log")
	f("it's a log", `'it'\''s a log'`, `"it's a log"`)
	f(`C:\logs\x.log`, `'C:\logs\x.log'`, `C:\logs\x.log`)
	f(`C:\my logs\*.log`, `'C:\my logs\*.log'`, `"C:\my logs\*.log"`)
}
