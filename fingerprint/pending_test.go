package fingerprint

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTakenPrintsAreThoseOfPrints: whatever waits beside them, of the same
// request or of others, taken, asked for or forgotten.
func TestTakenPrintsAreThoseOfPrints(t *testing.T) {
	identities, requests := contracts(t), realRequests(t)[:100]
	long := `[{"role":"user","content":"` + strings.Repeat("long ", pendingBytes/5) + `"}]`
	requests = append(requests,
		request(t, "caller", "c", "model", "m", "messages", long),
		request(t, "caller", "c", "model", "m", "messages", strings.Replace(long, "long l", `[REDACTED] \q`, 1)),
		request(t, "messages", "["+chatTurn+"]", "response", `f {"b":1,"a":2} g {"b"`), // of which openrouter has one and then none
	)
	of := func(p Print) Fingerprint { return p.Fingerprint }
	tool := func(p Print) string { return string(p.Tool) }
	random := rand.New(rand.NewPCG(3, 4))
	for _, key := range []string{"", "key"} {
		w := NewWriter([]byte(key))
		var taken, want [][]Fingerprint
		for range 2000 {
			w.Reset()
			r := requests[random.IntN(len(requests))]
			for range random.IntN(5) {
				id, alone := identities[random.IntN(len(identities))], NewWriter([]byte(key))
				if got, want := id.Compute(r, w), id.Compute(r, alone); got != want || w.Len() != alone.Len() {
					t.Fatalf("%s: %q and %d fingerprints, alone %q and %d", id.Name, got, w.Len(), want, alone.Len())
				}
				switch random.IntN(8) {
				case 0:
					w.Reset()
					continue
				case 1:
					if !slices.Equal(mapped(w.Prints(), of), mapped(alone.Prints(), of)) {
						t.Fatalf("%s: another fingerprint than alone", id.Name)
					}
				}
				to := make([]Fingerprint, w.Len())
				if prints := w.Take(to); !slices.Equal(mapped(prints, tool), mapped(alone.Prints(), tool)) {
					t.Fatalf("%s: %q are called, alone %q", id.Name, mapped(prints, tool), mapped(alone.Prints(), tool))
				}
				if w.Len() > 0 {
					t.Fatalf("%s: prints were taken, and are still there", id.Name)
				}
				taken, want = append(taken, to), append(want, mapped(alone.Prints(), of))
			}
		}
		w.Flush()
		for i := range taken {
			if !slices.Equal(taken[i], want[i]) {
				t.Errorf("key %q: the %d. taken are others than alone", key, i)
			}
		}
	}
}

// TestTakenOutlivesGiants: a Writer that gives its memory back hashes what was
// taken before.
func TestTakenOutlivesGiants(t *testing.T) {
	id, w := mustNew(t, "", Options{Parts: []string{"model"}}), NewWriter(nil)
	small := request(t, "model", "m")
	taken := make([]Fingerprint, 2)
	for i := range taken {
		id.Compute(small, w)
		w.Take(taken[i : i+1])
		w.Reset()
	}
	mustNew(t, "fairvisor", Options{}).Compute(request(t, "path", strings.Repeat("/", writerMemory)), w) // whose CRC-32 waits for nothing
	w.Reset()
	if w.memory() > writerMemory {
		t.Errorf("%d bytes are kept", w.memory())
	}
	fresh := NewWriter(nil)
	id.Compute(small, fresh)
	for _, f := range taken {
		if want := fresh.Prints()[0].Fingerprint; f != want {
			t.Errorf("%s was taken, want %s", f, want)
		}
	}
}
