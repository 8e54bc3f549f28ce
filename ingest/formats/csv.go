package formats

import "github.com/loopgauge/loopgauge/ingest/wrap"

// columns takes a line of CSV apart. The line with the names of the columns is
// no request.
func (p *custom) columns(line []byte) (why string) {
	p.cells, p.unquoted, why = wrap.SplitCSV(p.cells[:0], line, p.c.Separator, p.unquoted[:0])
	if why != "" {
		return why
	}
	header := true
	for i, cell := range p.cells {
		if i == len(p.names) {
			return "more values than columns"
		}
		header = header && string(cell) == p.c.Columns[i]
		if cell != nil && string(cell) != wrap.Null {
			p.members = append(p.members, member{p.names[i], found{text: p.unescaped(cell)}})
		}
	}
	switch {
	// Editors and shippers cut off the white space that a line ends with.
	case len(p.cells) < len(p.c.Columns) && p.c.Separator != '\t':
		return "fewer values than columns"
	case header && len(p.cells) > 0:
		return NoRequest
	}
	return ""
}
