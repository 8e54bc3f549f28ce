package main

import (
	"context"
	"io"
	"os"
)

// stdin is standard input until a context ends: whoever writes to it, a terminal or a
// program, may never say anything more, and to read it would wait for that whatever
// signal comes.
type stdin struct {
	ctx  context.Context
	from io.Reader
	said chan []byte // is good until the next is taken; closed behind the last. nil before the first Read
	err  error       // behind the last
	rest []byte
}

// newStdin reads standard input until a context ends. A file never keeps waiting.
func newStdin(ctx context.Context, from *os.File) io.Reader {
	if info, err := from.Stat(); err == nil && info.Mode().IsRegular() {
		return from
	}
	return &stdin{ctx: ctx, from: from}
}

// stdinAtOnce is as much as a pipe holds.
const stdinAtOnce = 64 << 10

// Read implements io.Reader.
func (s *stdin) Read(p []byte) (int, error) {
	if s.said == nil {
		s.said = make(chan []byte)
		go s.run()
	}
	for len(s.rest) == 0 {
		var more bool
		select {
		case s.rest, more = <-s.said:
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		}
		if !more {
			return 0, s.err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *stdin) run() {
	defer close(s.said)
	for now, next := make([]byte, stdinAtOnce), make([]byte, stdinAtOnce); ; now, next = next, now {
		n, err := s.from.Read(now)
		if n > 0 {
			select {
			case s.said <- now[:n]:
			case <-s.ctx.Done():
				return
			}
		}
		if err != nil {
			s.err = err
			return
		}
	}
}
