package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// column reads a column of a row group page by page, and spreads each page: so
// that a value is found by its row alone, nulls included. To have each value
// made into a parquet.Value would take longer than all else.
type column struct {
	leaf int  // its place in the file
	full byte // definition level of what is not null
	list bool // a row has any number of entries

	// same says that the row group has one value in all rows, or nothing but
	// nulls: no page of it is read. A row of a list then has so many entries
	// each.
	same bool
	each int32

	pages      pageReader
	first, end int64 // the rows at hand, of the group
	// Of lists: where the entries of each row begin, and where the last ones
	// end. The row after end is there too, as far as it has been read: it may go
	// on in the next page.
	starts []int32

	next opened // the group after this one
}

// values are what a column holds.
type values interface {
	// take adds the entries of a page to the last keep ones of those before.
	take(page parquet.Page, keep int) error
}

var errShort = errors.New("a column ends before the others")

// is says which column it is, nil if the file has none: it is nothing but nulls.
func (c *column) is(leaf *parquet.Column) {
	if leaf == nil {
		c.leaf, c.full, c.list = -1, 0, false
		return
	}
	c.leaf, c.full, c.list = leaf.Index(), byte(leaf.MaxDefinitionLevel()), leaf.MaxRepetitionLevel() > 0
}

type group struct {
	file   *parquet.File
	meta   []format.ColumnChunk
	chunks []parquet.ColumnChunk
	rows   int64
	ours   bool   // what it says of its columns is what we write
	next   *group // nil behind the last
}

func groupsOf(file *parquet.File) (list []*group) {
	for i, rows := range file.RowGroups() {
		list = append(list, &group{file: file, meta: file.Metadata().RowGroups[i].Columns, chunks: rows.ColumnChunks(), rows: rows.NumRows(), ours: isOwn(file)})
	}
	return list
}

// check checks all columns, before any is read.
func (g *group) check() error {
	for leaf := range g.meta {
		if err := g.checkColumn(leaf); err != nil {
			return err
		}
	}
	return nil
}

func (g *group) checkColumn(leaf int) error {
	c := &g.meta[leaf].MetaData
	if err := checkPageHeads(g.file, c, g.rows, g.ours); err != nil {
		return fmt.Errorf("column %s: %w", strings.Join(c.PathInSchema, "."), err)
	}
	return nil
}

// opened is what a column is in a row group.
type opened struct {
	group *group
	pages pageReader    // nil if the same
	same  bool          // one value in all rows, or nothing but nulls
	value parquet.Value // which
}

// begin goes to the beginning of a row group. value is that of all rows, null
// for none, if it is the same. The first page of the next group is unpacked from
// now on: who waited there for those of all columns would have nothing to judge.
func (c *column) begin(g *group) (value parquet.Value) {
	now := c.next
	if now.group != g {
		now.close()
		now = c.open(g)
	}
	c.next = opened{}
	c.close()
	c.pages, c.same, c.each = now.pages, now.same, 0
	c.first, c.end, c.starts = 0, 0, c.starts[:0]
	if c.same {
		c.end = math.MaxInt64
		if !now.value.IsNull() {
			c.each = 1
		}
	}
	if g.next != nil {
		c.next = c.open(g.next)
	}
	return now.value
}

func (c *column) open(g *group) opened {
	if c.leaf < 0 {
		return opened{group: g, same: true}
	}
	if chunk, ok := g.chunks[c.leaf].(*parquet.FileColumnChunk); ok {
		nulls, entries := chunk.NullCount(), chunk.NumValues()
		least, most, known := chunk.Bounds()
		switch {
		case c.full > 0 && nulls == entries:
			return opened{group: g, same: true}
		case g.ours && nulls == 0 && entries == g.rows && known && least.Kind() != parquet.Double && parquet.Equal(least, most):
			// Zeros are equal, and not the same.
			return opened{group: g, same: true, value: least}
		}
	}
	o := opened{group: g, pages: g.chunks[c.leaf].Pages()}
	if g.rows > pageRows { // mostly there is a page to come
		o.pages = readAhead(o.pages)
	}
	return o
}

func (o *opened) close() {
	if o.pages != nil {
		o.pages.Close()
	}
	*o = opened{}
}

func (c *column) close() {
	c.next.close()
	if c.pages != nil {
		c.pages.Close()
		c.pages = nil
	}
}

