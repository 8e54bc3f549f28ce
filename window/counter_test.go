package window

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// drawSpec draws settings of a counter kind. Windows are a few microseconds, so
// that drawn times often fall on their edges.
func drawSpec(t *rapid.T, kind string) CounterSpec {
	smallest := 1
	if CounterNamed(kind).Endless {
		smallest = 0
	}
	return CounterSpec{
		Kind:   kind,
		Window: time.Duration(rapid.IntRange(smallest, 12).Draw(t, "window")) * time.Microsecond,
		Closed: rapid.Bool().Draw(t, "closed"),
		Period: rapid.IntRange(1, 5).Draw(t, "period"),
	}
}

// TestDrawSpec: no setting of counters is left out by the tests that draw them.
func TestDrawSpec(t *testing.T) {
	specs := rapid.Custom(func(t *rapid.T) CounterSpec { return drawSpec(t, "streak") })
	var other []string
	for seed := range 50 {
		for field, value := range reflect.ValueOf(specs.Example(seed)).Fields() {
			if !value.IsZero() && !slices.Contains(other, field.Name) {
				other = append(other, field.Name)
			}
		}
	}
	for field := range reflect.TypeFor[CounterSpec]().Fields() {
		if !slices.Contains(other, field.Name) {
			t.Errorf("drawSpec draws no %s: neither naive counts nor restarts would look at it", field.Name)
		}
	}
}

// restarted is the counter in another process.
func restarted(t *rapid.T, c Counter, kind *CounterKind, spec CounterSpec) Counter {
	w := snapshot.NewWriter(nil)
	c.code(&coder{w.Codec(), 16})
	next := kind.New(spec, 0)
	r := snapshot.NewReader(w.Bytes())
	if next.code(&coder{r.Codec(), 16}); r.Err() != nil || r.Left() > 0 {
		t.Fatalf("%v, %d bytes left", r.Err(), r.Left())
	}
	return next
}

// TestCountersAgreeWithNaive holds every counter of the table against its naive
// recount, with equal times, hits that are only asked about, Forget, and
// restarts in between.
func TestCountersAgreeWithNaive(t *testing.T) {
	n := newNames(t)
	prints := []fingerprint.Fingerprint{n.print("A"), n.print("B"), n.print("C")}
	scopes := []fingerprint.ScopeKey{n.scope("s").Key, n.scope("u").Key}
	for _, kind := range Counters {
		count := naives[kind.Name]
		if count == nil {
			t.Fatalf("counter %s has no naive counter to be held against", kind.Name)
		}
		t.Run(kind.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				spec := drawSpec(t, kind.Name)
				c := kind.New(spec, 0)
				var past []op
				now := int64(1000)
				// Few fingerprints, drawn with weights, make runs; sequences
				// that repeat a phrase make cycles.
				phrase := rapid.SliceOfN(rapid.SampledFrom(prints), 1, 6).Draw(t, "phrase")
				for i := range rapid.IntRange(1, 60).Draw(t, "hits") {
					now += int64(rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3, 6, 12, 13}).Draw(t, "pause"))
					h := Hit{
						Scope: scopes[rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "scope")],
						Print: phrase[i%len(phrase)], Time: now,
						Limit: rapid.IntRange(2, 4).Draw(t, "limit"), Record: rapid.IntRange(0, 4).Draw(t, "record") > 0,
					}
					if rapid.IntRange(0, 7).Draw(t, "stray") == 0 {
						h.Print = rapid.SampledFrom(prints).Draw(t, "print")
					}
					got, want := c.Count(&h), count(spec, past, h)
					if got != want {
						t.Fatalf("hit %d at %d: count %d since %d, want %d since %d", i, now, got.N, got.First, want.N, want.First)
					}
					if own, ok := c.(chancer); ok && h.Record {
						_, want := naiveTrackerChance(spec, past, h)
						if given := own.Chance(&h, got.N >= h.Limit); given != want {
							t.Fatalf("hit %d at %d: given a chance %v, want %v", i, now, given, want)
						}
					}
					past = append(past, op{Hit: h})
					if rapid.IntRange(0, 3).Draw(t, "restart") == 0 {
						c = restarted(t, c, &kind, spec)
					}
					if rapid.IntRange(0, 19).Draw(t, "forget") == 0 {
						c.Forget(&h)
						past = append(past, op{h, true})
					}
				}
			})
		})
	}
}

