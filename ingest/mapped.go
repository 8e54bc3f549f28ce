package ingest

import (
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"
)

// mapped is a supply of a plain file where the kernel keeps it: nothing is copied.
// Who looks at its blocks does so within [Block.Look], for the file may be cut
// meanwhile.
type mapped struct {
	file *os.File
	span *span
	size int           // of the next span
	most int64         // the greatest size that the file was seen to have
	read *atomic.Int64 // up to where text was given out
}

// spanBlocks is how many blocks of a file are mapped at a time: enough that it
// costs nothing, little enough that it is no memory to speak of.
const spanBlocks = 4

// Where lines are so long, in bytes, a block is so many times as long as one that is
// copied: it fills no cache, and what parsing one ends with is done less often, as
// what is left of its canonical bytes is hashed a few at a time. Blocks of short
// lines have too many requests for that: each takes memory until it is judged.
const (
	longLine   = 4 << 10
	longBlocks = 4
)

// span is a part of a file.
type span struct {
	data []byte
	from int64        // in the file
	uses atomic.Int32 // by blocks, and by the supply
	file *os.File
}

var errCut = errors.New("the file was cut while it was read")

// CutError says that the file of a stream was cut while it was read, or cannot be
// read any more, so that it is missing from some place on.
func CutError(name string) error {
	return newError(name, errCut, "is it being rotated? what there is of it is read: read it again, or a copy")
}

// newMapped maps a file from its beginning on; nil where that cannot be.
func newMapped(file *os.File, size int, read *atomic.Int64) *mapped {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	m := &mapped{file: file, size: size, most: info.Size(), read: read}
	if m.span, err = m.open(0, min(int64(size), info.Size())); err != nil {
		return nil
	}
	read.Store(0)
	return m
}

func (m *mapped) open(from, to int64) (*span, error) {
	data, err := mapFile(m.file, from, int(to-from))
	if err != nil {
		return nil, err
	}
	s := &span{data: data, from: from, file: m.file}
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
		case info.Size() < m.most:
			return text, errCut
		case info.Size() == had:
			return text, io.EOF
		}
		m.most = info.Size()
		if to = min(to, m.most); to > m.span.end() {
			first := from &^ int64(os.Getpagesize()-1)
			next, err := m.open(first, min(max(to, first+int64(m.size)), m.most))
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

// Look calls look with the block, and returns false if the file was cut meanwhile:
// what look has made by then is of no use. A text that is written over changes
// while it is looked at, which nobody expects who parses it: so if look panics, it
// is called once more with a copy, after anew, which has it begin anew.
func (b *Block) Look(look func(*Block), anew func()) (whole bool) {
	if b.span == nil {
		look(b)
		return true
	}
	s := b.span
	end := s.place(b.Data) + int64(len(b.Data))
	what, faulted := guard(func() { look(b) }, s.self)
	if what != nil {
		var still *Block
		if _, faulted = guard(func() { still = b.Clone() }, s.self); !faulted {
			defer still.Release()
			anew()
			look(still)
		}
	}
	return !faulted && s.holds(end)
}

// look calls a function that looks for the ends of texts.
func (m *mapped) look(look func()) (whole bool) {
	what, faulted := guard(look, func() *span { return m.span }) // the one at work
	if what != nil {
		panic(what)
	}
	return !faulted
}

// guard calls look, and returns what it panicked with, nil if it did not. What is
// not in a file any more is a fault of the processor's, which ends the process
// unless it is asked for.
func guard(look func(), at func() *span) (what any, faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if what = recover(); what != nil && at().lacks(what) {
			what, faulted = nil, true
		}
	}()
	look()
	return nil, false
}

func (s *span) self() *span { return s }

// lacks tells that a panic is about a place in the span.
func (s *span) lacks(what any) bool {
	fault, ok := what.(interface {
		runtime.Error
		Addr() uintptr
	})
	first := uintptr(unsafe.Pointer(unsafe.SliceData(s.data)))
	return ok && fault.Addr()-first < uintptr(len(s.data))
}

// holds tells that the file reaches so far: what was cut off within a page of memory
// is no fault, but zeros.
func (s *span) holds(end int64) bool {
	info, err := s.file.Stat()
	return err != nil || info.Size() >= end
}
