package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/segmentio/kafka-go/compress"

	"github.com/loopgauge/loopgauge/ingest"
)

// record writes a record of a batch.
func record(delta int64, key, value []byte) []byte {
	var r []byte
	r = append(r, 0)
	r = binary.AppendVarint(r, 0)
	r = binary.AppendVarint(r, delta)
	for _, part := range [][]byte{key, value} {
		if part == nil {
			r = binary.AppendVarint(r, -1)
			continue
		}
		r = append(binary.AppendVarint(r, int64(len(part))), part...)
	}
	r = binary.AppendVarint(r, 0) // headers
	return append(binary.AppendVarint(nil, int64(len(r))), r...)
}

// seal writes a batch around records.
func seal(first int64, last int32, attributes uint16, count int32, records []byte) []byte {
	b := make([]byte, batchHead, batchHead+len(records))
	binary.BigEndian.PutUint64(b, uint64(first))
	binary.BigEndian.PutUint32(b[8:], uint32(batchHead-batchStart+len(records)))
	b[16] = 2
	binary.BigEndian.PutUint16(b[21:], attributes)
	binary.BigEndian.PutUint32(b[23:], uint32(last))
	binary.BigEndian.PutUint32(b[57:], uint32(count))
	b = append(b, records...)
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], castagnoli))
	return b
}

// of is a partition that has fetched these batches.
func of(offset int64, batches []byte) *partition {
	c := &Config{Brokers: []string{"b:1"}, Topic: "t"}
	p := newPartition(context.Background(), &client{config: c}, topicID{}, 0, offset, forever)
	p.got = &fetched{batches: batches}
	return p
}

// drained reads what was fetched: offset=value of each record, and how it ended.
func drained(p *partition) (string, counts, error) {
	var all []string
	var n counts
	for {
		b, err := p.read(&n)
		if b != nil {
			for offset, data := range b.Each() {
				all = append(all, fmt.Sprintf("%d=%s", offset, data))
			}
			b.Release()
		}
		if err != nil || p.got == nil && p.records.left == 0 {
			return strings.Join(all, " "), n, err
		}
	}
}

func TestBatches(t *testing.T) {
	f := func(offset int64, batches []byte, want string, next int64, problem string) {
		t.Helper()
		p := of(offset, batches)
		got, _, err := drained(p)
		if got != want || p.offset != next || problem == "" && err != nil || !strings.Contains(fmt.Sprint(err), problem) {
			t.Errorf("got %q at %d, %v; want %q at %d, %s", got, p.offset, err, want, next, problem)
		}
	}
	two := bytes.Join([][]byte{record(0, []byte("k"), []byte("a")), record(3, nil, []byte("b"))}, nil)
	plain := seal(10, 3, 0, 2, two)
	f(10, plain, "10=a 13=b", 14, "")
	f(11, plain, "13=b", 14, "") // it begins before what was asked for
	f(10, plain[:len(plain)-1], "", 10, "")
	f(10, plain[:20], "", 10, "")
	f(10, append(bytes.Clone(plain), seal(20, 9, 0, 1, record(0, nil, nil))[:65]...), "10=a 13=b", 14, "") // the second is cut
	f(10, seal(10, 99, 0, 2, two), "10=a 13=b", 110, "")                                                   // what came behind was compacted away
	f(10, seal(10, 99, 0, 0, nil), "", 110, "")                                                            // all of it was
	f(10, append(seal(10, 0, control, 1, record(0, []byte("xxxx"), []byte("y"))), seal(11, 0, transactional, 1, record(0, nil, nil))...), "11=", 12, "")
	f(10, seal(10, 0, 0, 1, two), "10=a", 11, "")
	f(10, seal(10, 0, 0, 5, two), "10=a", 11, "records that are none")
	f(10, seal(10, 1, 0, 2, two), "10=a", 11, "records that are none") // an offset that is not the batch's
	f(10, seal(10, 3, 7, 2, two), "", 10, "compressed in an unknown way (7)")
	old := bytes.Clone(plain)
	old[16] = 1
	f(10, old, "", 10, "from before Kafka 0.11")
	small := bytes.Clone(plain)
	binary.BigEndian.PutUint32(small[8:], 3)
	f(10, small, "", 10, "15 bytes long")
	for codec := compress.Gzip; codec <= compress.Zstd; codec++ {
		var packed bytes.Buffer
		w := codec.Codec().NewWriter(&packed)
		_, _ = w.Write(two)
		must(t, w.Close())
		f(10, seal(10, 3, uint16(codec), 2, packed.Bytes()), "10=a 13=b", 14, "")
		f(10, seal(10, 3, uint16(codec), 2, packed.Bytes()[:packed.Len()/2]), "", 10, "cannot be read on at t/0 offset 10")
	}
}

// TestChecksum: a batch that was damaged on its way is fetched again, one that
// is damaged on the broker is an error.
func TestChecksum(t *testing.T) {
	bad := seal(10, 0, 0, 1, record(0, nil, []byte("a")))
	bad[len(bad)-1] ^= 1
	p := of(10, bad)
	for i := range 3 {
		_, _, err := drained(p)
		if last := i == 2; (err != nil) != last {
			t.Fatalf("try %d: %v", i+1, err)
		}
		p.got = &fetched{batches: bad}
	}
	if _, err := p.read(&counts{}); !errors.Is(err, errDamaged) || passes(err) {
		t.Errorf("%v", err)
	}
}

