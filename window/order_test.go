package window

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// arrival is one stream as it is read: its events in the order of the file.
type arrival struct {
	first  int64 // what Open is told
	events []*Event
}

// drawArrivals draws streams of short steps in time, with equal times, several
// events a line, and events now and then further back than the lateness.
func drawArrivals(t *rapid.T, lateness int64) []arrival {
	streams := make([]arrival, rapid.IntRange(1, 4).Draw(t, "streams"))
	for i := range streams {
		now := int64(rapid.IntRange(0, 40).Draw(t, "start"))
		s := &streams[i]
		s.first = now - int64(rapid.IntRange(0, 3).Draw(t, "announced before"))
		for k := range rapid.IntRange(0, 15).Draw(t, "events") {
			now += int64(rapid.SampledFrom([]int{0, 0, 1, 2, 5, 20}).Draw(t, "step"))
			back := int64(rapid.IntRange(0, int(lateness)+2).Draw(t, "back"))
			s.events = append(s.events, &Event{
				Time:     now - back,
				Position: fingerprint.Position{Stream: int32(i), Offset: int64(k / 2), Item: int32(k % 2)},
			})
		}
	}
	return streams
}

// onTime is what an order must release, in that order, and the times by which
// the others are behind. It looks at one stream at a time.
func onTime(streams []arrival, lateness int64) (released []*Event, behind []int64) {
	for _, s := range streams {
		newest := s.first
		for _, ev := range s.events {
			if newest-ev.Time > lateness {
				behind = append(behind, newest-ev.Time)
				continue
			}
			newest = max(newest, ev.Time)
			released = append(released, ev)
		}
	}
	slices.SortFunc(released, func(a, b *Event) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Position.Stream, b.Position.Stream),
			cmp.Compare(a.Position.Offset, b.Position.Offset), cmp.Compare(a.Position.Item, b.Position.Item))
	})
	return released, behind
}

func ordered(o *Order) (out []*Event) {
	for ev := o.Pop(); ev != nil; ev = o.Pop() {
		out = append(out, ev)
	}
	return out
}

func show(events []*Event) string {
	var b strings.Builder
	for _, ev := range events {
		fmt.Fprintf(&b, "%d@%d:%d.%d ", ev.Time, ev.Position.Stream, ev.Position.Offset, ev.Position.Item)
	}
	return b.String()
}

// TestOrderIsTheSameForEveryInterleaving: streams arrive in any order, and
// events are asked for at any moment; what comes out is always all that is in
// time, by time, stream, offset and item.
func TestOrderIsTheSameForEveryInterleaving(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lateness := int64(rapid.IntRange(0, 8).Draw(t, "lateness"))
		streams := drawArrivals(t, lateness)
		want, behind := onTime(streams, lateness)
		tied := int64(0)
		for i := 1; i < len(want); i++ {
			if want[i].Time == want[i-1].Time {
				tied++
			}
		}

		o := NewOrder(time.Duration(lateness) * time.Microsecond)
		for i, s := range streams {
			o.Open(int32(i), s.first)
		}
		asLagging := rapid.Bool().Draw(t, "the lagging stream first")
		read := make([]int, len(streams))
		var open []int32
		for i := range streams {
			open = append(open, int32(i))
		}
		var got []*Event
		for len(open) > 0 {
			i := rapid.SampledFrom(open).Draw(t, "next")
			if asLagging {
				lagging, ok := o.Lagging()
				if !ok {
					t.Fatal("no stream lags, and some are not at their end")
				}
				i = lagging
			}
			if at := read[i]; at < len(streams[i].events) {
				o.Push(streams[i].events[at])
				read[i]++
			} else {
				o.Close(i)
				open = slices.DeleteFunc(open, func(k int32) bool { return k == i })
			}
			if rapid.Bool().Draw(t, "ask") {
				got = append(got, ordered(o)...)
			}
		}
		if _, ok := o.Lagging(); ok {
			t.Error("a stream that is closed lags")
		}
		got = append(got, ordered(o)...)

		if !slices.Equal(got, want) {
			t.Fatalf("released %s\nwant     %s", show(got), show(want))
		}
		stats := OrderStats{Late: int64(len(behind)), Tied: tied}
		if len(behind) > 0 {
			stats.WorstLate = time.Duration(slices.Max(behind)) * time.Microsecond
		}
		if got := o.Stats(); got != stats {
			t.Fatalf("stats %+v, want %+v", got, stats)
		}
	})
}

