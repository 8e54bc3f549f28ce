package ingest

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// BlockSize is how much of a log is parsed in one go: enough that handing it
// to another goroutine costs nothing beside the work, little enough that a few
// in flight stay in the cache.
const BlockSize = 1 << 20

// DefaultMaxLine is the longest line read unless told otherwise.
const DefaultMaxLine = 64 << 20

// Block is a run of whole lines of one stream, or of records of a topic.
type Block struct {
	Stream  int32
	Format  *formats.Format // nil if it is not known: then no line can be read
	Data    []byte          // whole lines; the last may lack its newline
	Records []Record        // of a topic: what Data consists of; nil for lines
	Line    int64           // number of the first, from 1; if Follows, from the end of the block before
	Follows bool            // that one's lines were not counted
	Lines   int64           // how many there are, known once they were read; none if TooLong
	Offset  int64           // bytes of the unpacked stream before it
	TooLong bool            // instead of Data: one line longer than the limit, or a record over several
	Rest    int64           // of TooLong: lines of the record behind its first
	Why     string          // of TooLong: what was, where it is no line
	Zone    *time.Location  // of times that have none; nil is UTC
	Name    string          // of the file; empty for a topic
	MaxLine int             // lines longer than this are not read; 0 is no limit
	memory  []byte          // that Data lies in
	file    *os.File        // that Data is not read of yet
	unread  int             // so many bytes
	err     error           // why they could not be read
}

// Record is one record of a topic. It holds one line, or several.
type Record struct {
	Offset int64 // in its partition; stands for the line number too
	End    int   // in Data; the record begins where the one before ends
}

// Each are the records of a topic, by their offsets.
func (b *Block) Each() iter.Seq2[int64, []byte] {
	return func(yield func(offset int64, data []byte) bool) {
		from := 0
		for _, r := range b.Records {
			if !yield(r.Offset, b.Data[from:r.End]) {
				return
			}
			from = r.End
		}
	}
}

// NewBlock is an empty block with room for BlockSize bytes, to append to.
func NewBlock() *Block {
	buf := memoryFor(BlockSize)
	return &Block{Data: buf, memory: buf}
}

// Clone is a copy of the block with memory of its own.
func (b *Block) Clone() *Block {
	c := *b
	own := NewBlock()
	c.Data = append(own.Data, b.Data...)
	c.memory = c.Data
	return &c
}

// Release gives the block's memory back. Nothing may hold a part of Data.
func (b *Block) Release() {
	recycle(b.memory)
	b.Data, b.memory = nil, nil
}

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, BlockSize)
	return &b
}}

// memoryFor is memory for so many bytes, and none in it.
func memoryFor(n int) []byte {
	if buf := *buffers.Get().(*[]byte); cap(buf) >= n {
		return buf[:0]
	}
	return make([]byte, 0, (n+BlockSize-1)/BlockSize*BlockSize)
}

// recycle keeps a buffer for the next block. One that grew for a long line is
// left to the garbage collector.
func recycle(buf []byte) {
	if c := cap(buf); c >= BlockSize && c <= 4*BlockSize {
		buffers.Put(&buf)
	}
}

// blocks cuts what is read into blocks.
type blocks struct {
	from    io.Reader
	size    int // of a block; a longer line makes a longer block
	maxLine int
	in      []*wrap.Wrapper        // what the records lie in
	ends    func(line []byte) bool // whether a record ends with a line; nil if each does
	gathers bool                   // each of its lines is a record already
	rest    []byte                 // the beginning of a record whose end is not read yet
	seen    int                    // of rest, where the end was looked for
	line    int64                  // lines before the next block
	offset  int64                  // bytes before it
	err     error                  // of the reader; io.EOF at its end
	tooLong bool                   // inside a line that is skipped
}

// newBlocks cuts where no record goes on that lies in the wrappers, in. Lines that
// wait for others and are too long together go their ways.
func newBlocks(from io.Reader, size, maxLine int, in []*wrap.Wrapper) *blocks {
	gathers := slices.ContainsFunc(in, func(w *wrap.Wrapper) bool { return w.Gathers })
	return &blocks{from: from, size: size, maxLine: maxLine, in: in, ends: wrap.NewCutter(in), gathers: gathers}
}

// errNoMore is the error of a reader that has nothing more for now. The next
// call asks it again; the beginning of a record waits for its end.
var errNoMore = errors.New("nothing more for now")

