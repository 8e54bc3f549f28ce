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
var decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxUnpacked),
	zstd.IgnoreChecksum(true)) // the batch has one

// unpack unpacks records into memory that it may use and extend.
func unpack(codec uint16, data, memory []byte) ([]byte, error) {
	switch compress.Compression(codec) {
	case compress.None:
		return data, nil
	case compress.Zstd:
		out, err := decoder.DecodeAll(data, memory[:0])
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			return nil, errTooLong
		}
		return out, err
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
