package ingest

import (
	"bufio"
	"bytes"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow bounds what a zstd frame may make us allocate: that of
// zstd --long, the largest in use.
const maxZstdWindow = 128 << 20

// unpacked reads a source and undoes its compression, told by its content.
type unpacked struct {
	io.Reader
	source io.Closer
	inner  func()        // ends the decompressor
	read   *atomic.Int64 // bytes of the source read so far
	packed bool
}

func unpack(src io.ReadCloser, read *atomic.Int64) (*unpacked, error) {
	u := &unpacked{source: src, read: read, inner: func() {}}
	head := bufio.NewReaderSize(&counting{src, read}, 64<<10)
	magic, _ := head.Peek(4) // a shorter source is no compressed one
	switch {
	case bytes.HasPrefix(magic, []byte{0x1F, 0x8B}):
		z, err := gzip.NewReader(head)
		if err != nil {
			return nil, err
		}
		u.Reader, u.packed = z, true
	case bytes.Equal(magic, []byte{0x28, 0xB5, 0x2F, 0xFD}):
		z, err := zstd.NewReader(head, zstd.WithDecoderMaxWindow(maxZstdWindow), zstd.WithDecoderConcurrency(2))
		if err != nil {
			return nil, err
		}
		u.Reader, u.packed, u.inner = z, true, z.Close
	default:
		u.Reader = head
	}
	return u, nil
}

func (u *unpacked) Close() error {
	u.inner()
	return u.source.Close()
}

// counting counts what is read, for the progress bar.
type counting struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