// TestBomb: a batch that unpacks to more than memory is for is lost, loudly.
func TestBomb(t *testing.T) {
	encoder, err := zstd.NewWriter(nil)
	must(t, err)
	zeros := make([]byte, 1<<20)
	packed := encoder.EncodeAll(zeros, nil)
	bomb := bytes.Repeat(packed, maxUnpacked>>20+1) // frames, one behind the other
	p := of(10, append(seal(10, 4, uint16(compress.Zstd), 5, bomb), seal(15, 0, 0, 1, record(0, nil, []byte("b")))...))
	got, n, err := drained(p)
	if got != "15=b" || n.lost != 5 || !strings.Contains(n.why, "unpacks to more than 256 MiB") || err != nil {
		t.Errorf("%q, %d lost, %q, %v", got, n.lost, n.why, err)
	}
	// Likewise where it lies between others, of a stream.
	s := newStream(context.Background(), p.c, topicID{}, Span{From: 9, To: 16})
	s.p.got = &fetched{batches: slices.Concat(seal(9, 0, 0, 1, record(0, nil, []byte("a"))), seal(10, 4, uint16(compress.Zstd), 5, bomb), seal(15, 0, 0, 1, record(0, nil, []byte("b"))))}
	var told []string
	for {
		b, err := s.Next()
		if err != nil {
			if want := []string{"ab", "14: a batch that unpacks to more than 256 MiB"}; !errors.Is(err, io.EOF) || !slices.Equal(told, want) {
				t.Errorf("%q, %v, want %q", told, err, want)
			}
			return
		}
		if b.TooLong {
			ingest.NewReader(0).Read(b, nil, func(s ingest.Skip) { told = append(told, fmt.Sprintf("%d: %s", s.Line, s.Why)) })
		} else {
			told = append(told, string(b.Data))
		}
	}
}

// TestBlocks: blocks are full, but no larger than they must be, and a record
// that is larger is alone.
func TestBlocks(t *testing.T) {
	var records []byte
	sizes := []int{600 << 10, 300 << 10, 300 << 10, 3 << 20, 1, 1}
	for i, size := range sizes {
		records = append(records, record(int64(i), nil, bytes.Repeat([]byte("x"), size))...)
	}
	p := of(0, seal(0, int32(len(sizes)-1), 0, int32(len(sizes)), records))
	var got []int
	for p.got != nil {
		b, err := p.read(&counts{})
		must(t, err)
		got = append(got, len(b.Records))
		if b.Line != b.Records[0].Offset || b.MaxLine != ingest.DefaultMaxLine {
			t.Errorf("line %d, longest %d", b.Line, b.MaxLine)
		}
		b.Release()
	}
	if fmt.Sprint(got) != "[2 1 1 2]" {
		t.Errorf("blocks of %v records", got)
	}
	// Small records are bounded too.
	records = nil
	for i := range int64(2 * maxRecords) {
		records = append(records, record(i, nil, nil)...)
	}
	p = of(0, seal(0, 2*maxRecords-1, 0, 2*maxRecords, records))
	if b, err := p.read(&counts{}); err != nil || len(b.Records) != maxRecords {
		t.Errorf("%d records, %v", len(b.Records), err)
	}
}

// FuzzBatches: whatever a broker sends, offsets rise, and reading ends.
func FuzzBatches(f *testing.F) {
	two := append(record(0, []byte("k"), []byte("a")), record(3, nil, []byte("b"))...)
	f.Add(seal(10, 3, 0, 2, two), int64(10))
	f.Add(append(seal(10, 0, control, 1, record(0, nil, nil)), seal(11, 9, 16, 2, two)...), int64(0))
	var packed bytes.Buffer
	w := compress.Snappy.Codec().NewWriter(&packed)
	_, _ = w.Write(two)
	_ = w.Close()
	f.Add(seal(10, 3, 2, 2, packed.Bytes()), int64(12))
	f.Fuzz(func(t *testing.T, batches []byte, offset int64) {
		// The checksum is made right, or nothing gets past it.
		for rest := batches; ; {
			b, behind, err := nextBatch(rest)
			if err != nil || b.next <= b.first {
				break
			}
			binary.BigEndian.PutUint32(rest[17:], crc32.Checksum(rest[21:batchHead+len(b.data)], castagnoli))
			rest = behind
		}
		p := of(offset, batches)
		for range 1000 {
			before := p.offset
			b, err := p.read(&counts{})
			if p.offset < before {
				t.Fatalf("back from %d to %d", before, p.offset)
			}
			if b != nil {
				last := before - 1
				for _, r := range b.Records {
					if r.Offset <= last || r.Offset >= p.offset {
						t.Fatalf("offset %d behind %d, up to %d", r.Offset, last, p.offset)
					}
					last = r.Offset
				}
			}
			if err != nil || p.got == nil && p.records.left == 0 {
				return
			}
		}
	})
}

// FuzzAnswers: no answer of a broker's makes a panic.
func FuzzAnswers(f *testing.F) {
	f.Add(make([]byte, 100), int16(idFetch))
	f.Add(append(make([]byte, 3), 1, 0, 0, 0, 1), int16(namedFetch))
	f.Fuzz(func(_ *testing.T, answer []byte, version int16) {
		_ = (&fetched{}).read(answer, version)
		_, _ = readTopic(wire{b: answer})
	})
}
