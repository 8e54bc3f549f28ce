package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	// pageRows is how many rows a page has, about: those of one request are in
	// one page. That many numbers are a block of zstd.
	pageRows = 1 << 14
	// groupText bounds the texts of a row group, each counted once: they are
	// all in memory.
	groupText = 64 << 20
)

// columnar writes files whose rows are given column by column. What a row says
// that the one before said too costs a copy, and a text is looked up once for
// all rows of a request: by parquet-go's writer, which takes rows, the same
// files take more than twice as long. Encodings, compression, metadata and
// indexes are parquet-go's.
type columnar struct {
	head              format.FileMetaData // of a file without rows
	sorted            int                 // the column that rises
	chunks            []*chunk
	lists             map[string]*lists // by name
	perPage, perGroup int               // rows

	file   *bufio.Writer // keeps an error until it is flushed
	offset int64         // where the file goes on

	rows, paged int     // of the row group; of them in pages that are done
	times       []int32 // rows of each request of the page at hand
	text        int     // bytes of all texts of the row group
	groups      []format.RowGroup
	indexes     [][]byte // of pages, by their bounds; of all columns of one row group after the other
	places      [][]byte // of pages, by their rows; likewise
	scratch     scratch
}

// newColumnar makes ready for the rows of a type, in a layout. Each of the
// columns has to be claimed by a column of the same name.
func newColumnar[R any](l layout) *columnar {
	model := parquet.NewGenericWriter[R](io.Discard, l.options()...)
	if err := model.Close(); err != nil {
		panic(err) // there is nothing that could fail
	}
	w := &columnar{
		head: *model.File().Metadata(), lists: map[string]*lists{},
		perPage: pageRows, perGroup: rowGroup, file: bufio.NewWriterSize(nil, 1<<16),
	}
	schema := model.Schema()
	for i, path := range schema.Columns() {
		leaf, _ := schema.Lookup(path...)
		c := &chunk{
			path: path, kind: leaf.Node.Type(), encoding: encodingOf(leaf.Node),
			full: byte(leaf.MaxDefinitionLevel), optional: leaf.Node.Optional(),
		}
		if leaf.MaxRepetitionLevel > 0 {
			if w.lists[path[0]] == nil {
				w.lists[path[0]] = &lists{}
			}
			c.lists = w.lists[path[0]]
		}
		c.index = c.kind.NewColumnIndexer(parquet.DefaultColumnIndexSizeLimit)
		name := strings.Join(path, ".")
		if slices.Contains(l.looked, name) {
			c.filter = filter(name)
		}
		if name == l.sorted {
			w.sorted = i
		}
		w.chunks = append(w.chunks, c)
	}
	return w
}

// claim gives the values of the column of a name.
func (w *columnar) claim(name string, from content) *chunk {
	for _, c := range w.chunks {
		if strings.Join(c.path, ".") == name && c.content == nil {
			c.content = from
			return c
		}
	}
	panic("no column " + name + ", or twice")
}

// begin begins a file, in which some notes stand.
func (w *columnar) begin(file io.Writer, notes []format.KeyValue) {
	for _, c := range w.chunks {
		if c.content == nil {
			panic("nobody writes the column " + strings.Join(c.path, "."))
		}
	}
	w.head.KeyValueMetadata = notes
	w.groups, w.indexes, w.places = nil, nil, nil
	w.file.Reset(file)
	w.offset = 0
	w.add([]byte("PAR1"))
}

// add adds bytes to the file.
func (w *columnar) add(list ...[]byte) {
	for _, b := range list {
		n, _ := w.file.Write(b)
		w.offset += int64(n)
	}
}

// encoded is what stands in a file for metadata.
func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	err := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&b)).Encode(v)
	return b.Bytes(), err
}

// room makes sure that n more rows fit into the row group, if they fit into any.
func (w *columnar) room(n int) error {
	if w.rows == 0 || w.rows+n <= w.perGroup {
		return nil
	}
	return w.group()
}

// ended says that every column has the values of n more rows, which are of one
// request.
func (w *columnar) ended(n int) error {
	w.rows += n
	w.times = append(w.times, int32(n))
	if w.rows-w.paged >= w.perPage {
		if err := w.page(); err != nil {
			return err
		}
	}
	if w.rows >= w.perGroup || w.text >= groupText {
		return w.group()
	}
	return nil
}

// page ends a page of every column.
func (w *columnar) page() error {
	times, rows := w.times, w.rows-w.paged
	if len(times) == rows {
		times = nil
	}
	for _, l := range w.lists {
		if err := l.page(times, rows); err != nil {
			return err
		}
	}
	for _, c := range w.chunks {
		if err := c.page(&w.scratch, w.paged, rows, times); err != nil {
			return err
		}
	}
	for _, l := range w.lists {
		l.reset()
	}
	w.times, w.paged = w.times[:0], w.rows
	return nil
}

// group ends a row group, and writes it.
func (w *columnar) group() error {
	if w.rows > w.paged {
		if err := w.page(); err != nil {
			return err
		}
	}
	if len(w.groups) == parquet.MaxRowGroups {
		return parquet.ErrTooManyRowGroups
	}
	g := format.RowGroup{
		NumRows: int64(w.rows), FileOffset: w.offset, Ordinal: int16(len(w.groups)),
		SortingColumns: []format.SortingColumn{{ColumnIdx: int32(w.sorted)}},
	}
	for _, c := range w.chunks {
		if err := c.write(w); err != nil {
			return err
		}
	}
	for _, c := range w.chunks {
		if err := c.writeFilter(w); err != nil {
			return err
		}
		index, err := encoded(new(c.index.ColumnIndex()))
		if err != nil {
			return err
		}
		places, err := encoded(&c.places)
		if err != nil {
			return err
		}
		w.indexes, w.places = append(w.indexes, index), append(w.places, places)
		g.Columns = append(g.Columns, format.ColumnChunk{MetaData: c.meta})
		g.TotalByteSize += c.meta.TotalUncompressedSize
		g.TotalCompressedSize += c.meta.TotalCompressedSize
		c.reset()
	}
	w.groups = append(w.groups, g)
	w.rows, w.paged, w.text = 0, 0, 0
	return w.file.Flush()
}

// close ends the file, which has to be closed.
func (w *columnar) close() error {
	if w.rows > 0 {
		if err := w.group(); err != nil {
			return err
		}
	}
	columns := func(i int) *format.ColumnChunk { return &w.groups[i/len(w.chunks)].Columns[i%len(w.chunks)] }
	for i, b := range w.indexes {
		c := columns(i)
		c.ColumnIndexOffset, c.ColumnIndexLength = w.offset, int32(len(b))
		w.add(b)
	}
	for i, b := range w.places {
		c := columns(i)
		c.OffsetIndexOffset, c.OffsetIndexLength = w.offset, int32(len(b))
		w.add(b)
	}
	foot := w.head
	foot.RowGroups = w.groups
	for _, g := range w.groups {
		foot.NumRows += g.NumRows
	}
	b, err := encoded(&foot)
	if err != nil {
		return err
	}
	w.add(b, binary.LittleEndian.AppendUint32(nil, uint32(len(b))), []byte("PAR1"))
	return w.file.Flush()
}
