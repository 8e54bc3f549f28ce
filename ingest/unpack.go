package ingest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow bounds what a zstd frame may make us allocate: that of
// zstd --long, the largest in use.
const maxZstdWindow = 128 << 20

// headBytes is how much of a source is looked at to tell text from the rest.
const headBytes = 4 << 10

// unpacked reads a source and undoes its compression, told by its content.
type unpacked struct {
	*bufio.Reader
	source io.Closer
	inner  func() // ends the decompressor
	packed string // the command that undoes its compression too; empty if there is none
	made   bool   // the lines do not stand in the source as they are
	grows  bool   // nevertheless, export by export
}

// unpack counts in read what it takes from src.
func unpack(src io.ReadCloser, read *atomic.Int64) (*unpacked, error) {
	u := &unpacked{source: src, inner: func() {}}
	u.Reader = bufio.NewReaderSize(&counting{src, read}, 64<<10)
	head, _ := u.Peek(8) // a shorter source is no compressed one
	magic := head[:min(4, len(head))]
	switch {
	case isFramed(head):
		z, err := zstd.NewReader(nil, zstd.WithDecoderMaxWindow(maxZstdWindow), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		u.packed, u.inner = "zstd -dc", z.Close // which does not read the lengths, but JSON wants no other command
		u.undone(newFramed(u.Reader, z, false))
		u.grows = true
	case bytes.HasPrefix(magic, []byte{0x1F, 0x8B}):
		z, err := gzip.NewReader(u.Reader)
		if err != nil {
			return nil, err
		}
		u.packed = "gzip -dc"
		u.undone(z)
	case isZstd(magic):
		z, err := zstd.NewReader(u.Reader, zstd.WithDecoderMaxWindow(maxZstdWindow), zstd.WithDecoderConcurrency(2))
		if err != nil {
			return nil, err
		}
		u.packed, u.inner = "zstd -dc", z.Close
		u.undone(z)
	}
	u.exports()
	return u, nil
}

// undone goes on with what was made of the source.
func (u *unpacked) undone(r io.Reader) {
	u.Reader, u.made = bufio.NewReaderSize(r, headBytes), true
}

// exports makes lines of OpenTelemetry's protobuf, if it is that.
func (u *unpacked) exports() {
	head, _ := u.Peek(8)
	if len(head) < 8 || head[0] != '\n' && binary.BigEndian.Uint32(head) > maxExport { // as most others begin
		return
	}
	u.Reader = bufio.NewReaderSize(u.Reader, exportHead)
	head, _ = u.Peek(exportHead)
	if is, bare := isProtobuf(head); is {
		u.grows = !u.made && !bare
		u.undone(newFramed(u.Reader, nil, bare))
	}
}

// isZstd knows zstd frames and the skippable frames that pzstd writes first.
func isZstd(magic []byte) bool {
	return bytes.Equal(magic, []byte{0x28, 0xB5, 0x2F, 0xFD}) ||
		len(magic) == 4 && magic[0]&0xF0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2A, 0x4D, 0x18})
}

// check refuses what is no text in UTF-8. Its error is meant to be wrapped
// with the source's name.
func (u *unpacked) check(from *Source) (hint string, err error) {
	head, err := u.Peek(headBytes)
	if len(head) == 0 && broken(err) {
		return "", err
	}
	for _, p := range packers {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			command := p.command
			if p.name == "zip" && (from.stdin != nil || u.packed != "") {
				command = "funzip" // the other one reads no pipe
			}
			return "unpack it on the way: " + u.onTheWay(from, command), fmt.Errorf("%s data", p.name)
		}
	}
	if coding, what := utf16Of(head); coding != "" {
		return "turn it into UTF-8 on the way: " + u.onTheWay(from, "iconv -f "+coding+" -t UTF-8"), errors.New("text in UTF-16" + what)
	}
	if bytes.HasPrefix(head, []byte("PAR1")) {
		return "", errors.New("a Parquet file, not a log")
	}
	return "", nil
}

// onTheWay is how a source is read through a command.
func (u *unpacked) onTheWay(from *Source, command string) string {
	if u.packed != "" {
		command = u.packed + " | " + command
	}
	before := "... | "
	if from.stdin == nil {
		name := from.word()
		if from.object != nil { // no command of the system reads it
			name = "COPY"
		}
		first, rest, _ := strings.Cut(command, " |")
		before, command = "", first+" "+name
		if rest != "" {
			command += " |" + rest
		}
	}
	reader := "..."
	if from.followed { // a pipe cannot be
		reader = "replay"
	}
	return before + command + " | loopgauge " + reader + " -"
}

// utf16Of tells text in UTF-16 by its mark, or where that is missing by what all
// logs have: most pairs of bytes are a character of ASCII and a zero. coding is
// iconv's name for it, empty if it is none.
func utf16Of(head []byte) (coding, what string) {
	if bytes.HasPrefix(head, []byte{0xFF, 0xFE}) || bytes.HasPrefix(head, []byte{0xFE, 0xFF}) {
		return "UTF-16", ""
	}
	isText := func(c byte) bool { return ' ' <= c && c < 0x7F || c == '\n' || c == '\r' || c == '\t' }
	pairs, little, big := len(head)/2, 0, 0
	for i := range pairs {
		switch a, b := head[2*i], head[2*i+1]; {
		case b == 0 && isText(a):
			little++
		case a == 0 && isText(b):
			big++
		}
	}
	switch {
	case pairs < 4: // too little to tell
	case little > pairs/2 && big <= pairs/16:
		return "UTF-16LE", " without a byte order mark"
	case big > pairs/2 && little <= pairs/16:
		return "UTF-16BE", " without a byte order mark"
	}
	return "", ""
}

// packers are compressions that are recognised but not undone.
var packers = []struct{ name, magic, command string }{
	{"xz", "\xFD7zXZ\x00", "xz -dc"},
	{"bzip2", "BZh", "bzip2 -dc"},
	{"lz4", "\x04\x22\x4D\x18", "lz4 -dc"},
	{"zip", "PK\x03\x04", "unzip -p"},
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
