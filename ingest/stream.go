package ingest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// Options say how a source is read.
type Options struct {
	Format  *formats.Format // nil detects it
	Zone    *time.Location  // of times that have none; nil is UTC
	MaxLine int             // longest line, in bytes without its newline; 0 is DefaultMaxLine
	Latest  bool            // Follow alone: begin at the end of the files that are there, not with them

	// Unreadable is told, by Follow alone and once each, of files that could not
	// be read for a minute, and of arguments that stand for nothing any more; without
	// an error, that one can be again, or is gone.
	// They are tried on. Several may call it at a time. Nil is told of none.
	Unreadable func(file string, err error)

	blockSize int // BlockSize unless a test says otherwise
}

// Stream is an ordered source of records that ends, opened, its format known.
// One goroutine reads it at a time.
type Stream interface {
	Name() string
	Format() *formats.Format
	// First is the smallest time among the first lines, in microseconds; 0 if
	// none of them has one.
	First() int64
	// Next returns the next block. The error is io.EOF at the end, or says why
	// the source cannot be read to its end, after all that could be read of it.
	Next() (*Block, error)
	// Probe shows parts of the stream to visit, without reading it, so that
	// about budget bytes are looked at. Lines and offsets in the blocks are
	// those of the part, and a part may end inside a line. To be called before
	// the first Next.
	Probe(budget int64, visit func(*Block)) error
	// Size is the source's length in bytes as it lies there, -1 if unknown.
	Size() int64
	// Read is how many of those bytes have been read. Any goroutine may ask.
	Read() int64
	// Close ends the reading. It may be called more than once.
	Close()
}

// fileStream is a file, or standard input.
type fileStream struct {
	source  *Source
	index   int32
	o       Options
	format  *formats.Format
	first   int64
	written int64 // as FirstTimes has it, by which logs are put in order

	read     atomic.Int64
	unread   bool      // blocks may be given that are not read yet
	raw      *unpacked // nil between the look at the head and the first block
	blocks   *blocks
	sections *sections // instead of blocks, where they are given unread
	ahead    []*Block  // read already, of a source that cannot be read twice
	closed   bool
}

// headLines is how many lines the format and the first time are told from.
const headLines = 100

// headBlocks is in how many blocks a line that says something must come.
const headBlocks = 8

// open opens a source, and looks at its beginning. A file is closed again until
// its first block is asked for, so that a thousand rotated files do not hold a
// thousand buffers.
func open(src *Source, o Options) (*fileStream, error) {
	o.fill()
	s := &fileStream{source: src, o: o}
	if err := s.start(); err != nil {
		return nil, err
	}
	if err := s.look(); err != nil {
		s.Close()
		return nil, err
	}
	if src.rereadable() {
		for _, b := range s.ahead {
			b.Release()
		}
		s.ahead = nil
		s.stop()
		s.read.Store(0)
	}
	return s, nil
}

// fill sets what was left out.
func (o *Options) fill() {
	o.MaxLine, o.blockSize = cmp.Or(o.MaxLine, DefaultMaxLine), cmp.Or(o.blockSize, BlockSize)
}

// start opens the source from its beginning.
func (s *fileStream) start() error {
	file, err := s.source.open(0)
	if err != nil {
		return s.wrap(err)
	}
	u, err := unpack(file, &s.read)
	if err != nil {
		file.Close()
		return s.wrap(err)
	}
	if hint, err := u.check(s.source); err != nil {
		u.Close()
		if hint == "" {
			return s.wrap(err)
		}
		return newError(s.source.Name, err, hint)
	}
	s.raw = u
	var in []*wrap.Wrapper
	if s.format != nil {
		in = s.format.Wrappers
	}
	// Of records over several lines not the ends alone are looked at.
	if plain, ok := file.(*os.File); ok && s.unread && !u.made && s.source.stdin == nil && wrap.NewCutter(in) == nil {
		if s.sections = newSections(plain, s.o.blockSize, s.o.MaxLine, &s.read); s.sections != nil {
			return nil
		}
	}
	s.blocks = newBlocks(u, s.o.blockSize, s.o.MaxLine, in)
	return nil
}

// Unread lets a stream give blocks that are not read yet, with lines that nobody has
// counted: to read a log on one core and parse it on others, or to look at it once
// more, is a tenth of what all of it takes. Whoever calls it, which is before the
// first Next, calls [Block.Fetch] before it looks at a block and before the stream is
// closed, and counts the lines.
func Unread(s Stream) {
	if s, ok := s.(*fileStream); ok {
		s.unread = true
	}
}

// cut makes the blocks that were read ahead anew, now that it is known where
// records end.
func (s *fileStream) cut() {
	var data []byte
	for _, b := range s.ahead {
		if b.TooLong {
			return // what came before it stays as it is
		}
		data = append(data, b.Data...)
		b.Release()
	}
	s.ahead = nil
	r := io.MultiReader(bytes.NewReader(append(data, s.blocks.rest...)), s.raw)
	s.blocks = newBlocks(r, s.blocks.size, s.blocks.maxLine, s.format.Wrappers)
}

