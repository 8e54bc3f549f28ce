package ingest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
)

// headSize is how much of a file's content tells it from others. A line of an
// access log has a time and mostly an id in it.
const headSize = 1 << 10

// head is the beginning of a file's unpacked content: of a file that is shorter
// than headSize, what there was of it. An inode alone is no identity, because
// it is used again; a head alone is found again in a copy, and in a compressed
// one.
type head struct {
	n   int
	sum string // SHA-256 of the n bytes, the first 128 bits in hex
}

func headOf(data []byte) head {
	data = data[:min(len(data), headSize)]
	sum := sha256.Sum256(data)
	return head{len(data), hex.EncodeToString(sum[:16])}
}

// begins tells whether data begins as the head says. What is shorter does not.
func (h head) begins(data []byte) bool {
	return len(data) >= h.n && headOf(data[:h.n]) == h
}

// tells says whether the head is enough to know the content by: half a line may
// begin many files.
func (h head) tells(data []byte) bool {
	return h.n == headSize || bytes.IndexByte(data[:h.n], '\n') >= 0
}

// readDone ends the Mark.File of a file that is read to its end and expected to
// have none behind it: it is not missed when it is gone.
const readDone = "done"

// fileID writes Mark.File: device and inode, length and hash of the head.
func fileID(id string, h head, done bool) string {
	text := fmt.Sprintf("%s-%d-%s", id, h.n, h.sum)
	if done {
		text += "-" + readDone
	}
	return text
}

func parseFileID(text string) (id string, h head, done bool, err error) {
	parts := strings.Split(text, "-")
	if len(parts) == 5 && parts[4] == readDone {
		done, parts = true, parts[:4]
	}
	if len(parts) != 4 {
		return "", head{}, false, fmt.Errorf("a mark of the state is damaged: file %q", text)
	}
	h.sum = parts[3]
	if h.n, err = strconv.Atoi(parts[2]); err != nil || h.n < 0 || h.n > headSize {
		return "", head{}, false, fmt.Errorf("a mark of the state is damaged: file %q", text)
	}
	return parts[0] + "-" + parts[1], h, done, nil
}

// errMoved is why a file is not opened: another one lies there by now.
var errMoved = errors.New("another file has taken its place")

// openAs opens the file that is known by its inode.
func openAs(path, id string) (*os.File, error) {
	file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	is, err := inode(file)
	if err == nil && is != id {
		err = errMoved
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// beginning reads the first n bytes of a file's content, fewer if it has no
// more. What is no log is refused.
func beginning(path, id string, n int) (data []byte, packed bool, err error) {
	file, err := openAs(path, id)
	if err != nil {
		return nil, false, err
	}
	var read atomic.Int64
	u, err := unpack(file, &read)
	if err != nil {
		file.Close()
		return nil, false, err
	}
	defer u.Close()
	if hint, err := u.check(&Source{Name: path, path: path, followed: true}); err != nil {
		return nil, u.made, newError(path, err, hint)
	}
	data = make([]byte, n)
	got, err := io.ReadFull(u, data)
	if data = data[:got]; got > 0 || errors.Is(err, io.EOF) {
		err = nil
	}
	// NUL bytes before the first line are a hole that a truncated file has.
	text := bytes.TrimLeft(data, "\x00")
	if bytes.IndexByte(text[:min(len(text), headSize)], 0) >= 0 {
		err = newError(path, errors.New("binary data, not a log"), "")
	}
	return data, u.made, err
}

// cutShort tells an error that a file gives while it is being compressed.
func cutShort(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, gzip.ErrHeader)
}
