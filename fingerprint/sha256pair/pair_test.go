package sha256pair

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// wantSums hashes messages in each way that this machine has, and holds the
// sums against those of crypto/sha256.
func wantSums(tb testing.TB, messages ...[]byte) {
	tb.Helper()
	ways := map[string]func([]Job){"Sum": Sum, "one by one": oneByOne}
	if hasBlocks {
		ways["in pairs"] = inPairs
	}
	for way, sum := range ways {
		jobs := make([]Job, len(messages))
		for i, m := range messages {
			jobs[i].Message = m
		}
		sum(jobs)
		for i, m := range messages {
			if jobs[i].Sum != sha256.Sum256(m) {
				tb.Fatalf("%s: message %d of %d, of %d bytes: another sum than that of crypto/sha256", way, i, len(messages), len(m))
			}
		}
	}
}

// noise is n bytes that no two blocks share.
func noise(n int) []byte {
	text := make([]byte, n)
	x := uint32(n)
	for i := range text {
		x = x*1664525 + 1013904223
		text[i] = byte(x >> 24)
	}
	return text
}

// TestEveryLength: alone, and beside each other, wherever they start.
func TestEveryLength(t *testing.T) {
	text := noise(512)
	for n := range 301 {
		wantSums(t, text[:n])
		for _, m := range []int{0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 300} {
			wantSums(t, text[n%64:n%64+n], text[m%17:m%17+m])
			wantSums(t, text[m%17:m%17+m], text[n%64:n%64+n], text[:n])
		}
	}
}

func TestNothing(*testing.T) {
	Sum(nil)
	if hasBlocks {
		inPairs(nil)
	}
}

func TestMessagesOfAnyLengths(t *testing.T) {
	text := noise(100 << 10)
	rapid.Check(t, func(rt *rapid.T) {
		length := rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(0, 10<<10), rapid.IntRange(0, len(text)))
		var messages [][]byte
		for _, n := range rapid.SliceOfN(length, 0, 20).Draw(rt, "lengths") {
			from := rapid.IntRange(0, len(text)-n).Draw(rt, "from")
			messages = append(messages, text[from:from+n])
		}
		wantSums(t, messages...)
	})
}

// FuzzSum cuts a text at three places.
func FuzzSum(f *testing.F) {
	f.Add([]byte(nil), uint(0), uint(0), uint(0))
	f.Add(noise(1000), uint(55), uint(56), uint(64))
	f.Add(noise(9000), uint(1), uint(120), uint(8000))
	f.Fuzz(func(t *testing.T, text []byte, a, b, c uint) {
		var messages [][]byte
		for _, n := range []uint{a, b, c} {
			k := min(n, uint(len(text)))
			messages = append(messages, text[:k])
			text = text[k:]
		}
		wantSums(t, append(messages, text)...)
	})
}

// TestAllocatesNothing: lanes stay on the stack.
func TestAllocatesNothing(t *testing.T) {
	jobs := []Job{{Message: noise(100)}, {Message: noise(1000)}, {Message: noise(10)}}
	if n := testing.AllocsPerRun(10, func() { Sum(jobs) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSum(b *testing.B) {
	for _, n := range []int{200, 2000, 8000} {
		jobs := make([]Job, 8)
		for i := range jobs {
			jobs[i].Message = noise(n)
		}
		for _, way := range []struct {
			name string
			sum  func([]Job)
		}{{"one_by_one", oneByOne}, {"Sum", Sum}} {
			b.Run(fmt.Sprintf("%s/bytes=%d", way.name, n), func(b *testing.B) {
				b.SetBytes(int64(n * len(jobs)))
				for b.Loop() {
					way.sum(jobs)
				}
			})
		}
	}
}
