package sinks

import (
	"strings"
	"unicode"
)

// Clean is a value of the log on one line, of at most so many characters:
// without control and format characters, which could hide or turn around what
// follows.
func Clean(text string, most int) string {
	n := 0
	var b strings.Builder
	for _, r := range text {
		if n++; n > most {
			b.WriteRune('…')
			break
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			r = '\uFFFD'
		}
		b.WriteRune(r)
	}
	return b.String()
}
