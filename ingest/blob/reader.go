package blob

import (
	"cmp"
	"errors"
	"io"
	"time"

	"gocloud.dev/blob"
)

// reader streams an object. Where the connection breaks it goes on with another
// one: stores end those that wait, as that of a log does whose lines are of later
// times than others'.
type reader struct {
	of *object
	in *blob.Reader
	at int64 // where it is in the object

	size     int64 // of the object, as it was at first
	modified time.Time
	broken   int // connections in a row that brought nothing
}

// breaks is how many connections in a row may bring nothing.
const breaks = 3

var errChanged = errors.New("the object was written anew while it was read")

// open asks for what has not been read.
func (r *reader) open() error {
	o := r.of
	in, err := o.in.NewRangeReader(asStored(o.ctx), o.key, r.at, -1, nil)
	if err != nil {
		return o.name.explain(o.key, err)
	}
	size := cmp.Or(in.Size(), o.size) // not all answers tell it
	if r.in == nil {
		r.size, r.modified = size, in.ModTime()
	} else if size != r.size || !in.ModTime().Equal(r.modified) {
		_ = in.Close() // nothing was read
		return o.name.fail(o.key, errChanged, "what came of it before is read: run it again")
	}
	r.in = in
	return nil
}

// Read implements io.Reader. There is no end before all of the object has come.
func (r *reader) Read(p []byte) (int, error) {
	for {
		n, err := r.in.Read(p)
		r.at += int64(n)
		switch {
		case n > 0:
			r.broken = 0
			return n, nil // what was wrong comes again
		case err == nil:
			return 0, nil
		case r.at >= r.size && errors.Is(err, io.EOF):
			return 0, io.EOF
		}
		if r.broken++; r.broken > breaks || r.at >= r.size || r.of.ctx.Err() != nil {
			return 0, r.of.name.explain(r.of.key, err)
		}
		_ = r.in.Close() // it is broken
		if err := r.open(); err != nil {
			return 0, err
		}
	}
}

// Close implements io.Closer.
func (r *reader) Close() error { return r.in.Close() }
