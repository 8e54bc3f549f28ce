package wrap

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// CSVRows is for CSV with so many columns, of which a value in quotes may go on
// over lines. It is in no table: who knows the columns knows that it is CSV.
func CSVRows(columns int, separator byte) *Wrapper {
	return &Wrapper{
		Detect: func([]byte) bool { return false }, Joins: true, keeps: true,
		New: func() Unwrapper { return &csvRows{columns: columns, separator: separator} },
	}
}

// csvRows holds the lines of a row until its quotes are closed. What is no row
// then, since some line was cut, goes on line by line.
type csvRows struct {
	gather[struct{}]
	columns   int
	separator byte
	stray     bool // text stands behind the quotes of a value: they are another's

	row, unquoted []byte
	cells         [][]byte
}

func (c *csvRows) Unwrap(line Line, next func(Line)) string {
	if !c.Open() {
		c.stray = false
	}
	quoted := c.goesOn(line.Text)
	if !quoted && !c.Open() {
		next(line)
		return ""
	}
	c.hold(line, struct{}{})
	switch {
	case !quoted && c.whole():
		row := Line{Text: c.row, At: c.held[0].at, Column: -1}
		c.held = c.held[:0]
		next(row)
	case !quoted || len(c.held) > patience:
		c.Drop(next, nil)
	}
	return ""
}

// goesOn tells whether a value is not closed at the end of the line, by what
// SplitCSV takes for quotes.
func (c *csvRows) goesOn(line []byte) bool {
	for quoted := c.Open(); ; {
		if !quoted {
			line, quoted = bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte{'"'})
		}
		closed := quoted
		for quoted {
			end := bytes.IndexByte(line, '"')
			if end < 0 {
				return true
			}
			line, quoted = bytes.CutPrefix(line[end+1:], []byte{'"'})
		}
		behind, rest, more := bytes.Cut(line, []byte{c.separator})
		if c.stray = c.stray || closed && len(bytes.TrimSpace(behind)) > 0; !more {
			return false
		}
		line = rest
	}
}

// whole puts the lines together and tells whether they are a row.
func (c *csvRows) whole() bool {
	c.row = c.row[:0]
	for i := range c.held {
		if i > 0 {
			c.row = append(c.row, '\n')
		}
		c.row = append(c.row, c.held[i].text...)
	}
	var why string
	c.cells, c.unquoted, why = SplitCSV(c.cells[:0], c.row, c.separator, c.unquoted[:0])
	return why == "" && !c.stray && (len(c.cells) == c.columns || len(c.cells) < c.columns && c.separator == '\t')
}

func (c *csvRows) Ends(line []byte) bool {
	c.Unwrap(Line{Text: line}, nowhere)
	return !c.Open()
}

func (c *csvRows) Drop(next func(Line), _ func(fingerprint.Position)) {
	held := c.held
	c.held = held[:0]
	for i := range held {
		next(held[i].line())
	}
}
