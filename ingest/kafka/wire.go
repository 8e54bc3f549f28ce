package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/segmentio/kafka-go/protocol"
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

func (w *wire) int16() int16 {
	if b := w.bytes(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (w *wire) int32() int32 {
	if b := w.bytes(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (w *wire) int64() int64 {
	if b := w.bytes(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
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

// largest is the longest answer that is believed.
const largest = 1 << 30

// correlation is the id of all questions: each has its connection alone until it
// is answered.
const correlation = 1

// receive reads one answer into memory that take gives, and returns what comes
// behind its correlation id.
func receive(r io.Reader, take func(int) []byte) ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := int(int32(binary.BigEndian.Uint32(head[:]))) - 4
	if got := int32(binary.BigEndian.Uint32(head[4:])); got != correlation {
		return nil, fmt.Errorf("answer %d to question %d", got, correlation)
	}
	if size < 0 || size > largest {
		return nil, fmt.Errorf("an answer of %d bytes", size)
	}
	b := take(size)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	return b, nil
}

// question is the beginning of a request, up to the tags that newer ones have
// there.
func question(key protocol.ApiKey, version int16) []byte {
	b := make([]byte, 4, 256) // its length
	b = binary.BigEndian.AppendUint16(b, uint16(key))
	b = binary.BigEndian.AppendUint16(b, uint16(version))
	b = binary.BigEndian.AppendUint32(b, correlation)
	b = binary.BigEndian.AppendUint16(b, uint16(len(clientID)))
	return append(b, clientID...)
}

// asked is a request whose end is there.
func asked(b []byte) []byte {
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}
