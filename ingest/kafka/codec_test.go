package kafka

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
)

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
		if err != nil {
			t.Fatal(err)
		}
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 1+random.IntN(50000))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, room := range []int{0, 1000, 70 << 10, 130 << 10, 1 << 20} {
			got, err := unpackZstd(packed.Bytes(), make([]byte, 0, room))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes into %d: %d bytes, %v", size, room, len(got), err)
			}
		}
	}
}
