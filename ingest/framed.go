package ingest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// framed reads what OpenTelemetry's Collector writes with compression: zstd, a
// frame of zstd for each export, its length in front. The exports become lines.
type framed struct {
	from *bufio.Reader
	zstd *zstd.Decoder
	open bool // inside of a frame
	err  error
}

// isFramed knows it by its first bytes.
func isFramed(head []byte) bool { return len(head) == 8 && isZstd(head[4:]) }

func newFramed(from *bufio.Reader) (*framed, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderMaxWindow(maxZstdWindow), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return &framed{from: from, zstd: z}, nil
}

// Read gives the same error again, once there was one.
func (f *framed) Read(p []byte) (n int, err error) {
	if f.err == nil {
		n, f.err = f.read(p)
	}
	return n, f.err
}

func (f *framed) read(p []byte) (int, error) {
	for {
		if !f.open {
			var length [4]byte
			if _, err := io.ReadFull(f.from, length[:]); err != nil {
				return 0, err
			}
			if err := f.zstd.Reset(io.LimitReader(f.from, int64(binary.BigEndian.Uint32(length[:])))); err != nil {
				return 0, err
			}
			f.open = true
		}
		n, err := f.zstd.Read(p)
		switch {
		case n > 0:
			return n, nil
		case errors.Is(err, io.EOF):
			f.open = false
			p[0] = '\n'
			return 1, nil
		case err != nil:
			return 0, err
		}
	}
}