// TestFront: a Front refuses of a stream what an Order of it alone does.
func TestFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lateness := int64(rapid.IntRange(0, 8).Draw(t, "lateness"))
		o := NewOrder(time.Duration(lateness) * time.Microsecond)
		for i, s := range drawArrivals(t, lateness) {
			f := NewFront(time.Duration(lateness) * time.Microsecond)
			o.Open(int32(i), s.first)
			f.Open(s.first)
			for _, ev := range s.events {
				if got, want := f.Push(ev), o.Push(ev); got != want || f.Newest() < ev.Time && got {
					t.Fatalf("%d of stream %d is let pass: %v, want %v", ev.Time, i, got, want)
				}
			}
		}
	})
}

// TestWorstLateSavesAll: with the lateness that the stats advise nothing is
// late, with one microsecond less something is.
func TestWorstLateSavesAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		streams := drawArrivals(t, 2)
		late := func(lateness time.Duration) OrderStats {
			o := NewOrder(lateness)
			for i, s := range streams {
				o.Open(int32(i), s.first)
				for _, ev := range s.events {
					o.Push(ev)
				}
			}
			return o.Stats()
		}
		advised := late(0).WorstLate
		if got := late(advised).Late; got != 0 {
			t.Errorf("%d late with the lateness advised, %v", got, advised)
		}
		if advised > 0 && late(advised-time.Microsecond).Late == 0 {
			t.Errorf("none late with less than the lateness advised, %v", advised)
		}
	})
}

// orderOf makes an order whose streams begin at 0.
func orderOf(lateness time.Duration, streams int32) *Order {
	o := NewOrder(lateness)
	for i := range streams {
		o.Open(i, 0)
	}
	return o
}

// at is an event of a stream.
func at(stream int32, t time.Duration) *Event {
	return &Event{Time: t.Microseconds(), Position: fingerprint.Position{Stream: stream}}
}

// TestOrderReleasesAsSoonAsItCan: an event goes when every live stream is
// later by more than the lateness, not before and not after.
func TestOrderReleasesAsSoonAsItCan(t *testing.T) {
	const s = time.Second
	o := orderOf(10*s, 2)
	released := func(want ...*Event) {
		t.Helper()
		if got := ordered(o); !slices.Equal(got, want) {
			t.Errorf("released %s, want %s", show(got), show(want))
		}
	}
	a, b := at(0, 5*s), at(1, 7*s)
	o.Push(a)
	o.Push(b)
	o.Push(at(1, 100*s))
	released()
	o.Push(at(0, 15*s))
	released() // another event at 5 may come, of a lower item
	o.Push(at(0, 15*s+time.Microsecond))
	released(a)
	if i, _ := o.Lagging(); i != 0 {
		t.Errorf("stream %d lags, want 0", i)
	}
	// A stream without any event holds the others back until it is closed.
	o = orderOf(0, 2)
	o.Push(a)
	o.Push(at(0, 6*s))
	released()
	o.Close(1)
	released(a)
}

func TestLagging(t *testing.T) {
	f := func(want int32, times ...time.Duration) {
		t.Helper()
		o := orderOf(time.Second, int32(len(times)))
		for i, to := range times {
			o.Push(at(int32(i), to))
		}
		if got, ok := o.Lagging(); !ok || got != want {
			t.Errorf("after %v stream %d lags (%v), want %d", times, got, ok, want)
		}
	}
	f(0, 1)
	f(1, 2*time.Second, time.Second)
	f(0, time.Second, time.Second)
	f(2, 3*time.Second, 2*time.Second, time.Second)
}

