package window

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

func TestDuplicates(t *testing.T) {
	d := NewDuplicates(10 * time.Second)
	f := func(at time.Duration, id string, want bool) {
		t.Helper()
		if got := d.Seen(&Event{Time: at.Microseconds(), ID: id}); got != want {
			t.Errorf("%q at %v is a duplicate: %v, want %v", id, at, got, want)
		}
	}
	const s = time.Second
	f(0*s, "a", false)
	f(0*s, "a", true)
	f(0*s, "", false)
	f(0*s, "", false)
	f(1*s, "b", false)
	f(6*s, "a", true)
	f(10*s, "a", true) // exactly the horizon old
	f(10*s+time.Microsecond, "a", false)
	f(11*s, "b", true)
	f(20*s+time.Microsecond, "a", true)
	f(20*s+2*time.Microsecond, "a", false)
	f(21*s, strings.Repeat("a", 1<<20), false)
	f(21*s, strings.Repeat("a", 1<<20)+"b", false)
	f(21*s, strings.Repeat("a", 1<<20), true)
}

// TestSpend: what several events of a response have used, the first of them has; what
// is unknown stays it.
func TestSpend(t *testing.T) {
	f := func(d *Duplicates, at time.Duration, response uint64, in int64, cost float64, wantIn int64, wantCost float64) {
		t.Helper()
		ev := &Event{Time: at.Microseconds(), Response: response, TokensIn: in, TokensOut: fingerprint.Unknown, Cost: cost}
		d.Spend(ev)
		if got := fmt.Sprint(ev.TokensIn, ev.TokensOut, ev.Cost); got != fmt.Sprint(wantIn, fingerprint.Unknown, wantCost) {
			t.Errorf("response %d at %v uses %s, want %d, -1, %v", response, at, got, wantIn, wantCost)
		}
	}
	const s = time.Second
	d := NewDuplicates(10 * s)
	f(d, 0, 7, 100, 0.5, 100, 0.5)
	f(d, 0, 7, 100, math.NaN(), 0, math.NaN())
	f(d, 9*s, 7, fingerprint.Unknown, 0.5, fingerprint.Unknown, 0)
	f(d, 9*s, 8, 100, 0.5, 100, 0.5)
	f(d, 9*s, 0, 100, 0.5, 100, 0.5)
	f(d, 9*s, 0, 100, 0.5, 100, 0.5)
	f(d, 11*s, 7, 100, 0.5, 100, 0.5) // too long ago for one response
	off := NewDuplicates(0)
	f(off, 0, 7, 100, 0.5, 100, 0.5)
	f(off, 0, 7, 100, 0.5, 100, 0.5)
}

func TestDuplicatesOff(t *testing.T) {
	d := NewDuplicates(0)
	for range 2 {
		if d.Seen(&Event{ID: "a"}) {
			t.Error("a duplicate without a horizon")
		}
	}
}

// TestDuplicatesAgreeWithNaive: an id counts again when the last time that it
// counted is further back than the horizon. Copies in between do not prolong
// it, or a client that never stops repeating an id would be invisible.
func TestDuplicatesAgreeWithNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		horizon := int64(rapid.IntRange(1, 20).Draw(t, "horizon"))
		d := NewDuplicates(time.Duration(horizon) * time.Microsecond)
		counted := map[string]int64{}
		now := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			now += int64(rapid.IntRange(0, 5).Draw(t, "pause"))
			id := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "id")
			at, known := counted[id]
			want := known && now-at <= horizon
			if id != "" && !want {
				counted[id] = now
			}
			if got := d.Seen(&Event{Time: now, ID: id}); got != want {
				t.Fatalf("%q at %d is a duplicate: %v, want %v", id, now, got, want)
			}
		}
	})
}

// TestDuplicatesForget: ids of the past cost no memory.
func TestDuplicatesForget(t *testing.T) {
	d := NewDuplicates(100 * time.Microsecond)
	for i := range int64(10_000) {
		d.Seen(&Event{Time: i, ID: fmt.Sprint(i)})
		if d.seen.live > 101 {
			t.Fatalf("%d ids remembered of 101 within the horizon", d.seen.live)
		}
	}
}

// TestDuplicatesTurnedOff: of ids that were remembered nothing is kept where none are.
func TestDuplicatesTurnedOff(t *testing.T) {
	d, off, w := NewDuplicates(time.Minute), NewDuplicates(0), snapshot.NewWriter(nil)
	d.Seen(&Event{ID: "a"})
	d.code(&coder{Codec: w.Codec()}, stateVersion)
	r := snapshot.NewReader(w.Bytes())
	off.code(&coder{Codec: r.Codec()}, stateVersion)
	if err := r.Done(); err != nil || off.seen.live > 0 {
		t.Errorf("%d ids, %v", off.seen.live, err)
	}
}

func TestDuplicatesAllocateNothing(t *testing.T) {
	d := NewDuplicates(time.Second)
	ev := &Event{ID: "chatcmpl-9f8e7d6c5b4a"}
	if n := testing.AllocsPerRun(1000, func() { ev.Time += 1_000_001; d.Seen(ev) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
