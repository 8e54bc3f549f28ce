package parquet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// wayOut is what to do about a file that cannot be read. Others write into the
// directories of a dataset too.
const wayOut = "take the file away if it is not of this dataset, else write the dataset anew from the logs: loopgauge replay --out DIR LOG"

// damaged says that a file is not as it was written.
func damaged(path string, what any) error {
	return fmt.Errorf("%s: damaged, or not written by loopgauge: %v\n%s", path, what, wayOut)
}

// guard turns what the library makes of a damaged file into an error: it
// panics with some of them.
func guard(path string, err *error) {
	if what := recover(); what != nil {
		*err = damaged(path, what)
	}
}

// added are the columns of events that older files do not have.
var added = []string{"answered"}

var eventShape = sync.OnceValue(func() []leaf { return leaves(parquet.SchemaOf(eventRow{}).Fields(), "") })

// beginEvents opens a file of events, of which each row group that is read has to be
// checked. Its columns are looked up in the file: a schema of its own nobody asks for,
// and to make one takes longer than to read it.
func beginEvents(path string) (*parquet.File, *os.File, error) {
	return beginUnchecked(path, eventShape(), parquet.FileSchema(parquet.SchemaOf(eventRow{})))
}

// begin opens a file that must have some columns.
func begin(path string, want []leaf) (file *parquet.File, _ *os.File, err error) {
	file, f, err := beginUnchecked(path, want)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	defer guard(path, &err)
	for _, g := range groupsOf(file) {
		if err := g.check(); err != nil {
			return nil, nil, damaged(path, err)
		}
	}
	return file, f, nil
}

func beginUnchecked(path string, want []leaf, options ...parquet.FileOption) (file *parquet.File, _ *os.File, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	defer guard(path, &err)
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	file, err = openParquet(f, info.Size(), options...)
	if err != nil {
		return nil, nil, damaged(path, err)
	}
	for _, c := range want {
		have := columnOf(file, c.name)
		switch {
		case have == nil && slices.Contains(added, c.name):
			continue
		case have == nil || !have.Leaf():
			return nil, nil, fmt.Errorf("%s: has no column %s: written by another program, or by an older loopgauge\n%s", path, c.name, wayOut)
		}
		if err := c.fits(path, have); err != nil {
			return nil, nil, err
		}
	}
	return file, f, nil
}

// fits is an error if the column of a file is of another kind.
func (c leaf) fits(path string, have parquet.Node) error {
	switch kind := kindOf(have); {
	case kind == c.kind:
		return nil
	case have.Type() == parquet.Int96Type:
		return fmt.Errorf("%s: column %s is INT96, as Spark writes times, not %s\n%s", path, c.name, c.kind, wayOut)
	default:
		return damaged(path, fmt.Sprintf("column %s is %s, not %s", c.name, kind, c.kind))
	}
}

// openParquet opens a file that the library can unpack. What is not LZ4_RAW it
// takes for one that needs more memory, until there is none: a bit of the
// footer makes that of zstd.
func openParquet(f io.ReaderAt, size int64, options ...parquet.FileOption) (*parquet.File, error) {
	if err := checkFooter(f, size); err != nil {
		return nil, err
	}
	// Who reads everything has no use for what tells which pages to pass over.
	options = append(options, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	file, err := parquet.OpenFile(f, size, options...)
	if err != nil {
		return nil, err
	}
	for _, group := range file.Metadata().RowGroups {
		for i := range group.Columns {
			if c := &group.Columns[i].MetaData; c.Codec == format.Lz4Raw {
				return nil, fmt.Errorf("column %s is packed with %s, which is not read", strings.Join(c.PathInSchema, "."), c.Codec)
			}
		}
	}
	return file, nil
}

// isOwn tells whether loopgauge wrote a file.
func isOwn(file *parquet.File) bool { return strings.HasPrefix(file.Metadata().CreatedBy, creator) }

// columnOf is the column of a name; nil if there is none.
func columnOf(file *parquet.File, name string) *parquet.Column {
	at := file.Root()
	for more := true; more && at != nil; {
		var first string
		first, name, more = strings.Cut(name, ".")
		at = at.Column(first)
	}
	return at
}

type leaf struct{ name, kind string }

func leaves(fields []parquet.Field, prefix string) (list []leaf) {
	for _, f := range fields {
		name := prefix + f.Name()
		if !f.Leaf() {
			list = append(list, leaves(f.Fields(), name+".")...)
			continue
		}
		list = append(list, leaf{name, kindOf(f)})
	}
	return list
}

func kindOf(f parquet.Node) string {
	kind := f.Type().String()
	if f.Optional() {
		kind += ", may be null"
	}
	return kind
}

// readRunFile reads a run as it stands: readRun adds its account up, too.
func readRunFile(path string) (row *runRow, err error) {
	file, f, err := begin(path, leaves(parquet.SchemaOf(runRow{}).Fields(), ""))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer guard(path, &err)
	rows := parquet.NewGenericReader[runRow](file)
	defer rows.Close() //nolint:errcheck // nothing is written
	list := make([]parquet.Row, 2)
	n, err := rows.ReadRows(list)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, damaged(path, err)
	}
	if n != 1 {
		return nil, damaged(path, fmt.Sprintf("%d rows, not 1", n))
	}
	schema := rows.Schema()
	if !complete(kinds(schema), list[0]) {
		return nil, damaged(path, "values are missing")
	}
	row = new(runRow)
	if err := schema.Reconstruct(row, list[0]); err != nil {
		return nil, damaged(path, err)
	}
	return row, nil
}

func kinds(schema *parquet.Schema) (list []parquet.Kind) {
	for _, path := range schema.Columns() {
		column, _ := schema.Lookup(path...)
		list = append(list, column.Node.Type().Kind())
	}
	return list
}

// complete tells whether a row has values of each column, of its kind and in
// their order. The library puts those of another column where some are missing,
// numbers for texts.
func complete(kinds []parquet.Kind, row parquet.Row) bool {
	for at, kind := range kinds {
		n := 0
		for n < len(row) && row[n].Column() == at && (row[n].IsNull() || row[n].Kind() == kind) {
			n++
		}
		if n == 0 || row[0].RepetitionLevel() > 0 { // it would go on with the row before
			return false
		}
		row = row[n:]
	}
	return len(row) == 0
}
