package live

import "time"

const (
	// leastInterval is between checkpoints that something waits for: a burst of
	// alerts is one checkpoint.
	leastInterval = 500 * time.Millisecond
	// partBytes is when a part is closed before its time: it is read back into
	// memory.
	partBytes = 64 << 20
)

// Due tells whether it is time for a checkpoint after the last one. full says that a
// part of the dataset is to be closed.
func (j *Judging) Due(full bool, interval time.Duration) bool {
	since := time.Since(j.Last)
	if _, held := j.Outbox.Waiting(); held > 0 && since >= j.soonest() {
		return true
	}
	return (j.Dirty || full || j.Outbox.Moved()) && since >= interval
}

// soonest is how soon a checkpoint may follow on the last one.
func (j *Judging) soonest() time.Duration { return max(leastInterval, 4*j.took) }

// Full tells whether a part of a dataset is to be closed that was begun then.
func Full(size int64, began time.Time, interval time.Duration) bool {
	return size >= partBytes || time.Since(began) >= interval
}

// Began is when a part was begun, as a checkpoint has it in microseconds. The
// clock may have been set back since, or be another machine's.
func Began(micros int64) time.Time {
	if began := time.UnixMicro(micros); began.Before(time.Now()) {
		return began
	}
	return time.Now()
}
