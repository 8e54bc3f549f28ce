package parquet

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/parquet-go/parquet-go"
)

// brokenPages are some pages, and then whatever end does.
type brokenPages struct {
	madePages

	end    func() error
	closed int
}

func (p *brokenPages) ReadPage() (parquet.Page, error) {
	if len(p.list) == 0 {
		return nil, p.end()
	}
	return p.madePages.ReadPage()
}

func (p *brokenPages) Close() error {
	p.closed++
	return nil
}

// Pages come in their order, whatever ends them comes once, and nothing runs
// after Close, wherever that finds the reader.
func TestPagesAhead(t *testing.T) {
	damaged := errors.New("damaged")
	for name, c := range map[string]struct {
		end  func() error
		want string
	}{
		"end":   {func() error { return io.EOF }, "EOF"},
		"error": {func() error { return damaged }, "damaged"},
		"panic": {func() error { panic("index out of range") }, "index out of range"},
	} {
		for read := range 6 {
			synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
				list := []*madePage{{}, {}, {}}
				pages := &brokenPages{madePages: madePages{list: list}, end: c.end}
				a := readAhead(pages)
				for i := range read {
					page, err := a.ReadPage()
					switch {
					case i < len(list) && (err != nil || page != parquet.Page(list[i])):
						t.Errorf("%s: page %d: %v, %v", name, i, page, err)
					case i == len(list) && (err == nil || !strings.Contains(err.Error(), c.want)):
						t.Errorf("%s: %v; want %s", name, err, c.want)
					case i > len(list) && !errors.Is(err, io.EOF):
						t.Errorf("%s: %v behind the end", name, err)
					}
				}
				if err := a.Close(); err != nil || pages.closed != 1 {
					t.Errorf("%s: closed %d times, %v", name, pages.closed, err)
				}
			})
		}
	}
}
