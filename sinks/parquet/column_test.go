package parquet

import (
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"pgregory.net/rapid"
)

// madePage is a page of a list, as other programs cut them: anywhere.
type madePage struct {
	parquet.Page

	reps, defs []byte
	data       encoding.Values
}

func (p *madePage) RepetitionLevels() []byte       { return p.reps }
func (p *madePage) DefinitionLevels() []byte       { return p.defs }
func (p *madePage) Data() encoding.Values          { return p.data }
func (p *madePage) Dictionary() parquet.Dictionary { return nil }
func (p *madePage) NumValues() int64               { return int64(len(p.defs)) }

type madePages struct {
	parquet.Pages

	list []*madePage
}

func (p *madePages) ReadPage() (parquet.Page, error) {
	if len(p.list) == 0 {
		return nil, io.EOF
	}
	page := p.list[0]
	p.list = p.list[1:]
	return page, nil
}

// The lists of rows are whole wherever pages end, and whichever rows are asked
// for.
func TestListsAcrossPages(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]string{"", "1", "22", "333"}), 1, 4), 1, 30).Draw(rt, "rows")
		var pages []*madePage
		var text []byte
		ends := []uint32{0}
		page := &madePage{}
		cut := func() {
			page.data = encoding.ByteArrayValues(text, ends)
			pages = append(pages, page)
			page, text, ends = &madePage{}, nil, []uint32{0}
		}
		for _, row := range rows {
			for i, value := range row { // an empty one is null
				page.reps = append(page.reps, byte(min(i, 1)))
				page.defs = append(page.defs, byte(min(len(value), 1)))
				if text = append(text, value...); value != "" {
					ends = append(ends, uint32(len(text)))
				}
				if rapid.IntRange(0, 4).Draw(rt, "cut") == 0 {
					cut()
				}
			}
		}
		if len(page.defs) > 0 {
			cut()
		}
		c := &texts[int]{column: column{full: 1, list: true, pages: &madePages{list: pages}}, parse: strconv.Atoi}
		for i, want := range rows {
			if rapid.Bool().Draw(rt, "skip") {
				continue
			}
			if err := c.load(int64(i)); err != nil {
				rt.Fatalf("row %d: %v", i, err)
			}
			var got []string
			from, to := c.entries(int64(i))
			for entry := from; entry < to; entry++ {
				text := ""
				if n, known := c.entry(entry); known {
					text = strconv.Itoa(n)
				}
				got = append(got, text)
			}
			if !slices.Equal(got, want) {
				rt.Fatalf("row %d is %q, not %q", i, got, want)
			}
		}
		if err := c.load(int64(len(rows))); err == nil {
			rt.Fatal("a row after the last")
		}
	})
}
