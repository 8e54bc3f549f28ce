package parquet

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// FuzzRead reads anything as the events of a dataset, as a run, and as what is
// compacted: that ends, without a panic, leaves no file open, and says what is
// wrong.
func FuzzRead(f *testing.F) {
	p, dir := plan(f), f.TempDir()
	const events = 4
	keep(f, dir, p, extracted(p, events))
	path := eventFiles(f, dir)[0]
	for _, file := range []string{path, runFile(dir)} {
		f.Add(load(f, file))
	}
	headless := load(f, path)
	headless[parsed(f, headless).Metadata().RowGroups[0].Columns[0].MetaData.DataPageOffset] = 0
	f.Add(headless)
	list, err := parquet.ReadFile[eventRow](path)
	must(f, err)
	for _, version := range []int{1, 2} {
		var file bytes.Buffer
		must(f, parquet.Write(&file, list, parquet.Compression(&parquet.Uncompressed), parquet.DataPageVersion(version)))
		f.Add(unsealed(f, file.Bytes()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		save(t, path, data)
		n, err := readAll(dir, p)
		if n > events || err == nil && n < events {
			t.Errorf("%d events of %d, %v", n, events, err)
		}
		_, as := readRunFile(path)
		for _, err := range []error{err, as, compacted(path)} {
			if err != nil && !strings.HasPrefix(err.Error(), dir) {
				t.Error(err)
			}
		}
		if n := handles(path); n > 0 {
			t.Errorf("%d times left open", n)
		}
	})
}

// handles is how often this process has a file open, where the system tells.
func handles(path string) (n int) {
	list, _ := filepath.Glob("/proc/self/fd/*")
	for _, link := range list {
		if to, _ := os.Readlink(link); to == path {
			n++
		}
	}
	return n
}

// unsealed is a file whose pages have no checksum any more, behind which nothing
// that is wrong gets.
func unsealed(tb testing.TB, file []byte) []byte {
	tb.Helper()
	for _, group := range parsed(tb, file).Metadata().RowGroups {
		for i := range group.Columns {
			c := &group.Columns[i].MetaData
			at := c.DataPageOffset
			if c.DictionaryPageOffset > 0 {
				at = c.DictionaryPageOffset
			}
			for end := at + c.TotalCompressedSize; at < end; {
				from := bytes.NewReader(file[at:end])
				var head format.PageHeader
				must(tb, thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(from)).Decode(&head))
				front := file[at : end-int64(from.Len())]
				sum := binary.AppendVarint(nil, int64(head.CRC))
				zero := append(bytes.Repeat([]byte{0x80}, len(sum)-1), 0)
				copy(front[bytes.LastIndex(front, sum):], zero)
				at += int64(len(front)) + int64(head.CompressedPageSize)
			}
		}
	}
	return file
}
