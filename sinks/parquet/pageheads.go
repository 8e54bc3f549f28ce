package parquet

import (
	"bufio"
	"errors"
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
	Second   thrift.Null[pageValues] `thrift:"8"`
}

type pageValues struct {
	N int32 `thrift:"1,required"`
}

// checkPageHeads walks over the heads of a column's pages, of which no checksum is
// kept. The library makes room for as many bytes and values as a head says before
// it looks for them: a wrong bit could ask for gigabytes.
func checkPageHeads(f io.ReaderAt, c *format.ColumnMetaData) error {
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
	}
	return nil
}
