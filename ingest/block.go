package ingest

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/loopgauge/loopgauge/ingest/formats"
)

// BlockSize is how much of a log is parsed in one go: enough that handing it
// to another goroutine costs nothing beside the work, little enough that a few
// in flight stay in the cache.
const BlockSize = 1 << 20

// DefaultMaxLine is the longest line read unless told otherwise.
const DefaultMaxLine = 64 << 20

// Block is a run of whole lines of one stream.
type Block struct {
	Stream  int32
	Format  *formats.Format
	Data    []byte // whole lines; the last may lack its newline
	Line    int64  // number of the first, from 1
	Offset  int64  // bytes of the unpacked stream before it
	TooLong bool   // instead of Data: one line longer than the limit
}

// Release gives the block's memory back. Nothing may hold a part of Data.
func (b *Block) Release() {
	data := b.Data
	b.Data = nil
	if data != nil && cap(data) <= 4*BlockSize {
		buffers.Put(&data)
	}
}

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, BlockSize)
	return &b
}}

// blocks cuts a reader into blocks.
type blocks struct {
	r       io.Reader
	size    int // of a block
	maxLine int
	rest    []byte // the beginning of a line whose end is not read yet
	line    int64
	offset  int64
	err     error // of the reader; io.EOF at its end
	tooLong bool  // inside a line that is skipped
}

// next returns the next block, without Stream and Format. Its error is io.EOF
// at the end, or says why the reader cannot be read to its end; what was read
// before has been returned by then.
func (b *blocks) next() (*Block, error) {
	buf := (*buffers.Get().(*[]byte))[:0]
	buf = append(buf, b.rest...)
	b.rest = b.rest[:0]
	for {
		if b.err != nil {
			return b.last(buf)
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)] // grow for a long line
		}
		room := buf[len(buf):cap(buf)]
		if len(buf) < b.size {
			room = room[:min(len(room), b.size-len(buf))]
		}
		n, err := b.r.Read(room)
		from := len(buf)
		buf = buf[:len(buf)+n]
		b.err = err
		if b.tooLong {
			if buf = b.skipLine(buf); b.tooLong {
				continue
			}
			from = 0
		}
		if len(buf) < b.size {
			continue
		}
		// A block is full: it ends with its last whole line.
		end := bytes.LastIndexByte(buf[from:], '\n')
		if end >= 0 {
			end += from
		} else if end = bytes.LastIndexByte(buf[:from], '\n'); end < 0 {
			if len(buf) > b.maxLine {
				b.tooLong = true
				b.offset += int64(len(buf))
				block := &Block{Line: b.line + 1, Offset: b.offset - int64(len(buf)), TooLong: true}
				buffers.Put(&buf)
				return block, nil
			}
			continue
		}
		b.rest = append(b.rest, buf[end+1:]...)
		return b.block(buf[:end+1]), nil
	}
}

// skipLine drops what belongs to the line that is too long.
func (b *blocks) skipLine(buf []byte) []byte {
	end := bytes.IndexByte(buf, '\n')
	if end < 0 {
		b.offset += int64(len(buf))
		return buf[:0]
	}
	b.offset += int64(end + 1)
	b.line++
	b.tooLong = false
	return buf[:copy(buf, buf[end+1:])]
}

func (b *blocks) block(data []byte) *Block {
	block := &Block{Data: data, Line: b.line + 1, Offset: b.offset}
	b.line += int64(bytes.Count(data, []byte{'\n'}))
	b.offset += int64(len(data))
	return block
}

// last returns what is left when the reader has ended.
func (b *blocks) last(buf []byte) (*Block, error) {
	if len(buf) == 0 {
		buffers.Put(&buf)
		return nil, b.err
	}
	if len(buf) > b.maxLine && bytes.IndexByte(buf, '\n') < 0 {
		block := &Block{Line: b.line + 1, Offset: b.offset, TooLong: true}
		buffers.Put(&buf)
		return block, nil
	}
	return b.block(buf), nil
}

// broken tells an end that is an error from the one that is not.
func broken(err error) bool { return err != nil && !errors.Is(err, io.EOF) }