// ends is the row after those at hand.
func (c *column) ends() int64 { return c.end }

// load makes a row one of those at hand. Rows are asked for in their order; a
// page without any of them is not spread, unless it is of a list.
func (c *column) load(row int64, into values) error {
	for row >= c.end {
		page, err := c.pages.ReadPage()
		switch {
		case errors.Is(err, io.EOF) && row < c.first+int64(len(c.starts))-1:
			c.end++ // nothing of this row follows
			return nil
		case errors.Is(err, io.EOF):
			return errShort
		case err != nil:
			return err
		case c.list:
			err = c.loadList(page, into)
		default:
			c.first = c.end
			if c.end += page.NumValues(); row < c.end {
				err = into.take(page, 0)
			}
		}
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
	return nil
}

// loadList takes a page of a list in, of which the first entries may be of the
// last row of the page before.
func (c *column) loadList(page parquet.Page, into values) error {
	keep := int32(0)
	if n := len(c.starts); n > 1 {
		keep = c.starts[n-1] - c.starts[n-2]
		c.starts = append(c.starts[:0], 0)
	}
	at := keep
	for _, level := range page.RepetitionLevels() {
		if level == 0 {
			c.starts = append(c.starts, at)
		}
		at++
	}
	if len(c.starts) == 0 || c.starts[0] != 0 {
		return errors.New("a list begins without a row")
	}
	c.starts = append(c.starts, at)
	c.first = c.end
	c.end += int64(len(c.starts) - 2)
	return into.take(page, int(keep))
}

// entries are those of a row of a list; none if there are nothing but nulls.
func (c *column) entries(row int64) (from, to int32) {
	if c.same {
		return 0, c.each
	}
	return c.starts[row-c.first], c.starts[row-c.first+1]
}

// spread makes the values from a place in list on, which leave out nulls,
// entries, which do not.
func spread[V any](list []V, from int, null V, levels []byte, full byte) ([]V, error) {
	if len(levels) == 0 {
		return list, nil
	}
	value := len(list) - 1
	if known := bytes.Count(levels, []byte{full}); from+known != len(list) {
		return nil, fmt.Errorf("a page of %d values, not %d", len(list)-from, known)
	}
	if missing := from + len(levels) - len(list); missing > 0 {
		list = slices.Grow(list, missing)[:len(list)+missing]
		for i, level := range slices.Backward(levels) {
			if level != full {
				list[from+i] = null
				continue
			}
			list[from+i] = list[value]
			value--
		}
	}
	return list, nil
}

// last are the last n of a list, moved to its beginning.
func last[V any](list []V, n int) []V {
	return list[:copy(list, list[len(list)-n:])]
}

// numbers are a column of numbers, or of truths. null stands where there is
// none.
type numbers[V int64 | int32 | float64 | fingerprint.Tri] struct {
	column
	null V
	only V // of a column that is the same in all rows
	list []V
	bits []V // scratch
}

// or is the column with what stands in it for null.
func (n *numbers[V]) or(null V) *numbers[V] {
	n.null = null
	return n
}

// noNumber is a null of 32 bits.
const noNumber = math.MinInt32

func (n *numbers[V]) load(row int64) error { return n.column.load(row, n) }

func (n *numbers[V]) take(page parquet.Page, keep int) (err error) {
	data := page.Data()
	if d := page.Dictionary(); d != nil {
		return fmt.Errorf("a dictionary of %s", d.Type())
	}
	var values []V
	switch into := any(&values).(type) {
	case *[]int64:
		*into = data.Int64()
	case *[]int32:
		*into = data.Int32()
	case *[]float64:
		*into = data.Double()
	case *[]fingerprint.Tri:
		known := int(page.NumValues() - page.NumNulls())
		n.bits = n.bits[:0]
		for i, bits := 0, data.Boolean(); i < known; i++ {
			n.bits = append(n.bits, V(fingerprint.TriOf(bits[i>>3]>>(i&7)&1 != 0)))
		}
		values = n.bits
	}
	n.list = append(last(n.list, keep), values...)
	n.list, err = spread(n.list, keep, n.null, page.DefinitionLevels(), n.full)
	return err
}

// at is the value of a row at hand.
func (n *numbers[V]) at(row int64) V { return n.entry(int32(row - n.first)) }

func (n *numbers[V]) entry(entry int32) V {
	if n.same {
		return n.only
	}
	return n.list[entry]
}

func (n *numbers[V]) begin(g *group) error {
	value := n.column.begin(g)
	n.list = n.list[:0]
	if n.only = n.null; value.IsNull() {
		return nil
	}
	switch only := any(&n.only).(type) {
	case *int64:
		*only = value.Int64()
	case *int32:
		*only = value.Int32()
	case *fingerprint.Tri:
		*only = fingerprint.TriOf(value.Boolean())
	}
	return nil
}

// texts are a column of texts, each of which parse makes into what it stands
// for: once, if the file says it once.
type texts[V any] struct {
	column
	parse func(text string) (V, error)
	keeps bool // parse keeps the text that it is given

	list  []int32 // by entry: its word, -1 for null and for an empty text
	words []V

	dictionary parquet.Dictionary // whose words are there from base on; nil for none
	base       int32
	empty      []int32 // of the words, those of an empty text
}

// parsed is the column with what makes values of its texts.
func (t *texts[V]) parsed(by func(text string) (V, error)) *texts[V] {
	t.parse = by
	return t
}

func (t *texts[V]) begin(g *group) error {
	value := t.column.begin(g)
	t.list, t.words, t.empty, t.dictionary = t.list[:0], t.words[:0], t.empty[:0], nil
	if value.IsNull() {
		return nil
	}
	text := value.ByteArray()
	return t.learn(text, []uint32{0, uint32(len(text))})
}

func (t *texts[V]) load(row int64) error { return t.column.load(row, t) }

func (t *texts[V]) take(page parquet.Page, keep int) (err error) {
	d, data := page.Dictionary(), page.Data()
	if d != t.dictionary && keep == 0 || d == nil && keep == 0 {
		t.words, t.empty, t.dictionary = t.words[:0], t.empty[:0], nil
	}
	t.list = last(t.list, keep)
	if d == nil { // each value is a word
		base := len(t.words)
		if err := t.learn(data.ByteArray()); err != nil {
			return err
		}
		for i := base; i < len(t.words); i++ {
			t.list = append(t.list, int32(i))
		}
	} else {
		if d != t.dictionary {
			t.dictionary, t.base = d, int32(len(t.words))
			content := d.Page().Data()
			if err := t.learn(content.ByteArray()); err != nil {
				return err
			}
		}
		t.list = append(t.list, data.Int32()...)
		known := uint32(len(t.words)) - uint32(t.base)
		for i, word := range t.list[keep:] {
			if uint32(word) >= known {
				return fmt.Errorf("word %d of %d", word, known)
			}
			t.list[keep+i] = t.base + word
		}
	}
	if len(t.empty) > 0 {
		for i, word := range t.list[keep:] {
			if _, empty := slices.BinarySearch(t.empty, word); empty {
				t.list[keep+i] = -1
			}
		}
	}
	t.list, err = spread(t.list, keep, -1, page.DefinitionLevels(), t.full)
	return err
}

// learn adds words.
func (t *texts[V]) learn(content []byte, ends []uint32) error {
	text := unsafe.String(unsafe.SliceData(content), len(content))
	if t.keeps {
		text = strings.Clone(text)
	}
	t.words = slices.Grow(t.words, len(ends))
	for i := range len(ends) - 1 {
		var word V
		if one := text[ends[i]:ends[i+1]]; one == "" {
			t.empty = append(t.empty, int32(len(t.words)))
		} else {
			var err error
			if word, err = t.parse(one); err != nil {
				return err
			}
		}
		t.words = append(t.words, word)
	}
	return nil
}

// at is the value of a row at hand, nil if it is null or empty.
func (t *texts[V]) at(row int64) *V { return t.entry(int32(row - t.first)) }

// entry is the value of an entry, likewise.
func (t *texts[V]) entry(entry int32) *V {
	i := int32(-1)
	switch {
	case !t.same:
		i = t.list[entry]
	case len(t.words) > len(t.empty):
		i = 0 // there is but one
	}
	if i < 0 {
		return nil
	}
	return &t.words[i]
}

// text is the text of a row at hand, empty for null.
func text(t *texts[string], row int64) string { return textAt(t, int32(row-t.first)) }

// textAt is the text of an entry, likewise.
func textAt(t *texts[string], entry int32) string {
	if text := t.entry(entry); text != nil {
		return *text
	}
	return ""
}
