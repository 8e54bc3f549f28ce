package term

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// Wrap breaks text at spaces, and words that are too long anywhere.
func Wrap(text string, width int) []string { return wrap(text, width, width) }

// Hanging is a line that is broken so. What does not fit on it is set in by two
// columns more than it is itself.
func Hanging(line string, width int) string {
	text := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(text)]
	return indent + strings.Join(wrap(text, width-len(indent), width-len(indent)-2), "\n  "+indent)
}

// wrap breaks text into a first line and others of other widths.
func wrap(text string, first, others int) (lines []string) {
	line, width := "", first
	for word := range strings.SplitSeq(Safe(text), " ") {
		if line != "" && runewidth.StringWidth(line)+1+runewidth.StringWidth(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines, width = append(lines, line), others
		}
		for runewidth.StringWidth(word) > width {
			head := runewidth.Truncate(word, width, "")
			lines, word, width = append(lines, head), word[len(head):], others
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
