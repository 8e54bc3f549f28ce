package parquet

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// chunk is a column of a row group in the making.
type chunk struct {
	content  content
	path     []string
	kind     parquet.Type
	encoding encoding.Encoding
	full     byte // definition level of what is not null
	optional bool
	lists    *lists                    // nil unless a row has any number of entries
	each     bool                      // rows were added one by one, not once for all those of a request
	filter   parquet.BloomFilterColumn // nil for none
	bits     []byte                    // of the filter, of the row group

	defs   []byte // levels of definition of a page that ends, empty if all are the same
	same   byte   // which they then are
	pages  []byte // that are done
	index  parquet.ColumnIndexer
	places format.OffsetIndex // in pages, till they are in the file
	meta   format.ColumnMetaData

	least, most parquet.Value
}

// content are the values of a page that are not null.
type content interface {
	// take returns those that were added since it was last called, how many
	// they are, the least and the greatest, and sets the chunk's levels. They
	// are good until more are added. Where times is not nil it says for each
	// row that was added how often it comes; that makes so many rows.
	take(times []int32, rows int) (values encoding.Values, n int, least, most parquet.Value)
	// words are what the values are numbers of; nil if they are none.
	words() *dictionary
}

// scratch is where pages are put together.
type scratch struct {
	defs, data, packed, page []byte

	text []byte // words as they are written
	ends []uint32
}

// page ends the page at hand, of so many rows from the first on. times are the
// rows of each request, nil if all have one.
func (c *chunk) page(s *scratch, first, rows int, times []int32) error {
	if c.each {
		times = nil
	}
	values, n, least, most := c.content.take(times, rows)
	entries, kind, with := rows, c.kind, c.encoding
	var err error
	var reps []byte
	if c.lists != nil {
		entries, reps = c.lists.entries, c.lists.packed
	}
	s.defs = s.defs[:0]
	switch {
	case c.full > 0 && len(c.defs) == 0:
		s.defs = appendRun(s.defs, c.same, entries)
	case c.full > 0:
		if s.defs, err = appendLevels(s.defs, c.defs, c.full); err != nil {
			return err
		}
	}
	if c.content.words() != nil {
		kind, with = parquet.Int32Type, &parquet.RLEDictionary
	}
	if s.data, err = kind.Encode(s.data[:0], values, with); err != nil {
		return err
	}
	head := &format.PageHeader{
		Type:                 format.DataPageV2,
		UncompressedPageSize: int32(len(reps) + len(s.defs) + len(s.data)),
		DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
			NumValues: int32(entries), NumNulls: int32(entries - n), NumRows: int32(rows), Encoding: with.Encoding(),
			DefinitionLevelsByteLength: int32(len(s.defs)), RepetitionLevelsByteLength: int32(len(reps)), IsCompressed: thrift.New(true),
		}),
	}
	at := len(c.pages)
	if c.pages, err = c.pack(c.pages, head, s, reps, s.defs); err != nil {
		return err
	}
	c.places.PageLocations = append(c.places.PageLocations, format.PageLocation{
		Offset: int64(at), CompressedPageSize: int32(len(c.pages) - at), FirstRowIndex: int64(first),
	})
	c.index.IndexPage(int64(entries), int64(entries-n), least, most)
	if n > 0 && (c.least.IsNull() || c.kind.Compare(least, c.least) < 0) {
		c.least = least
	}
	if n > 0 && (c.most.IsNull() || c.kind.Compare(most, c.most) > 0) {
		c.most = most
	}
	c.meta.NumValues += int64(entries)
	c.meta.Statistics.NullCount += int64(entries - n)
	return nil
}

// appendLevels packs levels of which the highest is most into an empty slice.
func appendLevels(to, list []byte, most byte) ([]byte, error) {
	return (&rle.Encoding{BitWidth: bits.Len8(most)}).EncodeLevels(to, list)
}

// appendRun packs a level that comes n times.
func appendRun(to []byte, level byte, n int) []byte {
	return append(binary.AppendUvarint(to, uint64(n)<<1), level)
}

