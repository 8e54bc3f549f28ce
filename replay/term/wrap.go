package term

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// Wrap breaks text at spaces, and words that are too long anywhere.
func Wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.SplitSeq(Safe(text), " ") {
		if line != "" && runewidth.StringWidth(line)+1+runewidth.StringWidth(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for runewidth.StringWidth(word) > width {
			head := runewidth.Truncate(word, width, "")
			lines, word = append(lines, head), word[len(head):]
		}
		line = word
	}
	return append(lines, line)
}

// Ending cuts text to so many columns from its beginning: of a path the end
// says most.
func Ending(text string, columns int) string {
	if runewidth.StringWidth(text) <= columns {
		return text
	}
	return runewidth.TruncateLeft(text, runewidth.StringWidth(text)-columns+1, "…")
}
