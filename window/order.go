package window

import (
	"math"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// jumpLimit is how far a time may run ahead of its stream before it is
// believed: one broken clock must not make all that follows late, and no
// gateway is silent for a day and then writes a single line. A second line in
// a row that agrees moves the stream.
const jumpLimit = 24 * time.Hour

// MaxLateness is the most that a lateness can be: longer than any log is kept,
// and far from overflow. A time further behind its stream is not late but wrong.
const MaxLateness = 10 * 365 * 24 * time.Hour

// Order puts the events of several streams into one order: by time, then by
// stream, offset and index in the line. An event is released once no live
// stream can bring an earlier one, so the order in which the streams arrive
// cannot change the outcome.
type Order struct {
	lateness int64
	streams  []frontier
	waiting  waiting
	stats    OrderStats
	last     place // of the event released last
	reached  int64 // the newest time of all streams; fingerprint.NoTime if there is none
	low      int64 // events before it may be released
	stale    bool  // low must be found anew
}

// OrderStats says what an Order saw.
type OrderStats struct {
	Late      int64         // events refused because they were late
	WorstLate time.Duration // the lateness that would have saved all but those overtaken or far off
	Overtaken int64         // of Late: their stream was idle or opened late, and events after them had been released
	Tied      int64         // events released with the time of the one before
	Alike     int64         // events at times that clocks show twice, of streams in which all seem to be the first; not saved
}

// place is where an event stands in the order.
type place struct {
	time     int64
	position fingerprint.Position
}

func placeOf(ev *Event) place { return place{ev.Time, ev.Position} }

func (p place) before(q place) bool {
	return p.time < q.time || p.time == q.time && p.position.Before(q.position)
}

// frontier is how far a stream has come.
type frontier struct {
	live   bool
	idle   bool
	newest int64 // fingerprint.NoTime if nothing has come
	before int64 // the time that came last; 0 if none has
	alike  int64 // times that its clocks show twice and that are the first, setBack if one was not; not saved
	ahead  int64 // a time beyond the jump limit that waits for a second; or math.MaxInt64
}

// NewOrder makes an Order for streams that are out of order by at most
// lateness.
func NewOrder(lateness time.Duration) *Order {
	return &Order{lateness: lateness.Microseconds(), last: place{time: math.MinInt64}, reached: fingerprint.NoTime, stale: true}
}

// Open announces a stream whose first event will not be more than the lateness
// before first. If first is fingerprint.NoTime nothing is known of it: it
// holds everything back until its first event comes, it is opened with a time,
// is idle or closed.
func (o *Order) Open(stream int32, first int64) {
	for int(stream) >= len(o.streams) {
		o.streams = append(o.streams, frontier{newest: fingerprint.NoTime, ahead: math.MaxInt64})
	}
	o.streams[stream] = frontier{live: true, newest: first, ahead: math.MaxInt64}
	o.reached = max(o.reached, first)
	o.stale = true
}

// Idle says that a stream has been silent for so long that it shall hold
// nothing back. It goes on where it was with its next event, and may then be
// further back than what has been released. When every stream is idle or at
// its end all that waits is released, but for times beyond the jump limit,
// which no stream has come to.
func (o *Order) Idle(stream int32) {
	o.streams[stream].idle = true
	o.stale = true
}

// Wake takes back that a stream is idle, or closed: nobody can tell any more that
// it has no event further back, so it holds back from where it was.
func (o *Order) Wake(stream int32) {
	o.streams[stream].live, o.streams[stream].idle = true, false
	o.stale = true
}

// Close says that a stream brings no more events.
func (o *Order) Close(stream int32) {
	o.streams[stream].live = false
	o.stale = true
}

// Waiting is how many events are held back.
func (o *Order) Waiting() int { return len(o.waiting) }

// Newest is the time that the streams have come to: fingerprint.NoTime if
// nothing has come.
func (o *Order) Newest() int64 { return o.reached }

// Frontier is the time up to which events are released, those of that time
// itself not yet: fingerprint.NoTime if a stream of which nothing has come
// holds all back. ok is false if no stream holds anything back.
func (o *Order) Frontier() (t int64, ok bool) {
	for i := range o.streams {
		if f := &o.streams[i]; f.live && !f.idle {
			if from := f.from(o.lateness); !ok || from < t {
				t, ok = from, true
			}
		}
	}
	return t, ok
}

// Lagging is the live stream that holds the others back: the one to read next.
// Streams that are idle hold nothing back.
func (o *Order) Lagging() (stream int32, ok bool) {
	lowest := int64(math.MaxInt64)
	for i := range o.streams {
		if f := &o.streams[i]; f.live && !f.idle && (!ok || f.newest < lowest) {
			stream, lowest, ok = int32(i), f.newest, true
		}
	}
	return stream, ok
}

// Push takes an event in and keeps it until it is released. It returns false
// if the event is late: further than the lateness behind its stream's newest
// time, or overtaken by one that stands behind it and has been released.
func (o *Order) Push(ev *Event) bool {
	f := &o.streams[ev.Position.Stream]
	o.stale = true
	f.idle = false
	if ev.Again != 0 {
		o.stats.Alike -= max(0, f.alike)
		f.settle(ev, o.last.time)
		o.stats.Alike += max(0, f.alike)
	}
	if behind := f.newest - ev.Time; f.newest != fingerprint.NoTime && behind > o.lateness {
		o.stats.Late++
		if !f.farOff(ev.Time) {
			o.stats.WorstLate = max(o.stats.WorstLate, time.Duration(behind)*time.Microsecond)
		}
		return false
	}
	f.advance(ev.Time)
	o.reached = max(o.reached, f.newest)
	return o.wait(ev)
}

// FarOff tells whether an event is so far behind its stream that no lateness
// would have saved it.
func (o *Order) FarOff(ev *Event) bool { return o.streams[ev.Position.Stream].farOff(ev.Time) }

func (f *frontier) farOff(t int64) bool {
	return f.newest != fingerprint.NoTime && f.newest-t > MaxLateness.Microseconds()
}

// wait keeps an event, unless it was overtaken.
func (o *Order) wait(ev *Event) bool {
	if placeOf(ev).before(o.last) {
		o.stats.Late++
		o.stats.Overtaken++
		return false
	}
	o.waiting.push(ev)
	return true
}

// from is the first time that the stream may still bring.
func (f *frontier) from(lateness int64) int64 {
	if f.newest == fingerprint.NoTime {
		return fingerprint.NoTime
	}
	return f.newest - lateness
}

// setBack is what alike is of a stream whose clocks were seen to be.
const setBack = -1

// settle says which of an event's times is meant.
func (f *frontier) settle(ev *Event, released int64) {
	if ev.Again == 0 {
		return
	}
	if f.isSecond(ev.Time, ev.Again, released) {
		f.alike = setBack
		ev.Time += ev.Again
		if ev.Start != fingerprint.NoTime {
			ev.Start += ev.Again
		}
	} else if f.alike != setBack {
		f.alike++
	}
	ev.Again = 0
}

// isSecond tells that of two times that the clocks of a log show alike, again apart, the
// second is nearer to what came before in the stream, or, where nothing has, to what has
// been released of the others. A clock that is ahead tells nothing.
func (f *frontier) isSecond(t, again, released int64) bool {
	near := min(f.before, f.newest)
	if f.before == 0 {
		near = max(f.newest, released)
	}
	return near > t+again/2
}

func (f *frontier) advance(t int64) {
	f.before = t
	const limit = int64(jumpLimit / time.Microsecond)
	if f.newest == fingerprint.NoTime || t-f.newest <= limit {
		f.newest = max(f.newest, t)
		f.ahead = math.MaxInt64
		return
	}
	if f.ahead != math.MaxInt64 && t-f.ahead <= limit && f.ahead-t <= limit {
		f.newest, f.ahead = min(t, f.ahead), math.MaxInt64
		return
	}
	f.ahead = t
}

// Pop releases the next event, or returns nil if none can be released yet.
func (o *Order) Pop() *Event {
	if len(o.waiting) == 0 {
		return nil
	}
	if o.stale {
		o.stale, o.low = false, o.bound()
	}
	if o.waiting[0].time >= o.low {
		return nil
	}
	next := o.waiting.pop()
	if next.Time == o.last.time {
		o.stats.Tied++
	}
	o.last = placeOf(next)
	return next
}

// Released is the time up to which all events that were taken in have been
// released, those of that time itself maybe not; math.MinInt64 at first.
func (o *Order) Released() int64 { return o.last.time }

// bound is the time before which events may be released. A time that no stream
// has come to is released at the end only, or when one has: the silence of the
// streams must not let a broken clock overtake all that they bring later.
func (o *Order) bound() int64 {
	if t, ok := o.Frontier(); ok {
		return t
	}
	ended := !slices.ContainsFunc(o.streams, func(f frontier) bool { return f.live })
	if ended || o.reached == math.MaxInt64 {
		return math.MaxInt64
	}
	return o.reached + 1
}

// Stats says what the order has seen so far.
func (o *Order) Stats() OrderStats { return o.stats }

// What is known of a stream, as bits.
const (
	streamLive = 1 << iota
	streamIdle
	streamBegun
	streamAhead
	streamApart // what came last is not the newest
	streamBits  // all of them are below
)

// code codes the streams, and the events that wait. Where it reads, fit makes them
// events of the plan of now.
func (o *Order) code(c *coder, events *eventCoder, fit func(*snapshot.Reader, *Event)) {
	snapshot.List(c.Codec, &o.streams, 1, func(f *frontier) { f.code(c.Codec) })
	c.count(&o.stats.Late)
	snapshot.Size(c.Codec, &o.stats.WorstLate, most)
	c.count(&o.stats.Overtaken)
	c.count(&o.stats.Tied)
	c.Varint(&o.reached)
	c.Varint(&o.last.time)
	c.position(&o.last.position)
	const least = 14 // bytes of an event
	waiting := o.waiting.sorted()
	if n := c.Items(len(waiting), least); c.Reads() {
		list := make([]Event, n)
		for i := range list {
			waiting = append(waiting, &list[i])
		}
	}
	for i, ev := range waiting {
		if events.code(c, ev); !c.Reads() {
			continue
		}
		c.Check(int(ev.Position.Stream) < len(o.streams) && (i == 0 || !ev.Before(waiting[i-1])), "an event that waits is out of order, or of no stream")
		if c.From.Err() != nil {
			return
		}
		fit(c.From, ev)
		o.waiting.push(ev)
	}
}

func (f *frontier) code(c *snapshot.Codec) {
	has := 0
	set := func(bit int, is bool) {
		if is {
			has |= bit
		}
	}
	set(streamLive, f.live)
	set(streamIdle, f.idle)
	set(streamBegun, f.newest != fingerprint.NoTime)
	set(streamAhead, f.ahead != math.MaxInt64)
	set(streamApart, f.before != 0 && f.before != f.newest)
	if snapshot.Size(c, &has, streamBits-1); c.Reads() {
		*f = frontier{live: has&streamLive != 0, idle: has&streamIdle != 0, newest: fingerprint.NoTime, ahead: math.MaxInt64}
	}
	if has&streamBegun != 0 {
		c.Varint(&f.newest)
	}
	if has&streamAhead != 0 {
		c.Varint(&f.ahead)
	}
	if has&streamApart != 0 {
		c.Varint(&f.before)
	} else if c.Reads() && has&streamBegun != 0 {
		f.before = f.newest
	}
}
