package window

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// naiveOrder looks at all that has happened each time.
type naiveOrder struct {
	lateness          int64
	streams           []naiveStream
	waiting, released []*Event
	stats             OrderStats
}

type naiveStream struct {
	live, idle, begun bool
	newest            int64
}

func (o *naiveOrder) push(ev *Event) bool {
	s := &o.streams[ev.Position.Stream]
	s.idle = false
	if behind := s.newest - ev.Time; s.begun && behind > o.lateness {
		o.stats.Late++
		o.stats.WorstLate = max(o.stats.WorstLate, time.Duration(behind)*time.Microsecond)
		return false
	}
	if !s.begun || ev.Time > s.newest {
		s.begun, s.newest = true, ev.Time
	}
	if slices.ContainsFunc(o.released, func(out *Event) bool { return goesBefore(ev, out) }) {
		o.stats.Late++
		o.stats.Overtaken++
		return false
	}
	o.waiting = append(o.waiting, ev)
	return true
}

func goesBefore(a, b *Event) bool {
	return a.Time < b.Time || a.Time == b.Time && a.Position.Before(b.Position)
}

// pop releases the first of those that wait if every stream that holds back is
// later.
func (o *naiveOrder) pop() *Event {
	if len(o.waiting) == 0 {
		return nil
	}
	first := 0
	for i, ev := range o.waiting {
		if goesBefore(ev, o.waiting[first]) {
			first = i
		}
	}
	ev := o.waiting[first]
	for _, s := range o.streams {
		if s.live && !s.idle && (!s.begun || s.newest-o.lateness <= ev.Time) {
			return nil
		}
	}
	o.waiting = slices.Delete(o.waiting, first, first+1)
	if n := len(o.released); n > 0 && o.released[n-1].Time == ev.Time {
		o.stats.Tied++
	}
	o.released = append(o.released, ev)
	return ev
}

// TestOrderOfLiveStreams: streams open, fall silent, speak again, end and begin
// anew; what is released, refused and held back is what it must be, and what
// is released never goes back.
func TestOrderOfLiveStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lateness := int64(rapid.IntRange(0, 8).Draw(t, "lateness"))
		o := NewOrder(time.Duration(lateness) * time.Microsecond)
		want := &naiveOrder{lateness: lateness}
		open := func(i int32, first int64) {
			o.Open(i, first)
			s := naiveStream{live: true}
			if first != fingerprint.NoTime {
				s.begun, s.newest = true, first
			}
			if int(i) == len(want.streams) {
				want.streams = append(want.streams, s)
			} else {
				want.streams[i] = s
			}
		}
		firsts := []int64{fingerprint.NoTime, 0, 20, 60}
		streams := rapid.IntRange(1, 3).Draw(t, "streams")
		for i := range streams {
			open(int32(i), rapid.SampledFrom(firsts).Draw(t, "first"))
		}
		for k := range rapid.IntRange(1, 40).Draw(t, "steps") {
			i := int32(rapid.IntRange(0, streams-1).Draw(t, "stream"))
			s := &want.streams[i]
			switch rapid.SampledFrom([]string{"push", "push", "push", "push", "idle", "idle", "wake", "close", "open", "pop", "pop"}).Draw(t, "do") {
			case "push":
				ev := &Event{Time: int64(rapid.IntRange(0, 80).Draw(t, "time")), Position: fingerprint.Position{Stream: i, Offset: int64(k)}}
				if s.begun && rapid.Bool().Draw(t, "near") {
					ev.Time = s.newest + int64(rapid.IntRange(-9, 3).Draw(t, "step"))
				} else if n := len(want.released); n > 0 && rapid.Bool().Draw(t, "tied") {
					ev.Time = want.released[n-1].Time
				}
				if got, want := o.Push(ev), want.push(ev); got != want {
					t.Fatalf("%s is taken: %v, want %v", show([]*Event{ev}), got, want)
				}
			case "idle":
				o.Idle(i)
				s.idle = true
			case "wake":
				o.Wake(i)
				s.live, s.idle = true, false
			case "close":
				o.Close(i)
				s.live = false
			case "open":
				open(i, rapid.SampledFrom(firsts).Draw(t, "first"))
			case "pop":
				for {
					got, want := o.Pop(), want.pop()
					if got != want {
						t.Fatalf("released %v, want %v", got, want)
					}
					if got == nil {
						break
					}
				}
			}
			compareOrders(t, o, want)
		}
		for i := range streams {
			o.Idle(int32(i))
		}
		ordered(o)
		if o.Waiting() > 0 {
			t.Fatalf("%d events wait, and all streams are idle", o.Waiting())
		}
		for i := 1; i < len(want.released); i++ {
			if goesBefore(want.released[i], want.released[i-1]) {
				t.Fatalf("released %s", show(want.released))
			}
		}
	})
}

