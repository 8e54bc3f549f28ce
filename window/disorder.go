package window

import (
	"math"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Disorder measures how far a stream is out of order.
type Disorder struct {
	Worst   time.Duration // the furthest that a time was behind its stream, but for those far off
	front   frontier
	started bool
}

// Next begins another stream, or another place of the same.
func (d *Disorder) Next() { d.started = false }

// Add takes the next time of the stream in, in microseconds; again is how much later
// it may be as well.
func (d *Disorder) Add(t, again int64) {
	if !d.started {
		d.front, d.started = frontier{newest: t, ahead: math.MaxInt64}, true
	}
	if d.front.isSecond(t, again, fingerprint.NoTime) {
		t += again
	}
	if behind := d.front.newest - t; behind > 0 && !d.front.farOff(t) {
		d.Worst = max(d.Worst, time.Duration(behind)*time.Microsecond)
	}
	d.front.advance(t)
}
