package parquet

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// pageReader is what a column asks of its pages.
type pageReader interface {
	ReadPage() (parquet.Page, error)
	io.Closer
}

// pagesAhead reads the pages of a column one ahead, on a goroutine of its own:
// unpacking them is a quarter of what reading events takes. parquet-go's
// AsyncPages does so too, but a damaged page ends the process there.
type pagesAhead struct {
	read chan readPage // closed behind the last
	done chan struct{}
}

type readPage struct {
	page parquet.Page
	err  error
}

// readAhead takes the pages over.
func readAhead(pages pageReader) *pagesAhead {
	a := &pagesAhead{make(chan readPage), make(chan struct{})}
	go a.run(pages)
	return a
}

func (a *pagesAhead) run(pages pageReader) {
	defer close(a.read)
	defer pages.Close()
	for {
		p := next(pages)
		select {
		case a.read <- p:
		case <-a.done:
			parquet.Release(p.page)
			return
		}
		if p.err != nil {
			return
		}
	}
}

// next is the next page. What a damaged one makes the library panic with is its
// error: nobody else recovers on this goroutine.
func next(pages pageReader) (p readPage) {
	defer func() {
		if what := recover(); what != nil {
			p.err = fmt.Errorf("%v", what)
		}
	}()
	p.page, p.err = pages.ReadPage()
	return p
}

// ReadPage is the next page; io.EOF after the last. After an error there is none.
func (a *pagesAhead) ReadPage() (parquet.Page, error) {
	p, ok := <-a.read
	if !ok {
		return nil, io.EOF
	}
	return p.page, p.err
}

// Close returns when the pages are closed, and nothing is read any more.
func (a *pagesAhead) Close() error {
	close(a.done)
	for p := range a.read {
		parquet.Release(p.page)
	}
	return nil
}
