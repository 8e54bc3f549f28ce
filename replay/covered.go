package replay

import (
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// day is one in microseconds.
const day = int64(24 * time.Hour / time.Microsecond)

// pause is a time longer than a day in which nothing was judged.
type pause struct{ from, to int64 } // microseconds

// spare is what a pause has more than the day that it counts.
func (p pause) spare() int64 { return p.to - p.from - day }

// judgedAt notes that a request was judged at a time.
func (t *Totals) judgedAt(time int64) {
	switch {
	case t.First == fingerprint.NoTime:
		t.First = time
	case time-t.Last > day:
		t.pauses = append(t.pauses, pause{t.Last, time})
	}
	t.Last = time
}

// covered is the time that the requests cover, in microseconds. A pause longer than
// a day counts as one: what the log leaves out, or a clock that was wrong, are no
// weeks without a loop.
func (t *Totals) covered() int64 {
	covered := t.Last - t.First
	for _, p := range t.pauses {
		covered -= p.spare()
	}
	return covered
}

// Days is how many days the requests cover, of which a pause is one at most.
func (t *Totals) Days() float64 { return float64(t.covered()) / float64(day) }

// At is the time up to which requests cover a share of what they all do.
func (t *Totals) At(share float64) int64 {
	at := t.First + int64(share*float64(t.covered()))
	for _, p := range t.pauses {
		if at <= p.from+day {
			break
		}
		at += p.spare()
	}
	return at
}
