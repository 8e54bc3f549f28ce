package wrap

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// CSVRows is for CSV with so many columns, of which a value in quotes may go on
// over lines. It is in no table: who knows the columns knows that it is CSV.
func CSVRows(columns int, separator byte) *Wrapper {
	return &Wrapper{
		Detect: func([]byte) bool { return false }, Gathers: true, keeps: true,
		New: func() Unwrapper { return &csvRows{columns: columns, separator: separator} },
	}
}

// csvRows holds the lines of a row until its quotes are closed. Where some line was
// cut they come to no row: then they go on one by one, and the last begins anew.
type csvRows struct {
	columns   int
	separator byte

	text  []byte // of the lines that are held, each with its newline
	held  []csvLine
	lines int // that were, since none was

	unquoted []byte
	cells    [][]byte
}

type csvLine struct {
	at  fingerprint.Position
	end int // in the text
}

func (c *csvRows) Unwrap(line Line, next func(Line)) string {
	quoted, stray := c.quotes(line.Text)
	if !quoted && !c.Open() || c.lines == patience {
		c.Drop(next, nil)
		c.lines = 0
		next(line)
		return ""
	}
	c.text = append(c.text, line.Text...)
	switch n := len(c.text); {
	case !c.Open(), quoted && !stray:
		c.held = append(c.held, csvLine{line.At, n})
		c.text = append(c.text, '\n')
		c.lines++
	case !quoted && !stray && c.isRow():
		row := Line{Text: c.text[:n:n], At: c.held[0].at, Column: -1}
		c.text, c.held, c.lines = c.text[:0], c.held[:0], 0
		next(row)
	default:
		c.Drop(next, nil)
		return c.Unwrap(line, next)
	}
	return ""
}

var quote = []byte{'"'}

// quotes tells, by what SplitCSV takes for quotes, whether a value is not closed at
// the end of a line, and whether text is behind the quotes of one, which are another's
// then.
func (c *csvRows) quotes(line []byte) (quoted, stray bool) {
	quoted = c.Open()
	if !quoted && bytes.Count(line, quote)%2 == 0 { // most lines: what is opened is closed
		return false, false
	}
	for {
		if !quoted {
			line, quoted = bytes.CutPrefix(bytes.TrimLeft(line, " "), quote)
		}
		closed := quoted
		for quoted {
			end := bytes.IndexByte(line, '"')
			if end < 0 {
				return true, stray
			}
			line, quoted = bytes.CutPrefix(line[end+1:], quote)
		}
		behind, rest, more := bytes.Cut(line, []byte{c.separator})
		if stray = stray || closed && len(bytes.TrimSpace(behind)) > 0; !more {
			return false, stray
		}
		line = rest
	}
}

// isRow tells whether the text has as many values as a row.
func (c *csvRows) isRow() bool {
	var why string
	c.cells, c.unquoted, why = SplitCSV(c.cells[:0], c.text, c.separator, c.unquoted[:0])
	return why == "" && NotRow(len(c.cells), c.columns, c.separator) == ""
}

// Open tells whether a line is held back.
func (c *csvRows) Open() bool { return len(c.held) > 0 }

func (c *csvRows) Drop(next func(Line), _ func(fingerprint.Position)) {
	text, held, from := c.text, c.held, 0
	c.text, c.held = text[:0], held[:0]
	for _, h := range held {
		next(Line{Text: text[from:h.end:h.end], At: h.at, Column: -1})
		from = h.end + 1
	}
}
