package sinks

import (
	"strings"
	"unicode"
)

// maxText is how many characters of a value of the log are shown to a person.
const maxText = 350

// Clean is a value of the log on one line: without control and format
// characters, which could hide or turn around what follows, and not too long.
func Clean(text string) string { return CleanUpTo(text, maxText) }

// CleanUpTo is Clean with at most so many characters.
func CleanUpTo(text string, most int) string {
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

// defanged is a value of the log for a receiver that passes it on, nobody
// knows where to: markup, mentions and links in it do nothing in a chat, a
// mail or a page.
func defanged(text string) string {
	text = strings.NewReplacer("<", "‹", ">", "›", "://", "[:]//").Replace(Clean(text))
	var b strings.Builder
	before := ' '
	for _, r := range text {
		if r == '@' && !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			r = '＠' // no mention; an address stays one
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}