func compareOrders(t *rapid.T, o *Order, want *naiveOrder) {
	t.Helper()
	if o.Waiting() != len(want.waiting) || o.Stats() != want.stats {
		t.Fatalf("%d wait, %+v; want %d, %+v", o.Waiting(), o.Stats(), len(want.waiting), want.stats)
	}
	lagging, held := int32(0), false
	for i, s := range want.streams {
		if !s.live || s.idle {
			continue
		}
		if first := want.streams[lagging]; !held || first.begun && (!s.begun || s.newest < first.newest) {
			lagging, held = int32(i), true
		}
	}
	from := int64(0)
	if s := want.streams[lagging]; held && s.begun {
		from = s.newest - want.lateness
	} else if held {
		from = fingerprint.NoTime
	} else {
		lagging = 0
	}
	if got, ok := o.Lagging(); ok != held || got != lagging {
		t.Fatalf("stream %d lags (%v), want %d (%v)", got, ok, lagging, held)
	}
	if got, ok := o.Frontier(); ok != held || got != from {
		t.Fatalf("the frontier is %d (%v), want %d (%v)", got, ok, from, held)
	}
}

// TestIdleReleasesNoBrokenClock: a time that no stream has come to does not go
// out because all are silent, or everything after would be overtaken. It goes
// when a stream has come so far, or at the end.
func TestIdleReleasesNoBrokenClock(t *testing.T) {
	const s, far = time.Second, 50 * 365 * 24 * time.Hour
	o := orderOf(0, 2)
	released := func(want ...*Event) {
		t.Helper()
		if got := ordered(o); !slices.Equal(got, want) {
			t.Errorf("released %s, want %s", show(got), show(want))
		}
	}
	a, broken, b, c := at(0, 1*s), at(0, far), at(0, 2*s), at(1, 3*s)
	o.Push(a)
	o.Push(broken)
	o.Idle(0)
	o.Idle(1)
	released(a)
	if !o.Push(b) || !o.Push(c) {
		t.Error("late because of a broken clock")
	}
	o.Idle(0)
	o.Close(1)
	released(b, c)
	if o.Waiting() != 1 {
		t.Errorf("%d events wait, want the broken clock alone", o.Waiting())
	}
	o.Close(0)
	released(broken)
}

// TestWakeHoldsBack: a stream that wakes holds back at once, also in the midst of what
// its silence has let go.
func TestWakeHoldsBack(t *testing.T) {
	o := orderOf(0, 2)
	first := at(0, time.Second)
	for _, ev := range []*Event{first, at(0, 2*time.Second), at(0, 3*time.Second)} {
		o.Push(ev)
	}
	o.Idle(1)
	if got := o.Pop(); got != first {
		t.Errorf("released %v, want the first", got)
	}
	o.Wake(1)
	if got := o.Pop(); got != nil {
		t.Errorf("released %v", got)
	}
}

// TestFarOff: no lateness is said to save what is further behind than any may be.
func TestFarOff(t *testing.T) {
	o := NewOrder(0)
	o.Open(0, fingerprint.NoTime)
	o.Push(at(0, MaxLateness+time.Hour))
	o.Push(at(0, 0))
	o.Push(at(0, MaxLateness))
	if got := o.Stats(); got.Late != 2 || got.WorstLate != time.Hour {
		t.Errorf("%+v", got)
	}
}

// TestFirstEventOpens: a stream of which nothing was known is where its first
// event is, however far that is from no time at all.
func TestFirstEventOpens(t *testing.T) {
	o := NewOrder(10 * time.Second)
	o.Open(0, fingerprint.NoTime)
	o.Open(1, 0)
	first := at(0, time.Hour)
	if !o.Push(first) {
		t.Error("the first event is late")
	}
	if from, ok := o.Frontier(); !ok || from != -10e6 {
		t.Errorf("the frontier is %d, want that of stream 1", from)
	}
	o.Close(1)
	if from, ok := o.Frontier(); !ok || from != (time.Hour-10*time.Second).Microseconds() {
		t.Errorf("the frontier is %d, want that of stream 0", from)
	}
	if o.Push(at(0, time.Hour-11*time.Second)) {
		t.Error("taken, and further behind than the lateness")
	}
	o.Open(2, fingerprint.NoTime)
	o.Push(at(2, -time.Hour)) // before 1970, and no jump
	if from, _ := o.Frontier(); from != (-time.Hour - 10*time.Second).Microseconds() {
		t.Errorf("the frontier is %d, want that of stream 2", from)
	}
}