// next returns the next block, without Stream and Format. Its error is io.EOF
// at the end, or says why the reader cannot be read to its end; what was read
// before has been returned by then.
func (b *blocks) next() (*Block, error) {
	buf := append(memoryFor(BlockSize), b.rest...)
	end := 0 // of the last whole record in buf
	seen := b.seen
	b.seen = 0
	for {
		end, seen = b.scan(buf, end, seen)
		switch {
		case end == 0 && len(buf) > b.maxLine && b.gathers && seen > 0:
			b.leave(buf[seen:])
			b.ends = wrap.NewCutter(b.in)
			return b.block(buf[:seen]), nil
		case end == 0 && len(buf) > b.maxLine:
			return b.skip(buf), nil
		case end > 0 && (len(buf) >= b.size || b.ends != nil && len(buf)-end > b.maxLine):
			b.leave(buf[end:])
			b.seen = max(seen-end, 0)
			return b.block(buf[:end]), nil
		case errors.Is(b.err, errNoMore):
			b.err = nil
			b.leave(buf[end:])
			b.seen = max(seen-end, 0)
			if end == 0 {
				recycle(buf)
				return nil, errNoMore
			}
			return b.block(buf[:end]), nil
		case b.err != nil && len(buf) == 0:
			b.leave(buf)
			recycle(buf)
			return nil, b.err
		case b.err != nil:
			b.leave(buf[len(buf):])
			return b.block(buf), nil //nolint:nilerr // the next call returns it
		}
		buf = b.fill(buf)
		if b.tooLong {
			buf = b.skipRest(buf)
		}
	}
}

// scan looks for the end of the last whole record in buf, of which the first
// bytes have been seen. It goes up to where a record is too long.
func (b *blocks) scan(buf []byte, end, seen int) (newEnd, newSeen int) {
	if b.ends == nil {
		if k := bytes.LastIndexByte(buf[seen:], '\n'); k >= 0 {
			end = seen + k + 1
		}
		return end, len(buf)
	}
	for {
		k := bytes.IndexByte(buf[seen:], '\n')
		if k < 0 || seen+k-end > b.maxLine {
			return end, seen
		}
		line := buf[seen : seen+k]
		if seen += k + 1; b.ends(line) {
			end = seen
		}
	}
}

// fill reads once, up to the size of a block. Beyond that, inside a line, it
// doubles what is there, but never reads more than shows that a line is too
// long. The memory is doubled where there is no room.
func (b *blocks) fill(buf []byte) []byte {
	want := b.size - len(buf)
	if want <= 0 {
		want = min(len(buf), b.maxLine+1-len(buf))
	}
	if room := cap(buf) - len(buf); room == 0 {
		buf = append(make([]byte, 0, 2*cap(buf)), buf...)
	} else {
		want = min(want, room)
	}
	var n int
	n, b.err = b.from.Read(buf[len(buf) : len(buf)+want])
	return buf[:len(buf)+n]
}

// leave leaves the end of a text to the next block.
func (b *blocks) leave(rest []byte) { b.rest = append(b.rest[:0], rest...) }

// skip gives a line up that is too long, of which buf is the beginning; of a
// record over several lines those up to the one with which it is too long,
// however much was read by then. What follows begins as if nothing had been.
func (b *blocks) skip(buf []byte) *Block {
	block := &Block{TooLong: true, Line: b.line + 1, Offset: b.offset}
	n := len(buf)
	if k := bytes.IndexByte(buf[b.maxLine+1:], '\n'); k >= 0 {
		n = b.maxLine + 1 + k + 1
	} else {
		b.tooLong = true
	}
	lines := int64(bytes.Count(buf[:n], []byte{'\n'}))
	if block.Rest = lines; !b.tooLong {
		block.Rest--
	}
	b.line += lines
	b.offset += int64(n)
	b.leave(buf[n:])
	b.ends = wrap.NewCutter(b.in)
	recycle(buf)
	return block
}

// skipRest drops what belongs to the line that is too long.
func (b *blocks) skipRest(buf []byte) []byte {
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
	block := &Block{Data: data, memory: data, MaxLine: b.maxLine, Line: b.line + 1, Offset: b.offset}
	b.line += int64(bytes.Count(data, []byte{'\n'}))
	b.offset += int64(len(data))
	return block
}

// broken tells an end that is an error from the one that is not.
func broken(err error) bool { return err != nil && !errors.Is(err, io.EOF) }
