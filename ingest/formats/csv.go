package formats

import "github.com/loopgauge/loopgauge/ingest/wrap"

// columns takes a line of CSV apart. The line with the names of the columns is
// no request.
func (p *custom) columns(line []byte) (why string) {
	p.cells, p.unquoted, why = wrap.SplitCSV(p.cells[:0], line, p.c.Separator, p.unquoted[:0])
	if why == "" {
		why = wrap.NotRow(len(p.cells), len(p.names), p.c.Separator)
	}
	if why != "" {
		return why
	}
	header := true
	for i, cell := range p.cells {
		header = header && string(cell) == p.c.Columns[i]
		if cell != nil && string(cell) != wrap.Null {
			p.members = append(p.members, member{p.names[i], found{text: p.unescaped(cell)}})
		}
	}
	if header {
		return NoRequest
	}
	return ""
}
