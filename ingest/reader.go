package ingest

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// Tally says what the lines of a block were.
type Tally struct {
	Lines     int64 // a line that is a JSON array counts once per element
	Blank     int64
	Malformed int64
}

// Skip is a line that could not be judged. It never holds text of the line:
// there may be secrets in it.
type Skip struct {
	Stream int32
	Line   int64
	Column int // bytes from 1; 0 if it is about the whole line
	Why    string
}

// Reader reads blocks as requests. One goroutine uses it at a time.
type Reader struct {
	reads   fingerprint.Field
	parsers map[*formats.Format]formats.Parser
	array   rawjson.Scanner
	request fingerprint.Request
}

// NewReader makes a Reader that reads the given costly fields.
func NewReader(reads fingerprint.Field) *Reader {
	return &Reader{reads: reads, parsers: map[*formats.Format]formats.Parser{}}
}

// tooLong is why a line over the limit is skipped.
const tooLong = "line longer than the limit: see --max-line"

// Read calls yield for each request of the block, which is valid during the
// call, and skip for each malformed line, if not nil.
func (rd *Reader) Read(b *Block, yield func(*fingerprint.Request), skip func(Skip)) Tally {
	run := reading{b: b, rd: rd, yield: yield, skip: skip}
	if b.TooLong {
		run.tally.Lines++
		run.bad(b.Line, 0, tooLong)
		return run.tally
	}
	run.parser = rd.parsers[b.Format]
	if run.parser == nil {
		run.parser = b.Format.New(rd.reads)
		rd.parsers[b.Format] = run.parser
	}
	data, at := b.Data, fingerprint.Position{Stream: b.Stream, Line: b.Line, Offset: b.Offset}
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		next := end + 1
		if end < 0 {
			end, next = len(data), len(data)
		}
		if b.maxLine > 0 && end > b.maxLine {
			run.tally.Lines++
			run.bad(at.Line, 0, tooLong)
		} else {
			line := data[:end]
			text := trim(line)
			run.line(text, at, cap(line)-cap(text))
		}
		at.Line++
		at.Offset += int64(next)
		data = data[next:]
	}
	return run.tally
}

// reading is one call of Read.
type reading struct {
	b      *Block
	rd     *Reader
	parser formats.Parser
	yield  func(*fingerprint.Request)
	skip   func(Skip)
	tally  Tally
}

// line reads a line that begins lead bytes behind at.
func (run *reading) line(line []byte, at fingerprint.Position, lead int) {
	switch {
	case len(line) == 0:
		run.tally.Lines++
		run.tally.Blank++
	case run.b.Format.JSON && line[0] == '[':
		run.elements(line, at, lead)
	default:
		run.record(line, at, lead)
	}
}

// elements reads a line that is an array of records.
func (run *reading) elements(line []byte, at fingerprint.Position, lead int) {
	s := &run.rd.array
	s.Reset(line)
	for s.Array(); s.NextElement(); at.Item++ {
		s.Kind() // skips white space
		start := s.Offset()
		if s.Skip(); s.Err() == nil {
			run.record(s.Since(start), at, lead+start)
		}
	}
	if s.End() != nil {
		// What stands behind the error cannot be told apart: one line.
		column, why := s.Failure()
		run.tally.Lines++
		run.bad(at.Line, lead+column+1, why)
	} else if at.Item == 0 {
		run.tally.Lines++
		run.tally.Blank++
	}
}

func (run *reading) record(record []byte, at fingerprint.Position, start int) {
	run.tally.Lines++
	r := &run.rd.request
	r.Reset()
	r.Position = at
	column, why := run.parser.Parse(record, r)
	if why == "" {
		column, why = 0, formats.CheckTime(r)
	}
	if why != "" {
		if column > 0 {
			column += start
		}
		run.bad(at.Line, column, why)
		return
	}
	run.yield(r)
}

func (run *reading) bad(line int64, column int, why string) {
	run.tally.Malformed++
	if run.skip != nil {
		run.skip(Skip{Stream: run.b.Stream, Line: line, Column: column, Why: why})
	}
}

// trim takes the white space around a line away, and the byte order mark that
// some tools put before the first.
func trim(line []byte) []byte {
	line = bytes.TrimLeft(bytes.TrimPrefix(line, []byte("\uFEFF")), "\x00")
	return bytes.Trim(line, " \t\r")
}
