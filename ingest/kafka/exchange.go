package kafka

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/segmentio/kafka-go/protocol"
)

// exchange is a question that kafka-go cannot put, and its answer.
type exchange struct {
	key              protocol.ApiKey
	question, answer []byte
}

// ask puts a question, of which the rest comes behind what all begin with.
func (c *client) ask(ctx context.Context, key protocol.ApiKey, version int16, rest ...byte) (wire, error) {
	e := &exchange{key: key, question: asked(append(question(key, version), rest...))}
	if _, err := c.transport.RoundTrip(ctx, c.addr, e); err != nil {
		return wire{}, err
	}
	return wire{b: e.answer}, nil
}

// ApiKey makes it a message of kafka-go's.
func (e *exchange) ApiKey() protocol.ApiKey { return e.key } //nolint:staticcheck // kafka-go's name

// Required is called before RawExchange.
func (*exchange) Required(map[protocol.ApiKey]int16) bool { return true }

// RawExchange sends the question and reads the answer, alone on the connection.
func (e *exchange) RawExchange(rw io.ReadWriter) (_ protocol.Message, err error) {
	if _, err = rw.Write(e.question); err == nil {
		e.answer, err = receive(rw, func(n int) []byte { return make([]byte, n) })
	}
	return e, err
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
