package parquet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// Times that are not INT64 would be read as other times: they are refused.
func TestForeignTimes(t *testing.T) {
	type int96 struct {
		Time deprecated.Int96 `parquet:"time"`
	}
	type millis struct {
		Time int64 `parquet:"time,timestamp(millisecond)"`
	}
	type days struct {
		Time int32 `parquet:"time,date"`
	}
	f := func(write func(path string) error, want string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "events.parquet")
		must(t, write(path))
		_, file, err := beginEvents(path)
		if err == nil {
			file.Close()
		}
		for _, err := range []error{err, compacted(path)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	f(func(path string) error { return parquet.WriteFile(path, []int96{{}}) }, "column time is INT96, as Spark writes times, not TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)\n"+wayOut)
	f(func(path string) error { return parquet.WriteFile(path, []millis{{}}) }, "column time is TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS), not TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)")
	f(func(path string) error { return parquet.WriteFile(path, []days{{}}) }, "column time is DATE, not TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)")
	f(func(path string) error { return os.WriteFile(path, []byte("PAR1PAR1"), 0o600) }, "damaged")
}

// What the library would unpack in ever more memory is refused: a bit of a
// footer makes LZ4_RAW of the zstd that we write.
func TestForeignPacking(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.parquet")
	f := func(codec compress.Codec, want string) {
		t.Helper()
		must(t, parquet.WriteFile(path, []eventRow{{Identity: "a"}}, parquet.Compression(codec)))
		_, file, err := beginEvents(path)
		if err == nil {
			file.Close()
		}
		for _, err := range []error{err, compacted(path)} {
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q", codec, err, want)
			}
		}
	}
	f(&parquet.Zstd, "")
	f(&parquet.Snappy, "")
	f(&parquet.Lz4Raw, "column time is packed with LZ4_RAW, which is not read")
}

// What others say of the least and the greatest of a column may be cut: that the
// two are equal does not make its rows so.
func TestForeignBounds(t *testing.T) {
	rewritten(t, func(path string) {
		writtenByAnother(t, path, rows[eventRow](t, path))
		save(t, path, withFooter(t, load(t, path), func(m *format.FileMetaData) {
			for i := range m.RowGroups[0].Columns {
				s := &m.RowGroups[0].Columns[i].MetaData.Statistics
				s.MaxValue = s.MinValue
			}
		}))
	})
}

// In the heads of pages of the first version nulls are not counted.
func TestForeignPages(t *testing.T) {
	rewritten(t, func(path string) {
		must(t, parquet.WriteFile(path, rows[eventRow](t, path), parquet.DataPageVersion(1), parquet.CreatedBy("another", "", "")))
	})
}

// rewritten holds that the events of a file come back after it was written anew.
func rewritten(t *testing.T, anew func(path string)) {
	t.Helper()
	p := plan(t)
	dir := t.TempDir()
	events := extracted(p, 10)
	keep(t, dir, p, events)
	anew(eventFiles(t, dir)[0])
	comesBack(t, dir, p, events)
}
