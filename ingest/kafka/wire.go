package kafka

import (
	"encoding/binary"
	"errors"
)

// errShort is what a message is that ends too early.
var errShort = errors.New("the broker's answer ends early")

// wire reads the big-endian values that Kafka's messages are made of. After
// the first value that is not there all are zero, and short is set.
type wire struct {
	b     []byte
	short bool
	older bool // a message without tags, whose counts are an int32
}

func (w *wire) bytes(n int) []byte {
	if n < 0 || n > len(w.b) {
		w.b, w.short = nil, true
		return nil
	}
	b := w.b[:n:n]
	w.b = w.b[n:]
	return b
}

func (w *wire) int16() int16 { return int16(w.bits(2)) }

func (w *wire) int32() int32 { return int32(w.bits(4)) }

func (w *wire) int64() int64 { return int64(w.bits(8)) }

// bits are those of a number of so many bytes.
func (w *wire) bits(bytes int) (bits uint64) {
	for _, b := range w.bytes(bytes) {
		bits = bits<<8 | uint64(b)
	}
	return bits
}

// uvarint is what newer messages give lengths and counts as.
func (w *wire) uvarint() int {
	v, n := binary.Uvarint(w.b)
	if n <= 0 || v > 1<<31 {
		w.b, w.short = nil, true
		return 0
	}
	w.b = w.b[n:]
	return int(v)
}

// varint is what a batch gives the lengths of its records as.
func (w *wire) varint() int64 {
	v, n := binary.Varint(w.b)
	if n <= 0 {
		w.b, w.short = nil, true
		return 0
	}
	w.b = w.b[n:]
	return v
}

// count is the length of a list or of bytes, negative for none.
func (w *wire) count() int {
	if w.older {
		return int(w.int32())
	}
	return w.uvarint() - 1
}

// compact is bytes, or a string of a newer message.
func (w *wire) compact() []byte {
	if n := w.count(); n > 0 {
		return w.bytes(n)
	}
	return nil
}

// tags passes over what a newer message may hold beyond what it must.
func (w *wire) tags() { w.tag(-1) }

// tag is one of the tags, which are all passed over; nil if it is not there.
func (w *wire) tag(number int) (found []byte) {
	if w.older {
		return nil
	}
	for range w.uvarint() {
		n := w.uvarint()
		b := w.bytes(w.uvarint())
		if w.short {
			return nil
		}
		if n == number {
			found = b
		}
	}
	return found
}
