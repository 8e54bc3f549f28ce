package window

import (
	"math"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Front judges how late the events of one stream are, as an Order does, for a
// process that reads the stream and leaves the ordering to another.
type Front struct {
	lateness int64
	f        frontier
}

// NewFront makes a Front for a stream that is out of order by at most
// lateness, and of which nothing is known.
func NewFront(lateness time.Duration) *Front {
	return &Front{lateness.Microseconds(), frontier{live: true, newest: fingerprint.NoTime, ahead: math.MaxInt64}}
}

// Open says that the stream's first event is at about this time, as Order.Open.
func (f *Front) Open(first int64) { f.f.newest = first }

// Opened tells whether anything is known of the stream.
func (f *Front) Opened() bool { return f.f.newest != fingerprint.NoTime }

// Push takes the next event of the stream in. It returns false if the event is
// late.
func (f *Front) Push(ev *Event) bool {
	f.f.settle(ev, fingerprint.NoTime)
	if f.Opened() && f.f.newest-ev.Time > f.lateness {
		return false
	}
	f.f.advance(ev.Time)
	return true
}

// Newest is how far the stream has come, in microseconds; fingerprint.NoTime if
// nothing is known of it.
func (f *Front) Newest() int64 { return f.f.newest }

// Code writes what is known of the stream, or reads it.
func (f *Front) Code(c *snapshot.Codec) { f.f.code(c) }

// Put takes an event in that a Front has let pass; newest is how far its stream
// had come with it. It returns false if the event was overtaken.
func (o *Order) Put(ev *Event, newest int64) bool {
	f := &o.streams[ev.Position.Stream]
	f.idle = false
	o.reach(f, newest)
	return o.wait(ev)
}

// Reach says how far a stream has come, with events that need not be here.
func (o *Order) Reach(stream int32, newest int64) {
	o.reach(&o.streams[stream], newest)
}

func (o *Order) reach(f *frontier, newest int64) {
	f.newest = max(f.newest, newest)
	o.reached = max(o.reached, f.newest)
	o.stale = true
}

// Pass says that all that Pop has released is all there is up to a time, which
// it returns: an event that comes and is older has been overtaken by events
// that need not have been here. ok is false if there is no such time yet. Call
// it when Pop has returned nil.
func (o *Order) Pass() (t int64, ok bool) {
	if t = min(o.bound(), o.reached); t == fingerprint.NoTime {
		return 0, false
	}
	if t > o.last.time {
		o.last = place{time: t}
	}
	return o.last.time, true
}
