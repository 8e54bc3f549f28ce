package parquet

import (
	"errors"

	"github.com/parquet-go/parquet-go"

	"github.com/loopgauge/loopgauge/sinks"
)

// eventWriter writes the rows of a file of events column by column. Rows of
// one request differ in a few columns: what they share is made once. By
// reflection, row by row, it takes three times as long.
type eventWriter struct {
	file *sinks.AtomicFile
	out  *parquet.Writer
	cols []rowColumn
	rows int // of the row group
}

// rowColumn is a column that rows are added to.
type rowColumn struct {
	to       *parquet.ColumnWriter
	kind     *wordType // nil for numbers
	optional bool
	full     int // definition level of what is not null

	row  []parquet.Value // of the row at work: more than one in lists
	rows []parquet.Value // of rows not handed over yet
}

func newEventWriter(d *Dataset, parts ...string) (*eventWriter, error) {
	f, err := d.file(parts...)
	if err != nil {
		return nil, err
	}
	schema, types := wordSchema[eventRow]()
	w := &eventWriter{file: f, out: parquet.NewWriter(f, append(layouts["events"].options(), schema)...), cols: make([]rowColumn, len(types))}
	columns := w.out.ColumnWriters()
	for i, path := range schema.Columns() {
		leaf, _ := schema.Lookup(path...)
		w.cols[i] = rowColumn{to: columns[i], kind: types[i], optional: leaf.Node.Optional(), full: leaf.MaxDefinitionLevel}
	}
	return w, nil
}

// clear takes the values of the last row out of columns from one to another,
// which they are kept in otherwise.
func (w *eventWriter) clear(from, to int) {
	for i := from; i <= to; i++ {
		w.cols[i].row = w.cols[i].row[:0]
	}
}

// put adds a value to a column of the row. More than one is a list; none is
// null, or an empty list.
func (w *eventWriter) put(col int, v parquet.Value) {
	c := &w.cols[col]
	c.row = append(c.row, v.Level(min(len(c.row), 1), c.full, col))
}

// null adds an element of a list that has nothing in this column.
func (w *eventWriter) null(col int) {
	c := &w.cols[col]
	c.row = append(c.row, parquet.Value{}.Level(min(len(c.row), 1), c.full-1, col))
}

func (w *eventWriter) int64(col int, n int64) { w.put(col, parquet.Int64Value(n)) }
func (w *eventWriter) int32(col int, n int32) { w.put(col, parquet.Int32Value(n)) }

// text adds a text. No text is null where a column may be.
func text[T string | []byte](w *eventWriter, col int, s T) {
	c := &w.cols[col]
	if len(s) == 0 && c.optional {
		w.null(col)
		return
	}
	w.put(col, parquet.Int32Value(wordsAt(c.kind.words, s)))
}

// write adds the row.
func (w *eventWriter) write() error {
	for i := range w.cols {
		c := &w.cols[i]
		if len(c.row) == 0 {
			c.row = append(c.row, parquet.Value{}.Level(0, 0, i))
		}
		c.rows = append(c.rows, c.row...)
	}
	w.rows++
	if w.rows%batch == 0 {
		return w.flush()
	}
	return nil
}

// flush hands over the rows, and ends a row group that is full.
func (w *eventWriter) flush() error {
	for i := range w.cols {
		c := &w.cols[i]
		if _, err := c.to.WriteRowValues(c.rows); err != nil {
			return err
		}
		c.rows = c.rows[:0]
	}
	if w.rows < rowGroup {
		return nil
	}
	w.rows = 0
	return w.out.Flush()
}

func (w *eventWriter) close() error {
	return errors.Join(w.flush(), w.out.Close(), w.file.Seal())
}
