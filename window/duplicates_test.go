package window

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
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

func TestDuplicatesAllocateNothing(t *testing.T) {
	d := NewDuplicates(time.Second)
	ev := &Event{ID: "chatcmpl-9f8e7d6c5b4a"}
	if n := testing.AllocsPerRun(1000, func() { ev.Time += 1_000_001; d.Seen(ev) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
