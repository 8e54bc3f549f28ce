package wrap

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// table makes an object of each row of an export whose first line names the columns,
// so that rows are told and read as the JSON that the same program exports. Values
// that are JSON stay what they are, and what pandas (as Python's repr) and ClickHouse
// (maps and arrays) write in the quotes of theirs becomes it; those that are not there
// are left out.
//
//	request_id,spend,startTime,messages
//	r1,0.01,2026-11-21 10:00:00.1,"[{""role"":""user""}]"
type table struct {
	columns   [][]byte // nil: those of the first line that comes
	separator byte
	escaped   bool // as COPY, mysql and ClickHouse write rows of tabs

	cells    [][]byte
	unquoted []byte
	plain    []byte // of a value that was escaped
	object   []byte
}

// Table is in [All].
var Table = &Wrapper{Name: "table", Doc: "exports as CSV or tabs, columns named first", Detect: detectTable, New: fresh[table], Of: tableOf}

func detectTable(line []byte) bool {
	_, _, ok := columnsOf(line)
	return ok
}

// columnName is a name of a column, as isColumn has it.
var columnName = regexp.MustCompile(`^[\pL_@#][\pL\pN_@#.:/ ()-]*$`)

// isColumn tells a name of a column: no value of a log's first row is one in all of
// them. Of LiteLLM's with their objects flattened some have 97 letters. To have the
// expression count them took a quarter of what every start of the program takes.
func isColumn(name []byte) bool { return utf8.RuneCount(name) <= 128 && columnName.Match(name) }

// utcColumn is what Azure's portal puts behind the names of columns of times, which it
// writes as in utcLayout.
var utcColumn = []byte(" [UTC]")

const utcLayout = "1/2/2006, 3:04:05 PM"

// columnsOf are the names of the columns that a line consists of. pandas writes a
// first one without a name.
func columnsOf(line []byte) (names [][]byte, separator byte, ok bool) {
	const fewest = 3 // words that a sentence might have between its commas
	if len(line) > 0 && (line[0] == '{' || line[0] == '[') {
		return nil, 0, false // as most lines of logs
	}
	for _, separator = range []byte(",\t;|") {
		if n := bytes.Count(line, []byte{separator}) + 1; n < fewest || n > mostMembers {
			continue
		}
		cells, _, why := SplitCSV(nil, line, separator, nil)
		for i, cell := range cells {
			if !isColumn(bytes.TrimSuffix(cell, utcColumn)) && (i > 0 || cell != nil) {
				break
			}
			names = append(names, bytes.Clone(cell))
		}
		if why == "" && len(names) == len(cells) {
			return names, separator, true
		}
		names = nil
	}
	return nil, 0, false
}

// tableOf are the wrappers of the table that data begins with, whose rows may go on
// over lines; nil if it is none.
func tableOf(data []byte) []*Wrapper {
	data = bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\uFEFF")), "\r\n")
	first, rows, _ := bytes.Cut(data, []byte{'\n'})
	names, separator, ok := columnsOf(bytes.TrimRight(first, "\r"))
	if !ok {
		return nil
	}
	escaped := separator == '\t' && isEscaped(rows)
	around := []*Wrapper{{
		Name: "table", Detect: detectTable, keeps: true, // an empty value may be the first
		New: func() Unwrapper { return &table{columns: names, separator: separator, escaped: escaped} },
	}}
	if escaped { // also what would break a line
		return around
	}
	return append([]*Wrapper{CSVRows(len(names), separator)}, around...)
}

// isEscaped tells whether backslashes are doubled in rows of tabs: some JSON in them
// is none before that is undone.
func isEscaped(rows []byte) bool {
	for line := range bytes.Lines(rows) {
		for cell := range bytes.SplitSeq(bytes.TrimRight(line, "\r\n"), []byte{'\t'}) {
			if isEscapedJSON(cell) {
				return true
			}
		}
	}
	return false
}

func (t *table) Unwrap(line Line, next func(Line)) (why string) {
	row := bytes.TrimRight(line.Text, "\r") // sqlite3 and Excel end lines so
	if t.columns == nil {
		if t.columns, t.separator, _ = columnsOf(row); t.columns == nil {
			return "expected the names of columns, as on the first line"
		}
		return ""
	}
	t.cells = t.cells[:0]
	if t.escaped { // and quotes are a part of values
		t.cells = slices.AppendSeq(t.cells, bytes.SplitSeq(row, []byte{t.separator}))
	} else if t.cells, t.unquoted, why = SplitCSV(t.cells, row, t.separator, t.unquoted[:0]); why != "" {
		return why
	}
	if why = NotRow(len(t.cells), len(t.columns), t.separator); why != "" {
		return why
	}
	header := true
	t.object = append(t.object[:0], '{')
	for i, cell := range t.cells {
		header = header && bytes.Equal(cell, t.columns[i])
		if t.isNull(cell) || len(t.columns[i]) == 0 {
			continue
		}
		if len(t.object) > 1 {
			t.object = append(t.object, ',')
		}
		name, inUTC := bytes.CutSuffix(t.columns[i], utcColumn)
		t.object = append(rawjson.AppendString(t.object, name), ':')
		if inUTC {
			if at, err := time.Parse(utcLayout, string(cell)); err == nil {
				cell = at.AppendFormat(nil, time.RFC3339Nano)
			}
		}
		t.object = t.value(t.object, cell)
	}
	if !header {
		next(line.made(append(t.object, '}')))
	}
	return ""
}

// isNull tells what databases write for no value.
func (t *table) isNull(cell []byte) bool {
	return len(cell) == 0 || string(cell) == Null || string(cell) == "NULL"
}

// value appends a value as JSON.
func (t *table) value(object, cell []byte) []byte {
	if t.escaped && bytes.IndexByte(cell, '\\') >= 0 {
		t.plain = appendCopied(t.plain[:0], cell)
		cell = t.plain
	}
	if rawjson.IsPython(cell) {
		if longer, ok := rawjson.AppendPython(object, cell); ok {
			return longer
		}
	}
	switch {
	case len(cell) > 0 && (cell[0] == '{' || cell[0] == '[') && json.Valid(cell), // undone, a value may be empty
		rawjson.ValidNumber(cell), string(cell) == "true", string(cell) == "false":
		return append(object, cell...)
	}
	return rawjson.AppendString(object, cell)
}
