package ingest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/loopgauge/loopgauge/ingest/otlp"
)

// framed reads what OpenTelemetry's Collector writes with compression: zstd or format:
// proto, each export with its length in front, and protobuf alone, which is one export.
// The exports become lines; those of protobuf their JSON, up to where they can be read.
type framed struct {
	from   *bufio.Reader
	bare   bool // there are no lengths
	zstd   *zstd.Decoder
	whole  io.LimitedReader // the export as it stands in the source
	export *bufio.Reader
	open   bool   // inside of an export of text
	data   []byte // memory for one of protobuf
	json   []byte // likewise
	rest   []byte // of its line
	count  int
	err    error
}

// maxExport is how long an export of protobuf may be, and its JSON.
const maxExport = DefaultMaxLine

// exportHead is how much of an export is looked at to tell what it is: a resource may
// have many attributes.
const exportHead = 32 << 10

// isFramed knows frames of zstd with their lengths in front by their first bytes.
func isFramed(head []byte) bool { return len(head) == 8 && isZstd(head[4:]) }

// isProtobuf knows protobuf by its first bytes, with lengths in front or bare. The first
// exports may be empty, or have nothing in them that they are told by.
func isProtobuf(head []byte) (is, bare bool) {
	if otlp.Begins(head) {
		return true, true
	}
	for len(head) > 4 {
		length := binary.BigEndian.Uint32(head)
		if head = head[4:]; length > maxExport {
			break
		}
		export := head[:min(int(length), len(head))]
		if otlp.Begins(export) {
			return true, false
		}
		head = head[len(export):]
	}
	return false, false
}

// newFramed reads exports, which z undoes the compression of if each is compressed for
// itself, and else is nil.
func newFramed(from *bufio.Reader, z *zstd.Decoder, bare bool) *framed {
	return &framed{from: from, zstd: z, bare: bare, export: bufio.NewReaderSize(nil, exportHead)}
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
		if len(f.rest) > 0 {
			n := copy(p, f.rest)
			f.rest = f.rest[n:]
			return n, nil
		}
		if !f.open {
			if err := f.next(); err != nil {
				return 0, err
			}
			continue
		}
		n, err := f.export.Read(p)
		switch {
		case n > 0:
			return n, nil
		case errors.Is(err, io.EOF) && f.cut():
			return 0, f.early()
		case errors.Is(err, io.EOF):
			f.open = false
			f.rest = append(f.json[:0], '\n')
		case err != nil:
			return 0, err
		}
	}
}

// next begins with the next export.
func (f *framed) next() error {
	f.count++
	if f.bare {
		if _, err := f.from.Peek(1); err != nil {
			return err
		}
		f.export.Reset(f.from)
		return f.protobuf()
	}
	var head [4]byte
	switch n, err := io.ReadFull(f.from, head[:]); {
	case n > 0 && errors.Is(err, io.ErrUnexpectedEOF):
		return f.early()
	case err != nil:
		return err
	}
	f.whole = io.LimitedReader{R: f.from, N: int64(binary.BigEndian.Uint32(head[:]))}
	if f.zstd == nil {
		if f.whole.N > maxExport {
			return fmt.Errorf("%w: number %d says that it has %d bytes", errLongExport, f.count, f.whole.N)
		}
		f.export.Reset(&f.whole)
		return f.protobuf()
	}
	if err := f.zstd.Reset(&f.whole); err != nil {
		return err
	}
	f.export.Reset(f.zstd)
	switch head, err := f.export.Peek(exportHead); {
	case broken(err): // whatever it is
		return err
	case !otlp.Begins(head):
		f.open = true
		return nil
	}
	return f.protobuf()
}

// protobuf makes the line of an export.
func (f *framed) protobuf() error {
	data := bytes.NewBuffer(f.data[:0])
	n, err := data.ReadFrom(io.LimitReader(f.export, maxExport+1))
	f.data = data.Bytes()
	switch {
	case err != nil:
		return err
	case n > maxExport:
		return fmt.Errorf("%w: number %d", errLongExport, f.count)
	case f.cut() || f.bare && otlp.Cut(f.data):
		return f.early()
	}
	var why string
	if f.json, _, why = otlp.AppendJSON(f.json[:0], f.data, maxExport); why != "" {
		f.json = append(f.json, '"') // a line that ends in a text was cut; others may go on
	}
	f.json = append(f.json, '\n')
	f.rest = f.json
	return nil
}

// cut tells of an export that was read that the source ended before it did, which zstd
// takes for its end where no frame has begun.
func (f *framed) cut() bool { return f.whole.N > 0 }

// early is the error for that.
func (f *framed) early() error {
	if f.zstd != nil {
		return errEndsEarly
	}
	return errExportCut
}

var errLongExport = errors.New("an export longer than 64 MiB")

const errExportCut = endsEarly("the last export is cut")
