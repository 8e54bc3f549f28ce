package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/formats"
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

// followed is one stream of a follower.
type followed struct {
	f     *follower
	name  string
	log   string // where the name leads to if it is a link, else the name: a rotation renames that
	index int32
	start Mark
	wake  chan struct{}

	place // guarded by f.mu

	// The rest is the reader's.
	position Mark // behind what was returned
	format   *formats.Format
	tail     *tail   // nil while the file is closed
	queue    []piece // read, and held back
	looked   int     // pieces of queue that the format was looked for in
	begun    bool    // they may be the beginning of one record
	opened   int     // version of the place that tail was opened at
	read     int64   // size of the file when it was closed; -1: not since it was found
	grew     time.Time
	unseen   bool // of a mark, and not opened yet
	done     bool // read to its end, and no more is expected
	grows    bool // though it is packed
	fault    error
	faulty   time.Time // since when there is a fault
	told     string    // where the file lay when it was told of the fault; empty if it was not
}

func (f *follower) stream(m Mark) *followed {
	s := &followed{f: f, name: m.Name, log: m.Name, index: m.Stream, start: m, position: m, wake: make(chan struct{}, 1), read: -1, grew: time.Now()}
	s.format = f.o.asked().Known(m.Format)
	if _, err := os.Readlink(m.Name); err == nil {
		s.log = resolved(m.Name)
	}
	return s
}

func (s *followed) Name() string { return s.name }

func (s *followed) Mark() Mark { return s.start }

// Next reads on, or waits for what comes.
func (s *followed) Next(ctx context.Context) (Chunk, error) {
	over := time.After(lookSeldom)
	for {
		if err := ctx.Err(); err != nil {
			return Chunk{}, err
		}
		c, ok, err := s.step()
		if ok || err != nil {
			return c, err
		}
		select {
		case <-ctx.Done():
			return Chunk{}, ctx.Err()
		case <-s.wake:
		case <-over:
			return s.chunk(nil, !s.unseeable()), nil
		}
	}
}

// chunk is what is returned to the caller, who is then at s.position.
func (s *followed) chunk(b *Block, atEnd bool) Chunk {
	s.f.mu.Lock()
	s.offset, s.ended = s.position.Offset, s.done
	s.position.File = fileID(s.id, s.head, s.done)
	behind := int64(-1)
	if !s.packed && s.size >= 0 { // as it was when it was last looked at
		behind = max(0, s.size-s.position.Offset)
	}
	s.f.mu.Unlock()
	if s.format != nil {
		s.position.Format = s.format.Name
	}
	return Chunk{Block: b, Mark: s.position, AtEnd: atEnd, Behind: behind}
}

func (s *followed) lose(why string) Chunk {
	c := s.chunk(nil, true)
	c.Lost, c.Why = -1, why
	return c
}

// live tells whether the file is still the one that is written to.
func (s *followed) live(p *place) bool {
	return p.placed() && p.member && p.path == s.name && !numbered(s.name)
}

// step returns the next chunk, if there is something to tell.
func (s *followed) step() (c Chunk, ok bool, err error) {
	s.f.mu.Lock()
	s.f.reading = max(s.f.reading, s.index)
	p := s.place
	s.f.mu.Unlock()
	if p.version != s.opened && (!p.packed || !s.outlives()) {
		s.shut()
		s.opened, s.read = p.version, -1
		s.mended()
	}
	if s.tail == nil && !s.open(&p) {
		return s.closed(&p)
	}
	for {
		// Who writes to a file that was renamed may not know yet.
		silent := time.Since(s.grew) >= quiet && time.Since(p.shifted) >= quiet
		if s.recognise() {
			grew := s.grew
			s.shut()
			if !s.open(&p) {
				return s.closed(&p)
			}
			s.grew = grew // the same is read again
		}
		if c, ok := s.emit(silent); ok {
			return c, true, nil
		}
		piece, err := s.tail.pull()
		switch {
		case err == nil:
			if !s.verify() {
				s.shut()
				return c, false, nil
			}
			if !s.tail.final { // else it is what has waited
				s.grew = time.Now()
			}
			s.mended()
			s.queue = append(s.queue, piece)
		case s.tail.fault != nil:
			s.fails(s.tail.fault)
			s.shut()
			if p.packed && !unreachable(s.fault) {
				s.read = p.size // until it has grown
			}
			return s.closed(&p)
		case errors.Is(err, io.EOF) && len(s.queue) > 0:
			s.tail.over = true
		case errors.Is(err, io.EOF):
			s.mended()
			s.shut()
			s.read = p.size
			s.done = p.packed && !s.grows || !s.live(&p)
			return s.closed(&p)
		case !silent:
			s.mended()
			return c, false, nil
		case !s.live(&p) || s.wholeRest():
			s.tail.final = true
		default:
			s.shut()
			s.read = p.size
			return c, false, nil
		}
	}
}