// TestOrderJump: a time more than jumpLimit ahead moves its stream only when
// the next agrees.
func TestOrderJump(t *testing.T) {
	const s, far = time.Second, 50 * 365 * 24 * time.Hour
	f := func(wantLate int64, times ...time.Duration) {
		t.Helper()
		o := orderOf(10*s, 1)
		for _, to := range times {
			o.Push(at(0, to))
		}
		if got := o.Stats().Late; got != wantLate {
			t.Errorf("%v: %d late, want %d", times, got, wantLate)
		}
		o.Close(0)
		if got := ordered(o); len(got) != len(times)-int(wantLate) || !slices.IsSortedFunc(got, func(a, b *Event) int { return cmp.Compare(a.Time, b.Time) }) {
			t.Errorf("%v: released %s", times, show(got))
		}
	}
	f(0, 1*s, far, 2*s, 3*s)
	f(0, 1*s, far, 2*s, far, 3*s) // two, not in a row
	f(1, 1*s, far, far+s, 2*s)
	f(0, 1*s, far, far+jumpLimit+s, 2*s) // two in a row that disagree
	f(0, 1*s, far, far-jumpLimit-s, 2*s)
	f(2, 1*s, far, far+jumpLimit, 2*s, far-jumpLimit)
	f(0, 1*s, far+s, far, far-10*s) // the stream is as far as the lesser of the two
	f(1, 1*s, jumpLimit+s, 2*s)     // at the limit it is believed
	f(0, 1*s, jumpLimit+s+1000, 2*s)
	f(0, far) // the first event too: Open said 0
}

// TestOrderOfClocksSetBack: of two times an hour apart that a log's clocks show alike the
// one is meant that is nearer to the event before.
func TestOrderOfClocksSetBack(t *testing.T) {
	const s, minute, far = time.Second, time.Minute, 50 * 365 * 24 * time.Hour
	// Clocks show the hours from 1h and from 2h alike: all are read as the first.
	shown := func(to time.Duration) *Event {
		ev := at(0, to)
		ev.Start = ev.Time - (1 * s).Microseconds()
		if to >= 2*time.Hour && to < 3*time.Hour {
			ev.Time, ev.Start = ev.Time-time.Hour.Microseconds(), ev.Start-time.Hour.Microseconds()
		}
		if to >= time.Hour && to < 3*time.Hour {
			ev.Again = time.Hour.Microseconds()
		}
		return ev
	}
	f := func(lateness time.Duration, wantAlike int64, times ...time.Duration) {
		t.Helper()
		o, front, disorder := NewOrder(lateness), NewFront(lateness), Disorder{}
		o.Open(0, fingerprint.NoTime)
		for _, to := range times {
			saved := snapshot.NewWriter(nil) // as if the process began anew at each event
			front.Code(saved.Codec())
			front = NewFront(lateness)
			front.Code(snapshot.NewReader(saved.Bytes()).Codec())
			ev, same := shown(to), shown(to)
			disorder.Add(ev.Time, ev.Again)
			if !o.Push(ev) || !front.Push(same) {
				t.Errorf("%v of %v is late", to, times)
			}
			if ev.Time != to.Microseconds() || ev.Start != (to-s).Microseconds() || same.Time != ev.Time {
				t.Errorf("%v of %v is %v, begun at %v; of a front %v", to, times, ev.Time, ev.Start, same.Time)
			}
		}
		if got := o.Stats().Alike; got != wantAlike {
			t.Errorf("%v: %d times are alike, want %d", times, got, wantAlike)
		}
		if disorder.Worst > lateness {
			t.Errorf("the disorder of %v is %v", times, disorder.Worst)
		}
	}
	hours := func(step time.Duration) (times []time.Duration) {
		for to := 50 * minute; to < 190*minute; to += step {
			times = append(times, to)
		}
		return times
	}
	f(0, 0, hours(7*s)...)
	f(0, 0, hours(14*minute)...) // few
	f(2*time.Hour, 0, hours(7*s)...)
	slow := hours(7 * s)
	for i := range slow[1:] { // out of order
		if i%5 == 0 {
			slow[i], slow[i+1] = slow[i+1], slow[i]
		}
	}
	f(7*s, 0, slow...)
	back := hours(7 * s)
	slices.Reverse(back)
	f(3*time.Hour, 0, back...)                                           // an export, the newest first
	f(10*s, 2, 59*minute, 60*minute, 61*minute, 181*minute)              // nothing in the second
	f(10*s, 0, 110*minute, far, 119*minute, 121*minute, far, 122*minute) // a broken clock is ahead
}

