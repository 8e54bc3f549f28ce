package ingest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync/atomic"
)

// sections cuts a plain file into blocks that are not read yet: of each nothing but
// the end is looked at. Who parses a block reads it, into memory that is still in the
// cache of its core.
type sections struct {
	file    *os.File
	size    int64 // of a block; a longer line makes a longer block
	maxLine int64
	from    int64         // where the next block begins
	behind  int64         // lines between the block before, if that is not too long, and the next
	most    int64         // the greatest size that the file was seen to have
	ended   bool          // the last block was given out
	piece   []byte        // memory for what is looked at
	read    *atomic.Int64 // up to where text was given out
}

// pieceSize is how much of a file is looked at, at a time, for the end of a line.
const pieceSize = 32 << 10

var errCut = errors.New("the file was cut while it was read")

// endsEarly is io.ErrUnexpectedEOF in words.
type endsEarly string

const errEndsEarly = endsEarly("the compressed data ends early")

func (e endsEarly) Error() string { return string(e) }

// Is makes it io.ErrUnexpectedEOF.
func (e endsEarly) Is(target error) bool { return target == io.ErrUnexpectedEOF }

// inWords is the error for io.ErrUnexpectedEOF that says what it is of.
func inWords(err error) error {
	if early, ok := errors.AsType[endsEarly](err); ok {
		return early
	}
	return errEndsEarly
}

// unreadable names the file in the error that its reading ended with.
func unreadable(name string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err, hint = inWords(err), "the file is cut: copy it again; what there is of it is read"
	case errors.Is(err, errLongExport):
		hint = "is the file damaged? what stands before it is read; else let the Collector make smaller ones: send_batch_max_size of its batch processor"
	case errors.Is(err, os.ErrNotExist):
		hint = "it was there a moment ago: is it being rotated?"
	case errors.Is(err, errCut):
		hint = "is it being rotated? what there is of it is read: read it again, or a copy"
	}
	return newError(name, err, hint)
}

// newSections cuts a file from its beginning on; nil if it is none that can be read
// in any order.
func newSections(file *os.File, size, maxLine int, read *atomic.Int64) *sections {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	read.Store(0)
	return &sections{file: file, size: int64(size), maxLine: int64(maxLine), piece: make([]byte, pieceSize), read: read}
}

// next returns the next block, without Stream and Format; io.EOF at the end.
func (s *sections) next() (*Block, error) {
	seen := s.from // no line ends before
	for want := s.size; !s.ended; want = min(2*want, s.maxLine+1) {
		info, err := s.file.Stat()
		if err != nil {
			return nil, err
		}
		if info.Size() < s.most {
			return nil, errCut
		}
		s.most = info.Size()
		to := min(s.from+want, s.most)
		s.ended = to == s.most
		if s.ended && to-s.from <= s.maxLine {
			return s.block(to)
		}
		end, err := s.lastEnd(seen, to)
		switch {
		case err != nil:
			return nil, err
		case end > 0 && s.ended:
			return s.block(to)
		case end > 0:
			return s.block(end)
		case to-s.from > s.maxLine:
			return s.skip(to)
		}
		seen = to
	}
	return nil, io.EOF
}

// block gives out what is up to a place in the file.
func (s *sections) block(to int64) (*Block, error) {
	if to == s.from {
		return nil, io.EOF
	}
	b := &Block{Line: s.behind + 1, Follows: true, Offset: s.from, MaxLine: int(s.maxLine), file: s.file, unread: int(to - s.from)}
	s.behind, s.from = 0, to
	s.read.Store(to)
	fetchAhead(s.file, to, s.size)
	return b, nil
}

// skip gives a line up that is too long, and has no end up to a place in the file.
func (s *sections) skip(to int64) (*Block, error) {
	b := &Block{TooLong: true, Line: s.behind + 1, Follows: true, Offset: s.from}
	s.behind = 0
	for {
		n, err := s.file.ReadAt(s.piece, to)
		if broken(err) {
			return nil, err
		}
		if k := bytes.IndexByte(s.piece[:n], '\n'); k >= 0 {
			s.behind, to = 1, to+int64(k)+1
			break
		}
		if n == 0 {
			break
		}
		to += int64(n)
	}
	s.from, s.most, s.ended = to, max(s.most, to), false
	s.read.Store(to)
	return b, nil
}

// lastEnd is the end of the last line in a part of the file; 0 if none ends there.
func (s *sections) lastEnd(from, to int64) (int64, error) {
	for to > from {
		piece := s.piece[:min(int64(len(s.piece)), to-from)]
		to -= int64(len(piece))
		if n, err := s.file.ReadAt(piece, to); n < len(piece) {
			return 0, missing(err)
		}
		if k := bytes.LastIndexByte(piece, '\n'); k >= 0 {
			return to + int64(k) + 1, nil
		}
	}
	return 0, nil
}

// missing is why less could be read of a file than it was long.
func missing(err error) error {
	if errors.Is(err, io.EOF) {
		return errCut
	}
	return err
}

// Fetch reads the text of a block that was given unread: see [Unread]. It tells
// whether the file still has it; Err says why not. Of a block that was read it does
// nothing.
func (b *Block) Fetch() bool {
	if b.unread == 0 {
		return true
	}
	b.Data = memoryFor(b.unread)[:b.unread]
	b.memory = b.Data
	if n, err := b.file.ReadAt(b.Data, b.Offset); n < b.unread {
		b.err = unreadable(b.Name, missing(err))
		return false
	}
	b.unread = 0
	return true
}

// Err says what Fetch could not read.
func (b *Block) Err() error { return b.err }