func (s *fileStream) wrap(err error) error { return unreadable(s.source.Name, err) }

// look reads the beginning of the stream up to the first line that says
// something, and recognises the format by it and those that follow.
func (s *fileStream) look() error {
	var err error
	for len(s.ahead) < headBlocks {
		var b *Block
		if b, err = s.blocks.next(); err != nil {
			break
		}
		s.ahead = append(s.ahead, b)
		if number, _ := firstText(b); number > 0 {
			return s.recognise(b)
		}
	}
	for _, b := range s.ahead {
		if b.TooLong {
			return newError(s.source.Name, fmt.Errorf("no known log format; line %d is longer than the limit", b.Line), "raise it with --max-line")
		}
	}
	switch {
	case broken(err):
		return s.wrap(err)
	case len(s.ahead) == 0:
		return newError(s.source.Name, errors.New("the file is empty"), "")
	case err == nil:
		return newError(s.source.Name, fmt.Errorf("the first %d lines are blank", s.blocks.line), "take them out on the way: "+s.raw.onTheWay(s.source, "grep -a '[^[:space:]]'"))
	}
	return newError(s.source.Name, errors.New("nothing but blank lines"), "")
}

func (s *fileStream) recognise(head *Block) error {
	if s.format, _ = DetectAs(s.o.Format, head.Data); s.format == nil {
		if bytes.IndexByte(head.Data, 0) >= 0 {
			return newError(s.source.Name, errors.New("binary data, not a log"), "")
		}
		if longer := s.longer(head); longer != nil {
			return s.recognise(longer)
		}
		// A document that is longer than what is looked at.
		if s.format = Detect(closed(head.Data)); s.format == nil {
			return s.unknown(head)
		}
	}
	s.first, s.written = s.firstTimes(head)
	if wrap.NewCutter(s.format.Wrappers) != nil {
		s.cut()
	}
	return nil
}

// longer is the beginning of the stream with one block more, nil if there is
// none: the parts of one long record may fill the first.
func (s *fileStream) longer(head *Block) *Block {
	if len(s.ahead) >= headBlocks {
		return nil
	}
	b, err := s.blocks.next()
	if err != nil {
		return nil // the next call of Next returns the error
	}
	s.ahead = append(s.ahead, b)
	longer := *head
	longer.Data = slices.Concat(head.Data, b.Data)
	return &longer
}

// firstText is the first line of a block that is not blank, and its number; 0
// if there is none.
func firstText(b *Block) (number int64, line []byte) {
	data := b.Data
	for number = b.Line; len(data) > 0; number++ {
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		if line = trim(line); len(line) > 0 {
			return number, line
		}
	}
	return 0, nil
}

// firstTimes are those of the first lines. With none they are the beginning of
// time, so that nothing waits for a stream that has nothing.
func (s *fileStream) firstTimes(head *Block) (first, written int64) {
	part := *head
	s.mark(&part)
	part.Data = part.Data[:nthLine(part.Data, headLines)]
	return FirstTimes(&part)
}

// FirstTimes are the smallest time in a block, whichever a run orders by, and the
// smallest at which a request of it was written, in microseconds; 0 if there is
// none.
func FirstTimes(b *Block) (first, written int64) {
	first, written = math.MaxInt64, math.MaxInt64
	NewReader(0).Read(b, func(r *fingerprint.Request) {
		first = min(first, r.Time)
		if r.End == fingerprint.NoTime {
			written = min(written, r.Time)
		} else {
			written = min(written, r.End)
		}
	}, nil)
	if first == math.MaxInt64 {
		return 0, 0
	}
	return first, written
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

func (s *fileStream) Name() string { return s.source.Name }

func (s *fileStream) Format() *formats.Format { return s.format }

func (s *fileStream) Size() int64 { return s.source.size() }

func (s *fileStream) Read() int64 { return s.read.Load() }

func (s *fileStream) First() int64 { return s.first }

func (s *fileStream) Next() (*Block, error) {
	if s.closed {
		return nil, io.EOF
	}
	if len(s.ahead) > 0 {
		b := s.ahead[0]
		s.ahead = s.ahead[1:]
		return s.mark(b), nil
	}
	if s.raw == nil {
		if err := s.start(); err != nil {
			return nil, err
		}
	}
	next := s.blocks.next
	if s.sections != nil {
		next = s.sections.next
	}
	b, err := next()
	if broken(err) {
		return nil, s.wrap(err)
	}
	if err != nil {
		return nil, err
	}
	return s.mark(b), nil
}

func (s *fileStream) mark(b *Block) *Block {
	b.Stream, b.Format, b.Zone, b.Name = s.index, s.format, s.o.Zone, s.source.Name
	return b
}

func (s *fileStream) Close() {
	s.closed, s.ahead = true, nil
	s.stop()
}

// stop closes the source. Nothing was written, so nothing can go wrong with it.
func (s *fileStream) stop() {
	if s.raw != nil {
		_ = s.raw.Close()
		s.raw, s.blocks, s.sections = nil, nil, nil
	}
}
