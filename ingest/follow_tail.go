package ingest

import (
	"errors"
	"io"
	"os"
)

// tail reads a file that may grow.
type tail struct {
	file     *os.File
	unpacked *unpacked // of a compressed file
	blocks   *blocks
	end      bool  // the last read met the end
	final    bool  // the end is the end
	over     bool  // and it has been met
	fault    error // why it cannot be read on
	long     *Block
	after    *piece
}

func (t *tail) close() {
	if t.unpacked != nil {
		t.unpacked.Close()
		return
	}
	t.file.Close()
}

// Read has no errors but io.EOF, if nothing will follow, and errNoMore.
func (t *tail) Read(buf []byte) (n int, err error) {
	if t.unpacked == nil {
		n, err = t.file.Read(buf)
	} else {
		n, err = t.unpacked.Read(buf)
	}
	t.end = n == 0 && errors.Is(err, io.EOF)
	switch {
	case err == nil:
	case !errors.Is(err, io.EOF):
		t.fault = err
		err = errNoMore
	case t.unpacked == nil && !t.final:
		err = errNoMore
	}
	return n, err
}

// pull is the next block and the place behind it. A line that is too long comes
// when its end has come, so that it is one line in whatever process.
func (t *tail) pull() (piece, error) {
	if t.after != nil {
		p := *t.after
		t.after = nil
		return p, nil
	}
	for {
		b, err := t.blocks.next()
		long := t.long
		switch {
		case long == nil && err != nil:
			return piece{}, err
		case long == nil && b.TooLong:
			t.long = b
		case long == nil:
			return piece{b, t.blocks.offset, t.blocks.line}, nil
		case err != nil:
			if t.blocks.tooLong && errors.Is(err, errNoMore) {
				return piece{}, err
			}
			t.long = nil
			return piece{long, t.blocks.offset, t.blocks.line}, nil
		default:
			t.long = nil
			if b.TooLong {
				t.long = b
			} else {
				t.after = &piece{b, t.blocks.offset, t.blocks.line}
			}
			return piece{long, b.Offset, b.Line - 1}, nil
		}
	}
}

// piece is a block that was read, and the place behind it.
type piece struct {
	*Block
	offset, line int64
}
