package wrap

import "bytes"

// csv takes a line out of the value that it is in the row of an export: the
// longest that is a JSON object, or an array of them. Lines of text are not
// looked for, as many have commas and quotes of their own.
//
//	"@timestamp","@message"
//	"2026-11-21 03:51:29.000","{""method"":""POST""}"
type csv struct {
	cells    [][]byte
	unquoted []byte
}

func detectCSV(line []byte) bool {
	var c csv
	text, _ := c.text(line)
	return text != nil
}

func (c *csv) Unwrap(line Line, next func(Line)) string {
	text, why := c.text(line.Text)
	switch {
	case why != "":
		return why
	case text != nil:
		next(line.made(text))
	case line.At.Line > 1 && bytes.ContainsAny(line.Text, "0123456789"): // else it is the names of the columns
		return "none of the values is a JSON object"
	}
	return ""
}

// text is the value that is a line, nil if none is.
func (c *csv) text(line []byte) (text []byte, why string) {
	if len(line) == 0 || line[0] == '{' || line[0] == '[' {
		return nil, "expected the values of a row"
	}
	if c.cells, c.unquoted, why = SplitCSV(c.cells[:0], line, ',', c.unquoted[:0]); why != "" {
		return nil, why
	}
	if len(c.cells) < 2 && line[0] != '"' { // psql --csv of one column
		return nil, "expected more than one value"
	}
	for _, cell := range c.cells {
		cell = bytes.TrimSpace(cell)
		if n := len(cell); n > max(1, len(text)) && (cell[0] == '{' && cell[n-1] == '}' || cell[0] == '[' && cell[n-1] == ']') {
			text = cell
		}
	}
	return text, ""
}
