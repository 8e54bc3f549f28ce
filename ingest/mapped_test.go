package ingest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// tester is of testing and of rapid.
type tester interface {
	Fatal(args ...any)
	Cleanup(f func())
}

// mappedText is a text where the kernel keeps its file; a copy where there is no
// such place.
func mappedText(t tester, text string, spanSize int) supply {
	file, err := os.CreateTemp("", "mapped")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		file.Close()
		os.Remove(file.Name())
	})
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if m := newMapped(file, spanSize, new(atomic.Int64)); m != nil {
		return m
	}
	if runtime.GOOS == "linux" && text != "" {
		t.Fatal("the file was not mapped")
	}
	return &copied{strings.NewReader(text)}
}

func cuttable(t *testing.T, lines int) (path string, s *fileStream) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("files are mapped on Linux alone")
	}
	path = filepath.Join(t.TempDir(), "access.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat(record("a")+"\n", lines)), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := open(&Source{Name: path, path: path}, Options{blockSize: 8 << 10})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	InPlace(s)
	return path, s
}

// TestCut: a file that is cut while it is read ends with an error, and not the
// process.
func TestCut(t *testing.T) {
	path, s := cuttable(t, 5000)
	b, err := s.Next()
	if err != nil || b.span == nil {
		t.Fatalf("%v, mapped: %v", err, b.span != nil)
	}
	held, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	rd := NewReader(fingerprint.AllFields)
	read := func(b *Block) bool {
		return b.Look(func(b *Block) { rd.Read(b, func(*fingerprint.Request) {}, nil) }, func() { t.Error("it was read as if it had changed") })
	}
	if !read(b) {
		t.Error("what was there was not read")
	}
	b.Release()
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	if read(held) {
		t.Error("what was not there was read")
	}
	for err == nil {
		_, err = s.Next()
	}
	if whole, ok := errors.AsType[*Error](err); !ok || whole.Path != path || !errors.Is(err, errCut) || whole.Hint == "" {
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
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(record("last") + "\n"); err != nil {
		t.Fatal(err)
	}
	var last []byte
	for {
		b, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		last = append(last[:0], b.Data...)
		b.Release()
	}
	if !bytes.HasSuffix(last, []byte(record("last")+"\n")) {
		t.Error("what came last was not read")
	}
}

// TestCutBehind: a file that is cut where nobody has looked yet, or within a page, is
// one that was cut.
func TestCutBehind(t *testing.T) {
	path, s := cuttable(t, 5000)
	b, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
	whole := fileSize(t, path)
	if err := os.Truncate(path, whole-1000); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = s.Next()
	}
	if !errors.Is(err, errCut) {
		t.Errorf("ended with %v", err)
	}

	path, s = cuttable(t, 5)
	if b, err = s.Next(); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, fileSize(t, path)-1); err != nil {
		t.Fatal(err)
	}
	if b.Look(func(*Block) {}, nil) {
		t.Error("a block that lacks its end was whole")
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestWrittenOver: a text that changes while it is looked at is looked at once more,
// when it cannot.
func TestWrittenOver(t *testing.T) {
	_, s := cuttable(t, 10)
	b, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	want, began, looks := bytes.Clone(b.Data), false, 0
	whole := b.Look(func(b *Block) {
		if looks++; b.span != nil {
			panic("a quote is missing")
		}
		if !bytes.Equal(b.Data, want) || !began {
			t.Errorf("%q after it began anew: %v", b.Data, began)
		}
	}, func() { began = true })
	if !whole || looks != 2 {
		t.Errorf("whole: %v, looked at %d times", whole, looks)
	}
}

// TestMistakes: a mistake in who looks at a block is not taken for a cut file.
func TestMistakes(t *testing.T) {
	_, s := cuttable(t, 10)
	b, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("it was")
		}
	}()
	b.Look(func(*Block) { panic("a mistake") }, func() {})
}

// TestLongLines: blocks of long lines alone are longer.
func TestLongLines(t *testing.T) {
	for _, long := range []bool{false, true} {
		pad := ""
		if long {
			pad = strings.Repeat(" ", longLine)
		}
		path := filepath.Join(t.TempDir(), "access.jsonl")
		if err := os.WriteFile(path, []byte(strings.Repeat(record("a")+pad+"\n", 9<<20/len(record("a")+pad+"\n"))), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := open(&Source{Name: path, path: path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		InPlace(s)
		b, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got := len(b.Data) > BlockSize; got != (long && b.span != nil) {
			t.Errorf("long lines: %v, blocks of %d bytes", long, len(b.Data))
		}
	}
}
