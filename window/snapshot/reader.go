package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Reader reads what a Writer wrote, in the same order. The first thing that is
// wrong stops it: from then on it reads zeros, and Err says what was wrong.
type Reader struct {
	data  []byte
	at    int
	end   int      // of the section at work
	names []string // of the sections around it
	err   error
}

// NewReader makes a Reader of data, which must not change while what was read
// by Fixed or Blob is in use.
func NewReader(data []byte) *Reader { return &Reader{data: data, end: len(data)} }

// Error says what is wrong with a snapshot, and where.
type Error struct {
	Section string // names of the sections, outermost first, with slashes between
	Offset  int    // in bytes from the start of the snapshot
	Err     error
}

func (e *Error) Error() string {
	if e.Section == "" {
		return fmt.Sprintf("snapshot, byte %d: %v", e.Offset, e.Err)
	}
	return fmt.Sprintf("snapshot, section %s, byte %d: %v", e.Section, e.Offset, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

var errShort = errors.New("ends too early")

// Err is the first thing that was wrong, an *Error, or nil.
func (r *Reader) Err() error { return r.err }

// Fail says that what was read last makes no sense, unless err is nil. Only the
// first is kept.
func (r *Reader) Fail(err error) {
	if err == nil {
		return
	}
	if r.err == nil {
		r.err = &Error{strings.Join(r.names, "/"), r.at, err}
	}
	r.end = r.at // nothing is left
}

// Failf is Fail with a text.
func (r *Reader) Failf(format string, args ...any) { r.Fail(fmt.Errorf(format, args...)) }

// Left is how many bytes of the section are left.
func (r *Reader) Left() int { return r.end - r.at }

// Uvarint reads what Writer.Uvarint wrote.
func (r *Reader) Uvarint() uint64 {
	if r.at < r.end && r.data[r.at] < 0x80 {
		r.at++
		return uint64(r.data[r.at-1])
	}
	return r.long()
}

func (r *Reader) long() uint64 {
	v, n := binary.Uvarint(r.data[r.at:r.end])
	switch {
	case n == 0:
		r.Fail(errShort)
		return 0
	case n < 0:
		r.Failf("a number is too large")
		return 0
	case r.data[r.at+n-1] == 0: // 0x80 0x00: there is one way to write a number
		r.Failf("a number is longer than it need be")
		return 0
	}
	r.at += n
	return v
}

// Varint reads what Writer.Varint wrote.
func (r *Reader) Varint() int64 {
	v := r.Uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// Int reads what Writer.Uvarint wrote as a number of 0 up to most.
func (r *Reader) Int(most int) int {
	v := r.Uvarint()
	if v > uint64(most) {
		r.Failf("a number is %d, and may be %d at most", v, most)
		return 0
	}
	return int(v)
}

// Count reads a number of items of which each takes least bytes or more: it is
// never more than there is room for, so one may allocate for them.
func (r *Reader) Count(least int) int {
	v := r.Uvarint()
	if v > uint64(r.Left()/least) {
		r.Fail(errShort)
		return 0
	}
	return int(v)
}

// Uint64 reads what Writer.Uint64 wrote.
func (r *Reader) Uint64() uint64 {
	b := r.Fixed(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// Float64 reads what Writer.Float64 wrote.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }

// Bool reads what Writer.Bool wrote.
func (r *Reader) Bool() bool { return r.Int(1) == 1 }

// Fixed reads n bytes, nil if there are not so many. They are a part of the
// snapshot, not a copy.
func (r *Reader) Fixed(n int) []byte {
	if n > r.end-r.at {
		r.Fail(errShort)
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at : r.at]
}

// Blob reads what Writer.Blob wrote: a part of the snapshot, not a copy.
func (r *Reader) Blob() []byte { return r.Fixed(r.Count(1)) }

// String reads what Writer.String wrote.
func (r *Reader) String() string { return string(r.Blob()) }

// Section reads the section of a name, passing over others before it. What
// read leaves unread must be sections, which are passed over too.
func (r *Reader) Section(name string, read func()) {
	for r.err == nil {
		if r.Left() == 0 {
			r.Failf("there is no section %s", name)
			return
		}
		if r.section(name, read) == name {
			return
		}
	}
}

// section reads or passes over the next section, and returns its name.
func (r *Reader) section(want string, read func()) string {
	name := r.String()
	size := r.Uint64()
	if size > uint64(r.Left()) {
		r.Fail(errShort)
	}
	if r.err != nil {
		return ""
	}
	if name != want {
		r.at += int(size)
		return name
	}
	outer := r.end
	r.end = r.at + int(size)
	r.names = append(r.names, name)
	read()
	for r.Left() > 0 {
		r.section("", func() { r.Failf("a section has no name") })
	}
	r.names = r.names[:len(r.names)-1]
	if r.err == nil {
		r.end = outer
	}
	return name
}

// Skip passes over what is left of the section.
func (r *Reader) Skip() { r.at = r.end }

// Done says that nothing may be left but sections of which the reader knows
// nothing, and returns Err.
func (r *Reader) Done() error {
	for r.Left() > 0 {
		r.section("", func() { r.Failf("a section has no name") })
	}
	return r.err
}
