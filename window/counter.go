package window

import (
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Hit is one event as a counter sees it.
type Hit struct {
	Scope fingerprint.ScopeKey
	Print fingerprint.Fingerprint
	Time  int64 // microseconds; never less than that of the hit before

	// Limit is the threshold in force for this hit. Counters know no
	// threshold; only the tracker looks at it, because its state depends on
	// what fired.
	Limit int
	// Window is the one in force for this hit; 0 is the counter's own. Only
	// counters that vary look at it.
	Window time.Duration
	// Record keeps the hit for later counts. Without it the counter answers
	// what the count would be and stays as it was.
	Record bool
}

// Count is what a counter answers.
type Count struct {
	N     int   // equal requests, this one included
	First int64 // time of the oldest of them
}

// Counter counts repeats for one rule. Its memory holds what is inside the
// window, never the whole log.
type Counter interface {
	Count(h *Hit) Count
	// Forget drops what the hit's key has counted.
	Forget(h *Hit)
	// Keys is how many keys are live; Dropped how many were dropped, least
	// recently used first, to stay within the cap on live keys.
	Keys() int
	Dropped() int64

	// code codes the keys and what they have counted, least recently used first;
	// it reads that into a fresh counter of the same spec. What it accepts must not
	// make any later Count fail.
	code(s *coder)
}

// Keying says what a counter keeps apart.
type Keying uint8

const (
	ByScopeAndFingerprint Keying = iota // every fingerprint of a scope on its own
	ByScope                             // the order of all fingerprints of a scope
)

// CounterKind is a way to count repeats in time.
type CounterKind struct {
	Name   string
	Keying Keying
	// New makes a counter that holds at most keys live keys; 0 is no bound.
	New func(spec CounterSpec, keys int) Counter
	// Varies tells that the window may be another for each hit.
	Varies bool
	// Closed tells that what is exactly as old as the window counts, whatever
	// the spec says.
	Closed bool
	// Endless tells that a window of 0 counts all there was.
	Endless bool
	// Grows tells that a longer window never counts less.
	Grows bool
	// Unbroken tells that any other fingerprint in the scope ends the count.
	Unbroken bool
	// Periodic tells that the count is of repetitions of so many requests as
	// there are in a period: CounterSpec.Period at most.
	Periodic bool
}

// varying is a counter that Varies.
type varying interface {
	// keep makes it keep keys that nothing touches for so many microseconds.
	keep(idle int64)
}

// Counters are the counter kinds. A new one is one file and one line here.
var Counters = []CounterKind{
	{Name: "sliding", Keying: ByScopeAndFingerprint, New: newSliding, Grows: true},                              // events in (t-window, t]
	{Name: "fixed", Keying: ByScopeAndFingerprint, New: newFixed},                                               // events since the window was opened by its first event; it ends window later
	{Name: "refresh", Keying: ByScopeAndFingerprint, New: newRefresh, Grows: true},                              // events since the last pause of window or more
	{Name: "streak", Keying: ByScope, New: newStreak, Varies: true, Endless: true, Grows: true, Unbroken: true}, // equal fingerprints in a row, none other in between
	{Name: "cycle", Keying: ByScope, New: newCycle, Endless: true, Grows: true, Periodic: true},                 // complete repetitions of the shortest period at the tail
	{Name: TrackerKind, Keying: ByScope, New: newTracker, Varies: true, Closed: true},                           // the tool-call tracker as shipped, for its profile only
}

// TrackerKind is the counter that no rule can name: it is had by its profile,
// and what it counts depends on what fired.
const TrackerKind = "tracker"

// CounterNamed is the kind of a name; if there is none it is zero, without a name.
func CounterNamed(name string) (kind CounterKind) {
	for i := range Counters {
		if Counters[i].Name == name {
			return Counters[i]
		}
	}
	return kind
}
