package ingest

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// Options say how a source is read.
type Options struct {
	Format  string // one of formats.Names; empty detects it
	MaxLine int    // longest line, in bytes; 0 is DefaultMaxLine
}

// Stream is an opened source whose format is known. One goroutine reads it at
// a time.
type Stream struct {
	source *Source
	index  int32
	o      Options
	format *formats.Format
	first  int64

	read   atomic.Int64
	raw    *unpacked // nil between the look at the head and the first block
	blocks *blocks
	head   *Block // of a source that cannot be read twice
}

// headLines is how many lines the format and the first time are told from.
const headLines = 100

// Open opens a source as the stream with the given index, and looks at its
// beginning. A file is closed again until its first block is asked for, so
// that a thousand rotated files do not hold a thousand buffers.
func Open(src *Source, index int32, o Options) (*Stream, error) {
	if o.MaxLine == 0 {
		o.MaxLine = DefaultMaxLine
	}
	s := &Stream{source: src, index: index, o: o}
	if err := s.start(); err != nil {
		return nil, err
	}
	head, err := s.blocks.next()
	if err != nil {
		s.Close()
		if errors.Is(err, io.EOF) {
			err = errors.New("empty")
		}
		return nil, s.wrap(err)
	}
	if err := s.look(head); err != nil {
		s.Close()
		return nil, err
	}
	if src.rereadable() {
		head.Release()
		s.Close()
		s.read.Store(0)
	} else {
		s.head = head
	}
	return s, nil
}

// start opens the source from its beginning.
func (s *Stream) start() error {
	file, err := s.source.open()
	if err != nil {
		return err
	}
	s.raw, err = unpack(file, &s.read)
	if err != nil {
		file.Close()
		return s.wrap(err)
	}
	s.blocks = &blocks{r: s.raw, size: BlockSize, maxLine: s.o.MaxLine}
	return nil
}

// wrap names the source in an error and tells the way out of common ones.
func (s *Stream) wrap(err error) error {
	hint := ""
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err, hint = errors.New("the compressed data ends early"), "the file is cut: copy it again, or unpack what there is of it"
	}
	return newError(s.source.Name, err, hint)
}

// look recognises the format by the first lines.
func (s *Stream) look(head *Block) error {
	data := head.Data
	if bytes.HasPrefix(data, []byte{0xFF, 0xFE}) || bytes.HasPrefix(data, []byte{0xFE, 0xFF}) {
		return newError(s.source.Name, errors.New("UTF-16 text"), "turn it into UTF-8 first: iconv -f UTF-16 -t UTF-8")
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return newError(s.source.Name, errors.New("binary data, not a log"), "")
	}
	if s.o.Format != "" {
		s.format = formats.ByName(s.o.Format)
	} else if s.format = detect(data); s.format == nil {
		return unknownFormat(s.source.Name, "", formats.Names())
	}
	s.first = s.firstTime(head)
	return nil
}

// detect picks the format that most of the first lines are of. A few strange
// lines at the start of a log, or a cut one, do not matter.
func detect(data []byte) *formats.Format {
	var best *formats.Format
	most := 0
	votes := make([]int, len(formats.All))
	for n := 0; n < headLines && len(data) > 0; n++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		line = trim(line)
		if len(line) == 0 {
			continue
		}
		for i, f := range formats.All {
			if !f.Detect(line) {
				continue
			}
			if votes[i]++; votes[i] > most {
				best, most = f, votes[i]
			}
			break
		}
		// The first lines of a log are enough when they agree.
		if most == 10 {
			break
		}
	}
	return best
}

// firstTime is the smallest time among the first lines. With none it is the
// beginning of time, so that nothing waits for a stream that has nothing.
func (s *Stream) firstTime(head *Block) int64 {
	part := *head
	part.Format, part.Stream = s.format, s.index
	if end := nthLine(part.Data, headLines); end < len(part.Data) {
		part.Data = part.Data[:end]
	}
	first := int64(fingerprint.NoTime)
	NewReader(0).Read(&part, func(r *fingerprint.Request) {
		t := r.Time // the start is the earlier, whichever the run orders by
		if first == fingerprint.NoTime || t < first {
			first = t
		}
	}, nil)
	if first == fingerprint.NoTime {
		return 0
	}
	return first
}

// nthLine is the position behind the n-th line.
func nthLine(data []byte, n int) int {
	at := 0
	for range n {
		k := bytes.IndexByte(data[at:], '\n')
		if k < 0 {
			return len(data)
		}
		at += k + 1
	}
	return at
}

// Name is the source's name.
func (s *Stream) Name() string { return s.source.Name }

// Format is the log's format.
func (s *Stream) Format() *formats.Format { return s.format }

// Size is the source's length in bytes as it lies on disk, -1 if unknown.
func (s *Stream) Size() int64 { return s.source.size() }

// Read is how many of those bytes have been read. Any goroutine may ask.
func (s *Stream) Read() int64 { return s.read.Load() }

// First is the smallest event time among the first lines, in microseconds.
func (s *Stream) First() int64 { return s.first }

// Next returns the next block. The error is io.EOF at the end, or says why the
// source cannot be read to its end, after all that could be read of it.
func (s *Stream) Next() (*Block, error) {
	if b := s.head; b != nil {
		s.head = nil
		return s.mark(b), nil
	}
	if s.raw == nil {
		if err := s.start(); err != nil {
			return nil, err
		}
	}
	b, err := s.blocks.next()
	if broken(err) {
		return nil, s.wrap(err)
	}
	if err != nil {
		return nil, err
	}
	return s.mark(b), nil
}

func (s *Stream) mark(b *Block) *Block {
	b.Stream, b.Format = s.index, s.format
	return b
}

// Close ends the reading. It may be called more than once.
func (s *Stream) Close() error {
	if s.raw == nil {
		return nil
	}
	err := s.raw.Close()
	s.raw, s.blocks = nil, nil
	return err
}
