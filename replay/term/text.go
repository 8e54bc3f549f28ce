// Package term lays out what a person reads in a terminal, and makes text from
// logs fit to be shown there.
package term

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// Safe makes log text fit for a terminal: characters that move the cursor,
// change colours, reverse the writing direction or do not show are written as
// escapes.
func Safe(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == unicode.ReplacementChar && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// Bold is text in bold, if the terminal shows colours.
func Bold(colour bool, text string) string {
	if !colour {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// Width is how many columns a terminal has at least: no line is longer.
const Width = 80

// Gap is how many columns stand between two of a table's.
const Gap = 2

// Table lays rows out in columns; numbers stand right. The last column is not
// padded, and cut where it would not fit.
type Table struct {
	rows  [][]string
	Right map[int]bool
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// Write writes the rows, each behind indent.
func (t *Table) Write(b *strings.Builder, indent string) {
	widths := t.widths()
	for _, row := range t.rows {
		line := indent
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-runewidth.StringWidth(cell))
			if t.Right[i] {
				line += pad + cell
			} else {
				line += cell + pad
			}
			line += strings.Repeat(" ", Gap)
		}
		b.WriteString(Shorten(strings.TrimRight(line, " "), Width) + "\n")
	}
}

// Room is how many columns are left for one more column.
func (t *Table) Room() int {
	room := Width
	for _, w := range t.widths() {
		room -= w + Gap
	}
	return room
}

func (t *Table) widths() (widths []int) {
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	return widths
}

// AddColumn adds a cell to each row.
func (t *Table) AddColumn(cells []string) {
	for i, cell := range cells {
		t.rows[i] = append(t.rows[i], cell)
	}
}

// AddWrapped adds a cell to each row, of so many columns: what does not fit goes
// on in rows below.
func (t *Table) AddWrapped(cells []string, columns int) {
	var rows [][]string
	for i, cell := range cells {
		beside := t.rows[i]
		for _, line := range Wrap(cell, columns) {
			rows = append(rows, append(slices.Clone(beside), line))
			beside = make([]string, len(beside))
		}
	}
	t.rows = rows
}

// Shorten cuts text to so many columns.
func Shorten(text string, columns int) string { return runewidth.Truncate(text, columns, "…") }

// Middle cuts text to so many columns in its middle: ids that begin alike end
// differently.
func Middle(text string, columns int) string {
	width := runewidth.StringWidth(text)
	if width <= columns {
		return text
	}
	tail := columns/2 - 1
	return Shorten(text, columns-tail) + runewidth.TruncateLeft(text, width-tail, "")
}

// Number counts something.
type Number interface{ ~int | ~int64 }

// Count writes a number with thousands apart.
func Count[N Number](n N) string {
	if n < 0 {
		return "?"
	}
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes a number with the word that goes with it.
func Plural[N Number](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Short writes a number in a few columns: 1.7M.
func Short(n int64) string {
	if n < 10_000 {
		return Count(n)
	}
	x := float64(n)
	for _, unit := range []string{"k", "M", "G"} {
		if x /= 1000; x < 999.5 {
			if x < 9.95 {
				return fmt.Sprintf("%.1f%s", x, unit)
			}
			return fmt.Sprintf("%.0f%s", x, unit)
		}
	}
	return fmt.Sprintf("%.3gT", x/1000)
}

// Percent of a whole, never 0 or 100 unless it is exactly that.
func Percent[N Number](part, whole N) string {
	switch {
	case whole == 0 || part == 0:
		return "0 %"
	case part == whole:
		return "100 %"
	}
	p := 100 * float64(part) / float64(whole)
	switch {
	case p < 0.1:
		return "<0.1 %"
	case p > 99.9:
		return ">99.9 %"
	case p < 10:
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", min(p, 99))
}

// Instant is a time in UTC, given in microseconds.
func Instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// Period writes from when to when, in microseconds; with seconds, where it is
// about them.
func Period(first, last int64) string {
	layout := "2006-01-02 15:04"
	if last-first < time.Hour.Microseconds() {
		layout = time.DateTime
	}
	return fmt.Sprintf("%s to %s UTC", Instant(first).Format(layout), Instant(last).Format(layout))
}

// Span writes a duration in the unit that says most, to the nearest.
func Span(micros int64) string {
	d := time.Duration(micros) * time.Microsecond
	in := func(unit time.Duration, name string) string { return fmt.Sprintf("%d %s", d.Round(unit)/unit, name) }
	switch {
	case d < time.Second:
		return in(time.Millisecond, "ms")
	case d < 2*time.Minute:
		return in(time.Second, "s")
	case d < 2*time.Hour:
		return in(time.Minute, "min")
	case d < 48*time.Hour:
		return in(time.Hour, "h")
	}
	return in(24*time.Hour, "days")
}

// Money writes US dollars.
func Money(usd float64) string {
	switch {
	case usd != usd:
		return "?"
	case usd > 0 && usd < 0.01:
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}
