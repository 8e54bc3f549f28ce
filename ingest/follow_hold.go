package ingest

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

const (
	// unknownBytes, or headLines, is how much of a stream is held back at most
	// until a line of it is of a known format.
	unknownBytes = 64 << 10
	// unknownRecord is how much, as long as that may be the beginning of one
	// record over many lines.
	unknownRecord = headBlocks * BlockSize
)

// recognise looks what the stream is, if that is not known yet. It tells whether
// what is held back must be read again, cut where no record goes on.
func (s *followed) recognise() (again bool) {
	if s.format != nil || len(s.queue) == 0 || s.tried == len(s.queue) && !s.tail.over {
		return false
	}
	s.tried = len(s.queue)
	data := s.held()
	if s.half = !s.tail.over && unfinished(data); s.half {
		return false
	}
	if f, sure := DetectAs(s.f.o.Format, data); sure || f != nil && s.many() {
		s.format = f
	}
	return s.format != nil && wrap.NewCutter(s.format.Wrappers) != nil
}

// held is all that is held back.
func (s *followed) held() []byte {
	parts := make([][]byte, len(s.queue))
	for i, p := range s.queue {
		parts[i] = p.Data
	}
	return slices.Concat(parts...)
}

// many tells that as much is held back as ever is of a stream of which nothing
// is known.
func (s *followed) many() bool {
	last := s.queue[len(s.queue)-1]
	if s.half {
		return last.offset >= unknownRecord
	}
	return last.offset >= unknownBytes || last.line >= headLines
}

// emit returns the first block held back, if there is reason to. As long as
// the format is not known lines are held back, unless they are many, or
// nothing follows them. Half a record waits for its end, like half a line.
func (s *followed) emit(silent bool) (c Chunk, ok bool) {
	if len(s.queue) == 0 {
		return c, false
	}
	format := s.format
	if format == nil {
		if !s.tail.over && !s.many() && (!silent || s.half) {
			return c, false
		}
		format = s.f.o.Format
	}
	p := s.queue[0]
	s.queue, s.tried = s.queue[1:], max(s.tried-1, 0)
	p.Stream, p.Format, p.Zone, p.Name = s.index, format, s.f.o.Zone, s.name
	s.position.Offset, s.position.Line = p.offset, p.line
	return s.chunk(p.Block, len(s.queue) == 0 && s.tail.after == nil && s.tail.end), true
}

// wholeRest tells that what stands behind the last record ends one all the
// same: with a JSON text that is complete, but for its newline. Programs that
// write a file in one go often leave the last newline out.
func (s *followed) wholeRest() bool {
	rest := s.tail.blocks.rest
	if s.format == nil {
		rest = append(s.held(), rest...)
	}
	line := rest[bytes.LastIndexByte(rest, '\n')+1:]
	format := s.format
	if format == nil {
		format = Detect(rest)
	}
	if format == nil || len(trim(line)) == 0 {
		return false
	}
	if ends := wrap.NewCutter(format.Wrappers); ends != nil {
		whole := false
		for line := range bytes.Lines(rest) {
			whole = ends(bytes.TrimSuffix(line, []byte{'\n'}))
		}
		return whole && (wholeJSON(line) || wholeJSON(rest))
	}
	return (format.JSON || format.Wrappers != nil) && wholeJSON(line)
}

// wholeJSON tells that text is an object or an array that is complete.
func wholeJSON(text []byte) bool {
	text = trim(text)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	var scan rawjson.Scanner
	return scan.Check(text) == nil
}
