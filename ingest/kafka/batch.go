package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/loopgauge/loopgauge/ingest"
)

// A batch is what producers write and brokers keep: a head, and records that
// may be compressed together.
//
//	at 0   offset of the first record     at 23  last offset, less the first
//	at 8   length of what follows         at 57  number of records
//	at 12  the leader's epoch             at 61  the records
//	at 16  version, 2
//	at 17  CRC-32C of what follows
//	at 21  attributes
const (
	batchHead  = 61
	batchStart = 12 // what the length leaves out
)

// Attributes of a batch.
const (
	compression   = 7 // a codec
	transactional = 1 << 4
	control       = 1 << 5
)

type batch struct {
	first, next int64 // offset of the first record; of the one behind the last, be it there or compacted away
	epoch       int32 // of the leader that took it
	attributes  uint16
	count       int
	data        []byte // the records, as they are in the batch
}

// errCut is a batch whose end is not there.
var errCut = errors.New("the batch is cut")

// nextBatch takes the first batch of b. Its CRC is not checked here.
func nextBatch(b []byte) (batch, []byte, error) {
	if len(b) < batchHead {
		return batch{}, b, errCut
	}
	size := batchStart + int(int32(binary.BigEndian.Uint32(b[8:])))
	if magic := b[16]; magic != 2 {
		return batch{}, b, fmt.Errorf("its batch is of version %d, from before Kafka 0.11", magic)
	}
	if size < batchHead {
		return batch{}, b, fmt.Errorf("its batch says that it is %d bytes long", size)
	}
	if size > len(b) {
		return batch{}, b, errCut
	}
	first := int64(binary.BigEndian.Uint64(b))
	return batch{
		first: first, next: first + int64(int32(binary.BigEndian.Uint32(b[23:]))) + 1,
		epoch:      int32(binary.BigEndian.Uint32(b[12:])),
		attributes: binary.BigEndian.Uint16(b[21:]),
		count:      int(int32(binary.BigEndian.Uint32(b[57:]))),
		data:       b[batchHead:size],
	}, b[size:], nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// intact tells whether the batch that b begins with is as it was written. It
// is whole.
func intact(b []byte) bool {
	size := batchStart + int(binary.BigEndian.Uint32(b[8:]))
	return crc32.Checksum(b[21:size], castagnoli) == binary.BigEndian.Uint32(b[17:])
}

// opened are the records of a batch, unpacked.
type opened struct {
	first, next int64
	left        int // records that are not read
	w           wire
}

// errRecord is a batch whose records are not what it says.
var errRecord = errors.New("its batch holds records that are none")

// maxRecords bounds a block of small records as its size bounds one of others.
const maxRecords = 1 << 15

func full(b *ingest.Block) bool {
	return len(b.Data) >= ingest.BlockSize || len(b.Records) >= maxRecords
}

// read appends records from an offset on to the block, until none is left or
// the block is full. It returns the offset behind the last.
func (o *opened) read(b *ingest.Block, from int64) (int64, error) {
	b.Records = slices.Grow(b.Records, min(o.left, maxRecords))
	for o.left > 0 && !full(b) {
		before := o.w
		record := wire{b: o.w.bytes(int(o.w.varint()))}
		record.bytes(1) // attributes
		record.varint() // time
		offset := o.first + record.varint()
		if n := record.varint(); n > 0 {
			record.bytes(int(n)) // the key
		}
		var value []byte
		if n := record.varint(); n > 0 {
			value = record.bytes(int(n))
		}
		if o.w.short || record.short || offset < o.first || offset >= o.next {
			return from, errRecord
		}
		if offset < from {
			o.left--
			continue // the batch begins before what was asked for
		}
		if len(b.Data) > 0 && len(b.Data)+len(value) > cap(b.Data) {
			o.w = before // it begins the next block
			return from, nil
		}
		o.left--
		b.Data = append(b.Data, value...)
		b.Records = append(b.Records, ingest.Record{Offset: offset, End: len(b.Data)})
		from = offset + 1
	}
	if o.left == 0 {
		from = max(from, o.next)
	}
	return from, nil
}
