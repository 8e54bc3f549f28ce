package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/segmentio/kafka-go/compress"
)

// streamed packs data as the producers of Java and librdkafka do: the frame
// does not say how long it gets.
func streamed(t *testing.T, data []byte, pieces int) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed)
	must(t, err)
	for i := range pieces {
		if _, err := w.Write(data[i*len(data)/pieces : (i+1)*len(data)/pieces]); err != nil {
			t.Fatal(err)
		}
	}
	must(t, w.Close())
	var head zstd.Header
	if err := head.Decode(packed.Bytes()); err != nil || head.HasFCS {
		t.Fatalf("the frame says how long it gets, %v", err)
	}
	return packed.Bytes()
}

// TestUnpackStreamed: how long records get is found out where it is not said,
// and what is damaged is not taken for what is long.
func TestUnpackStreamed(t *testing.T) {
	var text bytes.Buffer
	for i := 0; text.Len() < 40<<20; i++ {
		fmt.Fprintf(&text, `{"id": %d, "messages": [{"role": "user", "content": "the same again and again"}]}`, i)
	}
	f := func(size, memory int) {
		t.Helper()
		data := text.Bytes()[:size]
		packed := streamed(t, data, 7)
		got, err := unpackZstd(packed, make([]byte, 0, memory))
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes from %d: %d bytes, %v", size, len(packed), len(got), err)
		}
		for _, cut := range []int{len(packed) / 2, len(packed) - 1} {
			if _, err := unpackZstd(packed[:cut], make([]byte, 0, memory)); err == nil || errors.Is(err, errTooLong) {
				t.Errorf("%d bytes, cut: %v", size, err)
			}
		}
	}
	f(300<<10, 0)
	f(1<<20, 0)
	f(1<<20, 1<<20-1)
	f(1<<20, 1<<20)
	f(40<<20, 0)

	if _, err := unpackZstd(streamed(t, make([]byte, maxUnpacked+1), 1), nil); !errors.Is(err, errTooLong) {
		t.Errorf("longer than it may be: %v", err)
	}
}

// TestUnpackZstd: producers write frames that do not say how long they are, and
// how much memory was there before must not matter.
func TestUnpackZstd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{0, 1, 60 << 10, 65 << 10, 100 << 10, 300 << 10, 3 << 20} {
		var want []byte
		for len(want) < size {
			want = append(want, bytes.Repeat([]byte{byte(random.IntN(256))}, 1+random.IntN(200))...)
		}
		var packed bytes.Buffer
		w, err := zstd.NewWriter(&packed)
		must(t, err)
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 1+random.IntN(50000))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		must(t, w.Close())
		for _, room := range []int{0, 1000, 70 << 10, 130 << 10, 1 << 20} {
			got, err := unpackZstd(packed.Bytes(), make([]byte, 0, room))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes into %d: %d bytes, %v", size, room, len(got), err)
			}
		}
	}
}

// TestUnpackSnappy: in blocks or as one, and however long a block claims to be.
func TestUnpackSnappy(t *testing.T) {
	var text bytes.Buffer
	for i := 0; text.Len() < 200<<10; i++ {
		fmt.Fprintf(&text, `{"id": %d, "messages": [{"role": "user", "content": "again"}]}`, i)
	}
	var framed bytes.Buffer
	w := compress.Snappy.Codec().NewWriter(&framed)
	if _, err := w.Write(text.Bytes()); err != nil {
		t.Fatal(err)
	}
	must(t, w.Close())
	for name, packed := range map[string][]byte{"framed": framed.Bytes(), "one block": snappy.Encode(nil, text.Bytes())} {
		for _, room := range []int{0, 1000, 1 << 20} {
			got, err := unpack(uint16(compress.Snappy), packed, make([]byte, 0, room))
			if err != nil || !bytes.Equal(got, text.Bytes()) {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
		for _, cut := range []int{len(packed) / 2, len(packed) - 1, 17} {
			if got, err := unpack(uint16(compress.Snappy), packed[:cut], nil); err == nil {
				t.Errorf("%s, cut: %d bytes", name, len(got))
			}
		}
	}

	head := framed.Bytes()[:16]
	block := snappy.Encode(nil, make([]byte, 256<<10))
	many := bytes.Repeat(append(binary.BigEndian.AppendUint32(nil, uint32(len(block))), block...), maxUnpacked/(256<<10)+1)
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"a long block":    {append(bytes.Clone(head), 0xff, 0xff, 0xff, 0xff, 1), errSnappyCut},
		"half a length":   {append(bytes.Clone(head), 0, 0), errSnappyCut},
		"text of 4 GiB":   {[]byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0}, errTooLong},
		"text of more":    {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0}, snappy.ErrCorrupt},
		"too many blocks": {append(bytes.Clone(head), many...), errTooLong},
	} {
		if got, err := unpack(uint16(compress.Snappy), c.data, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}
