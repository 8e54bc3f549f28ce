package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/snappy"
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

// zstdBlock is the most that a block of zstd unpacks to.
const zstdBlock = 128 << 10

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
		// Where a frame does not say how long it gets, another error may mean
		// as well that the next block did not fit.
		case !errors.Is(err, zstd.ErrDecoderSizeExceeded) && len(out)+zstdBlock <= cap(memory):
			return nil, err
		case want == maxUnpacked:
			return nil, errTooLong
		}
	}
}

// snappyHead begins snappy in the blocks that Java's producers write, each behind its
// length; others write one block and nothing else.
const snappyHead = "\x82SNAPPY\x00"

var errSnappyCut = errors.New("snappy: a block is cut")

// unpackSnappy makes no memory for what a block only claims to be: kafka-go's reader
// would, up to 4 GiB of it.
func unpackSnappy(data, memory []byte) (out []byte, err error) {
	const versions = 8
	blocks, framed := bytes.CutPrefix(data, []byte(snappyHead))
	if !framed || len(blocks) < versions {
		return appendSnappy(memory, data)
	}
	out = memory
	for blocks = blocks[versions:]; len(blocks) > 0; {
		if len(blocks) < 4 {
			return nil, errSnappyCut
		}
		n := int64(binary.BigEndian.Uint32(blocks))
		if blocks = blocks[4:]; n > int64(len(blocks)) {
			return nil, errSnappyCut
		}
		if out, err = appendSnappy(out, blocks[:n]); err != nil {
			return nil, err
		}
		blocks = blocks[n:]
	}
	return out, nil
}

func appendSnappy(out, block []byte) ([]byte, error) {
	n, err := snappy.DecodedLen(block)
	switch {
	case err != nil:
		return nil, err
	case n > maxUnpacked-len(out):
		return nil, errTooLong
	}
	out = slices.Grow(out, n)
	_, err = snappy.Decode(out[len(out):len(out)+n], block)
	return out[:len(out)+n], err
}

// unpack unpacks records into memory that it may use and extend.
func unpack(codec uint16, data, memory []byte) ([]byte, error) {
	switch compress.Compression(codec) {
	case compress.None:
		return data, nil
	case compress.Zstd:
		return unpackZstd(data, memory)
	case compress.Snappy:
		return unpackSnappy(data, memory[:0])
	case compress.Gzip, compress.Lz4:
		r := compress.Compression(codec).Codec().NewReader(bytes.NewReader(data))
		defer r.Close()
		return readAll(r, memory[:0])
	}
	return nil, fmt.Errorf("its batch is compressed in an unknown way (%d)", codec)
}

// readAll is io.ReadAll into memory that is there, up to what a batch may be.
func readAll(r io.Reader, b []byte) ([]byte, error) {
	into := bytes.NewBuffer(b)
	n, err := into.ReadFrom(io.LimitReader(r, maxUnpacked+1))
	if n > maxUnpacked {
		err = errTooLong
	}
	return into.Bytes(), err
}
