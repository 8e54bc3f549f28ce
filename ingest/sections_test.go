package ingest

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// sectionsOf cuts a text in a file; nil if it is empty.
func sectionsOf(t *rapid.T, text string, size, maxLine int) *sections {
	file, err := os.CreateTemp("", "sections")
	must(t, err)
	t.Cleanup(func() {
		file.Close()
		os.Remove(file.Name())
	})
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	s := newSections(file, size, maxLine, new(atomic.Int64))
	if s == nil && text != "" {
		t.Fatal("the file was not cut")
	}
	return s
}

func cuttable(t *testing.T, lines int) (path string, s *fileStream) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "access.jsonl")
	must(t, os.WriteFile(path, []byte(strings.Repeat(record("a")+"\n", lines)), 0o600))
	s, err := open(&Source{Name: path, path: path}, Options{blockSize: 8 << 10})
	must(t, err)
	t.Cleanup(s.Close)
	Unread(s)
	return path, s
}

// fetched are the blocks of a stream that gives them unread.
func fetched(t *testing.T, s *fileStream) iter.Seq[*Block] {
	t.Helper()
	return func(yield func(*Block) bool) {
		for {
			b, err := s.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			must(t, err)
			if len(b.Data) > 0 {
				t.Error("a block was read")
			}
			if !b.Fetch() {
				t.Fatal(b.Err())
			}
			if !yield(b) {
				return
			}
			b.Release()
		}
	}
}

// TestUnread: nothing of a block is read before it is fetched, and then all of it.
func TestUnread(t *testing.T) {
	path, s := cuttable(t, 5000)
	text, err := os.ReadFile(path)
	must(t, err)
	var got []byte
	for b := range fetched(t, s) {
		if !b.Fetch() { // to ask twice does no harm
			t.Fatal(b.Err())
		}
		if b.Offset != int64(len(got)) || s.Read() != b.Offset+int64(len(b.Data)) {
			t.Errorf("a block of %d bytes at %d, behind %d; %d are read", len(b.Data), b.Offset, len(got), s.Read())
		}
		got = append(got, b.Data...)
	}
	if !bytes.Equal(got, text) {
		t.Errorf("%d bytes of %d", len(got), len(text))
	}
}

// TestCut: a file that is cut while it is read ends with an error.
func TestCut(t *testing.T) {
	path, s := cuttable(t, 5000)
	b, err := s.Next()
	must(t, err)
	held, err := s.Next()
	must(t, err)
	if !b.Fetch() {
		t.Error(b.Err())
	}
	b.Release()
	must(t, os.Truncate(path, held.Offset+1))
	if held.Fetch() || !errors.Is(held.Err(), errCut) {
		t.Errorf("what was not there was read: %v", held.Err())
	}
	held.Release()
	for err == nil {
		_, err = s.Next()
	}
	if whole, ok := errors.AsType[*Error](err); !ok || whole.Path != path || !errors.Is(err, errCut) || whole.Hint == "" {
		t.Errorf("ended with %v", err)
	}
}

// TestCutBehind: a file that is cut where nobody has looked yet is one that was cut.
func TestCutBehind(t *testing.T) {
	path, s := cuttable(t, 5000)
	b, err := s.Next()
	must(t, err)
	b.Release()
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Truncate(path, info.Size()-1000))
	for err == nil {
		_, err = s.Next()
	}
	if !errors.Is(err, errCut) {
		t.Errorf("ended with %v", err)
	}
}

// TestGrows: what is written behind a file while it is read is read, too.
func TestGrows(t *testing.T) {
	path, s := cuttable(t, 5000)
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	defer file.Close()
	if _, err := file.WriteString(record("last") + "\n"); err != nil {
		t.Fatal(err)
	}
	var last []byte
	for b := range fetched(t, s) {
		last = append(last[:0], b.Data...)
	}
	if !bytes.HasSuffix(last, []byte(record("last")+"\n")) {
		t.Error("what came last was not read")
	}
}

// TestWrittenOver: what is written over while it is parsed changes nothing of what was
// fetched.
func TestWrittenOver(t *testing.T) {
	path, s := cuttable(t, 10)
	b, err := s.Next()
	must(t, err)
	if !b.Fetch() {
		t.Fatal(b.Err())
	}
	must(t, os.WriteFile(path, bytes.Repeat([]byte{'"'}, len(b.Data)), 0o600))
	if tally := NewReader(fingerprint.AllFields).Read(b, func(*fingerprint.Request) {}, nil); tally.Requests() != 10 {
		t.Errorf("%d requests of 10", tally.Requests())
	}
}
