package kafka

import "time"

// goneTime is how long a topic, or a partition of it, may be unknown to the
// brokers.
const goneTime = 30 * time.Second

// absence is of what should be there, and may be missing for a while.
type absence struct{ since time.Time }

// note takes in whether it is missing now.
func (a *absence) note(missing bool) {
	switch {
	case !missing:
		a.since = time.Time{}
	case a.since.IsZero():
		a.since = time.Now()
	}
}

// lasts tells that it is missing for longer than it may be.
func (a *absence) lasts() bool { return !a.since.IsZero() && time.Since(a.since) > goneTime }
