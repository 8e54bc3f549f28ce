package parquet

import (
	"io"
	"slices"
	"strconv"
	"strings"
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
	dictionary parquet.Dictionary
}

func (p *madePage) RepetitionLevels() []byte       { return p.reps }
func (p *madePage) DefinitionLevels() []byte       { return p.defs }
func (p *madePage) Data() encoding.Values          { return p.data }
func (p *madePage) Dictionary() parquet.Dictionary { return p.dictionary }
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

// An empty text is not known, be it among those of a dictionary.
func TestEmptyTexts(t *testing.T) {
	words := encoding.ByteArrayValues([]byte("722"), []uint32{0, 1, 1, 3})
	f := func(page *madePage, want ...int) {
		t.Helper()
		c := &texts[int]{column: column{full: 1, pages: &madePages{list: []*madePage{page}}}, parse: strconv.Atoi}
		must(t, c.load(0))
		for row, n := range want {
			switch got := c.at(int64(row)); {
			case (got != nil) != (n > 0):
				t.Errorf("row %d is known: %t", row, got != nil)
			case got != nil && *got != n:
				t.Errorf("row %d: %d; want %d", row, *got, n)
			}
		}
	}
	f(&madePage{data: words, defs: []byte{1, 0, 1, 1}}, 7, 0, 0, 22)
	dictionary := parquet.ByteArrayType.NewDictionary(0, 3, words)
	f(&madePage{data: encoding.Int32Values([]int32{1, 2, 0, 1}), defs: []byte{1, 1, 1, 0, 1}, dictionary: dictionary}, 0, 22, 7, 0, 0)
}

// Values stand at their entries, nulls between them, behind what was there.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		before := rapid.SliceOfN(rapid.Int(), 0, 3).Draw(rt, "before")
		levels := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2}), 0, 20).Draw(rt, "levels")
		list, want := slices.Clone(before), slices.Clone(before)
		for i, level := range levels {
			if level == 2 {
				list, want = append(list, i), append(want, i)
			} else {
				want = append(want, -1)
			}
		}
		got, err := spread(list, len(before), -1, levels, 2)
		if err != nil || !slices.Equal(got, want) {
			rt.Fatalf("%v, %v; want %v", got, err, want)
		}
		if len(levels) == 0 {
			return
		}
		if _, err := spread(append(list, 0), len(before), -1, levels, 2); err == nil {
			rt.Fatal("a value that has no entry")
		}
	})
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
				if n := c.entry(entry); n != nil {
					text = strconv.Itoa(*n)
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

// TestLongNamesAreNotKept: who gives each session a name of a megabyte has none of
// them stay.
func TestLongNamesAreNotKept(t *testing.T) {
	e := newEventColumns()
	for _, name := range []string{"short", strings.Repeat("x", maxName+1)} {
		if got, err := e.share(name); got != name || err != nil {
			t.Errorf("%.9s: %.9s, %v", name, got, err)
		}
	}
	if len(e.names) != 1 {
		t.Errorf("%d names are kept, not the short one alone", len(e.names))
	}
}