// outlives tells of a file that was compressed and removed that it is open, and
// whole: who had it open, too, may still write to it.
func (s *followed) outlives() bool {
	if s.tail == nil || s.tail.unpacked != nil {
		return false
	}
	info, err := s.tail.file.Stat()
	return err == nil && info.Size() >= s.position.Offset && s.verify()
}

// recognise looks what the stream is, if that is not known yet. It tells whether
// what is held back must be read again, cut where no record goes on.
func (s *followed) recognise() (again bool) {
	if s.format != nil || len(s.queue) == 0 || s.looked == len(s.queue) && !s.tail.over {
		return false
	}
	s.looked = len(s.queue)
	data := s.held()
	if s.begun = !s.tail.over && unfinished(data); s.begun {
		return false
	}
	if f, sure := s.f.o.asked().Detect(data); sure || f != nil && s.many() {
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
	if s.begun {
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
		if !s.tail.over && !s.many() && (!silent || s.begun) {
			return c, false
		}
		format = s.f.o.asked().byName(s.f.o.Format)
	}
	p := s.queue[0]
	s.queue, s.looked = s.queue[1:], max(s.looked-1, 0)
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

// open opens the file where the stream goes on. It tells whether there is
// anything to be read, as far as is known.
func (s *followed) open(p *place) bool {
	switch {
	case p.placed() && p.unread && !s.done:
		file, err := openAs(p.path, p.id)
		if err != nil {
			s.failed(err)
			return false
		}
		file.Close()
		signal(s.f.hurry) // the next look finds out what it is
		return false
	case !p.placed() || p.unread || p.size < 0:
		return false
	case s.done && p.packed && (s.read < 0 || p.size == s.read):
		return false
	case s.done && !p.packed && p.size <= max(s.position.Offset, s.read):
		return false
	case !s.done && p.size == s.read && (s.fault != nil || s.live(p)):
		return false
	}
	file, err := openAs(p.path, p.id)
	if err != nil {
		s.failed(err)
		return false
	}
	t := &tail{file: file}
	if p.packed {
		if t.unpacked, err = unpack(file, new(atomic.Int64)); err == nil {
			s.grows = t.unpacked.grows
			_, err = io.CopyN(io.Discard, t.unpacked, s.position.Offset)
			if errors.Is(err, io.EOF) {
				err = nil // a copy that is shorter than what was read
			}
		}
	} else {
		_, err = file.Seek(s.position.Offset, io.SeekStart)
	}
	if err != nil {
		t.close()
		s.failed(err)
		if p.packed && !unreachable(s.fault) {
			s.read = p.size
		}
		return false
	}
	s.retell(p)
	t.blocks = s.blocks(t)
	t.blocks.line, t.blocks.offset = s.position.Line, s.position.Offset
	s.tail, s.done, s.unseen = t, false, false
	if s.fault == nil {
		s.grew = time.Now()
	}
	return true
}

// retell tells the format by the beginning of the file where it goes on and the name
// that a mark has does not say all: the columns of a table stand there alone.
func (s *followed) retell(p *place) {
	if s.position.Offset == 0 || s.format == nil || !s.format.ByBeginning() {
		return
	}
	data, _, err := beginning(p.path, p.id, BlockSize)
	if err != nil {
		return // who reads on says what is wrong with it
	}
	s.format, _ = Asked{s.format.Name, s.f.o.Custom}.Detect(data)
}

// blocks cuts what is read of the stream.
func (s *followed) blocks(r io.Reader) *blocks {
	var in []*wrap.Wrapper
	if s.format != nil {
		in = s.format.Wrappers
	}
	return newBlocks(r, s.f.o.blockSize, s.f.o.MaxLine, in)
}

// failed notes why the file cannot be read. One that was moved is found by the
// next look.
func (s *followed) failed(err error) {
	if errors.Is(err, errMoved) || errors.Is(err, os.ErrNotExist) {
		signal(s.f.hurry)
		return
	}
	s.fails(err)
}

// fails notes why the file cannot be read.
func (s *followed) fails(err error) {
	if s.fault == nil {
		s.faulty = time.Now()
	}
	if shut, ok := errors.AsType[*fs.PathError](err); ok {
		err = shut.Err
	}
	s.fault = err
}

// mended notes that the file can be read, or is another by now.
func (s *followed) mended() {
	if s.fault = nil; s.told != "" {
		s.f.o.Unreadable(s.told, nil)
		s.told = ""
	}
}

// unseeable tells that nobody knows whether there is more in the file. It is
// waited for until it is told of: who does not see to it then has the others.
func (s *followed) unseeable() bool {
	return unreachable(s.fault) && time.Since(s.faulty) < quiet
}

// closed is what there is to say of a stream whose file is not open.
func (s *followed) closed(p *place) (c Chunk, ok bool, err error) {
	missing := !p.gone.IsZero() && time.Since(p.gone) >= patience
	switch {
	case s.done:
	case missing:
		s.done = true
		s.mended()
		if p.cut || s.unseen || s.position.Offset < p.size && !p.packed || p.packed && s.read < p.size {
			return s.lose(s.lostWhy(p)), true, nil
		}
	case s.fault == nil || time.Since(s.faulty) < quiet:
	case !p.packed || unreachable(s.fault): // there may be more when it can be read again
		if s.told == "" && s.f.o.Unreadable != nil {
			s.told = p.path
			s.f.o.Unreadable(s.told, s.fault)
		}
	default:
		if errors.Is(s.fault, io.ErrUnexpectedEOF) {
			s.fault = inWords(s.fault)
		}
		why := fmt.Sprintf("%v; read up to byte %d", newError(s.name, s.fault, ""), s.position.Offset)
		s.fault, s.done = nil, !s.grows || !s.live(p)
		return s.lose(why), true, nil
	}
	if s.done && s.over(p) {
		return c, false, io.EOF
	}
	return c, false, nil
}

// over tells whether nothing will ever follow, and ends the stream then.
func (s *followed) over(p *place) bool {
	if p.gone.IsZero() || time.Since(p.gone) < patience {
		return false
	}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	return s.f.leave(s, time.Since(p.gone) >= forget)
}

// verify tells whether the file is still what it was, after something was read
// from it: it could have been truncated and written anew since it was opened.
// Of a file that was short at first more is remembered.
func (s *followed) verify() bool {
	if s.tail.unpacked != nil {
		return true
	}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	data := make([]byte, headSize)
	n, err := s.tail.file.ReadAt(data, 0)
	data = data[:n]
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	if !s.head.begins(data) {
		if s.version == s.opened && s.placed() { // else a look has found out, and where it goes on
			s.wipe()
			signal(s.f.hurry)
		}
		return false
	}
	if n > s.head.n && s.version == s.opened {
		s.head = headOf(data)
	}
	return true
}

// shut closes the file. What was read and not returned is read again.
func (s *followed) shut() {
	for _, p := range s.queue {
		p.Release()
	}
	s.queue, s.looked, s.begun = nil, 0, false
	if s.tail != nil {
		s.tail.close()
		s.tail = nil
	}
}

// toEnd lets a new stream begin behind the last whole record, unread. A
// compressed file that does not grow is all behind it.
func (s *followed) toEnd() {
	file, err := openAs(s.path, s.id)
	s.done = s.packed
	if err != nil {
		return
	}
	t := &tail{file: file}
	defer t.close()
	if s.packed {
		u, err := unpack(file, new(atomic.Int64))
		if err != nil || !u.grows {
			return
		}
		t.unpacked, s.done = u, false
	} else {
		head := make([]byte, BlockSize)
		n, _ := file.ReadAt(head, 0) // what cannot be read now is for later to find out
		head = head[:bytes.LastIndexByte(head[:n], '\n')+1]
		if f, sure := s.f.o.asked().Detect(head); sure && len(head) > 0 {
			s.format, s.position.Format = f, f.Name
		}
	}
	t.blocks = s.blocks(t)
	for {
		p, err := t.pull()
		if err != nil {
			break
		}
		s.position.Offset, s.position.Line = p.offset, p.line
		p.Release()
	}
	s.offset = s.position.Offset
}
