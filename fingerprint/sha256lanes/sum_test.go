package sha256lanes

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// wantSums hashes messages in each way that this machine has, and holds the
// sums against those of crypto/sha256.
func wantSums(tb testing.TB, messages ...[]byte) {
	tb.Helper()
	padded := make([][]byte, len(messages))
	for i, m := range messages {
		padded[i] = Pad(slices.Clone(m))
	}
	wantSumsOf(tb, padded)
}

func wantSumsOf(tb testing.TB, padded [][]byte) {
	tb.Helper()
	jobs := make([]Job, len(padded))
	for name, sum := range allWays() {
		for i, p := range padded {
			jobs[i] = Job{Padded: p}
		}
		sum(jobs)
		for i := range jobs {
			if m := jobs[i].message(); jobs[i].Sum != sha256.Sum256(m) {
				tb.Fatalf("%s: message %d of %d, of %d bytes: another sum than that of crypto/sha256", name, i, len(jobs), len(m))
			}
		}
	}
}

// allWays also hash in lanes what is not worth it.
func allWays() map[string]func([]Job) {
	all := map[string]func([]Job){"Sum": Sum, "one by one": func(jobs []Job) {
		var q queue
		q.addAll(jobs)
		oneByOne(&q)
	}}
	for i, w := range ways() {
		all[fmt.Sprintf("way %d, %d lanes", i, w.lanes)] = func(jobs []Job) {
			var q queue
			q.addAll(jobs)
			w.inLanes(&q)
		}
	}
	return all
}

func (q *queue) addAll(jobs []Job) {
	for i := range jobs {
		q.add(&jobs[i])
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

// TestEveryLength: alone, beside one other, and in all lanes.
func TestEveryLength(t *testing.T) {
	text := noise(512)
	for n := range 301 {
		wantSums(t, text[:n])
		many := [][]byte{text[:n]}
		for _, m := range []int{0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 300} {
			wantSums(t, text[n%64:n%64+n], text[m%17:m%17+m])
			wantSums(t, text[m%17:m%17+m], text[n%64:n%64+n], text[:n])
			many = append(many, text[m%17:m%17+m], text[m%17:m%17+n])
			wantSums(t, many...)
		}
	}
}

func TestNothing(*testing.T) {
	for _, sum := range allWays() {
		sum(nil)
	}
}

func TestMessagesOfAnyLengths(t *testing.T) {
	text := noise(100 << 10)
	rapid.Check(t, func(rt *rapid.T) {
		length := rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(0, 10<<10), rapid.IntRange(0, len(text)))
		var messages [][]byte
		for _, n := range rapid.SliceOfN(length, 0, 40).Draw(rt, "lengths") {
			from := rapid.IntRange(0, len(text)-n).Draw(rt, "from")
			messages = append(messages, text[from:from+n])
		}
		wantSums(t, messages...)
	})
}

// FuzzSum cuts a text into pieces, as long as the bytes of lengths say.
func FuzzSum(f *testing.F) {
	f.Add([]byte(nil), []byte(nil))
	f.Add(noise(1000), []byte{55, 56, 64, 0, 119, 120})
	f.Add(noise(9000), noise(20))
	f.Fuzz(func(t *testing.T, text, lengths []byte) {
		var messages [][]byte
		for _, n := range lengths {
			k := min(int(n), len(text))
			messages = append(messages, text[:k])
			text = text[k:]
		}
		wantSums(t, append(messages, text)...)
	})
}

// TestPad: as many blocks as are needed, and no memory of the message's own
// where there is room.
func TestPad(t *testing.T) {
	for n := range 301 {
		text := noise(n)
		padded := Pad(slices.Clone(text))
		if want := (n + 1 + 8 + 63) / 64 * 64; len(padded) != want {
			t.Errorf("%d bytes become %d, want %d", n, len(padded), want)
		}
		if job := (Job{Padded: padded}); !slices.Equal(job.message(), text) {
			t.Errorf("%d bytes become %d", n, len(job.message()))
		}
	}
}

// TestAllocatesNothing: lanes stay on the stack.
func TestAllocatesNothing(t *testing.T) {
	jobs := make([]Job, 20)
	for i := range jobs {
		jobs[i].Padded = Pad(noise(100 * i))
	}
	for name, sum := range allWays() {
		if n := testing.AllocsPerRun(10, func() { sum(jobs) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// BenchmarkSum hashes messages of lengths as the fingerprints of a real log
// have them.
func BenchmarkSum(b *testing.B) {
	lengths := []int{119, 1187, 52, 484, 2339, 75, 700, 23, 4514, 119, 300, 1500, 90, 484, 24172, 1000, 60, 200, 800, 119}
	for _, n := range []int{1, 2, 5, 16, 100} {
		jobs, size := make([]Job, n), 0
		for i := range jobs {
			message := noise(lengths[i%len(lengths)])
			jobs[i].Padded = Pad(message)
			size += len(message)
		}
		for name, sum := range allWays() {
			b.Run(fmt.Sprintf("%s/messages=%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					sum(jobs)
				}
			})
		}
	}
}
