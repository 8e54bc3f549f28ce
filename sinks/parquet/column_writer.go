package parquet

import (
	"bytes"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// numberWriter is a column to whose rows values are added. A value of a list is
// added after begin, any other is a row.
type numberWriter[V int64 | int32 | float64 | bool] struct {
	chunk *chunk
	list  []V // of the page that are not null
	bits  []byte

	row, first int // where the last row begins: in the chunk's levels, in list
}

func newNumberWriter[V int64 | int32 | float64 | bool](w *columnar, name string) *numberWriter[V] {
	c := &numberWriter[V]{}
	c.chunk = w.claim(name, c)
	return c
}

// begin begins a row of a list.
func (c *numberWriter[V]) begin() { c.row, c.first = len(c.chunk.reps), len(c.list) }

// level adds an entry of a definition level.
func (c *numberWriter[V]) level(defined byte) {
	k := c.chunk
	switch {
	case k.list:
		k.reps = append(k.reps, byte(min(len(k.reps)-c.row, 1)))
	default:
		c.row, c.first = len(k.defs), len(c.list)
	}
	if k.full > 0 {
		k.defs = append(k.defs, defined)
	}
}

// add adds a value.
func (c *numberWriter[V]) add(value V) {
	c.level(c.chunk.full)
	c.list = append(c.list, value)
}

// null adds a null.
func (c *numberWriter[V]) null() { c.level(c.chunk.full - 1) }

// addIf adds a value, or null if it is unknown.
func (c *numberWriter[V]) addIf(known bool, value V) {
	if known {
		c.add(value)
	} else {
		c.null()
	}
}

// end ends a row of a list, and says so if there is nothing in it.
func (c *numberWriter[V]) end() {
	if len(c.chunk.reps) == c.row {
		c.level(0)
	}
}

// again adds the last row n times more.
func (c *numberWriter[V]) again(n int) {
	k := c.chunk
	c.list = again(c.list, c.first, n)
	if k.full > 0 {
		k.defs = again(k.defs, c.row, n)
	}
	if k.list {
		k.reps = again(k.reps, c.row, n)
	}
}

// again adds what a list ends with, from a place on, n times more: mostly one
// entry.
func again[E any](list []E, from, n int) []E {
	end := len(list)
	for range n {
		for i := from; i < end; i++ {
			list = append(list, list[i])
		}
	}
	return list
}

func (c *numberWriter[V]) take() (values encoding.Values, n int, least, most parquet.Value) {
	n = len(c.list)
	switch list := any(c.list).(type) {
	case []int64:
		values = encoding.Int64Values(list)
	case []int32:
		values = encoding.Int32Values(list)
	case []float64:
		values = encoding.DoubleValues(list)
	case []bool:
		c.bits = append(c.bits[:0], make([]byte, (n+7)/8)...)
		for i, v := range list {
			if v {
				c.bits[i>>3] |= 1 << (i & 7)
			}
		}
		values = encoding.BooleanValues(c.bits)
	}
	if n > 0 {
		least, most, _ = c.chunk.kind.NewPage(0, n, values).Bounds()
	}
	c.list = c.list[:0]
	return values, n, least, most
}

func (c *numberWriter[V]) words() *dictionary { return nil }

// textWriter is a column of texts. An empty one is null where null may be.
type textWriter struct {
	numberWriter[int32] // numbers of words
	dictionary
	scratch []byte
	seen    []bool
}

func newTextWriter(w *columnar, name string) *textWriter {
	c := &textWriter{dictionary: dictionary{ends: []uint32{0}, total: &w.text}}
	c.chunk = w.claim(name, c)
	return c
}

// add adds a text.
func (c *textWriter) add(text string) {
	if c.isLast(text) {
		c.numberWriter.add(c.last)
		return
	}
	c.scratch = append(c.scratch[:0], text...)
	c.addBytes(c.scratch)
}

// addBytes adds a text that is hardly the last.
func (c *textWriter) addBytes(text []byte) {
	if len(text) == 0 && c.chunk.optional {
		c.null()
	} else {
		c.numberWriter.add(c.number(text))
	}
}

func (c *textWriter) take() (values encoding.Values, n int, least, most parquet.Value) {
	list := c.list
	c.list = c.list[:0]
	if len(list) == 0 {
		return encoding.Int32Values(list), 0, least, most
	}
	c.seen = append(c.seen[:0], make([]bool, c.len())...)
	low, high := c.word(list[0]), c.word(list[0])
	for _, n := range list {
		if c.seen[n] {
			continue
		}
		c.seen[n] = true
		if word := c.word(n); bytes.Compare(word, low) < 0 {
			low = word
		} else if bytes.Compare(word, high) > 0 {
			high = word
		}
	}
	return encoding.Int32Values(list), len(list), parquet.ByteArrayValue(low), parquet.ByteArrayValue(high)
}

func (c *textWriter) words() *dictionary { return &c.dictionary }
