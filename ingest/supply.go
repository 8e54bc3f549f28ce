package ingest

import "io"

// supply is what blocks are cut from. What it has given out stays as it is until
// its block is released.
type supply interface {
	// begin is the beginning of the next block: what was left to it.
	begin(rest []byte) []byte
	// more is text with up to so many bytes behind it, read in one go.
	more(text []byte, want int) ([]byte, error)
	// skip drops the first bytes of text.
	skip(text []byte, n int) []byte
	// leave is the end of a text where it stays until the next block begins, in
	// memory that the one before has left.
	leave(memory, rest []byte) []byte
	// block gives a text out, or the beginning of one.
	block(text []byte) *Block
	// drop is called with a text of which nothing was given out.
	drop(text []byte)
	// look calls a function that looks at texts, and at no block. It returns false
	// if one was not there any more.
	look(look func()) (whole bool)
	// end is called when nothing more is wanted.
	end()
}

// copied is a supply that reads into memory of its own.
type copied struct{ r io.Reader }

func (*copied) begin(rest []byte) []byte { return append((*buffers.Get().(*[]byte))[:0], rest...) }

// more doubles the memory where there is no room.
func (c *copied) more(text []byte, want int) ([]byte, error) {
	if room := cap(text) - len(text); room == 0 {
		text = append(make([]byte, 0, 2*cap(text)), text...)
	} else {
		want = min(want, room)
	}
	n, err := c.r.Read(text[len(text) : len(text)+want])
	return text[:len(text)+n], err
}

func (*copied) skip(text []byte, n int) []byte { return text[:copy(text, text[n:])] }

func (*copied) leave(memory, rest []byte) []byte { return append(memory[:0], rest...) }

func (*copied) block(text []byte) *Block { return &Block{Data: text, memory: text} }

func (*copied) drop(text []byte) { recycle(text) }

func (*copied) look(look func()) (whole bool) {
	look()
	return true
}

func (*copied) end() {}
