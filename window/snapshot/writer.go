// Package snapshot is the form in which state outlives a process: numbers in
// few bytes, texts with their length, and named sections that a reader may
// pass over. It knows nothing of what the state means.
//
// There is one way to write a value, so equal states make equal snapshots.
// A snapshot does not carry a checksum: whoever stores it must know that it is
// whole. A reader of damaged bytes gives an error or another state, but never
// panics, and never allocates more than a small multiple of what it was given.
package snapshot

import (
	"encoding/binary"
	"math"
)

// Writer writes values one after the other into memory.
type Writer struct{ buf []byte }

// NewWriter makes a Writer that uses the memory of buf, which it overwrites;
// nil is fine.
func NewWriter(buf []byte) *Writer { return &Writer{buf[:0]} }

// Bytes is what has been written. It is valid until the next write.
func (w *Writer) Bytes() []byte { return w.buf }

// Reset forgets what has been written and keeps the memory.
func (w *Writer) Reset() { w.buf = w.buf[:0] }

// Uvarint writes a number that is usually small: 1 byte below 128, at most 10.
func (w *Writer) Uvarint(v uint64) {
	if v < 0x80 {
		w.buf = append(w.buf, byte(v))
		return
	}
	w.buf = binary.AppendUvarint(w.buf, v)
}

// Varint writes a number that is usually near 0 and may be negative.
func (w *Writer) Varint(v int64) { w.Uvarint(uint64(v)<<1 ^ uint64(v>>63)) }

// Uint64 writes a number that may be any, in 8 bytes.
func (w *Writer) Uint64(v uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, v) }

// Float64 writes a number to the last bit, in 8 bytes.
func (w *Writer) Float64(v float64) { w.Uint64(math.Float64bits(v)) }

// Bool writes a truth value, in 1 byte.
func (w *Writer) Bool(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	w.buf = append(w.buf, b)
}

// Fixed writes bytes whose number the reader knows.
func (w *Writer) Fixed(b []byte) { w.buf = append(w.buf, b...) }

// Blob writes bytes after their number.
func (w *Writer) Blob(b []byte) {
	w.Uvarint(uint64(len(b)))
	w.buf = append(w.buf, b...)
}

// String writes a text after its length in bytes.
func (w *Writer) String(s string) {
	w.Uvarint(uint64(len(s)))
	w.buf = append(w.buf, s...)
}

// Section writes what write writes as a section of a name. Sections may stand
// inside sections; the values of a section stand before the sections in it.
func (w *Writer) Section(name string, write func()) {
	w.String(name)
	at := len(w.buf)
	w.Uint64(0)
	write()
	binary.LittleEndian.PutUint64(w.buf[at:], uint64(len(w.buf)-at-8))
}
