package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// column is a place in a column of a row group. It reads what pages hold as
// they hold it: to have each value made into a parquet.Value would take longer
// than all else.
type column struct {
	full  byte                // definition level of what is not null
	share func([]byte) string // for texts that come again and again

	pages parquet.Pages
	page  parquet.Page
	row   int64 // the one of the group that comes next
	// Entries of the page: values and nulls. Levels are nil where all are 0.
	reps, defs []byte
	at, n      int
	value      int // of the last entry: its place among the values
	values     int // of the entries before at

	// Values of the page, by type.
	int64s  []int64
	int32s  []int32
	doubles []float64
	bits    []byte
	plain   string   // texts, one after the other
	ends    []uint32 // where each text begins in plain, and the last one ends

	// Of a page whose texts stand in a dictionary, one for all pages.
	dictionary parquet.Dictionary
	words      []string // by index; empty if not used before
	indexes    []int32
}

// load goes to the page of the next entry; io.EOF after the last.
func (c *column) load() error {
	for c.at == c.n {
		if c.page != nil {
			parquet.Release(c.page)
			c.page = nil
		}
		page, err := c.pages.ReadPage()
		if err != nil {
			return err
		}
		c.page, c.at, c.n, c.values = page, 0, int(page.NumValues()), 0
		c.reps, c.defs, c.indexes = page.RepetitionLevels(), page.DefinitionLevels(), nil
		data := page.Data()
		if d := page.Dictionary(); d != nil {
			if d != c.dictionary {
				c.dictionary, c.words = d, make([]string, d.Len())
			}
			c.indexes = data.Int32()
			continue
		}
		switch kind := page.Type().Kind(); kind {
		case parquet.Int64:
			c.int64s = data.Int64()
		case parquet.Int32:
			c.int32s = data.Int32()
		case parquet.Double:
			c.doubles = data.Double()
		case parquet.Boolean:
			c.bits = data.Boolean()
		case parquet.ByteArray:
			var text []byte
			text, c.ends = data.ByteArray()
			c.plain = string(text)
		default:
			return fmt.Errorf("a column of %s", kind)
		}
	}
	return nil
}

var errShort = errors.New("a column ends before the others")

// to goes to a row, over those that nobody has asked for.
func (c *column) to(row int64) error {
	for c.row < row || c.at == c.n {
		if err := c.load(); err != nil {
			if errors.Is(err, io.EOF) {
				return errShort
			}
			return err
		}
		if c.row == row {
			break
		}
		if c.reps == nil { // a row is an entry
			n := int(min(int64(c.n-c.at), row-c.row))
			c.over(n)
			c.row += int64(n)
			continue
		}
		for more := true; more; {
			c.over(1)
			var err error
			if more, err = c.more(); err != nil {
				return err
			}
		}
		c.row++
	}
	return nil
}

// over passes over n entries of the page.
func (c *column) over(n int) {
	if c.defs == nil {
		c.values += n
	} else {
		c.values += bytes.Count(c.defs[c.at:c.at+n], []byte{c.full})
	}
	c.at += n
}

// next goes over the next entry of a row, and tells whether it has a value.
func (c *column) next(row int64) (known bool, err error) {
	if c.row != row+1 { // else it is one more of a list
		if err := c.to(row); err != nil {
			return false, err
		}
		c.row = row + 1
	}
	known = c.defs == nil || c.defs[c.at] == c.full
	c.at++
	if known {
		c.value = c.values
		c.values++
	}
	return known, nil
}

// empty tells that the list of a row has no element. first is a column that is
// not null in any.
func (c *column) empty(row int64) (bool, error) {
	err := c.to(row)
	return err == nil && c.defs[c.at] != c.full, err
}

// more tells that the next entry is of the row of the last one.
func (c *column) more() (bool, error) {
	if err := c.load(); err != nil {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return false, err
	}
	return c.reps != nil && c.reps[c.at] > 0, nil
}

func (c *column) bit() bool { return c.bits[c.value>>3]>>(c.value&7)&1 != 0 }

func (c *column) text() string {
	if c.indexes == nil {
		return c.plain[c.ends[c.value]:c.ends[c.value+1]]
	}
	i := c.indexes[c.value]
	if c.words[i] == "" {
		c.words[i] = c.share(c.dictionary.Index(i).ByteArray())
	}
	return c.words[i]
}

func (c *column) close() {
	if c.page != nil {
		parquet.Release(c.page)
	}
	if c.pages != nil {
		c.pages.Close()
	}
	*c = column{full: c.full, share: c.share}
}
