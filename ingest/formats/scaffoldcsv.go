package formats

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// scaffoldCSV is a custom format for the CSV that data begins with; nil if it is
// none. The first line may name the columns.
func scaffoldCSV(data []byte) []byte {
	for _, separator := range []byte(",;\t|") {
		if g, times := csvOf(rowsOf(data, separator), separator); g != nil {
			var b strings.Builder
			fmt.Fprintf(&b, "columns: %s\n", listYAML(g.format.Columns))
			switch separator {
			case ',':
			case '\t':
				b.WriteString("separator: \"\\t\"\n")
			default:
				fmt.Fprintf(&b, "separator: '%c'\n", separator)
			}
			return append([]byte(b.String()), g.yaml(times)...)
		}
	}
	return nil
}

// rowsOf are the first rows: lines, unless values go on over several.
func rowsOf(data []byte, separator byte) (rows [][]byte) {
	var c *wrap.Chain
	blanks := " \t\r\n" // as a reader of lines has them
	if separator == '\t' {
		blanks = " \r\n"
	}
	for line := range bytes.Lines(data) {
		line = bytes.Trim(line, blanks)
		if c == nil {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if line[0] == '{' || line[0] == '[' {
				return nil // JSON has commas, too
			}
			first, _, _ := wrap.SplitCSV(nil, line, separator, nil)
			c = wrap.NewChain([]*wrap.Wrapper{wrap.CSVRows(len(first), separator)}, func(row wrap.Line) {
				rows = append(rows, bytes.Clone(row.Text))
			}, nil)
		}
		if c.Push(wrap.Line{Text: line}); len(rows) == scaffoldLines {
			break
		}
	}
	return rows
}

// csvOf takes rows as CSV: nil unless all have as many values, and one column
// is a time.
func csvOf(lines [][]byte, separator byte) (g *guesser, times CustomField) {
	g = &guesser{format: Custom{Separator: separator, Missing: missing}}
	header := false
	for n, line := range lines {
		cells, _, why := wrap.SplitCSV(nil, line, separator, nil)
		switch {
		case why != "" || len(cells) < 2 || len(cells) > maxGathered:
			return nil, times
		case n == 0:
			g.format.Columns, header = columnNames(cells)
			if header && len(lines) > 1 {
				continue
			}
		case wrap.NotRow(len(cells), len(g.format.Columns), separator) != "":
			return nil, times
		}
		if !header && isProse(line, cells, separator) {
			return nil, times
		}
		g.records = append(g.records, line)
		for i, cell := range cells {
			g.text(g.format.Columns[i], cell)
		}
	}
	times, most := g.times()
	if most == 0 {
		return nil, times
	}
	return g, times
}

// isProse tells a sentence from values: text has commas too, and loggers put
// blanks around a bar, and pairs behind a tab.
func isProse(line []byte, cells [][]byte, separator byte) bool {
	if separator == '|' || separator == '\t' {
		return bytes.Contains(line, []byte(" |")) || slices.ContainsFunc(cells, func(cell []byte) bool {
			return !bytes.HasPrefix(cell, []byte("{")) && !bytes.HasPrefix(cell, []byte("[")) && len(pairsOf.FindAllIndex(cell, 2)) == 2
		})
	}
	return slices.ContainsFunc(cells, func(cell []byte) bool {
		return bytes.ContainsRune(cell, ' ') && cell[0] != '{' && cell[0] != '[' && len(guessLayouts(cell)) == 0
	})
}

// columnNames are the names on the first line, if it is one of names, else
// numbers.
func columnNames(cells [][]byte) (names []string, header bool) {
	header = true
	for i, cell := range cells {
		name := string(bytes.TrimSpace(cell))
		header = header && (len(cell) == 0 || // a column without a name, as pandas writes first
			isPath(name) && !bytes.ContainsAny(cell[:1], "{0123456789-+/") && len(guessLayouts(cell)) == 0)
		for slices.Contains(names, name) {
			name = fmt.Sprintf("%s_%d", name, i+1)
		}
		names = append(names, name)
	}
	if !header {
		for i := range names {
			names[i] = fmt.Sprintf("column%d", i+1)
		}
	}
	return names, header
}
