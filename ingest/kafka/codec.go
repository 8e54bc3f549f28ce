package kafka

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/segmentio/kafka-go/compress"
)

// maxUnpacked is how long a batch may get by unpacking: brokers bound what it
// is before, and nothing else bounds what a producer makes of that.
const maxUnpacked = 256 << 20

// errTooLong is a batch that is longer.
var errTooLong = fmt.Errorf("a batch that unpacks to more than %d MiB", maxUnpacked>>20)

// decoder unpacks zstd without a goroutine; many may use it at once.
var decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
	zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxUnpacked),
	zstd.IgnoreChecksum(true)) // the batch has one

// patient unpacks zstd into as much memory as it takes.
var patient, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxUnpacked), zstd.IgnoreChecksum(true))

// unpackZstd begins anew with four times the memory where there is too little.
// The decoder would extend it for each of a thousand frames, and copy it.
func unpackZstd(data, memory []byte) ([]byte, error) {
	want := max(cap(memory), 4*len(data), 64<<10)
	var head zstd.Header
	if head.Decode(data) == nil && head.HasFCS {
		want = max(want, int(min(head.FrameContentSize, maxUnpacked)))
	}
	for ; ; want *= 4 {
		if want = min(want, maxUnpacked); cap(memory) < want {
			memory = make([]byte, 0, want)
		}
		out, err := decoder.DecodeAll(data, memory[:0])
		switch {
		case err == nil:
			return out, nil
		case !errors.Is(err, zstd.ErrDecoderSizeExceeded):
			// Where a frame does not say how long it is, the decoder takes too
			// little room inside a block for a fault of the block.
			if out, err = patient.DecodeAll(data, nil); errors.Is(err, zstd.ErrDecoderSizeExceeded) {
				return nil, errTooLong
			}
			return out, err
		case want == maxUnpacked:
			return nil, errTooLong
		}
	}
}

// unpack unpacks records into memory that it may use and extend.
func unpack(codec uint16, data, memory []byte) ([]byte, error) {
	switch compress.Compression(codec) {
	case compress.None:
		return data, nil
	case compress.Zstd:
		return unpackZstd(data, memory)
	case compress.Gzip, compress.Snappy, compress.Lz4:
		r := compress.Compression(codec).Codec().NewReader(bytes.NewReader(data))
		defer r.Close()
		return readAll(r, memory[:0])
	}
	return nil, fmt.Errorf("its batch is compressed in an unknown way (%d)", codec)
}

// readAll is io.ReadAll into memory that is there, up to what a batch may be.
func readAll(r io.Reader, b []byte) ([]byte, error) {
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
		if len(b) > maxUnpacked {
			return nil, errTooLong
		}
	}
}
