package ingest

import (
	"bytes"
	"io"
)

// probeAhead is how much of a source that cannot be read twice is kept in memory for
// a look ahead.
const probeAhead = 8 << 20

// ProbePieces is how many places of a source of so many bytes are looked at with a
// budget; 1 is its beginning alone.
func ProbePieces(size, budget int64) int64 {
	const (
		most  = 8
		least = 256 << 10 // that a place shows: disorder reaches over many lines, and a line of a log of conversations is long
	)
	if pieces := min(most, budget/least); pieces > 1 && size > budget {
		return pieces
	}
	return 1
}

// Probe shows of a plain file evenly spaced pieces, of a compressed one the
// beginning. Of a source that cannot be read twice its beginning is read ahead.
func (s *fileStream) Probe(budget int64, visit func(*Block)) error {
	if s.raw != nil { // it cannot be read twice, and stays open
		s.probeAhead(min(budget, probeAhead), visit)
		return nil
	}
	size := s.Size()
	probe := &fileStream{source: s.source, index: s.index, o: s.o, format: s.format}
	// A source that cannot be read any more is no error here: the run will say so,
	// and judge the others.
	file, err := s.source.open(0)
	if err != nil {
		return nil
	}
	u, err := unpack(file, &probe.read)
	if err != nil {
		file.Close()
		return nil
	}
	defer u.Close()
	pieces := ProbePieces(size, budget)
	if u.made || pieces == 1 {
		probe.piece(u, budget, false, visit)
		return nil
	}
	share := budget / pieces
	for i := range pieces {
		part, err := s.source.open(i * ((size - share) / (pieces - 1)))
		if err != nil {
			return nil
		}
		probe.piece(part, share, i > 0, visit)
		part.Close()
	}
	return nil
}

// piece shows up to budget bytes from r. A source that breaks off is no error
// here either.
func (s *fileStream) piece(r io.Reader, budget int64, cut bool, visit func(*Block)) {
	b := newBlocks(io.LimitReader(r, budget), s.o.blockSize, s.o.MaxLine, s.format.Wrappers)
	for {
		block, err := b.next()
		if err != nil {
			return
		}
		if cut { // the piece begins in the middle of a line
			_, block.Data, _ = bytes.Cut(block.Data, []byte{'\n'})
			cut = false
		}
		visit(s.mark(block))
		block.Release()
	}
}

// probeAhead keeps what it reads for Next.
func (s *fileStream) probeAhead(budget int64, visit func(*Block)) {
	seen := int64(0)
	for i := 0; seen < budget; i++ {
		if i == len(s.ahead) {
			block, err := s.blocks.next()
			if err != nil {
				return // Next will get the same error
			}
			s.ahead = append(s.ahead, block)
		}
		part := *s.mark(s.ahead[i])
		seen += int64(len(part.Data))
		visit(&part)
	}
}
