package formats

import (
	"bytes"
	"slices"
)

// notClosed is why a line of CSV cannot be read whose last value goes on.
const notClosed = "a quoted value is not closed"

// splitCSV appends the values of a line to cells, as RFC 4180 has them: one may
// stand in quotes, which are doubled inside of it. Values without doubled quotes
// lie in the line, the others in unquoted, which is returned grown. A value is
// nil if it is empty.
func splitCSV(cells [][]byte, line []byte, separator byte, unquoted []byte) ([][]byte, []byte, string) {
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

// columns takes a line of CSV apart. The line with the names of the columns is
// no request.
func (p *custom) columns(line []byte) (why string) {
	p.cells, p.unquoted, why = splitCSV(p.cells[:0], line, p.c.Separator, p.unquoted[:0])
	if why != "" {
		return why
	}
	header := true
	for i, cell := range p.cells {
		if i == len(p.names) {
			return "more values than columns"
		}
		header = header && string(cell) == p.c.Columns[i]
		if cell != nil {
			p.members = append(p.members, member{p.names[i], found{text: cell}})
		}
	}
	switch {
	// The tabs that a line ends with are cut off as white space is.
	case len(p.cells) < len(p.c.Columns) && p.c.Separator != '\t':
		return "fewer values than columns"
	case header && len(p.cells) > 0:
		return NoRequest
	}
	return ""
}
