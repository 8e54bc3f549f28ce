package parquet

import (
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	parquetzstd "github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding"
)

// codec compresses pages. Its level does not look long for repeats; told to, it
// packs what is left all the same, which makes half of hex. The next level finds
// no more in our columns, and takes twice as long.
type codec struct{ parquetzstd.Codec }

var encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithAllLitEntropyCompression(true),
	zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false)) // pages have one

// Encode is called by any number of goroutines.
func (*codec) Encode(to, data []byte) ([]byte, error) { return encoder.EncodeAll(data, to[:0]), nil }

// whole encodes whole numbers: mostly one is near the one before, or the same.
// Plain ones would be two thirds of what zstd has to pack and to unpack. They
// make files of many rows a request 2 to 10 % smaller, since zstd finds what such
// rows repeat, and those of one row a request an eighth bigger.
var whole = &parquet.DeltaBinaryPacked

// encodingOf is the encoding of a column, unless that is what its words are
// numbers of.
func encodingOf(column parquet.Node) encoding.Encoding {
	if e := column.Encoding(); e != nil {
		return e
	}
	if kind := column.Type().Kind(); kind == parquet.Int32 || kind == parquet.Int64 {
		return whole
	}
	return &parquet.Plain
}

func filter(column string) parquet.BloomFilterColumn { return parquet.SplitBlockFilter(10, column) }

// layout is how the files of a table are laid out, so that a query reads
// little of them.
type layout struct {
	// sorted is the column whose values rise from row to row: the row groups
	// of other times are passed over.
	sorted string
	// looked are the columns of texts that rows are looked up by. Such texts
	// are random, so that of every row group the smallest and the largest say
	// nothing; a Bloom filter does. It is made of a dictionary, and so takes 10
	// bits for each text of the row group, however often it comes.
	looked []string
}

// layouts are those of the tables. What is not named has few rows.
var layouts = map[string]layout{
	"events":   {"time", []string{"id", "session", "fingerprint"}},
	"verdicts": {"time", []string{"id", "session", "fingerprint", "episode"}},
	"episodes": {"fired", nil},
}

// creator is what files say of who wrote them.
const creator = "loopgauge"

func (l layout) options() []parquet.WriterOption {
	options := []parquet.WriterOption{
		parquet.Compression(&codec{}), parquet.MaxRowsPerRowGroup(rowGroup), parquet.CreatedBy(creator, "", ""),
		parquet.DefaultEncodingFor(parquet.Int32, whole), parquet.DefaultEncodingFor(parquet.Int64, whole),
	}
	if l.sorted != "" {
		options = append(options, parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending(l.sorted))))
	}
	var filters []parquet.BloomFilterColumn
	for _, column := range l.looked {
		filters = append(filters, filter(column))
	}
	return append(options, parquet.BloomFilters(filters...))
}
