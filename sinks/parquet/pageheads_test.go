package parquet

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A page that says it is larger than its column is refused before anybody makes
// room for it, and so are pages that have other values than the footer says.
func TestPageHeads(t *testing.T) {
	f := func(want bool, change func(head *format.PageHeader)) {
		t.Helper()
		const packed, unpacked, values, nulls = 40, 80, 9, 4
		head := format.PageHeader{
			Type: format.DataPageV2, CompressedPageSize: packed, UncompressedPageSize: unpacked,
			DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{NumValues: values, NumNulls: nulls}),
		}
		change(&head)
		front, err := encoded(&head)
		must(t, err)
		page := append(front, make([]byte, packed)...)
		column := &format.ColumnMetaData{TotalCompressedSize: int64(2 * len(page)), TotalUncompressedSize: 2*unpacked + 1, NumValues: 2 * values}
		column.Statistics.NullCount = 2 * nulls
		if err := checkPageHeads(bytes.NewReader(append(page, page...)), column, 1, true); (err == nil) != want {
			t.Errorf("%+v: %v", head, err)
		}
	}
	f(true, func(*format.PageHeader) {})
	f(false, func(head *format.PageHeader) { head.CompressedPageSize = 1 << 30 })
	f(false, func(head *format.PageHeader) { head.CompressedPageSize = -1 })
	f(false, func(head *format.PageHeader) { // back to where it begins
		head.CompressedPageSize = -1
		front, err := encoded(head)
		must(t, err)
		head.CompressedPageSize = -int32(len(front))
	})
	f(false, func(head *format.PageHeader) { head.CompressedPageSize-- })
	f(false, func(head *format.PageHeader) { head.UncompressedPageSize = 1 << 30 })
	f(false, func(head *format.PageHeader) { head.DataPageHeaderV2.V.NumValues = 1 << 30 })
	f(false, func(head *format.PageHeader) { head.DataPageHeaderV2.V.NumValues-- })
	f(false, func(head *format.PageHeader) { head.DataPageHeaderV2.V.NumNulls-- })
	f(false, func(head *format.PageHeader) {
		head.DataPageHeader = thrift.New(format.DataPageHeader{NumValues: 1 << 30})
	})
	words := func(n int32) func(*format.PageHeader) {
		return func(head *format.PageHeader) {
			head.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: n})
		}
	}
	f(true, words(20))
	f(false, words(1<<30))

	for rows, want := range []bool{true, false} {
		if err := checkPageHeads(bytes.NewReader(nil), &format.ColumnMetaData{}, int64(rows), true); (err == nil) != want {
			t.Errorf("no pages for %d rows: %v", rows, err)
		}
	}
}