// TestKeying: what a counter says of a hit does not depend on hits with other
// keys.
func TestKeying(t *testing.T) {
	n := newNames(t)
	for _, kind := range Counters {
		c := kind.New(CounterSpec{Kind: kind.Name, Window: time.Second, Period: 5}, 0)
		hit := func(at int64, scope, print string) Count {
			return c.Count(&Hit{Scope: n.scope(scope).Key, Print: n.print(print), Time: at, Limit: 100, Record: true})
		}
		hit(0, "s", "A")
		hit(1, "u", "A")
		hit(2, "s", "B")
		if got := hit(3, "v", "A"); got != (Count{1, 3}) {
			t.Errorf("%s: a hit in a new scope counts %v", kind.Name, got)
		}
		got := hit(4, "s", "A")
		switch kind.Keying {
		case ByScopeAndFingerprint:
			if got != (Count{2, 0}) {
				t.Errorf("%s: keyed by scope and fingerprint, A B A counts %v", kind.Name, got)
			}
			if c.Keys() != 4 {
				t.Errorf("%s: %d live keys, want 4", kind.Name, c.Keys())
			}
		case ByScope:
			if c.Keys() != 3 {
				t.Errorf("%s: %d live keys, want 3", kind.Name, c.Keys())
			}
		}
	}
}

// TestCountersAreWhatTheySay: what the table says of a counter is so.
func TestCountersAreWhatTheySay(t *testing.T) {
	n := newNames(t)
	prints := []fingerprint.Fingerprint{n.print("A"), n.print("B")}
	scope := n.scope("s").Key
	for _, kind := range Counters {
		t.Run(kind.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				spec := drawSpec(t, kind.Name)
				longer, closed := spec, spec
				longer.Window += time.Duration(rapid.IntRange(0, 12).Draw(t, "more")) * time.Microsecond
				if spec.Window == 0 {
					longer.Window = 0
				}
				closed.Closed = true
				own, grown, edge := kind.New(spec, 0), kind.New(longer, 0), kind.New(closed, 0)
				now, last := int64(1000), fingerprint.Fingerprint{}
				for i := range rapid.IntRange(1, 40).Draw(t, "hits") {
					now += int64(rapid.SampledFrom([]int{0, 1, 2, 5, 11}).Draw(t, "pause"))
					h := Hit{Scope: scope, Print: rapid.SampledFrom(prints).Draw(t, "print"), Time: now, Limit: 3, Record: true}
					count := own.Count(&h).N
					if long := grown.Count(&h).N; kind.Grows && long < count {
						t.Fatalf("hit %d: Grows, and counts %d in %s, %d in %s", i, count, spec.Window, long, longer.Window)
					}
					if with := edge.Count(&h).N; kind.Closed && with != count {
						t.Fatalf("hit %d: Closed, and counts %d, told so %d", i, count, with)
					}
					if kind.Unbroken && h.Print != last && count != 1 {
						t.Fatalf("hit %d: Unbroken, and counts %d behind another", i, count)
					}
					last = h.Print
				}
			})
		})
	}
}

// TestCountersForgetIdleKeys: a stream of keys that never come back leaves no
// more of them than were touched within one window.
func TestCountersForgetIdleKeys(t *testing.T) {
	n := newNames(t)
	print := n.print("A")
	for _, kind := range Counters {
		c := kind.New(CounterSpec{Kind: kind.Name, Window: 100 * time.Microsecond, Closed: true, Period: 5}, 0)
		for i := range int64(10_000) {
			c.Count(&Hit{Scope: fingerprint.ScopeKey{byte(i), byte(i >> 8)}, Print: print, Time: i, Limit: 3, Record: true})
			if c.Keys() > 101 {
				t.Fatalf("%s: %d live keys of 101 in the window", kind.Name, c.Keys())
			}
		}
		if c.Dropped() != 0 {
			t.Errorf("%s: %d keys counted as dropped that were idle", kind.Name, c.Dropped())
		}
	}
}

// TestCountersCapKeys: beyond the cap the least recently used key goes, and is
// counted.
func TestCountersCapKeys(t *testing.T) {
	n := newNames(t)
	for _, kind := range Counters {
		c := kind.New(CounterSpec{Kind: kind.Name, Window: time.Hour, Period: 5}, 2)
		hit := func(at int64, scope string) int {
			return c.Count(&Hit{Scope: n.scope(scope).Key, Print: n.print("A"), Time: at, Limit: 100, Record: true}).N
		}
		hit(0, "s")
		hit(1, "u")
		hit(2, "s")
		hit(3, "v") // u goes
		if got := hit(4, "s"); got != 3 {
			t.Errorf("%s: the key used last counts %d, want 3", kind.Name, got)
		}
		if got := hit(5, "u"); got != 1 {
			t.Errorf("%s: the key that was dropped counts %d, want 1", kind.Name, got)
		}
		if c.Keys() != 2 || c.Dropped() != 2 {
			t.Errorf("%s: %d live keys, %d dropped; want 2 and 2", kind.Name, c.Keys(), c.Dropped())
		}
	}
}

