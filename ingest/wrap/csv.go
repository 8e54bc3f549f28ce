package wrap

import (
	"bytes"
	"slices"
)

// csv takes a line out of the value that it is in the row of an export: the
// longest that is a JSON object, or an array of them. Lines of text are not looked for, as many have
// commas and quotes of their own.
//
//	"@timestamp","@message"
//	"2026-11-21 03:51:29.000","{""method"":""POST""}"
type csv struct {
	cells    [][]byte
	unquoted []byte
}

func newCSV() Unwrapper { return &csv{} }

func detectCSV(line []byte) bool {
	var c csv
	text, why := c.text(line)
	return why == "" && text != nil
}

func (c *csv) Unwrap(line Line, next func(Line)) string {
	text, why := c.text(line.Text)
	switch {
	case why != "":
		return why
	case text != nil:
		next(Line{Text: text, At: line.At, Column: -1})
	case bytes.ContainsAny(line.Text, "0123456789"): // else it is the names of the columns
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
	if len(c.cells) < 2 {
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

// notClosed is why a line of CSV cannot be read whose last value goes on.
const notClosed = "a quoted value is not closed"

// SplitCSV appends the values of a line to cells, as RFC 4180 has them: one may
// stand in quotes, which are doubled inside of it. Values without doubled quotes
// lie in the line, the others in unquoted, which is returned grown. A value is
// nil if it is empty.
func SplitCSV(cells [][]byte, line []byte, separator byte, unquoted []byte) ([][]byte, []byte, string) {
	for {
		line = bytes.TrimLeft(line, " ")
		var cell []byte
		if len(line) > 0 && line[0] == '"' {
			var ok bool
			if cell, line, unquoted, ok = cutQuoted(line[1:], unquoted); !ok {
				return cells, unquoted, notClosed
			}
		}
		rest := line
		end := bytes.IndexByte(line, separator)
		if end >= 0 {
			rest = line[:end]
		}
		if rest = bytes.TrimRight(rest, " "); len(cell) == 0 && len(rest) > 0 {
			cell = slices.Clip(rest) // what stands behind quotes is not of the value
		}
		cells = append(cells, cell)
		if end < 0 {
			return cells, unquoted, ""
		}
		line = line[end+1:]
	}
}

// cutQuoted reads a value up to its closing quote.
func cutQuoted(line, unquoted []byte) (cell, rest, grown []byte, ok bool) {
	from := len(unquoted)
	for {
		end := bytes.IndexByte(line, '"')
		if end < 0 {
			return nil, nil, unquoted, false
		}
		if end+1 == len(line) || line[end+1] != '"' {
			if len(unquoted) == from { // nothing was doubled
				return line[:end:end], line[end+1:], unquoted, true
			}
			unquoted = append(unquoted, line[:end]...)
			return unquoted[from:len(unquoted):len(unquoted)], line[end+1:], unquoted, true
		}
		unquoted = append(unquoted, line[:end+1]...)
		line = line[end+2:]
	}
}
