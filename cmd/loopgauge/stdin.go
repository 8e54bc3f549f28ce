package main

import (
	"context"
	"io"
	"os"
	"sync"
)

// stdin is standard input until a context ends: whoever writes to it, a terminal or a
// program, may never say anything more, and to read it would wait for that whatever
// signal comes.
type stdin struct {
	*io.PipeReader
	begin func() // before the first Read nothing is taken
}

// newStdin reads standard input until a context ends. A file never keeps waiting.
func newStdin(ctx context.Context, from *os.File) io.Reader {
	if info, err := from.Stat(); err == nil && info.Mode().IsRegular() {
		return from
	}
	return until(ctx, from)
}

// stdinAtOnce is as much as a pipe holds.
const stdinAtOnce = 64 << 10

// until reads from another until a context ends.
func until(ctx context.Context, from io.Reader) *stdin {
	said, to := io.Pipe()
	return &stdin{said, sync.OnceFunc(func() {
		context.AfterFunc(ctx, func() { to.CloseWithError(ctx.Err()) })
		go func() {
			_, err := io.CopyBuffer(to, struct{ io.Reader }{from}, make([]byte, stdinAtOnce)) // a file would choose a smaller one
			to.CloseWithError(err)
		}()
	})}
}

// Read implements io.Reader.
func (s *stdin) Read(p []byte) (int, error) {
	s.begin()
	return s.PipeReader.Read(p)
}
