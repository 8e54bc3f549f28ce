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

// Block is a run of whole lines of one stream, or of records of a topic.
type Block struct {
	Stream  int32
	Format  *formats.Format // nil if it is not known: then no line can be read
	Data    []byte          // whole lines; the last may lack its newline
	Records []Record        // of a topic: what Data consists of; nil for lines
	Line    int64           // number of the first, from 1
	Offset  int64           // bytes of the unpacked stream before it
	TooLong bool            // instead of Data: one line longer than the limit
	MaxLine int             // lines longer than this are not read; 0 is no limit
	memory  []byte          // that Data lies in
}

// Record is one record of a topic. It holds one line, or several.
type Record struct {
	Offset int64 // in its partition; stands for the line number too
	End    int   // in Data; the record begins where the one before ends
}

// NewBlock is an empty block with room for BlockSize bytes, to append to.
func NewBlock() *Block {
	buf := (*buffers.Get().(*[]byte))[:0]
	return &Block{Data: buf, memory: buf}
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

// recycle keeps a buffer for the next block. One that grew for a long line is
// left to the garbage collector.
func recycle(buf []byte) {
	if c := cap(buf); c >= BlockSize && c <= 4*BlockSize {
		buffers.Put(&buf)
	}
}

// blocks cuts a reader into blocks.
type blocks struct {
	r       io.Reader
	size    int // of a block; a longer line makes a longer block
	maxLine int
	rest    []byte // the beginning of a line whose end is not read yet
	line    int64  // lines before the next block
	offset  int64  // bytes before it
	err     error  // of the reader; io.EOF at its end
	tooLong bool   // inside a line that is skipped
	looked  bool   // the first line with something on it has been seen
	spread  bool   // JSON texts take several lines each: never end a block inside one
}

// errNoMore is the error of a reader that has nothing more for now. The next
// call asks it again; the beginning of a line waits for its end.
var errNoMore = errors.New("nothing more for now")

// next returns the next block, without Stream and Format. Its error is io.EOF
// at the end, or says why the reader cannot be read to its end; what was read
// before has been returned by then.
func (b *blocks) next() (*Block, error) {
	buf := append((*buffers.Get().(*[]byte))[:0], b.rest...)
	b.rest = b.rest[:0]
	end := 0 // of the last whole line in buf
	for {
		switch {
		case end == 0 && len(buf) > b.maxLine:
			return b.skip(buf), nil
		case end > 0 && len(buf) >= b.size:
			b.rest = append(b.rest, buf[end:]...)
			return b.block(buf[:end]), nil
		case errors.Is(b.err, errNoMore):
			b.err = nil
			b.rest = append(b.rest, buf[end:]...)
			if end == 0 {
				recycle(buf)
				return nil, errNoMore
			}
			return b.block(buf[:end]), nil
		case b.err != nil && len(buf) == 0:
			recycle(buf)
			return nil, b.err
		case b.err != nil:
			return b.block(buf), nil //nolint:nilerr // the next call returns it
		}
		from := len(buf)
		buf = b.fill(buf)
		if b.tooLong {
			from = 0
			if buf = b.skipRest(buf); b.tooLong {
				continue
			}
		}
		if !b.looked {
			b.look(buf)
		}
		if k := b.lastEnd(buf, from); k > 0 {
			end = k
		}
	}
}

// look finds out by the first line whether each text takes several.
func (b *blocks) look(buf []byte) {
	for len(buf) > 0 && !b.looked {
		line, next := cutLine(buf)
		if next == len(line) {
			return // its end is not read yet
		}
		if line, buf = trim(line), buf[next:]; len(line) > 0 {
			b.looked = true
			b.spread = len(line) == 1 && (line[0] == '{' || line[0] == '[')
		}
	}
}

// lastEnd is where the last line ends of which buf has the end behind from; 0
// if there is none.
func (b *blocks) lastEnd(buf []byte, from int) int {
	if !b.spread {
		if k := bytes.LastIndexByte(buf[from:], '\n'); k >= 0 {
			return from + k + 1
		}
		return 0
	}
	from = max(0, from-len("\n}\r"))
	last := max(bytes.LastIndex(buf[from:], []byte("\n}")), bytes.LastIndex(buf[from:], []byte("\n]")))
	if last < 0 {
		return 0
	}
	last += from + 1
	n := bytes.IndexByte(buf[last:], '\n')
	if n < 0 {
		return 0
	}
	return last + n + 1
}

// fill reads once, up to the size of a block. Beyond that, inside a line, it
// doubles what is there, but never reads more than shows that a line is too
// long.
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
	n, err := b.r.Read(buf[len(buf) : len(buf)+want])
	b.err = err
	return buf[:len(buf)+n]
}

// skip gives a line up that is too long, of which buf is the beginning.
func (b *blocks) skip(buf []byte) *Block {
	block := &Block{Line: b.line + 1, Offset: b.offset, TooLong: true}
	b.offset += int64(len(buf))
	b.tooLong = true
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
	block := &Block{Data: data, Line: b.line + 1, Offset: b.offset, MaxLine: b.maxLine, memory: data}
	b.line += int64(bytes.Count(data, []byte{'\n'}))
	b.offset += int64(len(data))
	return block
}

// broken tells an end that is an error from the one that is not.
func broken(err error) bool { return err != nil && !errors.Is(err, io.EOF) }