func TestCycleTakesTheShortestPeriod(t *testing.T) {
	n := newNames(t)
	f := func(sequence string, period, want, found int) {
		t.Helper()
		c := newCycle(CounterSpec{Kind: "cycle", Window: time.Hour, Period: period}, 0).(*cycle)
		var got Round
		for i, name := range sequence {
			print := n.print(string(name))
			got = c.round(n.scope("s").Key, printKeyOf(&print), int64(i))
		}
		if got != (Round{want, found}) {
			t.Errorf("%s, periods up to %d: %+v, want %d of %d", sequence, period, got, want, found)
		}
	}
	f("A", 5, 1, 1)
	f("AB", 5, 1, 1)
	f("AA", 5, 2, 1)
	f("AAAA", 5, 4, 1)
	f("ABAB", 5, 2, 2)
	f("ABABA", 5, 2, 2)
	f("ABABABAB", 1, 1, 1)
	f("ABCABC", 2, 1, 1)
	f("ABCABC", 3, 2, 3)
	f("XABCABCABC", 5, 3, 3)
	f("ABCDEABCDE", 5, 2, 5)
	f("ABCDEFABCDEF", 5, 1, 1)
	f("AABAAB", 5, 2, 3)
	f("AABAABAA", 5, 2, 1) // period 1 twice comes before period 3
	f("AABAABAABA", 5, 3, 3)
	f("ABABCC", 5, 2, 1)
}

// TestStreakIsCycle: what comes several times in a row is a cycle of one step,
// and none goes back further.
func TestStreakIsCycle(t *testing.T) {
	n := newNames(t)
	prints := []fingerprint.Fingerprint{n.print("A"), n.print("B")}
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t, "cycle")
		streak, cycle := newStreak(spec, 0), newCycle(spec, 0)
		now := int64(1000)
		for i := range rapid.IntRange(1, 60).Draw(t, "hits") {
			now += int64(rapid.SampledFrom([]int{0, 0, 1, 2, 6, 12}).Draw(t, "pause"))
			h := Hit{Scope: n.scope("s").Key, Print: rapid.SampledFrom(prints).Draw(t, "print"), Time: now, Record: true}
			if run, round := streak.Count(&h).N, cycle.Count(&h).N; run > 1 && round != run || round < 1 {
				t.Fatalf("hit %d at %d: %d in a row, and %d repetitions", i, now, run, round)
			}
		}
	})
}

// TestHotKey: a key hit very often inside its window costs memory for what is
// in the window, and gives it back.
func TestHotKey(t *testing.T) {
	n := newNames(t)
	c := newSliding(CounterSpec{Kind: "sliding", Window: 10 * time.Millisecond}, 0).(*sliding)
	for i := range int64(100_000) {
		h := Hit{Scope: n.scope("s").Key, Print: n.print("A"), Time: i, Record: true}
		if got, want := c.Count(&h).N, int(min(i+1, 10_000)); got != want {
			t.Fatalf("hit %d counts %d, want %d", i, got, want)
		}
	}
	if chunks, most := c.times.chunks.n, uint32(10_000/chunkItems+3); chunks > most {
		t.Errorf("%d chunks for 10000 hits, want at most %d", chunks, most)
	}
}

// TestCountersGiveBack: what has left a window, or is in no run any more, and keys
// that were forgotten, make room for what comes: a second time takes no memory.
func TestCountersGiveBack(t *testing.T) {
	n := newNames(t)
	print := n.print("A")
	for _, kind := range Counters {
		for _, window := range []time.Duration{0, time.Millisecond} {
			if window == 0 && !kind.Endless {
				continue
			}
			c := kind.New(CounterSpec{Kind: kind.Name, Window: window, Period: 5}, 100)
			hit := Hit{Print: print, Limit: 1 << 30, Record: true}
			if n := testing.AllocsPerRun(3, func() { // rounded down: one that is of something else is none
				for i := range 5_000 {
					hit.Time++
					hit.Scope = fingerprint.ScopeKey{}
					c.Count(&hit)
					hit.Scope = fingerprint.ScopeKey{1, byte(i >> 4), byte(i >> 12)}
					c.Count(&hit)
				}
			}); n != 0 {
				t.Errorf("%s in %s: %v allocations", kind.Name, window, n)
			}
		}
	}
}

func BenchmarkCounters(b *testing.B) {
	n := newNames(b)
	print := n.print("A")
	for _, kind := range Counters {
		for _, keys := range []int{1, 1000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/keys=%d", kind.Name, keys), func(b *testing.B) {
				c := kind.New(CounterSpec{Kind: kind.Name, Window: time.Duration(max(8*keys, 64)) * time.Microsecond, Period: 5}, 0)
				var h Hit
				hits := func(from, to int) {
					for i := from; i < to; i++ {
						k := uint64(i) * 0x9E3779B97F4A7C15 >> 16 % uint64(keys) // in no order that a cache could know
						h = Hit{Scope: fingerprint.ScopeKey{byte(k), byte(k >> 8), byte(k >> 16)}, Print: print, Time: int64(i), Limit: 4, Record: true}
						c.Count(&h)
					}
				}
				hits(0, 3*keys) // the memory that the steady state needs
				b.ReportAllocs()
				b.ResetTimer()
				hits(3*keys, 3*keys+b.N)
			})
		}
	}
}

func TestNaiveCountersAreAllUsed(t *testing.T) {
	for name := range naives {
		if !slices.ContainsFunc(Counters, func(k CounterKind) bool { return k.Name == name }) {
			t.Errorf("no counter is called %s", name)
		}
	}
}
