package ingest

import (
	"bytes"
	"io"
	"os"
)

// probePieces is how many places of a long plain file are looked at.
const probePieces = 8

// Probe shows parts of the stream to visit, without reading it: of a plain
// file evenly spaced pieces, of a compressed one the beginning, so that about
// budget bytes are looked at. Of a source that cannot be read twice only what
// Open has read is shown. Lines and offsets in the blocks are those of the
// piece. whole says that nothing was left out.
func (s *Stream) Probe(budget int64, visit func(*Block)) (whole bool, err error) {
	if s.head != nil {
		part := *s.mark(s.head)
		visit(&part)
		return false, nil
	}
	file, err := os.Open(s.source.path)
	if err != nil {
		return false, newError(s.source.Name, err, "")
	}
	defer file.Close()
	size := s.Size()
	probe := &Stream{source: s.source, index: s.index, o: s.o, format: s.format}
	u, err := unpack(io.NopCloser(file), &probe.read)
	if err != nil {
		return false, s.wrap(err)
	}
	defer u.Close()
	if u.packed || size <= budget {
		return probe.piece(u, budget, false, visit), nil
	}
	share := budget / probePieces
	for i := range int64(probePieces) {
		if _, err := file.Seek(i*(size-share)/(probePieces-1), io.SeekStart); err != nil {
			return false, s.wrap(err)
		}
		probe.piece(file, share, i > 0, visit)
	}
	return false, nil
}

// piece shows up to budget bytes from r. A source that breaks off is not an
// error here: the run will say so.
func (s *Stream) piece(r io.Reader, budget int64, cut bool, visit func(*Block)) (whole bool) {
	b := &blocks{r: io.LimitReader(r, budget), size: BlockSize, maxLine: s.o.MaxLine}
	for {
		block, err := b.next()
		if err != nil {
			return s.read.Load() < budget
		}
		if cut { // the piece begins in the middle of a line
			_, block.Data, _ = bytes.Cut(block.Data, []byte{'\n'})
			cut = false
		}
		visit(s.mark(block))
		block.Release()
	}
}
