package otlp

import (
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// fields goes through the fields of a message, of which the end may be missing.
type fields struct {
	rest   []byte
	number protowire.Number
	wire   protowire.Type
	bits   uint64 // of a number
	value  []byte // of bytes: as many as are there of
	length uint64 // so many
	none   bool   // what follows is no field
	cut    bool   // the end is missing
}

// next moves to the next field. It is false at the end, and where there is none.
func (f *fields) next() bool {
	if len(f.rest) == 0 || f.cut {
		return false
	}
	var n int
	if f.number, f.wire, n = protowire.ConsumeTag(f.rest); n < 0 {
		return f.stop(n)
	}
	behind := f.rest[n:]
	switch f.wire {
	case protowire.VarintType:
		f.bits, n = protowire.ConsumeVarint(behind)
	case protowire.Fixed32Type:
		var bits uint32
		bits, n = protowire.ConsumeFixed32(behind)
		f.bits = uint64(bits)
	case protowire.Fixed64Type:
		f.bits, n = protowire.ConsumeFixed64(behind)
	case protowire.BytesType:
		if f.length, n = protowire.ConsumeVarint(behind); n >= 0 {
			size := min(f.length, uint64(len(behind)-n))
			f.value, f.cut = behind[n:n+int(size)], size < f.length
			n += int(size)
		}
	default:
		n = protowire.ConsumeFieldValue(f.number, f.wire, behind)
	}
	if n < 0 {
		return f.stop(n)
	}
	f.rest = behind[n:]
	return true
}

// stop is the end of what can be read. The error code is protowire's.
func (f *fields) stop(code int) bool {
	f.cut = errors.Is(protowire.ParseError(code), io.ErrUnexpectedEOF)
	f.none = !f.cut
	return false
}
