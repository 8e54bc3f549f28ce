package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/wrap"
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
	tried    int     // pieces of queue that the format was looked for in
	half     bool    // they may be the beginning of one record
	opened   int     // version of the place that tail was opened at
	rested   int64   // size of the file when it was closed; -1: not since it was found
	grew     time.Time
	done     bool  // read to its end, and no more is expected
	grows    bool  // though it is packed
	fault    fault // why it cannot be read
}

func (f *follower) stream(m Mark) *followed {
	s := &followed{f: f, name: m.Name, log: m.Name, index: m.Stream, start: m, position: m, wake: make(chan struct{}, 1), rested: -1, grew: time.Now()}
	s.format = Known(f.o.Format, m.Format)
	if _, err := os.Readlink(m.Name); err == nil {
		s.log = resolved(m.Name)
	}
	return s
}

func (s *followed) Name() string { return s.name }

func (s *followed) Mark() Mark { return s.start }

// Next reads on, or waits for what comes.
func (s *followed) Next(ctx context.Context) (Chunk, error) {
	over := time.After(lookEvery)
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
			// Nobody knows whether there is more in what cannot be looked at. It is
			// waited for until it is told of: who does not see to it then has the others.
			return s.chunk(nil, !unreachable(s.fault.err) || s.fault.lasts()), nil
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

// current tells whether the file is still the one that is written to.
func (s *followed) current(p *place) bool {
	return p.placed() && p.member && p.path == s.name && !numbered(s.name)
}

// step returns the next chunk, if there is something to tell. It reads by what is
// known of the file's place.
//
//	from      what is known                              to             by
//	at rest   there is more in the file, or nobody has   reading        open, more
//	          looked since it was found, or nothing has
//	          come for a minute (quiet) to a rotated one
//	reading   it is in another file now                  reading that   step
//	reading   nothing has come for a minute (quiet),     at rest        step
//	          from the log that is written to; at once,
//	          and from any, where many are open (crowded)
//	reading   it cannot be read                          at rest, and   fails, tell
//	                                                     told of
//	reading   a compressed file that does not grow has   done           step
//	          ended, or nothing has come for a minute
//	          from a rotated one
//	at rest   the file is missed, or damaged; what was   done           atRest
//	          not read is lost, which is said
//	done      it has grown all the same                  reading        open, more
//	done      it is missed, and its mark of no use       over, io.EOF   ends
//
// At rest and done there is no tail.
func (s *followed) step() (c Chunk, ok bool, err error) {
	s.f.mu.Lock()
	s.f.reading = max(s.f.reading, s.index)
	p := s.place
	s.f.mu.Unlock()
	if p.version != s.opened && (!p.packed || !s.outlives()) {
		s.shut()
		s.opened, s.rested = p.version, -1
		s.mended()
	}
	if s.tail == nil && !s.open(&p) {
		return s.atRest(&p)
	}
	for {
		// Who writes to a file that was renamed may not know yet.
		silent := s.silent(&p)
		if s.recognise() {
			s.shut()
			if !s.open(&p) {
				return s.atRest(&p)
			}
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
			s.fails(&p, s.tail.fault)
			s.shut()
			return s.atRest(&p)
		case errors.Is(err, io.EOF) && len(s.queue) > 0:
			s.tail.over = true
		case errors.Is(err, io.EOF):
			s.mended()
			s.rest(&p)
			s.done = p.packed && !s.grows || !s.current(&p)
			return s.atRest(&p)
		case !silent:
			s.mended()
			if s.f.crowded() && s.idle() {
				s.rest(&p)
			}
			return c, false, nil
		case !s.current(&p) || s.wholeRest():
			s.tail.final = true
		default:
			s.rest(&p)
			return c, false, nil
		}
	}
}

// silent tells that nothing has come for so long that nothing will, where the file is
// not the log that is written to.
func (s *followed) silent(p *place) bool {
	return time.Since(s.grew) >= quiet && time.Since(p.shifted) >= quiet
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

// open opens the file where the stream goes on. It tells whether there is
// anything to be read, as far as is known.
func (s *followed) open(p *place) bool {
	if !p.placed() || p.state == blind && s.done || p.state == there && !s.more(p) {
		return false
	}
	s.f.files.Add(1)
	defer func() {
		if s.tail == nil {
			s.f.files.Add(-1)
		}
	}()
	if s.f.full() {
		s.fails(p, syscall.EMFILE)
		return false
	}
	file, err := openAs(p.path, p.id)
	if err != nil {
		s.fails(p, err)
		return false
	}
	if p.state == blind {
		file.Close()
		signal(s.f.hurry) // the next look finds out what it is
		return false
	}
	t := &tail{file: file}
	if p.packed {
		if t.unpacked, err = unpack(file, new(atomic.Int64)); err == nil {
			s.grows = t.unpacked.grows
			_, err = io.CopyN(io.Discard, t.unpacked, s.position.Offset)
			switch {
			case !errors.Is(err, io.EOF):
			case s.grows && p.path == s.name: // written anew
				t.close()
				s.f.mu.Lock()
				s.overwritten()
				s.f.mu.Unlock()
				return false
			default: // a copy that is shorter than what was read
				err = nil
			}
		}
	} else {
		_, err = file.Seek(s.position.Offset, io.SeekStart)
	}
	if err != nil {
		t.close()
		s.fails(p, err)
		return false
	}
	s.retell(p)
	t.blocks = s.blocks(t)
	t.blocks.line, t.blocks.offset = s.position.Line, s.position.Offset
	s.tail, s.done = t, false
	if s.fault.err == nil && p.size != s.rested {
		s.grew = time.Now()
	}
	return true
}

// more tells whether there is more in the file than was read of it, as far as is
// known.
func (s *followed) more(p *place) bool {
	switch {
	case p.size < 0:
		return false
	case !s.done:
		readable := s.fault.err == nil || unreachable(s.fault.err)
		return p.size != s.rested || readable && !s.current(p) && s.silent(p)
	case p.packed:
		return s.rested >= 0 && p.size != s.rested
	}
	return p.size > max(s.position.Offset, s.rested)
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
	s.format, _ = DetectAs(cmp.Or(s.f.o.Format, s.format), data)
}

// blocks cuts what is read of the stream.
func (s *followed) blocks(r io.Reader) *blocks {
	var in []*wrap.Wrapper
	if s.format != nil {
		in = s.format.Wrappers
	}
	return newBlocks(r, s.f.o.blockSize, s.f.o.MaxLine, in)
}

// fails notes why the file cannot be read. One that was moved is found by the
// next look. What is wrong with a compressed file is as long as it does not grow.
func (s *followed) fails(p *place, err error) {
	if errors.Is(err, errMoved) || errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		signal(s.f.hurry)
		return
	}
	if s.fault.note(err, time.Now()); p.packed && !unreachable(err) {
		s.rested = p.size
	}
}

// mended notes that the file can be read, or is another by now.
func (s *followed) mended() {
	s.fault.err = nil
	s.f.o.untell(&s.fault)
}

// atRest is what there is to say of a stream whose file is not open.
func (s *followed) atRest(p *place) (c Chunk, ok bool, err error) {
	switch {
	case s.done:
	case p.missed(patience):
		s.done = true
		s.mended()
		if p.state == replaced || p.size < 0 || s.position.Offset < p.size && !p.packed || p.packed && s.rested < p.size {
			return s.lose(s.lostWhy(p)), true, nil
		}
	case !p.packed || unreachable(s.fault.err): // there may be more when it can be read again
		s.f.o.tell(p.path, &s.fault)
	case s.fault.lasts():
		why := s.fault.err
		if errors.Is(why, io.ErrUnexpectedEOF) {
			why = inWords(why)
		}
		s.done = !s.grows || !s.current(p)
		s.mended()
		return s.lose(fmt.Sprintf("%v; read up to byte %d", newError(s.name, why, ""), s.position.Offset)), true, nil
	}
	if s.done && s.ends(p) {
		return c, false, io.EOF
	}
	return c, false, nil
}

// ends tells whether nothing will ever follow, and ends the stream then.
func (s *followed) ends(p *place) bool {
	if !p.missed(patience) {
		return false
	}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	return s.f.leave(s, p.missed(forget))
}

// overwritten notes that the file that is open has other content. To be called with
// f.mu held.
func (s *followed) overwritten() {
	if s.version == s.opened && s.placed() { // else a look has found out, and where it goes on
		s.replace()
		signal(s.f.hurry)
	}
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
		s.overwritten()
		return false
	}
	if n > s.head.n && s.version == s.opened {
		s.head = headOf(data)
	}
	return true
}

// rest closes the file until it has grown.
func (s *followed) rest(p *place) {
	s.shut()
	s.rested = p.size
}

// shut closes the file. What was read and not returned is read again.
func (s *followed) shut() {
	for _, p := range s.queue {
		p.Release()
	}
	s.queue, s.tried, s.half = nil, 0, false
	if s.tail != nil {
		s.tail.close()
		s.tail = nil
		s.f.files.Add(-1)
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
		if f, sure := DetectAs(s.f.o.Format, head); sure && len(head) > 0 {
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