// pack adds a page to some bytes: its head, its levels, which are packed, and
// its data, which are in scratch.
func (c *chunk) pack(to []byte, head *format.PageHeader, s *scratch, levels ...[]byte) (_ []byte, err error) {
	s.packed = encoder.EncodeAll(s.data, s.packed[:0])
	parts := append(levels, s.packed)
	crc := uint32(0)
	for _, part := range parts {
		crc = crc32.Update(crc, crc32.IEEETable, part)
		head.CompressedPageSize += int32(len(part))
	}
	head.CRC = int32(crc)
	front, err := encoded(head)
	if err != nil {
		return nil, err
	}
	c.meta.TotalUncompressedSize += int64(len(front)) + int64(head.UncompressedPageSize)
	c.meta.TotalCompressedSize += int64(len(front)) + int64(head.CompressedPageSize)
	to = append(to, front...)
	for _, part := range parts {
		to = append(to, part...)
	}
	return to, nil
}

// write writes the pages of the row group.
func (c *chunk) write(w *columnar) (err error) {
	with := c.encoding.Encoding()
	m := &c.meta
	m.Type, m.PathInSchema, m.Codec = format.Type(c.kind.Kind()), c.path, format.Zstd
	m.Encoding = []format.Encoding{with}
	if words := c.content.words(); words != nil {
		with = format.RLEDictionary
		m.DictionaryPageOffset = w.offset
		m.Encoding = []format.Encoding{format.Plain, with}
		m.EncodingStats = []format.PageEncodingStats{{PageType: format.DictionaryPage, Encoding: format.Plain, Count: 1}}
		values := words.values(&w.scratch)
		if w.scratch.data, err = c.kind.Encode(w.scratch.data[:0], values, &parquet.Plain); err != nil {
			return err
		}
		if c.filter != nil {
			c.bits = append(c.bits[:0], make([]byte, c.filter.Size(int64(words.len())))...)
			if c.bits, err = c.kind.Encode(c.bits, values, c.filter.Encoding()); err != nil {
				return err
			}
		}
		head := &format.PageHeader{
			Type: format.DictionaryPage, UncompressedPageSize: int32(len(w.scratch.data)),
			DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(words.len()), Encoding: format.Plain}),
		}
		if w.scratch.page, err = c.pack(w.scratch.page[:0], head, &w.scratch); err != nil {
			return err
		}
		w.add(w.scratch.page)
	}
	if c.full > 0 {
		m.Encoding = append(m.Encoding, format.RLE)
	}
	m.EncodingStats = append(m.EncodingStats, format.PageEncodingStats{PageType: format.DataPageV2, Encoding: with, Count: int32(len(c.places.PageLocations))})
	if !c.least.IsNull() {
		m.Statistics.MinValue, m.Statistics.MaxValue = c.least.AppendBytes([]byte{}), c.most.AppendBytes([]byte{})
	}
	m.DataPageOffset = w.offset
	for i := range c.places.PageLocations {
		c.places.PageLocations[i].Offset += w.offset
	}
	w.add(c.pages)
	return nil
}

// writeFilter writes the Bloom filter of the row group's words that write made,
// if there is to be one.
func (c *chunk) writeFilter(w *columnar) (err error) {
	if c.filter == nil {
		return nil
	}
	head, err := encoded(&format.BloomFilterHeader{
		NumBytes:    int32(len(c.bits)),
		Algorithm:   format.BloomFilterAlgorithm{Value: &format.SplitBlockAlgorithm{}},
		Hash:        format.BloomFilterHash{Value: &format.XxHash{}},
		Compression: format.BloomFilterCompression{Value: &format.BloomFilterUncompressed{}},
	})
	if err != nil {
		return err
	}
	c.meta.BloomFilterOffset, c.meta.BloomFilterLength = w.offset, int32(len(head)+len(c.bits))
	w.add(head, c.bits)
	return nil
}

// reset makes ready for another row group.
func (c *chunk) reset() {
	c.index.Reset()
	c.pages, c.places, c.meta = c.pages[:0], format.OffsetIndex{}, format.ColumnMetaData{}
	c.least, c.most = parquet.Value{}, parquet.Value{}
	if words := c.content.words(); words != nil {
		words.reset()
	}
}
