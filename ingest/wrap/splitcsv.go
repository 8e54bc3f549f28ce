package wrap

import (
	"bytes"
	"slices"
)

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
				return cells, unquoted, "a quoted value is not closed"
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

// NotRow is why so many values are no row of so many columns, or "". Editors and shippers
// cut off the white space that a line ends with, tabs among it.
func NotRow(values, columns int, separator byte) (why string) {
	switch {
	case values > columns:
		return "more values than columns"
	case values < columns && separator != '\t':
		return "fewer values than columns"
	}
	return ""
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
