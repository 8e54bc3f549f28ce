package parquet

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pageHead is what the head of a page says of its size.
type pageHead struct {
	Unpacked int32                   `thrift:"2,required"`
	Packed   int32                   `thrift:"3,required"`
	First    thrift.Null[pageValues] `thrift:"5"` // of the first version
	Words    thrift.Null[pageValues] `thrift:"7"`
	Second   thrift.Null[pageNulls]  `thrift:"8"`
}

type pageValues struct {
	N int32 `thrift:"1,required"`
}

type pageNulls struct {
	N     int32 `thrift:"1,required"`
	Nulls int32 `thrift:"2,required"`
}

// checkPageHeads walks over the heads of a column's pages, of which no checksum is
// kept, nor of the footer that tells of the column. The library makes room for as
// many bytes and values as a head says before it looks for them: a wrong bit could
// ask for gigabytes. And who reads takes the footer's word for a column that is
// the same in all rows: both have to count the same. Only in what is ours nulls
// are always counted.
func checkPageHeads(f io.ReaderAt, c *format.ColumnMetaData, rows int64, ours bool) error {
	var allValues, allNulls int64
	at := c.DataPageOffset
	if c.DictionaryPageOffset > 0 {
		at = c.DictionaryPageOffset
	}
	from := bufio.NewReaderSize(nil, 128)
	for end := at + c.TotalCompressedSize; at < end; {
		rest := io.NewSectionReader(f, at, end-at)
		from.Reset(rest)
		var head pageHead
		if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(from)).Decode(&head); err != nil {
			return err
		}
		read, _ := rest.Seek(0, io.SeekCurrent)
		at += read - int64(from.Buffered()) + int64(head.Packed)
		unpacked, values := int64(head.Unpacked), int64(max(head.First.V.N, head.Second.V.N))
		if head.Packed < 0 || at > end || unpacked > c.TotalUncompressedSize || values > c.NumValues || int64(head.Words.V.N) > 8*unpacked {
			return errors.New("a page is larger than its column")
		}
		allValues, allNulls = allValues+values, allNulls+int64(head.Second.V.Nulls)
	}
	if allValues != c.NumValues || ours && allNulls != c.Statistics.NullCount {
		return fmt.Errorf("its pages have %d values and %d nulls, not %d and %d", allValues, allNulls, c.NumValues, c.Statistics.NullCount)
	}
	if allValues == 0 && rows > 0 {
		return errors.New("it has no pages")
	}
	return nil
}