// TestClocksSetBackInRotatedFile: what begins behind what has been judged is of the second
// hour.
func TestClocksSetBackInRotatedFile(t *testing.T) {
	o := NewOrder(0)
	o.Open(0, fingerprint.NoTime)
	o.Push(at(0, 119*time.Minute))
	o.Push(at(0, 120*time.Minute-1))
	ordered(o)
	o.Open(1, time.Hour.Microseconds())
	ev := at(1, time.Hour)
	ev.Again = time.Hour.Microseconds()
	if !o.Push(ev) || ev.Time != (2*time.Hour).Microseconds() {
		t.Errorf("it is at %d, late %d", ev.Time, o.Stats().Late)
	}
}

// TestOrderJumpHoldsOthersBackNoMore: a broken clock in one stream neither
// releases what the other stream may still come before, nor is released before
// the end.
func TestOrderJumpHoldsOthersBackNoMore(t *testing.T) {
	const s = time.Second
	o := orderOf(0, 2)
	broken, a, b := at(0, 1000*24*time.Hour), at(1, 1*s), at(0, 2*s)
	o.Push(broken)
	o.Push(a)
	o.Push(at(1, 3*s))
	if got := ordered(o); got != nil {
		t.Errorf("released %s: stream 0 has not come so far", show(got))
	}
	o.Push(b)
	if got := ordered(o); !slices.Equal(got, []*Event{a}) {
		t.Errorf("released %s, want %s", show(got), show([]*Event{a}))
	}
	o.Close(0)
	o.Close(1)
	if got := ordered(o); len(got) != 3 || got[2] != broken {
		t.Errorf("released %s, want the broken clock last", show(got))
	}
}

// TestDisorderIsTheLatenessNeeded: the disorder measured on a stream is the
// least lateness under which an order loses nothing of it.
func TestDisorderIsTheLatenessNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(0, 3*jumpLimit.Microseconds()), 1, 20).Draw(t, "times")
		var d Disorder
		for _, to := range times {
			d.Add(to, 0)
		}
		late := func(lateness time.Duration) int64 {
			o := NewOrder(lateness)
			o.Open(0, times[0])
			for _, to := range times {
				o.Push(&Event{Time: to})
			}
			return o.Stats().Late
		}
		if got := late(d.Worst); got != 0 {
			t.Errorf("%d late with the lateness measured, %v", got, d.Worst)
		}
		if d.Worst > 0 && late(d.Worst-time.Microsecond) == 0 {
			t.Errorf("none late with less than the lateness measured, %v", d.Worst)
		}
	})
}

func TestDisorder(t *testing.T) {
	var d Disorder
	f := func(want time.Duration, times ...time.Duration) {
		t.Helper()
		for _, to := range times {
			d.Add(to.Microseconds(), 0)
		}
		d.Next()
		if d.Worst != want {
			t.Errorf("after %v the disorder is %v, want %v", times, d.Worst, want)
		}
	}
	const s = time.Second
	f(0)
	f(0, 1*s, 1*s, 2*s)
	f(2*s, 5*s, 3*s, 4*s)
	f(2*s, 1*s, 2*s)                             // another stream begins anew
	f(2*s, 1*s, 1000*24*time.Hour, 2*s)          // a broken clock is no disorder
	f(3*s, 10*s, 1000*24*time.Hour, 11*s, 8*s)   // what comes after it is measured
	f(1000*24*time.Hour, 1000*24*time.Hour, 0*s) // a broken first line cannot be told from a broken second
	f(MaxLateness, MaxLateness, 0*s)
	f(MaxLateness, MaxLateness+1*s, 0*s) // no lateness would be enough
}
