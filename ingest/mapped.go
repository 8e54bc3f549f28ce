package ingest

import (
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
	"unsafe"
)

// mapped is a supply of a plain file where the kernel keeps it: nothing is copied.
// Who looks at its blocks does so within [Block.Look], for the file may be cut
// meanwhile.
type mapped struct {
	file *os.File
	span *span
	size int           // of the next span
	read *atomic.Int64 // up to where text was given out
}

// spanSize is how much of a file is mapped at a time: enough that it costs
// nothing, little enough that it is no memory to speak of.
const spanSize = 16 << 20

// mappedBlocks is how many times as long a block is as one that is copied. It fills
// no cache then, and what parsing one ends with is done less often: what is left of
// its canonical bytes is hashed a few at a time.
const mappedBlocks = 4

// span is a part of a file.
type span struct {
	data    []byte
	from    int64        // in the file
	uses    atomic.Int32 // by blocks, and by the supply
	file    *os.File
	written time.Time // when the file was last, as the span was mapped
}

var errCut = errors.New("the file was cut, or written over, while it was read")

// CutError says that the file of a stream was cut or written over while it was
// read, so that blocks of it are missing.
func CutError(name string) error {
	return newError(name, errCut, "is it being rotated? what there is of it is read: read it again, or a copy")
}

// newMapped maps a file from its beginning on; nil where that cannot be.
func newMapped(file *os.File, size int, read *atomic.Int64) *mapped {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	m := &mapped{file: file, size: size, read: read}
	if m.span, err = m.open(info, 0, min(int64(size), info.Size())); err != nil {
		return nil
	}
	read.Store(0)
	return m
}

func (m *mapped) open(info os.FileInfo, from, to int64) (*span, error) {
	data, err := mapFile(m.file, from, int(to-from))
	if err != nil {
		return nil, err
	}
	s := &span{data: data, from: from, file: m.file, written: info.ModTime()}
	s.uses.Store(1)
	return s, nil
}

func (s *span) end() int64 { return s.from + int64(len(s.data)) }

// release is called once for each use.
func (s *span) release() {
	if s.uses.Add(-1) == 0 {
		unmapFile(s.data)
	}
}

// place is where a text of the span begins in the file: texts reach to the span's
// end, used or not.
func (s *span) place(text []byte) int64 { return s.end() - int64(cap(text)) }

func (m *mapped) begin(rest []byte) []byte {
	if rest == nil {
		return m.span.data[:0]
	}
	return rest
}

func (m *mapped) more(text []byte, want int) ([]byte, error) {
	from := m.span.place(text)
	had := from + int64(len(text))
	to := had + int64(want)
	if to > m.span.end() {
		info, err := m.file.Stat()
		switch {
		case err != nil:
			return text, err
		case info.Size() < had:
			return text, errCut
		case info.Size() == had:
			return text, io.EOF
		}
		if to = min(to, info.Size()); to > m.span.end() {
			first := from &^ int64(os.Getpagesize()-1)
			next, err := m.open(info, first, min(max(to, first+int64(m.size)), info.Size()))
			if err != nil {
				return text, err
			}
			m.span.release()
			m.span = next
		}
	}
	m.read.Store(to)
	return m.span.data[from-m.span.from : to-m.span.from], nil
}

func (*mapped) skip(text []byte, n int) []byte { return text[n:] }

func (*mapped) leave(_, rest []byte) []byte { return rest }

func (m *mapped) block(text []byte) *Block {
	m.span.uses.Add(1)
	return &Block{Data: text, span: m.span}
}

func (*mapped) drop([]byte) {}

func (m *mapped) end() { m.span.release() }

// Look calls look, which may look at the block's Data, and returns false if it
// came to no end because the file was cut, or written over, meanwhile: what look
// has made by then is of no use.
func (b *Block) Look(look func()) (whole bool) {
	if b.span == nil {
		look()
		return true
	}
	return guarded(look, func() *span { return b.span })
}

func (m *mapped) look(look func()) (whole bool) { return guarded(look, func() *span { return m.span }) }

// guarded calls look. What is not in a file any more is a fault of the
// processor's, which ends the process unless it is asked for. And nobody who
// parses expects a text to be another one when he looks again.
func guarded(look func(), at func() *span) (whole bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if what := recover(); what != nil && !at().lacks(what) && !at().changed() {
			panic(what)
		}
	}()
	look()
	return true
}

// lacks tells that a panic is about a place in the span.
func (s *span) lacks(what any) bool {
	fault, ok := what.(interface {
		runtime.Error
		Addr() uintptr
	})
	first := uintptr(unsafe.Pointer(unsafe.SliceData(s.data)))
	return ok && fault.Addr()-first < uintptr(len(s.data))
}

// changed tells that the file was cut or written to since the span was mapped.
func (s *span) changed() bool {
	info, err := s.file.Stat()
	return err == nil && (info.Size() < s.end() || !info.ModTime().Equal(s.written))
}
